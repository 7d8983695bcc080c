package solvers_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/solvers"
)

// TestFreedom: eigenvalues v of m count v/(v + lambda) each, in whatever directions they are.
func TestFreedom(t *testing.T) {
	const c, s = .6, .8
	turn := mat.NewDense(3, 3, []float64{c, -s, 0, s, c, 0, 0, 0, 1})
	var m mat.Dense
	m.Product(turn, mat.NewDiagDense(3, []float64{3, 1, 0}), turn.T())
	sym := mat.NewSymDense(3, m.RawMatrix().Data)
	for lambda, want := range map[float64]float64{0: 2, 1: 3./4 + 1./2, 1e6: 4e-6} {
		if got := solvers.Freedom(sym, lambda); math.Abs(got-want) > 1e-5*want {
			t.Errorf("lambda %g: %g degrees of freedom, want %g", lambda, got, want)
		}
	}
}
