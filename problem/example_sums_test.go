package problem_test

import (
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

// hospital draws rows of (x, u) and of (u, y) of one organisation: U is X with noise, and Y is U².
func hospital(rows int, seed uint64) (xu, uy tables.Source) {
	rnd := rand.New(rand.NewPCG(seed, 2))
	var x, u, v, y []float64
	for range rows {
		x = append(x, 2*rnd.Float64()-1)
		u = append(u, x[len(x)-1]+.3*rnd.NormFloat64())
		v = append(v, 2*rnd.Float64()-1+.3*rnd.NormFloat64())
		y = append(y, v[len(v)-1]*v[len(v)-1])
	}
	xu, _ = tables.FromColumns(tables.Numbers("x", x), tables.Numbers("u", u))
	uy, _ = tables.FromColumns(tables.Numbers("u", v), tables.Numbers("y", y))
	return xu, uy
}

// Two organisations that may not share rows agree on encoders and maps, which the first one makes of its own rows. Each sends sums of
// its rows, and whoever has both fits f to them, and estimates its risk.
func ExampleMergeSums() {
	ctx := context.Background()
	xu, uy := hospital(600, 1)
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
	var all []*problem.Sums
	for seed := range uint64(2) {
		xu, uy := hospital(600, 1+seed)
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
