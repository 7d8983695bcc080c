package solvers

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// kernelOf is a matrix of order n with a kernel of points on a line, exp(-|x-y|).
func kernelOf(n int) *mat.SymDense {
	k := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			k.SetSym(i, j, math.Exp(-math.Abs(float64(i-j))/8))
		}
	}
	return k
}

func halfOf(t *testing.T, k *mat.SymDense) (*HalfCholesky, error) {
	t.Helper()
	n := k.SymmetricDim()
	diagonal := make([]float64, n)
	for i := range diagonal {
		diagonal[i] = k.At(i, i)
	}
	return NewHalfCholesky(context.Background(), diagonal, func(dst *mat.Dense, lo, hi int) {
		for i := lo; i < n; i++ {
			for j := lo; j < hi; j++ {
				dst.Set(i-lo, j-lo, k.At(i, j))
			}
		}
	})
}

// TestHalfCholeskySolves systems of one block, of several and of a part, to the digits of float32 times the condition number, 16 here.
func TestHalfCholeskySolves(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{1, 7, halfWidth, halfWidth + 1, 2*halfWidth + 90} {
		k := kernelOf(n)
		h, err := halfOf(t, k)
		if err != nil {
			t.Fatal(err)
		}
		x, b := rowsOf(rnd, n, 3), new(mat.Dense)
		b.Mul(k, x)
		h.Solve(false, b)
		h.Solve(true, b)
		if !mat.EqualApprox(b, x, 1e-3) {
			t.Errorf("order %d: another solution", n)
		}
		// L is triangular: L⁻¹ of the first unit vector times its first entry is that of the factor.
		unit := mat.NewDense(n, 1, nil)
		unit.Set(0, 0, 1)
		h.Solve(false, unit)
		if d := math.Abs(unit.At(0, 0) - 1); d > 1e-4 {
			t.Errorf("order %d: the first entry of L⁻¹ is off by %g", n, d)
		}
	}
}

func TestHalfCholeskyRefuses(t *testing.T) {
	k := kernelOf(4)
	k.SetSym(0, 1, 3)
	if _, err := halfOf(t, k); err == nil {
		t.Error("no error of an indefinite matrix")
	}
	done, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := NewHalfCholesky(done, []float64{1}, nil); err == nil {
		t.Error("no error of a context that is done")
	}
}
