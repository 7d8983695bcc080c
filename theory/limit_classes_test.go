package theory

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestClassLimitOnRandomDistributions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var tallies classTallies
		for range distributionsPerCheck {
			rightClassLimit.onFinite(&tallies, rapidSampler(t))
		}
		rightClassLimit.onBoxes(&tallies, seedSampler(t))
		rightClassLimit.onExtremes(&tallies)
		wantTallies(t, tallies.checks())
	})
}

func TestClassLimitMutations(t *testing.T) {
	if testing.Short() {
		t.Skip("many samples of one goroutine each")
	}
	right := measured(t, rightClassLimit.claim())
	wantHolds(t, right)
	var mutants [][]Check
	const ofF, ofH, each, fast, near = "|f_w-f*|² <= c V", "|h_w-h*|² <= c V", "<= 4(1-w)² E (f-h*)²", "4(1-w)² V for w", "continuity: |R"
	for name, m := range map[string]struct {
		change func(*classLimit)
		part   string
	}{
		"below with 1/w":           {func(k *classLimit) { k.below = func(w, one float64) float64 { return one / w } }, "R(1,f) <= R(w,f)"},
		"above without 1/w":        {func(k *classLimit) { k.above = func(_, one float64) float64 { return one } }, "R(w,f) <= R(1,f)/w"},
		"above swapped":            {func(k *classLimit) { k.above = func(w, one float64) float64 { return one / (1 - w) } }, "R(w,f) <= R(1,f)/w"},
		"distance not squared":     {func(k *classLimit) { k.separated = math.Sqrt }, "well-separated"},
		"half the distance":        {func(k *classLimit) { k.separated = func(d float64) float64 { return d / 2 } }, "well-separated"},
		"f of a quarter":           {func(k *classLimit) { k.plain = func(c, v float64) float64 { return c / 4 * v } }, ofF},
		"f of c²":                  {func(k *classLimit) { k.plain = func(c, v float64) float64 { return c * c * v } }, "0.99 c V <= |f_w"},
		"h of c²":                  {func(k *classLimit) { k.plain = func(c, v float64) float64 { return c * c * v } }, "0.99 c V <= |h_w"},
		"h of a quarter":           {func(k *classLimit) { k.plain = func(c, v float64) float64 { return c / 4 * v } }, ofH},
		"w and 1-w swapped":        {func(k *classLimit) { k.ratio = func(w float64) float64 { return w / (1 - w) } }, ofF},
		"constant 2 not needed, f": {func(k *classLimit) { k.plain = func(c, v float64) float64 { return 2 * c * v } }, "0.99 c V <= |f_w"},
		"constant 2 not needed, h": {func(k *classLimit) { k.plain = func(c, v float64) float64 { return 2 * c * v } }, "0.99 c V <= |h_w"},
		"each of (1-w)²":           {func(k *classLimit) { k.each = func(w, one float64) float64 { return squared(1-w) * one } }, each},
		"each of c for every f":    {func(k *classLimit) { k.plain = func(c, v float64) float64 { return c / 8 * v } }, "c E (f-h*)² for every f"},
		"fast of (1-w)²":           {func(k *classLimit) { k.fast = func(w, v float64) float64 { return squared(1-w) * v } }, fast},
		"fast with 8":              {func(k *classLimit) { k.fast = func(w, v float64) float64 { return 8 * squared(1-w) * v } }, "0.99 · 4(1-w)² V"},
		"f_w nearer than h_w":      {func(k *classLimit) { k.follow = 1 }, "|f_w-f*|² <= 4"},
		"convex of a half":         {func(k *classLimit) { k.convex = .5 }, "convex F and H: |f_w"},
		"convex of an eighth":      {func(k *classLimit) { k.sharp = func(c, v float64) float64 { return min(c/8, c*c) * v } }, "convex F and H: |h_w"},
		"convex of c³":             {func(k *classLimit) { k.sharp = func(c, v float64) float64 { return min(c/4, c*c*c) * v } }, "convex F and H: |h_w"},
		"continuity without c":     {func(k *classLimit) { k.near = func(_, d, one, _ float64) float64 { return d * (d + 2*math.Sqrt(one)) } }, near},
		"continuity without 2": {func(k *classLimit) {
			k.near = func(c, d, one, o float64) float64 { return d*(d+math.Sqrt(one)/2) + c*o }
		}, near},
		"printed, c alone": {func(k *classLimit) {
			k.printedAbove = func(c, d, g, h float64) float64 { return c * (d*d + g*g + h*h) }
		}, "upper bound as printed"},
		"printed, other sign": {func(k *classLimit) { k.printedBelow = func(_, d, g, h float64) float64 { return d * (d + 2*g + 2*h) } }, "lower bound as printed"},
		"least of c²/4":       {func(k *classLimit) { k.plain = func(c, v float64) float64 { return c * c / 4 * v } }, "continuity of the least"},
	} {
		k := rightClassLimit
		m.change(&k)
		checks := measured(t, k.claim())
		wantFails(t, name, checks, m.part)
		mutants = append(mutants, checks)
	}
	wantEachFails(t, right, mutants)
}

// f_w may be farther from f* than h_w from h*: X says nothing, h* = ±1, f* = 0, F = {0, 0.9}, H = {h*, (h*+1)/2}, w = 1/2. The pairs
// cost 2 (0, h*), 3.62 (0.9, h*), 1 + 1 (0, second) and 0.82 + 1 (0.9, second).
func TestFMayBeFartherThanH(t *testing.T) {
	l := NewDistribution([][]float64{{0}}, [][]float64{{0}, {1}}, []float64{-1, 1}, []float64{1, 0, 0, 1})
	p := newClassProblem(l, .5)
	f, h, _ := p.minimisers([][]float64{{0}, {.9}}, [][]float64{{-1, 1}, {0, 1}})
	if df, dh := p.distanceX(f, p.best), p.distanceU(h, p.target); math.Abs(df-.81) > 1e-15 || dh != .5 {
		t.Errorf("squared distances %g and %g, want 0.81 and 1/2", df, dh)
	}
}
