package problem_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"mediant/features"
	"mediant/problem"
	"mediant/risk"
	"mediant/rr"
	"mediant/tables"
)

// hospital draws rows of (x, u) and of (u, y) of one organisation: U is X with noise, and Y is U² + lift.
func hospital(rows int, seed uint64, lift float64) (xu, uy tables.Source) {
	rnd := rand.New(rand.NewPCG(seed, 2))
	var x, u, v, y []float64
	for range rows {
		x = append(x, 2*rnd.Float64()-1)
		u = append(u, x[len(x)-1]+.3*rnd.NormFloat64())
		v = append(v, 2*rnd.Float64()-1+.3*rnd.NormFloat64())
		y = append(y, v[len(v)-1]*v[len(v)-1]+lift)
	}
	xu, _ = tables.FromColumns(tables.Numbers("x", x), tables.Numbers("u", u))
	uy, _ = tables.FromColumns(tables.Numbers("u", v), tables.Numbers("y", y))
	return xu, uy
}

// planned is the plan of 40 Gaussian features a side for two tables.
func planned(ctx context.Context, xu, uy tables.Source) problem.Plan {
	spec := features.Spec{Size: 40, Bandwidth: 1}
	encoded, err := problem.Encode(ctx, problem.Setup{Phi: spec, Psi: spec, Folds: problem.DefaultFolds}, xu, uy)
	if err != nil {
		panic(err)
	}
	mapped, err := encoded.Map(ctx)
	if err != nil {
		panic(err)
	}
	plan, err := mapped.Plan(ctx)
	if err != nil {
		panic(err)
	}
	return plan
}

// Two organisations that may not share rows agree on encoders and maps, which the first one makes of its own rows. Each sends sums of
// its rows, and whoever has both fits f to them, and estimates its risk.
func ExampleMergeSums() {
	ctx := context.Background()
	xu, uy := hospital(600, 1, 0)
	plan := planned(ctx, xu, uy)
	var all []*problem.Sums
	for seed := range uint64(2) {
		xu, uy := hospital(600, 1+seed, 0)
		ofX, err := plan.SumXU(ctx, xu)
		if err != nil {
			panic(err)
		}
		ofY, err := plan.SumUY(ctx, uy)
		if err != nil {
			panic(err)
		}
		all = append(all, ofX, ofY)
	}

	sums, err := problem.MergeSums(all...)
	if err != nil {
		panic(err)
	}
	p, err := sums.Problem()
	if err != nil {
		panic(err)
	}
	method := rr.TwoStep{LambdaF: rr.Value(1e-4), LambdaH: rr.Value(1e-4)} // or what a search.Search chooses of p
	model, err := method.Fit(ctx, p)
	if err != nil {
		panic(err)
	}
	a, err := risk.Assess(ctx, p, risk.Fitted(method), risk.AssessOptions{})
	if err != nil {
		panic(err)
	}
	var y mat.Dense
	if err := model.PredictTo(&y, mat.NewDense(2, 1, []float64{0, .8})); err != nil {
		panic(err)
	}
	fmt.Printf("f(0) = %.1f, f(0.8) = %.1f\n", y.At(0, 0), y.At(1, 0))
	fmt.Printf("mean squared error %.2f, between %.2f and %.2f\n", a.Risk.MSE, a.Risk.Lo, a.Risk.Hi)
	// Output:
	// f(0) = 0.1, f(0.8) = 0.7
	// mean squared error 0.14, between 0.12 and 0.15
}

// A plan is a file that has no row. Whoever has it sums rows of its own, and sends the sums as a file.
func ExamplePlan() {
	ctx := context.Background()
	xu, uy := hospital(600, 1, 0)
	plan := planned(ctx, xu, uy)
	var file bytes.Buffer
	if _, err := plan.WriteTo(&file); err != nil {
		panic(err)
	}

	received, err := problem.ReadPlan(&file)
	if err != nil {
		panic(err)
	}
	_, own := hospital(500, 2, 0)
	sums, err := received.SumUY(ctx, own)
	if err != nil {
		panic(err)
	}
	if _, err := sums.WriteTo(&file); err != nil {
		panic(err)
	}
	fmt.Println("rows in the plan:", received.HoldsRows())
	fmt.Printf("U %v, Y %v, %d folds of %d blocks\n", received.Roles.U, received.Roles.Y, len(sums.UY), len(sums.UY[0]))
	fmt.Println("rows summed:", sums.Runs[0].Rows)
	// Output:
	// rows in the plan: false
	// U [u], Y [y], 5 folds of 4 blocks
	// rows summed: 500
}

// A sliding window: each day's rows are summed once, and the model of a day is that of the last three days' sums. With Discounted a single state is kept
// in their place, in which older days count less.
func ExampleSums_Discounted() {
	ctx := context.Background()
	xu, uy := hospital(600, 1, 0)
	plan := planned(ctx, xu, uy)
	x, err := plan.SumXU(ctx, xu)
	if err != nil {
		panic(err)
	}
	method := rr.TwoStep{LambdaF: rr.Value(1e-4), LambdaH: rr.Value(1e-4)}
	atZero := func(y *problem.Sums) float64 {
		both, err := problem.MergeSums(x, y)
		if err != nil {
			panic(err)
		}
		p, err := both.Problem()
		if err != nil {
			panic(err)
		}
		model, err := method.Fit(ctx, p)
		if err != nil {
			panic(err)
		}
		var f mat.Dense
		if err := model.PredictTo(&f, mat.NewDense(1, 1, []float64{0})); err != nil {
			panic(err)
		}
		return f.At(0, 0)
	}
	var days []*problem.Sums
	var state *problem.Sums
	for day := range uint64(6) {
		lift := 0.
		if day >= 3 { // from then on Y is 1 more
			lift = 1
		}
		_, uy := hospital(400, 10+day, lift)
		today, err := plan.SumUY(ctx, uy)
		if err != nil {
			panic(err)
		}
		days = append(days, today)
		window, err := problem.MergeSums(days[max(0, len(days)-3):]...)
		if err != nil {
			panic(err)
		}
		if state == nil {
			state = today
		} else {
			older, err := state.Discounted(.5)
			if err != nil {
				panic(err)
			}
			if state, err = problem.MergeSums(older, today); err != nil {
				panic(err)
			}
		}
		fmt.Printf("day %d: f(0) = %.1f, discounted %.1f\n", day+1, atZero(window), atZero(state))
	}
	// Output:
	// day 1: f(0) = 0.1, discounted 0.1
	// day 2: f(0) = 0.1, discounted 0.1
	// day 3: f(0) = 0.1, discounted 0.1
	// day 4: f(0) = 0.4, discounted 0.6
	// day 5: f(0) = 0.8, discounted 0.9
	// day 6: f(0) = 1.1, discounted 1.0
}
