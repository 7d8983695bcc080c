package blas

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"mediant/internal/asm"
)

// single packs x less centre.
func single(x blas64.General, centre, factors []float64) *Single {
	s := new(Single)
	s.Reset(x.Rows, x.Cols)
	s.Put(0, x, centre, factors)
	return s
}

// integers returns a matrix of integers of at most 5 bits times powers of 2 that depend on the column: their products in units of columns, summed up to
// thousands of times, are exact in float32.
func integers(rnd *rand.Rand, r, c, pad int) blas64.General {
	g := strided(rnd, r, c, pad)
	for i := range r {
		for j := range c {
			g.Data[i*g.Stride+j] = math.Ldexp(float64(rnd.IntN(63)-31), 7*(j%41)-140)
		}
	}
	return g
}

// exactly adds A'B to a part of C, for what has no rounding.
func exactly(a, b, c blas64.General, p part) {
	for i := range c.Rows {
		lo, hi := p.columns(i, 0, c.Cols)
		for j := lo; j < hi; j++ {
			sum := 0.0
			for k := range a.Rows {
				sum += a.Data[k*a.Stride+i] * b.Data[k*b.Stride+j]
			}
			c.Data[i*c.Stride+j] += sum
		}
	}
}

// zeros is a matrix of zeros between canaries.
func zeros(r, c, pad int) blas64.General {
	g := strided(rand.New(rand.NewPCG(1, 1)), r, c, pad)
	for i := range r {
		clear(g.Data[i*g.Stride:][:c])
	}
	return g
}

func TestMixedProductsAreThoseOfIntegers(t *testing.T) {
	rnd := rand.New(rand.NewPCG(21, 2))
	for i, size := range [][3]int{{1, 1, 1}, {7, 23, 9}, {8, 48, 16}, {9, 49, 17}, {16, 95, 255}, {97, 144, 257}, {100, 1, 513}, {400, 500, 20}, {250, 100, 300}} {
		m, n, k, pad := size[0], size[1], size[2], 5*(i%2)
		a, b := integers(rnd, k, m, pad), integers(rnd, k, n, 3)
		wantAB, wantAA := zeros(m, n, pad), zeros(m, m, 2)
		exactly(a, b, wantAB, whole)
		exactly(a, a, wantAA, upper)
		eachLevel(func(l asm.Level) {
			if l == asm.Portable && m*n > 1e5 {
				return // a second
			}
			gotAB, gotAA := zeros(m, n, pad), zeros(m, m, 2)
			sa, sb := single(a, make([]float64, m), nil), single(b, make([]float64, n), nil)
			MixedGemm(sa, sb, gotAB)
			MixedSyrk(sa, gotAA)
			same(t, fmt.Sprintf("%v: %v", l, size), gotAB, wantAB)
			same(t, fmt.Sprintf("%v: symmetric %v", l, size), gotAA, wantAA)
		})
	}
}

// Of products in float32, 1 beside 2^24 is lost; blocks of 256 rows are added in float64.
func TestMixedSumsAreCutAfter256Rows(t *testing.T) {
	a := zeros(258, 1, 0)
	for i := range 258 {
		a.Data[i] = 1
	}
	a.Data[0] = 1 << 12
	c := zeros(1, 1, 0)
	MixedSyrk(single(a, []float64{0}, nil), c)
	if want := float64(1<<24 + 2); c.Data[0] != want {
		t.Errorf("sum is %.0f, want %.0f", c.Data[0], want)
	}
}

func TestSinglesAreCentredAndScaled(t *testing.T) {
	x := blas64.General{Rows: 2, Cols: 3, Stride: 3, Data: []float64{3, 1e200, 5, 1, -1e200, 5}}
	c := zeros(3, 3, 0)
	MixedSyrk(single(x, []float64{2, 0, 4}, []float64{2, 3}), c)
	// Rows are 2 (1, 1e200, 1) and 3 (-1, -1e200, 1).
	for i, want := range map[int]float64{0: 13, 1: 13e200, 2: -5, 4: math.Inf(1), 5: -5e200, 8: 13} {
		// Two roundings of elements, one of products, in float32.
		if got := c.Data[i]; got != want && !(math.Abs(got-want) <= 4*0x1p-24*math.Abs(13*want)) {
			t.Errorf("element %d is %g, want %g", i, got, want)
		}
	}
}

