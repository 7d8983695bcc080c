package theory

import (
	"testing"

	"pgregory.net/rapid"
)

func TestViolationOnRandomDistributions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var tallies violationTallies
		s := rapidSampler(t)
		for range distributionsPerCheck {
			rightViolation.onDistribution(&tallies, s)
			rightViolation.onAdditive(&tallies, s)
		}
		wantTallies(t, tallies.checks())
	})
}

func TestViolationMutations(t *testing.T) {
	if testing.Short() {
		t.Skip("many samples of one goroutine each")
	}
	right := measured(t, rightViolation.claim())
	wantHolds(t, right)
	var mutants [][]Check
	for name, m := range map[string]struct {
		change func(*violated)
		part   string
	}{
		"cubed":             {func(v *violated) { v.limit = func(c float64) float64 { return c * c * c } }, "<= c²"},
		"half":              {func(v *violated) { v.limit = func(c float64) float64 { return c * c / 2 } }, "<= c²"},
		"not squared":       {func(v *violated) { v.limit = func(c float64) float64 { return c } }, "equal to c²"},
		"twice":             {func(v *violated) { v.limit = func(c float64) float64 { return 2 * c * c } }, "equal to c²"},
		"risk without 2":    {func(v *violated) { v.risk = func(c, rms float64) float64 { return c * rms } }, "|E (f-Y)² - R|"},
		"risk with 4":       {func(v *violated) { v.risk = func(c, rms float64) float64 { return 4 * c * rms } }, "multiple of"},
		"risk with c²":      {func(v *violated) { v.risk = func(c, rms float64) float64 { return 2 * c * c * rms } }, "multiple of"},
		"other sign":        {func(v *violated) { v.cross = -2 }, "R = 2 E"},
		"factor 1":          {func(v *violated) { v.cross = 1 }, "R = 2 E"},
		"uncapped and half": {func(v *violated) { v.risk = func(c, rms float64) float64 { return c * rms } }, "the smaller of"},
	} {
		v := rightViolation
		m.change(&v)
		checks := measured(t, v.claim())
		wantFails(t, name, checks, m.part)
		mutants = append(mutants, checks)
	}
	wantEachFails(t, right, mutants)
}

// The error c² is attained by a distribution with c = 1/2: X and U fair coins, Y = X.
func TestViolationWorkedExample(t *testing.T) {
	atoms := [][]float64{{0}, {1}}
	l := NewDistribution(atoms, atoms, []float64{0, 1}, []float64{1, 0, 1, 0, 0, 1, 0, 1})
	if l.Violation() != .5 || excess(l) != .25 {
		t.Errorf("c = %g, excess %g, want 1/2 and 1/4", l.Violation(), excess(l))
	}
}
