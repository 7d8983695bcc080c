package theory

import (
	"testing"

	"pgregory.net/rapid"
)

func TestShrinkageOnRandomDistributions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var tallies shrinkageTallies
		s := rapidSampler(t)
		for range distributionsPerCheck {
			rightShrinkage.onDistribution(&tallies, s, rapid.Bool().Draw(t, "cmi"))
		}
		wantTallies(t, tallies.checks())
	})
}

func TestShrinkageMutations(t *testing.T) {
	right := measured(t, rightShrinkage.claim())
	wantHolds(t, right)
	var mutants [][]Check
	const three, four = "three terms", "four terms"
	for name, m := range map[string]struct {
		change func(*shrinkage)
		part   string
	}{
		"minimiser swapped": {func(k *shrinkage) { k.minimiser = func(w, h, f float64) float64 { return (1-w)*h + w*f } }, "J_w(f,h+d)"},
		"minimiser h*":      {func(k *shrinkage) { k.minimiser = func(_, h, _ float64) float64 { return h } }, "J_w(f,h+d)"},
		"swapped for f":     {func(k *shrinkage) { k.forF = func(w float64) float64 { return w / (1 - w) } }, three},
		"1/w for f":         {func(k *shrinkage) { k.forF = func(w float64) float64 { return 1 / w } }, three},
		"swapped for Y":     {func(k *shrinkage) { k.forY = func(w float64) float64 { return (1 - w) / w } }, three},
		"squared for Y":     {func(k *shrinkage) { k.forY = func(w float64) float64 { return squared(w / (1 - w)) } }, three},
		"cross term's sign": {func(k *shrinkage) { k.cross = -2 }, four},
		"cross term once":   {func(k *shrinkage) { k.cross = 1 }, four},
		"not orthogonal":    {func(k *shrinkage) { k.under = .1 }, "under conditional mean independence (w"},
		"no cross term":     {func(k *shrinkage) { k.cross = 0 }, four},
	} {
		k := rightShrinkage
		m.change(&k)
		checks := measured(t, k.claim())
		wantFails(t, name, checks, m.part)
		mutants = append(mutants, checks)
	}
	wantEachFails(t, right, mutants)
}
