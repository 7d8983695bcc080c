package main

import (
	"math"
	"math/rand/v2"
	"time"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"mediant/internal/asm"

	fast "mediant/internal/blas"
	"mediant/internal/parallel"
)

// An operation is a line of the table for each of its sizes and numbers of threads.
type operation struct {
	name     string
	peer     string // what worker.py calls it; "" where the peers have nothing like it
	sizes    []int
	threaded bool
	unit     unit
	work     func(n int) float64 // of one run, in the unit
	ours     func(n int) task
}

// A task is an operation with operands: what is to be done before each run, if not nil, and the run.
type task struct{ before, run func() }

type unit string

const (
	flops    unit = "GFLOPS"
	elements unit = "G/s"
	traffic  unit = "GB/s"
)

var (
	orders = []int{512, 1024, 2048, 4096}
	large  = []int{2048, 4096}
	// A vector and its results, 16,384 numbers each, fit the second cache.
	vectors = []int{1 << 14}
)

// operations are what is measured. Matrices are square.
var operations = []operation{
	{"product", "gemm", orders, true, flops, func(n int) float64 { return 2 * cube(n) }, product},
	{"symmetric product", "syrk", orders, true, flops, cube, symmetric},
	{"symmetric product, mixed", "syrk", orders, true, flops, cube, symmetricMixed},
	{"Cholesky", "cholesky", orders, true, flops, func(n int) float64 { return cube(n) / 3 }, cholesky},
	{"triangular solve, left", "solve left", large, true, flops, cube, solveLeft},
	{"triangular solve, right", "solve right", large, true, flops, cube, solveRight},
	{"exp", "exp", vectors, false, elements, count, exp},
	{"cos", "cos", vectors, false, elements, count, cos},
	{"sin and cos", "sincos", vectors, false, elements, count, sincos},
	{"Hadamard", "", []int{256, 1024, 4096}, false, traffic, func(n int) float64 { return 8 * float64(n) }, hadamard},
}

func cube(n int) float64 { return float64(n) * float64(n) * float64(n) }

func count(n int) float64 { return float64(n) }

var rnd = rand.New(rand.NewPCG(1, 2))

func random(n int) blas64.General {
	a := blas64.General{Rows: n, Cols: n, Stride: n, Data: make([]float64, n*n)}
	for i := range a.Data {
		a.Data[i] = rnd.NormFloat64()
	}
	return a
}

func product(n int) task {
	a, b, c := random(n), random(n), random(n)
	return task{run: func() { fast.Gemm(blas.NoTrans, blas.NoTrans, 1, a, b, 0, c) }}
}

func symmetric(n int) task {
	a, c := random(n), random(n)
	return task{run: func() { fast.Syrk(1, a, c) }}
}

// symmetricMixed takes its operand to float32 each time, which is a part of a sum in mixed precision.
func symmetricMixed(n int) task {
	a, c, centre := random(n), random(n), make([]float64, n)
	var s fast.Single
	return task{run: func() {
		s.Reset(n, n)
		parallel.Blocks(n, fast.SingleStretch, func(lo, hi int) {
			columns := blas64.General{Rows: n, Cols: hi - lo, Stride: n, Data: a.Data[lo:]}
			s.Put(lo, columns, centre[lo:hi], nil)
		})
		fast.MixedSyrk(&s, c)
	}}
}

func cholesky(n int) task {
	a, work := random(n), random(n)
	for i := range n {
		for j := i + 1; j < n; j++ {
			a.Data[i*n+j] += a.Data[j*n+i]
		}
		a.Data[i*n+i] = 4 * float64(n)
	}
	return task{func() { copy(work.Data, a.Data) }, func() {
		if !fast.Cholesky(work) {
			panic("compare: a matrix with a dominant diagonal is not positive definite")
		}
	}}
}

// triangle is near the identity, so that solving again and again lets nothing grow.
func triangle(n int) blas64.General {
	u := random(n)
	for i := range u.Data {
		u.Data[i] /= float64(n)
	}
	for i := range n {
		u.Data[i*n+i] = 1
	}
	return u
}

func solveLeft(n int) task {
	u, x := triangle(n), random(n)
	return task{run: func() { fast.SolveLeft(blas.Trans, u, x) }}
}

func solveRight(n int) task {
	u, x := triangle(n), random(n)
	return task{run: func() { fast.SolveRight(x, u) }}
}

func exp(n int) task { return inPlace(n, func(y []float64) { asm.Exp(y, 1) }) }

func cos(n int) task { return inPlace(n, func(y []float64) { asm.Cos(y, 1) }) }

// inPlace is a function that overwrites its arguments, as in the library, row by row. They are put back
// before each run, outside of its time.
func inPlace(n int, f func(y []float64)) task {
	const row = 1024
	x, y := arguments(n), make([]float64, n)
	return task{func() { copy(y, x) }, func() {
		for i := 0; i < n; i += row {
			f(y[i:min(i+row, n)])
		}
	}}
}

func sincos(n int) task {
	x, sin, cos := arguments(n), make([]float64, n), make([]float64, n)
	return task{run: func() { asm.Sincos(sin, cos, x, 1) }}
}

// hadamard is scaled so as to keep lengths, as in features.
func hadamard(n int) task {
	x, d := arguments(n), make([]float64, n)
	for i := range d {
		d[i] = 1 / math.Sqrt(float64(n))
	}
	return task{run: func() { asm.Hadamard(x, d) }}
}

func arguments(n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = 20*rnd.Float64() - 10
	}
	return x
}

// seconds is the time of so many runs.
func (t task) seconds(times int) float64 {
	var total time.Duration
	for range times {
		if t.before != nil {
			t.before()
		}
		start := time.Now()
		t.run()
		total += time.Since(start)
	}
	return total.Seconds()
}
