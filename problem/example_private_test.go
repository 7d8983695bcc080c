package problem_test

import (
	"context"
	"fmt"

	"mediant/problem"
)

// A hospital adds noise to its sums, so that whoever has them learns next to nothing about one of its rows. The plan is made of rows that need no protection.
func ExamplePlan_SumPrivately() {
	ctx := context.Background()
	publicXU, publicUY := hospital(600, 1, 0)
	plan := planned(ctx, publicXU, publicUY)
	plan.Blocks = 1 // each block has the whole noise
	_, uy := hospital(20000, 2, 0)
	sums, err := plan.SumPrivately(ctx, problem.TableUY, uy, problem.Privacy{Epsilon: 1, Delta: 1e-7, Clip: []problem.Range{{Lo: 0, Hi: 3}}})
	if err != nil {
		panic(err)
	}
	run := sums.Runs[0]
	fmt.Printf("%d rows with epsilon %g and delta %g\n", run.Rows, run.Private.Epsilon, run.Private.Delta)
	fmt.Printf("noise in the sums of squares of features, in each block: %.0f\n", run.Private.Noise.AA)
	// Output:
	// 20000 rows with epsilon 1 and delta 1e-07
	// noise in the sums of squares of features, in each block: 12
}
