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
	"mediant/tables/copies"
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

// Three experiments in one table, with one effect each, and what is known of two of them.
func ExampleEstimator_Portfolio() {
	var experiment []string
	var treated, clicks []float64
	for e, effect := range []float64{1, 2, 6} {
		for i := range 40 {
			arm := float64(i % 2)
			experiment = append(experiment, fmt.Sprintf("test %d", e+1))
			treated = append(treated, arm)
			clicks = append(clicks, effect*arm+float64(i/2%5)-2)
		}
	}
	xu, err := tables.FromColumns(tables.Strings("experiment", experiment), tables.Numbers("treated", treated), tables.Numbers("clicks", clicks))
	if err != nil {
		panic(err)
	}
	uy, err := tables.FromMatrix([]string{"clicks", "revenue"}, mat.NewDense(5, 2, []float64{-2, 6, 0, 10, 2, 14, 4, 18, 8, 26}))
	if err != nil {
		panic(err)
	}
	p, err := effect.Estimator{
		Setup: problem.Setup{Psi: features.Spec{Kind: features.LinearFeatures}, Folds: 1, AllRows: true, Copies: copies.Keep}, Treatment: "treated", LambdaH: rr.Value(0),
	}.Portfolio(context.Background(), xu, uy, "experiment")
	if err != nil {
		panic(err)
	}
	for _, e := range p.Effects {
		fmt.Printf("%s: %.2f, se %.2f, shrunken %.2f\n", e.Group, e.Value, e.SE, e.Shrunken.Value)
	}
	if err := p.Backtest([]effect.Truth{{Experiment: "test 1", Output: "revenue", Effect: 2.5}, {Experiment: "test 3", Output: "revenue", Effect: 9}}); err != nil {
		panic(err)
	}
	fmt.Printf("root mean squared error %.2f, shrunken %.2f\n", *p.Backtests[0].Raw.RMSE.Value, *p.Backtests[0].Shrunken.RMSE.Value)
	// Output:
	// test 1: 2.00, se 0.92, shrunken 2.12
	// test 2: 4.00, se 0.92, shrunken 4.06
	// test 3: 12.00, se 0.92, shrunken 11.82
	// root mean squared error 2.15, shrunken 2.01
}

// The estimates of four experiments, with their variances on the diagonal, are shrunken towards their mean.
func ExampleShrink() {
	s, err := effect.Shrink([]float64{1, 2, 4, 9}, mat.NewSymDense(4, []float64{2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2}))
	if err != nil {
		panic(err)
	}
	fmt.Printf("mean %.2f, standard deviation of effects %.2f\n", s.Mean.Value, s.Tau)
	for _, e := range s.Effects {
		fmt.Printf("%.2f (%.2f to %.2f)\n", e.Value, e.Lo, e.Hi)
	}
	// Output:
	// mean 4.00, standard deviation of effects 3.27
	// 1.47 (-1.13 to 4.08)
	// 2.32 (-0.29 to 4.92)
	// 4.00 (1.40 to 6.60)
	// 8.21 (5.61 to 10.81)
}

// The effect among women and men, with a test that they are equal.
func ExampleEstimator_Subgroups() {
	var sex []string
	var treated, score []float64
	for i := range 80 {
		arm, who := float64(i%2), i/2%2
		sex = append(sex, []string{"f", "m"}[who])
		treated = append(treated, arm)
		score = append(score, arm*float64(1+2*who)+float64(i/4%5)-2)
	}
	xu, err := tables.FromColumns(tables.Strings("sex", sex), tables.Numbers("treated", treated), tables.Numbers("score", score))
	if err != nil {
		panic(err)
	}
	uy, err := tables.FromMatrix([]string{"score", "income"}, mat.NewDense(5, 2, []float64{-2, 6, 0, 10, 2, 14, 4, 18, 8, 26}))
	if err != nil {
		panic(err)
	}
	s, err := effect.Estimator{
		Setup: problem.Setup{Psi: features.Spec{Kind: features.LinearFeatures}, Folds: 1, AllRows: true, Copies: copies.Keep}, Treatment: "treated", LambdaH: rr.Value(0),
	}.Subgroups(context.Background(), xu, uy, "sex")
	if err != nil {
		panic(err)
	}
	for _, e := range s.Effects {
		fmt.Printf("%s: %.2f (joint %.2f to %.2f)\n", e.Group, e.Value, e.Joint.Lo, e.Joint.Hi)
	}
	fmt.Printf("equal effects: chi-squared %.2f, p %.4f\n", s.Tests[0].ChiSquared, s.Tests[0].P)
	// Output:
	// f: 2.00 (joint -0.13 to 4.13)
	// m: 6.00 (joint 3.87 to 8.13)
	// equal effects: chi-squared 9.50, p 0.0021
}

// In rows that have T, U and Y, half of the effect is beside U.
func ExampleEstimator_Coupled() {
	var treated, score, income []float64
	for i := range 80 {
		arm := float64(i % 2)
		treated = append(treated, arm)
		score = append(score, arm+float64(i/2%5)-2)
		income = append(income, 10+2*score[i]+2*arm+float64(i/10%2)-.5)
	}
	coupled, err := tables.FromColumns(tables.Numbers("treated", treated), tables.Numbers("score", score), tables.Numbers("income", income))
	if err != nil {
		panic(err)
	}
	xu, err := tables.FromMatrix([]string{"treated", "score"}, mat.NewDense(4, 2, []float64{0, 1, 0, 2, 1, 3, 1, 4}))
	if err != nil {
		panic(err)
	}
	uy, err := tables.FromMatrix([]string{"score", "income"}, mat.NewDense(5, 2, []float64{-2, 6, 0, 10, 2, 14, 4, 18, 8, 26}))
	if err != nil {
		panic(err)
	}
	c, err := effect.Estimator{
		Setup: problem.Setup{Psi: features.Spec{Kind: features.LinearFeatures}, Folds: 1, AllRows: true, Copies: copies.Keep}, Treatment: "treated", LambdaH: rr.Value(0),
	}.Coupled(context.Background(), coupled, xu, uy)
	if err != nil {
		panic(err)
	}
	e := c.Effects[0]
	fmt.Printf("direct %.2f, through U %.2f (share %.0f %%), difference %.2f, p below .001: %t\n", e.Direct.Value, e.Surrogate.Value, 100**e.Proportion.Value, e.Difference.Value, e.P < .001)
	// Output:
	// direct 4.00, through U 2.00 (share 50 %), difference 2.00, p below .001: true
}
