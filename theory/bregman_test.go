package theory

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"mediant/losses"
)

func TestBregmanRiskOnRandomDistributions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tallies := bregmanTallies{reversed: math.Inf(1)}
		for range distributionsPerCheck {
			rightBregmanRisk.onDistributions(&tallies, rapidSampler(t))
		}
		checks := tallies.checks()
		for i := range checks { // an h that does not vary gains nothing
			if checks[i].Relation == ">" {
				checks = append(checks[:i], checks[i+1:]...)
				break
			}
		}
		wantTallies(t, checks)
	})
}

func TestBregmanRiskMutations(t *testing.T) {
	right := measured(t, rightBregmanRisk.claim())
	wantHolds(t, right)
	var mutants [][]Check
	reversed := func(l losses.Loss, y, f []float64) float64 { return losses.Divergence(l, f, y) }
	for name, m := range map[string]struct {
		change func(*bregmanRisk)
		part   string
	}{
		"bias's sign":        {func(k *bregmanRisk) { k.bias = -1 }, "squared: R"},
		"bias of form 1":     {func(k *bregmanRisk) { k.bias = 2 }, "log: R"},
		"no bias":            {func(k *bregmanRisk) { k.bias = 0 }, "poisson: R"},
		"half the bias":      {func(k *bregmanRisk) { k.bias = .5 }, "quartic: R"},
		"violation left out": {func(k *bregmanRisk) { k.violated = 0 }, "without conditional mean"},
		"violation's sign":   {func(k *bregmanRisk) { k.violated = 1 }, "without conditional mean"},
		"half the bound":     {func(k *bregmanRisk) { k.bound = .5 }, "RMS (g-r)"},
		"r's sign": {func(k *bregmanRisk) {
			k.riskY = func(l losses.Loss, y, h, r []float64) float64 { return l.Potential(y) + inner(r, y) - inner(r, h) }
		}, "whatever h"},
		"no correction": {func(k *bregmanRisk) {
			k.riskY = func(l losses.Loss, y, _, _ []float64) float64 { return l.Potential(y) }
		}, "whatever h"},
		"potential of h": {func(k *bregmanRisk) {
			k.riskX = func(l losses.Loss, g, f, h []float64) float64 { return inner(g, f) - l.Potential(h) - inner(g, h) }
		}, "unbiased at h = h*"},
		"no g f": {func(k *bregmanRisk) {
			k.riskX = func(l losses.Loss, g, f, h []float64) float64 { return -l.Potential(f) - inner(g, h) }
		}, "unbiased at h = h*"},
		"distance to the mean reversed": {func(k *bregmanRisk) { k.first = reversed }, "E d(h(U), f)"},
		"distance of f reversed":        {func(k *bregmanRisk) { k.second = reversed }, "E d(h(U), f)"},
		"arguments not exchanged": {func(k *bregmanRisk) {
			k.exchanged = func(f, h []float64) float64 { return losses.Divergence(losses.Log{}, h, f) }
		}, "E KL(f, h)"},
		"CRPS, bias of other losses": {func(k *bregmanRisk) { k.crps.bias = 1 }, "CRPS"},
		"CRPS, sign of r": {func(k *bregmanRisk) {
			k.crps.y = func(below, h, r float64) float64 { return squared(below-h) + 2*(h+r)*(below-h) }
		}, "CRPS"},
		"CRPS, no square of h":         {func(k *bregmanRisk) { k.crps.x = func(g, h float64) float64 { return g*g - 2*g*h } }, "CRPS"},
		"CRPS, thresholds not weighed": {func(k *bregmanRisk) { k.crps.width = func(_, _ float64) float64 { return 1 } }, "CRPS"},
		"coverage, sign":               {func(k *bregmanRisk) { k.coverage = 1 }, "coverage"},
		"coverage, no r":               {func(k *bregmanRisk) { k.coverageY = func(_, _, _ float64) float64 { return 0 } }, "coverage"},
	} {
		k := rightBregmanRisk
		m.change(&k)
		checks := measured(t, k.claim())
		wantFails(t, name, checks, m.part)
		mutants = append(mutants, checks)
	}
	wantEachFails(t, right, mutants)
}
