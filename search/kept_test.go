package search

import (
	"slices"
	"testing"

	"mediant/features"
)

// TestSweepsOfTrials: a curve has the trials of stage 3 that differ from the chosen one in one hyperparameter alone, in the order of its values.
func TestSweepsOfTrials(t *testing.T) {
	trial := func(w, lambdaF, lambdaH, risk, se float64) Trial {
		return Trial{Stage: "hyperparameters", W: w, LambdaF: lambdaF, LambdaH: lambdaH, Risk: &risk, SE: &se}
	}
	chosen := trial(1, 1e-3, 1e-4, 5, 0)
	chosen.Chosen = true
	weighed, failed, other := trial(1, 1e-2, 1e-4, 1, 1), trial(1, 1e-1, 1e-4, 1, 1), trial(1, 1, 1e-4, 1, 1)
	weighed.Precision, failed.Risk, other.Stage = true, nil, "method"
	got := SweepsOf([]Trial{trial(1, 1e-2, 1e-4, 8, .2), chosen, weighed, failed, other, trial(.5, 1e-3, 1e-4, 6, .3), trial(1, 1e-4, 1e-4, 7, .1), trial(.5, 1e-4, 1e-4, 9, 1)})
	want := []Sweep{
		{Of: "w", Values: []float64{.5, 1}, Risk: []float64{6, 5}, SE: []float64{.3, 0}, Chosen: 1},
		{Of: "lambda_f", Values: []float64{1e-4, 1e-3, 1e-2}, Risk: []float64{7, 5, 8}, SE: []float64{.1, 0, .2}, Chosen: 1},
	}
	if !slices.EqualFunc(got, want, func(a, b Sweep) bool {
		return a.Of == b.Of && slices.Equal(a.Values, b.Values) && slices.Equal(a.Risk, b.Risk) && slices.Equal(a.SE, b.SE) && a.Chosen == b.Chosen
	}) {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := SweepsOf([]Trial{weighed, other}); got != nil {
		t.Errorf("without a chosen one: %+v", got)
	}
}

// TestNearest: the chosen map comes first, then those within two standard errors of it.
func TestNearest(t *testing.T) {
	linear, additive, gaussian := features.Spec{Kind: features.LinearFeatures}, features.Spec{Kind: features.AdditiveFeatures, Kernel: "gaussian"}, features.Spec{Kernel: "gaussian"}
	difference, se := 1., .6
	less := .4
	trials := []Trial{
		{Stage: "phi", Name: candidateName(linear), Difference: &difference, SE: &se}, {Stage: "phi", Name: candidateName(additive), Difference: &difference, SE: &less},
		{Stage: "phi", Name: candidateName(gaussian), Chosen: true},
	}
	specs := []features.Spec{linear, additive, gaussian}
	var names []string
	for _, s := range nearest(trials, "phi", specs) {
		names = append(names, candidateName(s))
	}
	if want := []string{candidateName(gaussian), candidateName(linear)}; !slices.Equal(names, want) {
		t.Errorf("%q, want %q", names, want)
	}
	if got := nearest(trials, "psi", specs); len(got) != len(specs) {
		t.Errorf("%d of a stage that was not, want all", len(got))
	}
}
