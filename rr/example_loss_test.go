package rr_test

import (
	"context"
	"fmt"
	"log"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"mediant"
	"mediant/features"
	"mediant/losses"
	"mediant/problem"
	"mediant/rr"
	"mediant/tables"
)

// shares is the loss of shares y in [0, 1] of one output: y log(y/f) + (1-y) log((1-y)/(1-f)), whose potential is y log y + (1-y) log(1-y).
type shares struct{}

var _ losses.Canonical = shares{}

func (shares) Name() string { return "shares" }

func (shares) Potential(y []float64) float64 {
	term := func(v float64) float64 {
		if v == 0 {
			return 0
		}
		return v * math.Log(v)
	}
	return term(y[0]) + term(1-y[0])
}

func (shares) GradientTo(dst, f []float64) { dst[0] = math.Log(f[0] / (1 - f[0])) }

func (shares) MeanTo(dst, eta []float64) { dst[0] = 1 / (1 + math.Exp(-eta[0])) }

func (shares) Conjugate(eta []float64) float64 {
	return max(eta[0], 0) + math.Log1p(math.Exp(-math.Abs(eta[0])))
}

func (shares) CurvatureTo(dst, f []float64) { dst[0] = f[0] * (1 - f[0]) }

// A loss of one's own is a type with the methods of losses.Canonical: here one for shares, so that predictions stay between 0 and 1. Its uncoupled risk comes with the fit.
func Example_ownLoss() {
	const n = 2000
	rnd := rand.New(rand.NewPCG(1, 2))
	x, u, v, y := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range n {
		x[i] = rnd.NormFloat64()
		u[i] = x[i] + .5*rnd.NormFloat64()
		v[i] = math.Sqrt(1.25) * rnd.NormFloat64()
		y[i] = 1 / (1 + math.Exp(-2*v[i]-rnd.NormFloat64()))
	}
	xu, err := tables.FromColumns(tables.Numbers("x", x), tables.Numbers("u", u))
	if err != nil {
		log.Fatal(err)
	}
	uy, err := tables.FromColumns(tables.Numbers("u", v), tables.Numbers("y", y))
	if err != nil {
		log.Fatal(err)
	}
	spec := features.Spec{Size: 60, Bandwidth: 1}
	model, err := mediant.Fit(context.Background(), xu, uy, mediant.Options{
		Setup:  problem.Setup{Phi: spec, Psi: spec},
		Method: rr.Generalized{Loss: shares{}},
	})
	if err != nil {
		log.Fatal(err)
	}
	var f mat.Dense
	if err := model.PredictTo(&f, mat.NewDense(3, 1, []float64{-1, 0, 1})); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("shares %.2f\n", mat.Formatted(f.T()))
	risk := model.Assessment.Loss
	fmt.Printf("the loss %s is below that of a constant: %t\n", risk.Loss, risk.Hi < risk.Constant)
	// Output:
	// shares [0.19  0.49  0.82]
	// the loss shares is below that of a constant: true
}
