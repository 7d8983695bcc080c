package blas

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// orders cross every boundary: of the micro-kernel, of leaves and tiles, and odd sizes between.
var orders = []int{1, 2, 5, 63, 64, 65, 71, 72, 73, 120, 121, 128, 129, 144, 145, 200, 257, 330}

func random(r, c int) *mat.Dense {
	rnd := rand.New(rand.NewPCG(uint64(r), uint64(c)))
	a := mat.NewDense(r, c, nil)
	for i := range a.RawMatrix().Data {
		a.RawMatrix().Data[i] = rnd.NormFloat64()
	}
	return a
}

// definite returns a copy of X'X + n I, whose condition number is below 10.
func definite(n int) *mat.SymDense {
	once, _ := definites.LoadOrStore(n, sync.OnceValue(func() *mat.SymDense {
		var s mat.SymDense
		s.SymOuterK(1, random(n, n).T())
		for i := range n {
			s.SetSym(i, i, s.At(i, i)+float64(n))
		}
		return &s
	}))
	s := mat.NewSymDense(n, nil)
	s.CopySym(once.(func() *mat.SymDense)())
	return s
}

// definites are made once: gonum takes a second for an order of 1,000.
var definites sync.Map

// general views the upper triangle of s, with a canary in the lower one.
func general(s *mat.SymDense) blas64.General {
	r := s.RawSymmetric()
	return blas64.General{Rows: r.N, Cols: r.N, Stride: r.Stride, Data: r.Data}
}

func TestSyrkAddsToUpper(t *testing.T) {
	for _, p := range orders {
		a := random(37, p)
		got, want := definite(p), definite(p)
		var outer mat.Dense
		outer.Mul(a.T(), a)
		Syrk(-2, a.RawMatrix(), general(got))
		for i := range p {
			for j := i; j < p; j++ {
				if d := math.Abs(got.At(i, j) - want.At(i, j) + 2*outer.At(i, j)); d > 1e-11 {
					t.Fatalf("order %d: entry %d,%d is off by %g", p, i, j, d)
				}
			}
		}
	}
}

func TestSolvesInvertProducts(t *testing.T) {
	for _, n := range orders {
		u := definite(n)
		Cholesky(general(u))
		tri := mat.NewTriDense(n, mat.Upper, nil)
		for i := range n {
			for j := i; j < n; j++ {
				tri.SetTri(i, j, u.At(i, j))
			}
		}
		for _, k := range []int{0, 1, 3, 130} {
			check := func(name string, x, got *mat.Dense) {
				t.Helper()
				var d mat.Dense
				d.Sub(x, got)
				if e := mat.Norm(&d, math.Inf(1)); e > 1e-12*float64(k*n+10) {
					t.Errorf("%s, order %d, %d sides: off by %g", name, n, k, e)
				}
			}
			if k == 0 {
				SolveLeft(blas.NoTrans, general(u), blas64.General{Rows: n, Stride: 1})
				SolveRight(blas64.General{Cols: n, Stride: n}, general(u))
				continue
			}
			x := random(n, k)
			var b mat.Dense
			b.Mul(tri, x)
			SolveLeft(blas.NoTrans, general(u), b.RawMatrix())
			check("U x = b", x, &b)
			b.Mul(tri.T(), x)
			SolveLeft(blas.Trans, general(u), b.RawMatrix())
			check("U' x = b", x, &b)
			x = random(k, n)
			var c mat.Dense
			c.Mul(x, tri)
			SolveRight(c.RawMatrix(), general(u))
			check("x U = b", x, &c)
		}
	}
}

func BenchmarkSyrk(b *testing.B) {
	for _, p := range []int{512, 2048} {
		b.Run(fmt.Sprint(p), func(b *testing.B) {
			a, c := random(1024, p).RawMatrix(), mat.NewDense(p, p, nil).RawMatrix()
			for b.Loop() {
				Syrk(1, a, c)
			}
			b.ReportMetric(float64(b.N)*1024*float64(p*p)/b.Elapsed().Seconds()/1e9, "GFLOPS")
		})
	}
}

func BenchmarkCholesky(b *testing.B) {
	for _, p := range []int{512, 2048} {
		b.Run(fmt.Sprint(p), func(b *testing.B) {
			s := definite(p)
			work := mat.NewSymDense(p, nil)
			for b.Loop() {
				work.CopySym(s)
				Cholesky(general(work))
			}
			b.ReportMetric(float64(b.N)*math.Pow(float64(p), 3)/3/b.Elapsed().Seconds()/1e9, "GFLOPS")
		})
	}
}

func BenchmarkSolveRight(b *testing.B) {
	for _, p := range []int{512, 2048} {
		b.Run(fmt.Sprint(p), func(b *testing.B) {
			u := definite(p)
			Cholesky(general(u))
			x := random(1024, p)
			for b.Loop() {
				SolveRight(x.RawMatrix(), general(u))
				x.Scale(float64(p), x)
			}
			b.ReportMetric(float64(b.N)*1024*float64(p*p)/b.Elapsed().Seconds()/1e9, "GFLOPS")
		})
	}
}