func TestMixedSumsOfSmallAndLargeNumbers(t *testing.T) {
	for _, size := range []float64{1e-320, 1e-140, 1e-30, 1e30, 1e140} {
		x := blas64.General{Rows: 2, Cols: 1, Stride: 1, Data: []float64{3 * size, -size}}
		c := zeros(1, 1, 0)
		MixedSyrk(single(x, []float64{0}, nil), c)
		if want := 10 * size * size; c.Data[0] != want && !(math.Abs(c.Data[0]-want) <= 4*0x1p-24*want) {
			t.Errorf("numbers of size %g: squares sum to %g, want %g", size, c.Data[0], want)
		}
	}
}

func TestSingleInParts(t *testing.T) {
	rnd := rand.New(rand.NewPCG(22, 4))
	x := strided(rnd, 300, 109, 1)
	centre, want := strided(rnd, 1, 109, 0).Data[:109], zeros(109, 109, 0)
	MixedSyrk(single(x, centre, nil), want)
	var s Single
	for range 2 { // the second time in the memory of the first
		got := zeros(109, 109, 0)
		s.Reset(300, 109)
		s.Put(96, view(x, 0, 96, 300, 13), centre[96:], nil)
		s.Put(0, view(x, 0, 0, 300, 96), centre[:96], nil)
		MixedSyrk(&s, got)
		same(t, "parts", got, want)
	}
}

func TestThreadsAndLevelsDoNotChangeMixedProducts(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	rnd := rand.New(rand.NewPCG(23, 4))
	a, b := strided(rnd, 300, 149, 0), strided(rnd, 300, 131, 3)
	var wantAA, wantAB blas64.General
	eachLevel(func(l asm.Level) {
		for _, threads := range []int{1, 2, 8} {
			runtime.GOMAXPROCS(threads)
			sa, sb := single(a, a.Data[:149], nil), single(b, b.Data[:131], nil)
			gotAA, gotAB := zeros(149, 149, 0), zeros(149, 131, 0)
			MixedSyrk(sa, gotAA)
			MixedGemm(sa, sb, gotAB)
			if wantAA.Data == nil {
				wantAA, wantAB = gotAA, gotAB
			}
			same(t, fmt.Sprintf("%v: %d threads, symmetric", l, threads), gotAA, wantAA)
			same(t, fmt.Sprintf("%v: %d threads", l, threads), gotAB, wantAB)
		}
	})
}

func TestMixedProductsPropagateInfAndNaN(t *testing.T) {
	for _, bad := range []float64{math.NaN(), math.Inf(1)} {
		x := integers(rand.New(rand.NewPCG(24, 4)), 10, 60, 0)
		x.Data[3*x.Stride+50] = bad
		c := zeros(60, 60, 0)
		MixedSyrk(single(x, make([]float64, 60), nil), c)
		for i := range 60 {
			for j := i; j < 60; j++ {
				v := c.Data[i*c.Stride+j]
				if finite := !math.IsNaN(v) && !math.IsInf(v, 0); finite != (i != 50 && j != 50) {
					t.Fatalf("%g in column 50: element (%d, %d) is %g", bad, i, j, v)
				}
			}
		}
	}
}

func TestMixedProductsRefuse(t *testing.T) {
	g := func(r, c int) blas64.General {
		return blas64.General{Rows: r, Cols: c, Stride: max(c, 1), Data: make([]float64, r*c)}
	}
	s := single(g(5, 60), make([]float64, 60), nil)
	for name, call := range map[string]func(){
		"odd place":  func() { s.Put(8, g(5, 48), make([]float64, 48), nil) },
		"beyond":     func() { s.Put(48, g(5, 13), make([]float64, 13), nil) },
		"inner end":  func() { s.Put(0, g(5, 47), make([]float64, 47), nil) },
		"depth":      func() { s.Put(0, g(4, 60), make([]float64, 60), nil) },
		"centre":     func() { s.Put(0, g(5, 60), make([]float64, 59), nil) },
		"factors":    func() { s.Put(0, g(5, 60), make([]float64, 60), make([]float64, 4)) },
		"square":     func() { MixedSyrk(s, g(60, 61)) },
		"rows":       func() { MixedGemm(s, s, g(59, 60)) },
		"columns":    func() { MixedGemm(s, s, g(60, 59)) },
		"other rows": func() { MixedGemm(s, single(g(4, 60), make([]float64, 60), nil), g(60, 60)) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			call()
		}()
	}
}
