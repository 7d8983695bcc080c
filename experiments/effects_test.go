package experiments

import (
	"math"
	"testing"
)

// TestEffectScenarios: each scenario gives its estimates, the same for the same seed, whose errors are within five standard errors; those that are to fail are not looked at.
func TestEffectScenarios(t *testing.T) {
	biased := map[string]bool{"confounded: difference of arms": true, "missing: missing values as values": true, "missing-by-x: complete rows": true, "clusters: rows as independent": true, "replicates: rows as independent": true}
	for _, s := range EffectScenarios() {
		t.Run(s.Name, func(t *testing.T) {
			found, err := s.Run(t.Context(), 2, 3, func(int) {})
			if err != nil {
				t.Fatal(err)
			}
			again, err := s.Run(t.Context(), 2, 3, func(int) {})
			if err != nil {
				t.Fatal(err)
			}
			if len(found) != len(s.Estimates) {
				t.Fatalf("%d estimates, want %d", len(found), len(s.Estimates))
			}
			for i, e := range found {
				if e.Mean != again[i].Mean && !math.IsNaN(e.Mean) || e.Coverage != again[i].Coverage {
					t.Errorf("%s: %g, and again %g", e.Estimate, e.Mean, again[i].Mean)
				}
				if off := math.Abs(e.Mean-e.Truth) / e.SE; off > 5 && !biased[s.Name+": "+e.Estimate] {
					t.Errorf("%s: %g is off %g by %.1f standard errors", e.Estimate, e.Mean, e.Truth, off)
				}
			}
		})
	}
}

func TestEffectSummary(t *testing.T) {
	s := summarize([]EffectDraw{{1, 2, .5, true}, {1, 4, 1.5, false}, {1, 3, 1, true}})
	if s.Truth != 1 || s.Mean != 3 || s.SD != 1 || math.Abs(s.SE-1) > 1e-15 || s.Coverage != 2./3 || math.Abs(s.CoverageErr-math.Sqrt(2./27)) > 1e-15 {
		t.Errorf("%+v", s)
	}
	if all := summarize(make([]EffectDraw, 1)); all.Coverage != 0 || all.CoverageErr != 0 {
		t.Errorf("nothing held: %+v", all)
	}
}

// TestHadamard: rows and columns are orthogonal.
func TestHadamard(t *testing.T) {
	h := hadamard24()
	for i := range h {
		for j := range i {
			rows, columns := 0, 0
			for k := range h {
				rows += h[i][k] * h[j][k]
				columns += h[k][i] * h[k][j]
			}
			if rows != 0 || columns != 0 {
				t.Fatalf("rows and columns %d and %d have products %d and %d", i, j, rows, columns)
			}
		}
	}
}
