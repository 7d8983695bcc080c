package solvers

import (
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// TestSystemAnswersLambdasInTurn: what a System keeps of one lambda_f never serves another.
func TestSystemAnswersLambdasInTurn(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 3))
	pr := problem{phi: random(rnd, 30, 6), psi: random(rnd, 30, 5), psi2: random(rnd, 25, 5), y: random(rnd, 25, 2)}
	xu, uy := pr.moments()
	shared, err := NewSystem(xu, uy, true)
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range []Params{
		{W: .5, LambdaF: .1, LambdaH: .2},
		{W: .5, LambdaF: 3, LambdaH: .2},
		{W: .3, LambdaF: 3, LambdaH: .5}, // the factor and Schur complement once more
		{W: 1, LambdaF: .1, LambdaH: .2},
		{W: 1, LambdaF: .3, LambdaH: .2}, // the same h
		{W: 1, LambdaF: .3, LambdaH: .1},
		{W: .5, LambdaF: .1, LambdaH: .2},
		{W: .5, LambdaF: .2, LambdaH: .2, Penalty: Paper}, // the same lambda_f, scaled
		{W: .25, LambdaF: .2, LambdaH: .2, Penalty: Paper},
	} {
		got, want := shared.Solve(p), pr.solve(t, p, true)
		for _, c := range [][2]mat.Matrix{{got.Alpha, want.Alpha}, {got.Beta, want.Beta}} {
			if !mat.Equal(c[0], c[1]) {
				t.Errorf("call %d, %+v: differs from a new System", i, p)
			}
		}
		if c := shared.Coefficients(p); !mat.Equal(c.Alpha, got.Alpha) || !mat.Equal(c.Beta, got.Beta) || c.RankH != got.RankH || c.CondF != 0 {
			t.Errorf("call %d, %+v: coefficients alone are %+v", i, p, c)
		} else {
			c.Beta.Zero() // is the caller's own
		}
		if got.CondF != want.CondF || got.CondH != want.CondH {
			t.Errorf("call %d, %+v: conditions %g and %g, want %g and %g", i, p, got.CondF, got.CondH, want.CondF, want.CondH)
		}
	}
}

func TestRidgeReportsItsSystem(t *testing.T) {
	// The matrix is diag(9/2, 1/2) + lambda I.
	b := mat.NewDense(2, 1, []float64{1, 1})
	xu, _ := problem{phi: mat.NewDense(2, 2, []float64{3, 0, 0, 1}), psi: b, psi2: b, y: b}.moments()
	var left mat.SymDense
	xu.LeftTo(&left, false)
	for _, lambda := range []float64{0, .5} {
		want := (4.5 + lambda) / (.5 + lambda)
		whole, err := Ridge(xu, lambda, false)
		if err != nil {
			t.Fatal(err)
		}
		for name, l := range map[string]*Linear{"Ridge": whole, "RidgeWith": RidgeWith(NewFactor(&left, lambda), xu, false)} {
			if l.Rank != 2 || l.Cond < want*(1-1e-14) || l.Cond > want*(1+1e-14) { // four roundings
				t.Errorf("%s, lambda %g: condition %g of rank %d, want %g of rank 2", name, lambda, l.Cond, l.Rank, want)
			}
		}
	}
}
