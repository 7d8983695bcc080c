package theory

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestLimitOnRandomDistributions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var tallies limitTallies
		for range distributionsPerCheck {
			rightLimit.onDistribution(&tallies, rapidSampler(t))
		}
		if err := rightLimit.onSample(&tallies, seedSampler(t)); err != nil {
			t.Fatal(err)
		}
		wantTallies(t, tallies.checks())
	})
}

func TestLimitMutations(t *testing.T) {
	if testing.Short() {
		t.Skip("many samples of one goroutine each")
	}
	right := measured(t, rightLimit.claim())
	wantHolds(t, right)
	var mutants [][]Check
	const sharp, alone, ridge = "min(c/4, c²)", "independent", "c/4 ["
	for name, m := range map[string]struct {
		change func(*limit)
		part   string
	}{
		"w and 1-w swapped":    {func(k *limit) { k.ratio = func(w float64) float64 { return w / (1 - w) } }, alone},
		"swapped, plain":       {func(k *limit) { k.ratio = func(w float64) float64 { return w / (1 - w) } }, "<= c E"},
		"swapped, slope":       {func(k *limit) { k.ratio = func(w float64) float64 { return w / (1 - w) } }, "M⁻¹S beta_1"},
		"1-w alone":            {func(k *limit) { k.ratio = func(w float64) float64 { return 1 - w } }, alone},
		"plain cubed":          {func(k *limit) { k.plain = func(c, v float64) float64 { return c * c * c * v } }, "<= c E"},
		"plain with a tenth":   {func(k *limit) { k.plain = func(c, v float64) float64 { return c / 10 * v } }, "<= c E"},
		"sharp with an eighth": {func(k *limit) { k.sharp = func(c, v float64) float64 { return min(c/8, c*c) * v } }, sharp},
		"sharp without c/4":    {func(k *limit) { k.sharp = func(c, v float64) float64 { return c * c / 2 * v } }, sharp},
		"sharp of c³":          {func(k *limit) { k.sharp = func(c, v float64) float64 { return min(c/4, c*c*c) * v } }, sharp},
		"alone not squared":    {func(k *limit) { k.alone = func(c, v float64) float64 { return c / (1 + c) * v } }, alone},
		"alone swapped":        {func(k *limit) { k.alone = func(c, v float64) float64 { return squared(1/(1+c)) * v } }, alone},
		"ridge of c²":          {func(k *limit) { k.ridge = func(c, v float64) float64 { return c * c / 4 * v } }, ridge},
		"ridge's sign":         {func(k *limit) { k.ridge = func(c, v float64) float64 { return -c / 4 * v } }, ridge},
		"f_w nearer":           {func(k *limit) { k.follow = .5 }, "E (f_w-f*)² <="},
		"f_w nearer, samples":  {func(k *limit) { k.follow = .1 }, "samples: mean (f_w-f_1)²"},
		"paper keeps lambda_h": {func(k *limit) { k.zero = func(l float64) float64 { return l } }, "`paper`"},
		"paper without lambda": {func(k *limit) { k.paper = func(_, _, c, norm float64) float64 { return c * c * norm } }, "`paper`"},
	} {
		k := rightLimit
		m.change(&k)
		checks := measured(t, k.claim())
		wantFails(t, name, checks, m.part)
		mutants = append(mutants, checks)
	}
	wantEachFails(t, right, mutants)
}

// X and U fair coins, equal with probability 3/4, h* = ±1: the eigenvalue of G is 1 - 1/4 = 3/4, f* = h*/2.
func TestPopulationWorkedExample(t *testing.T) {
	atoms := [][]float64{{0}, {1}}
	l := NewDistribution(atoms, atoms, []float64{-1, 1}, []float64{3, 0, 0, 1, 1, 0, 0, 3})
	for _, w := range []float64{.2, .5, .9} {
		h, f := population(l, w)
		c := (1 - w) / w
		want := 1 / (1 + .75*c)
		if math.Abs(h[1]-want) > 1e-15*10 || math.Abs(f[1]-want/2) > 1e-15*10 || h[0] != -h[1] && math.Abs(h[0]+h[1]) > 1e-14 {
			t.Errorf("w = %g: h = %v, f = %v, want ±%g and half", w, h, f, want)
		}
	}
}

// The minimiser of J_w over all h and f must not be improved by any change.
func TestPopulationIsTheMinimiser(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapidSampler(t)
		l, w := s.distribution(false), s.weight()
		h, f := population(l, w)
		least := objective(l, w, f, h)
		df, dh := s.values(len(f)), s.values(len(h))
		for _, step := range []float64{1, 1e-3} {
			movedF, movedH := make([]float64, len(f)), make([]float64, len(h))
			for x := range f {
				movedF[x] = f[x] + step*df[x]
			}
			for u := range h {
				movedH[u] = h[u] + step*dh[u]
			}
			if moved := objective(l, w, movedF, movedH); moved < least-exact*l.secondMoments(movedF, movedH)/(w*(1-w)) {
				t.Errorf("J_w falls from %g to %g", least, moved)
			}
		}
	})
}
