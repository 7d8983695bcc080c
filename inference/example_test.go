package inference_test

import (
	"context"
	"fmt"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"mediant/features"
	"mediant/inference"
	"mediant/problem"
	"mediant/rr"
	"mediant/tables"
)

// The standard error of f at rows of a plain matrix: they are encoded, and predicted by F as by its errors. Here U = X + noise and Y = 2U + noise; of
// 400 rows each, the error is least at the mean of X, 0.
func ExampleEstimate() {
	ctx := context.Background()
	rnd := rand.New(rand.NewPCG(1, 1))
	var x, u, v, y []float64
	for range 400 {
		x = append(x, rnd.NormFloat64())
		u = append(u, x[len(x)-1]+.5*rnd.NormFloat64())
		v = append(v, rnd.NormFloat64())
		y = append(y, 2*v[len(v)-1]+rnd.NormFloat64())
	}
	xu, _ := tables.FromColumns(tables.Numbers("x", x), tables.Numbers("u", u))
	uy, _ := tables.FromColumns(tables.Numbers("u", v), tables.Numbers("y", y))
	linear := features.Spec{Kind: features.LinearFeatures}
	p, err := problem.Prepare(ctx, problem.Setup{Phi: linear, Psi: linear}, xu, uy)
	if err != nil {
		panic(err)
	}
	model, err := rr.TwoStep{}.Fit(ctx, p)
	if err != nil {
		panic(err)
	}
	errors, err := inference.Estimate(ctx, p, model, inference.Corrected)
	if err != nil {
		panic(err)
	}
	rows, _, err := model.X.EncodeMatrix(mat.NewDense(2, 1, []float64{0, 2}))
	if err != nil {
		panic(err)
	}
	var f, se mat.Dense
	model.F.PredictTo(&f, rows)
	errors.PredictTo(&se, rows)
	for i := range 2 {
		fmt.Printf("%.1f ± %.2f\n", f.At(i, 0), se.At(i, 0))
	}
	// Output:
	// -0.1 ± 0.07
	// 4.0 ± 0.17
}
