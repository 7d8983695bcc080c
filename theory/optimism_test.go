package theory

import (
	"testing"

	"pgregory.net/rapid"
)

func TestOptimismOnRandomTables(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var tallies optimismTallies
		rightOptimism.onTable(&tallies, rapidSampler(t))
		tallies.weighted.below(rightOptimism.weightedExample(), -1e-3, 1)
		wantTallies(t, tallies.checks())
	})
}

func TestOptimismMutations(t *testing.T) {
	right := measured(t, rightOptimism.claim())
	wantHolds(t, right)
	var mutants [][]Check
	for name, m := range map[string]struct {
		change func(*optimism)
		part   string
	}{
		"sign":                  {func(k *optimism) { k.gap = func(a, b float64) float64 { return b - a } }, "0 <= mean"},
		"each fold's own best":  {func(k *optimism) { k.others = func(_, own float64) float64 { return own } }, "0 <= mean"},
		"fold k counted twice":  {func(k *optimism) { k.others = func(all, own float64) float64 { return all + own } }, "0 <= mean"},
		"floor of twice":        {func(k *optimism) { k.floor = func(e float64) float64 { return 2*e + .01 } }, "T(c_k)"},
		"gap cut at 0 by folds": {func(k *optimism) { k.gap = func(a, b float64) float64 { return max(0, a-b) } }, "example"},
	} {
		k := rightOptimism
		m.change(&k)
		checks := measured(t, k.claim())
		wantFails(t, name, checks, m.part)
		mutants = append(mutants, checks)
	}
	wantEachFails(t, right, mutants)
}

func TestWeightedExampleWorkedExample(t *testing.T) {
	if got := rightOptimism.weightedExample(); got != -5 {
		t.Errorf("sum is %g, want 1 - 3 - 3", got)
	}
}
