package features_test

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/features"
	"mediant/features/featurestest"
	"mediant/internal/fixture"
)

// TestAdaptiveIsAMap of monomials times scales, the constant first.
func TestAdaptiveIsAMap(t *testing.T) {
	x := fixture.NormalRows(40, 2)
	s := fixture.Must[features.Spec](t)(features.ParseSpec("adaptive:2"))
	squares := []float64{0, 1, 4, 0, 9, .25} // 1, a, b, aa, ab, bb
	s.Metric = fixture.Must[*features.Metric](t)(features.NewDiagonalMetric(squares))
	m, notes, err := s.Fit(x, 1, "phi")
	if err != nil || notes != nil || s.String() != "adaptive:2" || s.LearnsMetric() {
		t.Fatalf("%s, learns %v: notes %q, %v", s, s.LearnsMetric(), notes, err)
	}
	featurestest.Run(t, m, x)
	all, scales := features.PolynomialOf(m)
	if all == nil || scales != s.Metric {
		t.Fatalf("the monomials are %v with scales %v", all, scales)
	}
	if got, want := all.Names([]string{"a", "b"}), []string{"1", "a", "b", "a·a", "a·b", "b·b"}; !slices.Equal(got, want) {
		t.Errorf("names %q, want %q", got, want)
	}
	var phi mat.Dense
	m.MapTo(&phi, x)
	_, _, weights := all.Terms()
	for i := range 40 {
		a, b := x.At(i, 0), x.At(i, 1)
		for j, v := range []float64{1, a, b, a * a, a * b, b * b} {
			want := v * weights[j] * math.Sqrt(squares[j])
			if math.Abs(phi.At(i, j)-want) > 1e-14*(1+math.Abs(want)) {
				t.Fatalf("row %d: feature %d is %g, want %g", i, j, phi.At(i, j), want)
			}
		}
	}
	if p, _ := features.PolynomialOf(features.NewLinear(2)); p != nil {
		t.Error("linear features have monomials")
	}
	if p, _ := features.PolynomialOf(fixture.Must[features.Map](t)(features.NewChain(all, features.NewLinear(6)))); p != nil {
		t.Error("monomials without scales are taken for adaptive ones")
	}
}

// TestAdaptiveRefuses sparse rows and scales of another number of monomials; without scales all are 1, which is said.
func TestAdaptiveRefuses(t *testing.T) {
	x := fixture.NormalRows(40, 2)
	s := features.Spec{Kind: features.AdaptiveFeatures, Degree: 2}
	if !s.LearnsMetric() {
		t.Error("the scales are not to be learned")
	}
	if m, notes, err := s.Fit(x, 1, "phi"); err != nil || len(notes) != 1 {
		t.Errorf("without scales: %v, notes %q, %v", m, notes, err)
	}
	for _, of := range []*features.Metric{
		fixture.Must[*features.Metric](t)(features.NewDiagonalMetric([]float64{1, 1})),
		fixture.Must[*features.Metric](t)(features.NewMetric(symmetric(6, 6))),
	} {
		s.Metric = of
		if _, _, err := s.Fit(x, 1, "phi"); err == nil {
			t.Errorf("%v for six monomials is no error", of)
		}
	}
	for _, wrong := range []features.Spec{
		{Kind: features.AdaptiveFeatures}, {Kind: features.AdaptiveFeatures, Degree: 2, Kernel: "laplacian"},
		{Kind: features.AdaptiveFeatures, Degree: 2, AtLandmarks: true}, {AtLandmarks: true},
	} {
		if wrong.Validate() == nil {
			t.Errorf("%+v is valid", wrong)
		}
	}
}
