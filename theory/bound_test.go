package theory

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestBoundOnRandomDistributions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var tallies boundTallies
		s := rapidSampler(t)
		for range distributionsPerCheck {
			rightBound.onDistribution(&tallies, s, s.distribution(rapid.Bool().Draw(t, "cmi")))
			rightBound.onEquality(&tallies, s)
		}
		wantTallies(t, tallies.checks())
	})
}

func TestBoundMutations(t *testing.T) {
	right := measured(t, rightBound.claim())
	wantHolds(t, right)
	var mutants [][]Check
	for name, m := range map[string]struct {
		change func(*bound)
		part   string
	}{
		"w and 1-w swapped": {func(b *bound) { b.upper = func(w, a2, b2 float64) float64 { return a2/(1-w) + b2/w } }, "J_w - E (f-Y)² ="},
		"w squared":         {func(b *bound) { b.upper = func(w, a2, b2 float64) float64 { return a2/(w*w) + b2/(1-w) } }, "J_w - E (f-Y)² ="},
		"minus":             {func(b *bound) { b.upper = func(w, a2, b2 float64) float64 { return a2/w - b2/(1-w) } }, "E (f-Y)² <= J_w"},
		"no weights":        {func(b *bound) { b.upper = func(_, a2, b2 float64) float64 { return a2 + b2 } }, "E (f-Y)² <= J_w"},
		"slack swapped": {func(b *bound) {
			b.slack = func(w, a, h float64) float64 { return squared(w*a-(1-w)*h) / (w * (1 - w)) }
		}, "J_w - E (f-Y)² ="},
		"slack's sign": {func(b *bound) {
			b.slack = func(w, a, h float64) float64 { return squared((1-w)*a+w*h) / (w * (1 - w)) }
		}, "J_w - E (f-Y)² ="},
		"equality swapped":  {func(b *bound) { b.equal = func(w, f, y float64) float64 { return w*f + (1-w)*y } }, "J_w = E (f-Y)² where"},
		"best w swapped":    {func(b *bound) { b.best = func(a, bb float64) float64 { return bb / (a + bb) } }, "at w = a/(a+b)"},
		"best w of squares": {func(b *bound) { b.best = func(a, bb float64) float64 { return a * a / (a*a + bb*bb) } }, "at w = a/(a+b)"},
		"least without 2ab": {func(b *bound) { b.least = func(a, bb float64) float64 { return a*a + bb*bb } }, "at w = a/(a+b)"},
		"least too large":   {func(b *bound) { b.least = func(a, bb float64) float64 { return 1.01 * squared(a+bb) } }, "at 19 other w"},
		"lower is upper":    {func(b *bound) { b.lower = func(a, bb float64) float64 { return squared(a + bb) } }, "(a-b)² <="},
		"lower without 2ab": {func(b *bound) { b.lower = func(a, bb float64) float64 { return math.Abs(a*a - bb*bb) } }, "(a-b)² <="},
		"centre's factor": {func(b *bound) {
			b.centre = func(f, h, r, y float64) float64 { return squared(f-h) + squared(y-h) + (h-r)*(y-h) }
		}, "R(r) + 2 E"},
		"centre's sign": {func(b *bound) {
			b.centre = func(f, h, r, y float64) float64 { return squared(f-h) + squared(y-h) - 2*(h-r)*(y-h) }
		}, "R(r) + 2 E"},
		"half the width":          {func(b *bound) { b.width = func(f, h float64) float64 { return f * h } }, "|E (f-Y)² - R(r)|"},
		"width of one factor":     {func(b *bound) { b.width = func(f, h float64) float64 { return 2 * f * h * h } }, "|E (f-Y)² - R(r)|"},
		"width of other exponent": {func(b *bound) { b.width = func(f, h float64) float64 { return 2 * f * f * h } }, "|E (f-Y)² - R(r)|"},
	} {
		b := rightBound
		m.change(&b)
		checks := measured(t, b.claim())
		wantFails(t, name, checks, m.part)
		mutants = append(mutants, checks)
	}
	wantEachFails(t, right, mutants)
}
