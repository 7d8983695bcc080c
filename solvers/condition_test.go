package solvers

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// spread returns Q diag(d) Q' for a random Q, with d from 1 down to 1/cond in equal ratios.
func spread(rnd *rand.Rand, n int, cond float64) *mat.SymDense {
	var qr mat.QR
	qr.Factorize(random(rnd, n, n))
	var q, root mat.Dense
	qr.QTo(&q)
	d := mat.NewDiagDense(n, nil)
	for i := range n {
		d.SetDiag(i, math.Pow(cond, -float64(i)/float64(2*n-2)))
	}
	root.Mul(&q, d)
	return outer(&root)
}

func TestConditionIsNearTheTruth(t *testing.T) {
	rnd := rand.New(rand.NewPCG(21, 1))
	for _, n := range []int{2, 8, 9, 40, 150} {
		for _, cond := range []float64{2, 1e3, 1e9} {
			m := spread(rnd, n, cond)
			var inverse mat.Dense
			if err := inverse.Inverse(m); err != nil {
				t.Fatal(err)
			}
			want := mat.Norm(m, 1) * mat.Norm(&inverse, 1)
			got := NewFactor(m, 0).Cond()
			// Both lose cond digits. The estimate is from below, and exact for small orders.
			rounding := 1e-12 + 100*eps*cond*float64(n)
			least := 1 / 3.0
			if n <= probes {
				least = 1 - rounding
			}
			if got < least*want || got > (1+rounding)*want {
				t.Errorf("order %d: condition %g, want about %g", n, got, want)
			}
		}
	}
}

// The matrix of Hilbert has signs in its inverse that no vector of equal elements sees.
func TestConditionOfHilbertMatrix(t *testing.T) {
	for n, want := range map[int]float64{3: 748, 5: 943656, 10: 3.5356847610517146e13} { // exact inverses
		m := mat.NewSymDense(n, nil)
		for i := range n {
			for j := i; j < n; j++ {
				m.SetSym(i, j, 1/float64(i+j+1))
			}
		}
		f := NewFactor(m, 0)
		if got := f.Cond(); math.Abs(got/want-1) > 1e-2 { // 1e13 loses 13 digits of 16
			t.Errorf("order %d: condition %g, want %g", n, got, want)
		}
	}
}

// Rows and columns that must not be mixed up: a matrix whose inverse has one large column.
func TestConditionFindsOneColumn(t *testing.T) {
	for _, at := range []int{0, 17, 99} {
		m := mat.NewSymDense(100, nil)
		for i := range 100 {
			m.SetSym(i, i, 1)
		}
		m.SetSym(at, at, 1e-7)
		if got := NewFactor(m, 0).Cond(); math.Abs(got-1e7) > 1e-6 {
			t.Errorf("small diagonal %d: condition %g, want 1e7", at, got)
		}
	}
}

// A lambda that keeps a matrix regular by itself leaves the estimate out, and nothing else.
func TestFarIsRegular(t *testing.T) {
	rnd := rand.New(rand.NewPCG(21, 2))
	for _, n := range []int{1, 12, 60} {
		m := outer(random(rnd, n, max(1, n/2)))
		trace := mat.Trace(m)
		for e := -20; e < 3; e++ {
			lambda := trace * math.Pow(10, float64(e))
			f := NewFactor(m, lambda)
			if f.far(lambda, trace) && !(1/f.Cond() >= float64(n)*eps) {
				t.Errorf("order %d, lambda %g of the trace: condition %g is far from nothing", n, lambda/trace, f.Cond())
			}
		}
	}
}

func BenchmarkFactor(b *testing.B) {
	m := outer(random(rand.New(rand.NewPCG(21, 3)), 512, 600))
	for name, lambda := range map[string]float64{"far": 1, "near": 0} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				NewFactor(m, lambda)
			}
		})
	}
}
