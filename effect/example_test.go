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

// Each arm of a treatment of three levels is compared with the control.
func ExampleEstimator_arms() {
	xu, err := tables.FromColumns(
		tables.Strings("arm", []string{"placebo", "low", "high", "placebo", "low", "high", "placebo", "low", "high"}),
		tables.Numbers("score", []float64{1, 2, 5, 2, 4, 6, 3, 6, 7}))
	if err != nil {
		panic(err)
	}
	uy, err := tables.FromMatrix([]string{"score", "income"}, mat.NewDense(7, 2, []float64{1, 11, 2, 12, 3, 13, 4, 14, 5, 15, 6, 16, 7, 17}))
	if err != nil {
		panic(err)
	}
	got, err := effect.Estimator{
		Setup: problem.Setup{Psi: features.Spec{Kind: features.LinearFeatures}, Folds: 1}, Treatment: "arm", Control: "placebo", LambdaH: rr.Value(0),
	}.Estimate(context.Background(), xu, uy)
	if err != nil {
		panic(err)
	}
	for _, e := range got.Effects {
		fmt.Printf("%s against %s: %.2f (%.2f to %.2f, joint %.2f to %.2f)\n", e.Arm, e.Against, e.Value, e.Lo, e.Hi, e.Joint.Lo, e.Joint.Hi)
	}
	// Output:
	// high against placebo: 4.00 (1.73 to 6.27, joint 1.17 to 6.83)
	// low against placebo: 2.00 (-2.16 to 6.16, joint -3.43 to 7.43)
}
