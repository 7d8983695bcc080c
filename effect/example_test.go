package effect_test

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"mediant/effect"
	"mediant/features"
	"mediant/problem"
	"mediant/rr"
	"mediant/tables"
)

func ExampleEstimator() {
	xu, err := tables.FromMatrix([]string{"treated", "score"}, mat.NewDense(6, 2, []float64{0, 1, 0, 2, 0, 3, 1, 3, 1, 4, 1, 5}))
	if err != nil {
		panic(err)
	}
	uy, err := tables.FromMatrix([]string{"score", "income"}, mat.NewDense(5, 2, []float64{1, 11, 2, 12, 3, 13, 4, 14, 5, 15}))
	if err != nil {
		panic(err)
	}
	got, err := effect.Estimator{
		Setup: problem.Setup{Psi: features.Spec{Kind: features.LinearFeatures}, Folds: 1}, Treatment: "treated", LambdaH: rr.Value(0),
	}.Estimate(context.Background(), xu, uy)
	if err != nil {
		panic(err)
	}
	fmt.Printf("effect on %s: %.2f, se %.2f\n", got.Effects[0].Output, got.Effects[0].Value, got.Effects[0].SE)
	// Output:
	// effect on income: 2.00, se 0.82
}
