package search

import (
	"testing"

	"mediant/features"
	"mediant/problem"
	"mediant/rr"
)

// TestWarpWhereThereAreSteps: of products of steps in two of six columns the search takes warped columns of U, whose splits are of these two columns.
func TestWarpWhereThereAreSteps(t *testing.T) {
	step := func(u float64) float64 {
		if u > 0 {
			return 2
		}
		return 0
	}
	xu, uy := metricTables(t, 400, 6, 1, func(u []float64) float64 { return step(u[1]) * step(u[4]) })
	c, err := Search{Setup: problem.Setup{Phi: features.Spec{Size: 64}, Psi: features.Spec{Size: 64}, Seed: 1}, W: rr.Value(1), Precision: Never}.Choose(t.Context(), xu, uy)
	if err != nil {
		t.Fatal(err)
	}
	// f is smooth within the noise of U, .2, so that phi may be another map.
	of := features.WarpOf(c.Problem.Psi())
	if of == nil {
		t.Fatalf("the map of U is %s", features.Describe(c.Problem.Psi()))
	}
	if s := of.Shares(); s[1]+s[4] < .8 {
		t.Errorf("the two columns have a share of %g", s[1]+s[4])
	}
	// The risk is not made too low by a warp of all rows: E Var(Y|X) is .25 and what the noise of U adds, which is above 0.
	a, err := c.Assessment(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if a.Risk.MSE < .25 {
		t.Errorf("the risk is %g, below the variance of Y given U", a.Risk.MSE)
	}
	found := 0
	for _, trial := range c.Trials {
		if trial.Name == "warped:laplacian, 0.5 × median bandwidth" || trial.Name == "warped:laplacian, 1 × median bandwidth" || trial.Name == "warped:laplacian, 2 × median bandwidth" {
			found++
		}
	}
	if found != 2 {
		t.Errorf("%d trials with warped columns, want the best of each side", found)
	}
}
