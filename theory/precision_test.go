package theory

import (
	"testing"

	"pgregory.net/rapid"
)

func TestPrecisionOnRandomDesigns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var tallies precisionTallies
		s := seedSampler(t)
		for range distributionsPerCheck {
			rightPrecision.onDesign(&tallies, s)
		}
		rightPrecision.onExample(&tallies)
		wantTallies(t, tallies.checks())
	})
}

func TestPrecisionMutations(t *testing.T) {
	right := measured(t, rightPrecision.claim())
	wantHolds(t, right)
	var mutants [][]Check
	for name, m := range map[string]struct {
		change func(*precision)
		part   string
	}{
		"weights v":              {func(k *precision) { k.weight = func(v float64) float64 { return v } }, "variance of f(x)"},
		"equal weights":          {func(k *precision) { k.weight = func(float64) float64 { return 1 } }, "variance of f(x)"},
		"equal weights, example": {func(k *precision) { k.weight = func(float64) float64 { return 1 } }, "squared error with equal"},
		"weights 1/v²":           {func(k *precision) { k.weight = func(v float64) float64 { return 1 / squared(v) } }, "variance of f(x)"},
		"mean shrunk":            {func(k *precision) { k.mean = .99 }, "mean of the coefficients"},
		"weights below 0":        {func(k *precision) { k.weight = func(v float64) float64 { return v - 2.5 } }, "variance of f(x)"},
		"example without hhat": {func(k *precision) {
			k.example = func(a, _, x, y float64, n int) float64 { return rightPrecision.example(a, 0, x, y, n) }
		}, "formula of the squared error"},
		"example, noise the other": {func(k *precision) {
			k.example = func(a, h, x, y float64, n int) float64 { return rightPrecision.example(a, h, y, x, n) }
		}, "formula of the squared error"},
	} {
		k := rightPrecision
		m.change(&k)
		checks := measured(t, k.claim())
		wantFails(t, name, checks, m.part)
		mutants = append(mutants, checks)
	}
	wantEachFails(t, right, mutants)
}
