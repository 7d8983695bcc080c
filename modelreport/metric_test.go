package modelreport

import (
	"slices"
	"testing"

	"mediant"
	"mediant/features"
	"mediant/internal/fixture"
	"mediant/problem"
	"mediant/risk"
	"mediant/search"
)

// TestMetricIsShown: shares of columns of both sides add up to 1, u2 and x2, on which Y does not depend, have next to nothing of it, and a full metric has directions.
func TestMetricIsShown(t *testing.T) {
	xu, uy, _ := drawn(t, kind{}, 300, 300)
	setup := problem.Setup{Phi: features.Spec{Kind: features.MetricFeatures, Size: 24}, Psi: features.Spec{Kind: features.MetricFeatures, Full: true, Size: 24}, Folds: 3}
	c := fixture.Must[*search.Choice](t)(search.ChoiceOfTables(t.Context(), setup, fixed, risk.AssessOptions{}, xu, uy))
	m := fixture.Must[*mediant.Model](t)(mediant.FitChoice(t.Context(), c))
	s := section(t, document(t, Subject{Model: m, Choice: c, XU: xu, UY: uy}), "Which columns matter")
	sums := map[string]float64{}
	for _, row := range s.Tables[0].Rows {
		sums[row[0].Text] += *row[2].Value
		if slices.Contains([]string{"x2", "u2"}, row[1].Text) && *row[2].Value > .1 {
			t.Errorf("%s has a share of %g", row[1].Text, *row[2].Value)
		}
	}
	for _, side := range []string{"X", "U"} {
		if sum := sums[side]; sum < 1-1e-9 || sum > 1+1e-9 {
			t.Errorf("the shares of %s add up to %g", side, sum)
		}
	}
	if len(s.Tables) != 2 || len(s.Tables[1].Rows) != 3 || s.Tables[1].Rows[0][0].Text != "U" {
		t.Errorf("the directions are %+v", s.Tables[1:])
	}
	if !slices.Contains(titles(document(t, fitted(t, xu, uy, options{method: fixed}))), "Columns") || slices.Contains(titles(document(t, fitted(t, xu, uy, options{method: fixed}))), "Which columns matter") {
		t.Error("there is a metric where there is none")
	}
}

// TestSplitsAreShown of warped columns, and monomials of polynomials with learned scales.
func TestSplitsAreShown(t *testing.T) {
	xu, uy, _ := drawn(t, kind{}, 300, 300)
	setup := problem.Setup{Phi: features.Spec{Kind: features.WarpedFeatures, Kernel: "laplacian", Size: 24}, Psi: features.Spec{Kind: features.AdaptiveFeatures, Degree: 2}, Folds: 3}
	c := fixture.Must[*search.Choice](t)(search.ChoiceOfTables(t.Context(), setup, fixed, risk.AssessOptions{}, xu, uy))
	m := fixture.Must[*mediant.Model](t)(mediant.FitChoice(t.Context(), c))
	d := document(t, Subject{Model: m, Choice: c, XU: xu, UY: uy})
	splits := section(t, d, "Which columns matter")
	sum := 0.
	for _, row := range splits.Tables[0].Rows {
		sum += *row[2].Value
	}
	if len(splits.Tables) != 1 || sum < 1-1e-9 || sum > 1+1e-9 {
		t.Errorf("%d tables, shares that add up to %g", len(splits.Tables), sum)
	}
	monomials := section(t, d, "Which monomials count").Tables[0].Rows
	if len(monomials) == 0 || monomials[0][0].Text != "U" {
		t.Errorf("the monomials are %v", monomials)
	}
}
