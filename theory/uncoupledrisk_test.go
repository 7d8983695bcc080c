package theory

import (
	"testing"

	"pgregory.net/rapid"
)

func TestUncoupledRiskOnRandomDistributions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var tallies riskTallies
		for range distributionsPerCheck {
			rightUncoupledRisk.onDistributions(&tallies, rapidSampler(t))
			rightUncoupledRisk.onViolation(&tallies, rapidSampler(t))
		}
		wantTallies(t, tallies.checks())
	})
}

func TestUncoupledRiskMutations(t *testing.T) {
	if testing.Short() {
		t.Skip("many samples of one goroutine each")
	}
	right := measured(t, rightUncoupledRisk.claim())
	wantHolds(t, right)
	var mutants [][]Check
	const form1, form2, linear = "form 1: R", "form 2: R", "linear functional: R"
	for name, m := range map[string]struct {
		change func(*uncoupledRisk)
		part   string
	}{
		"bias without 2":      {func(k *uncoupledRisk) { k.bias1 = 1 }, form1},
		"bias's sign":         {func(k *uncoupledRisk) { k.bias1 = -2 }, form1},
		"plain sum of losses": {func(k *uncoupledRisk) { k.form1Y = func(y, h, _ float64) float64 { return squared(y - h) } }, "unbiased at r = r*, whatever h"},
		"r for h": {func(k *uncoupledRisk) {
			k.form1Y = func(y, h, r float64) float64 { return squared(y-h) + 2*(r-h)*(y-h) }
		}, form1},
		"correction once":      {func(k *uncoupledRisk) { k.form1Y = func(y, h, r float64) float64 { return squared(y-h) + (h-r)*(y-h) } }, form1},
		"moments":              {func(k *uncoupledRisk) { k.form1X = func(f, h float64) float64 { return squared(f + h) } }, "form 1 from moments"},
		"form 1 of cubes":      {func(k *uncoupledRisk) { k.form1X = func(f, h float64) float64 { return squared(f-h) * (f - h) } }, "unbiased at h = h*, whatever r"},
		"form 2 without 2":     {func(k *uncoupledRisk) { k.bias2 = 1 }, form2},
		"form 2, omega's sign": {func(k *uncoupledRisk) { k.bias2V = 1 }, form2},
		"form 2, no omega":     {func(k *uncoupledRisk) { k.bias2V = 0 }, form2},
		"form 2, unweighted": {func(k *uncoupledRisk) {
			k.form2Y = func(y, h, r, v, _ float64) float64 { return y*y - v - 2*r*(y-h) }
		}, "unbiased at r = r*, omega"},
		"form 2, r's sign": {func(k *uncoupledRisk) {
			k.form2Y = func(y, h, r, v, omega float64) float64 { return omega*(y*y-v) + 2*r*(y-h) }
		}, form2},
		"form 2, r weighted twice": {func(k *uncoupledRisk) {
			k.form2Y = func(y, h, r, v, omega float64) float64 { return omega * (y*y - v - 2*r*(y-h)) }
		}, "unbiased at r = r*, omega"},
		"form 2, v left out":          {func(k *uncoupledRisk) { k.form2X = func(f, h, _ float64) float64 { return f*f - 2*f*h } }, "unbiased at h = h*, v"},
		"form 2, r* unweighted":       {func(k *uncoupledRisk) { k.riesz = func(_, explained float64) float64 { return explained } }, "D⁻¹B'alpha"},
		"linear, sign":                {func(k *uncoupledRisk) { k.biasLinear = 1 }, linear},
		"violation's sign":            {func(k *uncoupledRisk) { k.biasCMI = 2 }, "form 1 without"},
		"violation left out":          {func(k *uncoupledRisk) { k.biasCMI = 0 }, "form 1 without"},
		"linear, violation's sign":    {func(k *uncoupledRisk) { k.linearCMI = -1 }, "linear functional without"},
		"linear, violation left out":  {func(k *uncoupledRisk) { k.linearCMI = 0 }, "linear functional without"},
		"linear, violation of form 1": {func(k *uncoupledRisk) { k.linearCMI = -2 }, "linear functional without"},
		"linear, 2":                   {func(k *uncoupledRisk) { k.biasLinear = -2 }, linear},
		"linear, no r":                {func(k *uncoupledRisk) { k.linearY = func(_, _, _ float64) float64 { return 0 } }, linear},
	} {
		k := rightUncoupledRisk
		m.change(&k)
		checks := measured(t, k.claim())
		wantFails(t, name, checks, m.part)
		mutants = append(mutants, checks)
	}
	wantEachFails(t, right, mutants)
}

// Without omega form 2 is off by a constant that depends on the two distributions and on v only, so that it ranks
// predictors: the difference of two risks is right.
func TestForm2WithoutOmegaRanks(t *testing.T) {
	k := rightUncoupledRisk
	k.form2Y = func(y, h, r, v, _ float64) float64 { return -2 * r * (y - h) }
	rapid.Check(t, func(t *rapid.T) {
		s := rapidSampler(t)
		two := s.twoTables()
		nu := len(two.p.U)
		h, v, omega := two.target, s.values(nu), s.values(nu)
		f, g, r := s.values(len(two.p.X)), s.values(len(two.p.X)), s.values(nu)
		got := k.form2(two.p, two.q, f, h, r, v, omega) - k.form2(two.p, two.q, g, h, r, v, omega)
		want := two.p.MSE(f) - two.p.MSE(g)
		if size := two.p.secondMoments(f, h) + two.p.secondMoments(g, h); got-want > exact*size || want-got > exact*size {
			t.Errorf("difference of risks is %g, want %g", got, want)
		}
	})
}

// The two distributions must differ in the distribution of U and in that of Y given U, and agree in the first two moments.
func TestTwoTables(t *testing.T) {
	differ := 0
	for i := range 100 {
		two := newSampler(quick, "two", i).twoTables()
		q := two.q
		mean, second := q.MeanYGivenU(), q.GivenU(func(_, _, y int) float64 { return squared(q.Y[y]) })
		third := func(l *Distribution) []float64 {
			return l.GivenU(func(_, _, y int) float64 { return l.Y[y] * squared(l.Y[y]) })
		}
		p3, q3 := third(two.p), third(q)
		for u := range mean {
			if d := mean[u] - two.target[u]; d > 1e-13 || d < -1e-13 {
				t.Errorf("means differ by %g", d)
			}
			if d := second[u] - two.second[u]; d > 1e-12 || d < -1e-12 {
				t.Errorf("second moments differ by %g", d)
			}
			if d := p3[u] - q3[u]; d > 1e-3 || d < -1e-3 {
				differ++
				break
			}
		}
		if !two.p.HoldsCMI() {
			t.Errorf("violation of %g", two.p.Violation())
		}
	}
	if differ < 50 {
		t.Errorf("%d of 100 pairs differ in the third moment", differ)
	}
}
