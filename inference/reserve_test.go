package inference

import (
	"context"
	"testing"

	"mediant/features"
	"mediant/internal/fixture"
	"mediant/problem"
	"mediant/rr"
)

// TestFoldsReserveNothing: the memory for standard errors is set aside for the fit to all rows alone.
func TestFoldsReserveNothing(t *testing.T) {
	l := features.Spec{Kind: features.LinearFeatures}
	p, err := problem.Prepare(context.Background(), Reserve(problem.Setup{Phi: l, Psi: l, Folds: 3}, Corrected), fixture.PairsOfSigns(t, 30, 1, 0, 1), fixture.PairsOfSigns(t, 30, 2, 1, 2))
	if err != nil {
		t.Fatal(err)
	}
	rest, err := p.Without(0)
	if err != nil {
		t.Fatal(err)
	}
	if all, part := p.Footprint().Solving(), rest.Footprint().Solving(); !(part < all) {
		t.Errorf("a fit without a fold takes %g bytes, one of all rows %g", part, all)
	}
	m, err := rr.TwoStep{}.Fit(context.Background(), rest)
	if err != nil {
		t.Fatal(err)
	}
	if se, err := Estimate(context.Background(), rest, m, Corrected); err != nil || se == nil {
		t.Errorf("standard errors without a fold: %v", err)
	}
}
