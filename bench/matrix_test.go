package bench

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"mediant/internal/asm"
	fast "mediant/internal/blas"
	"mediant/internal/parallel"
)

var orders = []int{512, 1024, 2048, 4096}

func random(r, c int) blas64.General {
	rnd := rand.New(rand.NewPCG(uint64(r), uint64(c)))
	a := blas64.General{Rows: r, Cols: c, Stride: c, Data: make([]float64, r*c)}
	for i := range a.Data {
		a.Data[i] = rnd.NormFloat64()
	}
	return a
}

// definite is a matrix with a dominant diagonal.
func definite(n int) blas64.General {
	a := random(n, n)
	for i := range n {
		for j := i + 1; j < n; j++ {
			a.Data[j*n+i] = a.Data[i*n+j]
		}
		a.Data[i*n+i] = 4 * float64(n)
	}
	return a
}

func clone(a blas64.General) blas64.General {
	a.Data = append([]float64(nil), a.Data...)
	return a
}

// eachOrder runs do for the orders of interest on one and two threads; do returns its flops.
func eachOrder(b *testing.B, prepare func(n int) (do func(b *testing.B), flops float64)) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, n := range orders {
		do, flops := prepare(n)
		for _, threads := range []int{1, 2} {
			b.Run(fmt.Sprintf("n=%d/threads=%d", n, threads), func(b *testing.B) {
				runtime.GOMAXPROCS(threads)
				do(b)
				for b.Loop() {
					do(b)
				}
				b.ReportMetric(float64(b.N)*flops/b.Elapsed().Seconds()/1e9, "GFLOPS")
			})
		}
	}
}

func cube(n int) float64 { return float64(n) * float64(n) * float64(n) }

func BenchmarkPeak(b *testing.B) {
	const k = 64 // 4 and 12 kB packed: both in the first cache
	x, y, c := make([]float64, asm.Rows*k), make([]float64, asm.Cols*k), make([]float64, asm.Rows*asm.Cols)
	for b.Loop() {
		for range 1000 {
			asm.Gemm(asm.Cols, k, x, 1, asm.Rows, y, asm.Cols, 1, c, asm.Cols, false)
		}
	}
	b.ReportMetric(float64(b.N)*1000*2*asm.Rows*asm.Cols*k/b.Elapsed().Seconds()/1e9, "GFLOPS")
}

func BenchmarkGemm(b *testing.B) {
	eachOrder(b, func(n int) (func(*testing.B), float64) {
		x, y, z := random(n, n), random(n, n), random(n, n)
		return func(b *testing.B) { fast.Gemm(blas.NoTrans, blas.NoTrans, 1, x, y, 0, z) }, 2 * cube(n)
	})
}

func BenchmarkGonumGemm(b *testing.B) {
	eachOrder(b, func(n int) (func(*testing.B), float64) {
		x, y, z := random(n, n), random(n, n), random(n, n)
		return func(b *testing.B) { blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, x, y, 0, z) }, 2 * cube(n)
	})
}

func BenchmarkSyrk(b *testing.B) {
	eachOrder(b, func(n int) (func(*testing.B), float64) {
		x, z := random(n, n), random(n, n)
		return func(b *testing.B) { fast.Syrk(1, x, z) }, cube(n)
	})
}

// BenchmarkMixedSyrk takes turns with Syrk, and counts the time in which operands are packed in both.
func BenchmarkMixedSyrk(b *testing.B) {
	var single, double time.Duration
	var of *testing.B
	eachOrder(b, func(n int) (func(*testing.B), float64) {
		x, z := random(n, n), random(n, n)
		var s fast.Single
		return func(b *testing.B) {
			if b != of {
				of, single, double = b, 0, 0
			}
			start := time.Now()
			mixedSyrk(&s, x, z)
			middle := time.Now()
			fast.Syrk(1, x, z)
			single, double = single+middle.Sub(start), double+time.Since(middle)
			b.ReportMetric(double.Seconds()/single.Seconds(), "×Syrk")
		}, 2 * cube(n)
	})
}

// mixedSyrk adds x'x to z.
func mixedSyrk(s *fast.Single, x, z blas64.General) {
	s.Reset(x.Rows, x.Cols)
	parallel.Blocks(x.Cols, 2*fast.SingleStretch, func(lo, hi int) {
		columns := blas64.General{Rows: x.Rows, Cols: hi - lo, Stride: x.Stride, Data: x.Data[lo:]}
		s.Put(lo, columns, make([]float64, hi-lo), nil)
	})
	fast.MixedSyrk(s, z)
}

func BenchmarkCholesky(b *testing.B) {
	eachOrder(b, func(n int) (func(*testing.B), float64) {
		a := definite(n)
		work := clone(a)
		return func(b *testing.B) {
			b.StopTimer()
			copy(work.Data, a.Data)
			b.StartTimer()
			if !fast.Cholesky(work) {
				b.Fatal("not positive definite")
			}
		}, cube(n) / 3
	})
}

func BenchmarkSolveLeft(b *testing.B) { benchmarkSolve(b, blas.Trans) }

func BenchmarkSolveRight(b *testing.B) { benchmarkSolve(b, blas.NoTrans) }

// benchmarkSolve solves for as many right-hand sides as unknowns, from the left if transposed. A
// scaled identity keeps the numbers from growing.
func benchmarkSolve(b *testing.B, t blas.Transpose) {
	eachOrder(b, func(n int) (func(*testing.B), float64) {
		u, x := random(n, n), random(n, n)
		for i := range u.Data {
			u.Data[i] /= float64(n)
		}
		for i := range n {
			u.Data[i*n+i] = 1
		}
		return func(b *testing.B) {
			if t == blas.Trans {
				fast.SolveLeft(t, u, x)
			} else {
				fast.SolveRight(x, u)
			}
		}, cube(n)
	})
}

// Shapes of prediction: a block of features by the coefficients of few outputs, and one row of it.
func BenchmarkNarrowGemm(b *testing.B) {
	for _, shape := range [][3]int{{1024, 1, 512}, {1024, 10, 2048}, {1, 2048, 784}, {1, 1, 512}, {128, 256, 50}} {
		m, n, k := shape[0], shape[1], shape[2]
		x, y, z := random(m, k), random(k, n), random(m, n)
		for _, c := range []struct {
			name string
			gemm func(tA, tB blas.Transpose, alpha float64, a, b blas64.General, beta float64, c blas64.General)
		}{{"ours", fast.Gemm}, {"gonum", blas64.Gemm}} {
			b.Run(fmt.Sprintf("%dx%dx%d/%s", m, n, k, c.name), func(b *testing.B) {
				for b.Loop() {
					c.gemm(blas.NoTrans, blas.NoTrans, 1, x, y, 0, z)
				}
				b.ReportMetric(float64(b.N)*2*float64(m*n*k)/b.Elapsed().Seconds()/1e9, "GFLOPS")
			})
		}
	}
}
