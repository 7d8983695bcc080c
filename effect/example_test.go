package effect_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

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

// Income depends on a covariate much more than on the treatment. The estimate that is adjusted for it has a smaller standard error.
func ExampleEstimator_covariates() {
	rnd := rand.New(rand.NewPCG(1, 2))
	var treated, age, score []float64
	var history []float64 // score and income of others
	for i := range 400 {
		treated, age = append(treated, float64(i%2)), append(age, 40+10*rnd.NormFloat64())
		score = append(score, treated[i]+age[i]/10+.3*rnd.NormFloat64())
		past := 3 + 4*rnd.Float64()
		history = append(history, past, 10+2*past+.1*rnd.NormFloat64())
	}
	xu, err := tables.FromColumns(tables.Numbers("treated", treated), tables.Numbers("age", age), tables.Numbers("score", score))
	if err != nil {
		panic(err)
	}
	uy, err := tables.FromMatrix([]string{"score", "income"}, mat.NewDense(400, 2, history))
	if err != nil {
		panic(err)
	}
	linear := features.Spec{Kind: features.LinearFeatures}
	for _, x := range [][]string{nil, {"age"}} {
		got, err := effect.Estimator{Setup: problem.Setup{Phi: linear, Psi: linear, AllRows: true}, Treatment: "treated", X: x}.Estimate(context.Background(), xu, uy)
		if err != nil {
			panic(err)
		}
		fmt.Printf("adjusted for %v: %.1f, se %.2f\n", got.X, got.Effects[0].Value, got.Effects[0].SE)
	}
	// Output:
	// adjusted for []: 1.9, se 0.20
	// adjusted for [age]: 2.0, se 0.06
}

// Older people were treated more often, and had higher scores anyway: the difference of the arms is not the effect, 2. With the probability of treatment estimated from age, the estimate is near it.
func ExamplePropensity() {
	rnd := rand.New(rand.NewPCG(3, 4))
	var treated, age, score []float64
	var history []float64
	for i := range 1000 {
		age = append(age, 40+10*rnd.NormFloat64())
		arm := 0.
		if rnd.Float64() < 1/(1+math.Exp(-(age[i]-40)/10)) {
			arm = 1
		}
		treated, score = append(treated, arm), append(score, arm+age[i]/10+.3*rnd.NormFloat64())
		past := 1 + 8*rnd.Float64()
		history = append(history, past, 10+2*past+.1*rnd.NormFloat64())
	}
	xu, err := tables.FromColumns(tables.Numbers("treated", treated), tables.Numbers("age", age), tables.Numbers("score", score))
	if err != nil {
		panic(err)
	}
	uy, err := tables.FromMatrix([]string{"score", "income"}, mat.NewDense(1000, 2, history))
	if err != nil {
		panic(err)
	}
	linear := features.Spec{Kind: features.LinearFeatures}
	e := effect.Estimator{Setup: problem.Setup{Phi: linear, Psi: linear, AllRows: true}, Treatment: "treated"}
	naive, err := e.Estimate(context.Background(), xu, uy)
	if err != nil {
		panic(err)
	}
	e.X, e.Propensity = []string{"age"}, effect.EstimatePropensity
	got, err := e.Estimate(context.Background(), xu, uy)
	if err != nil {
		panic(err)
	}
	fmt.Printf("difference of arms %.1f, by the propensity %.1f\n", naive.Effects[0].Value, got.Effects[0].Value)
	for _, arm := range got.Propensity.Arms {
		fmt.Printf("%s: median probability %.2f in its rows, %.2f in others; %d rows below %g\n", arm.Level, arm.Own[3], arm.Others[3], arm.Trimmed, got.Propensity.Trim)
	}
	// Output:
	// difference of arms 3.7, by the propensity 2.0
	// untreated: median probability 0.60 in its rows, 0.37 in others; 0 rows below 0.01
	// treated: median probability 0.63 in its rows, 0.40 in others; 1 rows below 0.01
}

// A survey comes with replicate weights, here a jackknife of ten groups of rows.
func ExampleReplicates() {
	var treated, score, weight []float64
	for i := range 200 {
		treated = append(treated, float64(i%2))
		score = append(score, treated[i]+float64(i*i%17)/4-2)
		weight = append(weight, 1+float64(i%3)/2)
	}
	columns := []tables.ColumnData{tables.Numbers("treated", treated), tables.Numbers("score", score), tables.Numbers("weight", weight)}
	for group := range 10 {
		replicate := slices.Clone(weight)
		for i := range replicate {
			replicate[i] *= 10. / 9
			if i/20 == group {
				replicate[i] = 0
			}
		}
		columns = append(columns, tables.Numbers(fmt.Sprint("repwt", group+1), replicate))
	}
	xu, err := tables.FromColumns(columns...)
	if err != nil {
		panic(err)
	}
	uy, err := tables.FromMatrix([]string{"score", "income"}, mat.NewDense(5, 2, []float64{-2, 6, 0, 10, 2, 14, 4, 18, 8, 26}))
	if err != nil {
		panic(err)
	}
	got, err := effect.Estimator{
		Setup: problem.Setup{Psi: features.Spec{Kind: features.LinearFeatures}, Folds: 1, AllRows: true,
			Roles: tables.RoleOptions{WeightsXU: "weight", ReplicatesXU: []string{"repwt1-repwt10"}}},
		Treatment: "treated", LambdaH: rr.Value(0), ReplicatesXU: effect.Replicates{Method: effect.JK1},
	}.Estimate(context.Background(), xu, uy)
	if err != nil {
		panic(err)
	}
	fmt.Printf("%.2f, se %.2f with %d degrees of freedom\n", got.Effects[0].Value, got.Effects[0].SE, got.Replicates.XU.Freedom)
	// Output:
	// 2.08, se 0.20 with 9 degrees of freedom
}
