package diagnose

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"mediant/features"
	"mediant/internal/fixture"
	"mediant/internal/problemtest"
	"mediant/rr"
	"mediant/tables"
)

// TestCMIFoldsHaveNoLandmarksOfTheirOwn: the regressions on U of the test leave the landmarks of a fold out as all others do.
func TestCMIFoldsHaveNoLandmarksOfTheirOwn(t *testing.T) {
	ctx := context.Background()
	xu, uy := fixture.Surrogates(t, 60, 50, false)
	spec := features.Spec{Kind: features.NystromFeatures, Kernel: "gaussian", Size: 20}
	setup := problemtest.Setup(features.LinearFeatures)
	setup.Phi, setup.Psi = spec, spec
	m, err := rr.Fit(ctx, setup, rr.TwoStep{}, xu, uy)
	if err != nil {
		t.Fatal(err)
	}
	p, err := problemOf(ctx, m, xu, uy, tables.RoleOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := newCoupled(ctx, p, m, xu); err == nil { // after the regressions
		t.Fatal("coupled rows without Y")
	}
	if len(p.Splitter().Landmarks) != 2 {
		t.Fatalf("landmarks of %d maps are known, want 2", len(p.Splitter().Landmarks))
	}
}

// TestThinnedRows: each row is drawn with the probability of its share of the largest weight, once at most.
func TestThinnedRows(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	counts := make([]float64, 3)
	for range 2000 {
		rows := thinned([]float64{.5, 2, 1}, 10, rnd)
		for i, r := range rows {
			counts[r]++
			if i > 0 && rows[i-1] >= r {
				t.Fatalf("rows %v", rows)
			}
		}
	}
	for i, want := range []float64{500, 2000, 1000} {
		if math.Abs(counts[i]-want) > 5*math.Sqrt(500) {
			t.Errorf("row %d is drawn %g times of 2000, want %g", i, counts[i], want)
		}
	}
	if rows := thinned(make([]float64, 50), 7, rnd); len(rows) != 0 {
		t.Errorf("rows of weight 0: %v", rows)
	}
	ones := make([]float64, 50)
	for i := range ones {
		ones[i] = 1
	}
	if rows := thinned(ones, 7, rnd); len(rows) != 7 {
		t.Errorf("%d rows, want 7", len(rows))
	}
}
