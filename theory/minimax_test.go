package theory

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestMinimaxClaims(t *testing.T) { mustHold(t, minimaxClaims()) }

func TestMinimaxMutations(t *testing.T) {
	if testing.Short() {
		t.Skip("many samples of one goroutine each")
	}
	mutate := func(name, caught string, change func(*minimaxFormula)) mutant {
		f := minimaxConstants()
		change(&f)
		return mutant{name, minimaxClaimsOf(f), caught}
	}
	mustCatch(t, []mutant{
		mutate("average with a minus", "average over the pair", func(f *minimaxFormula) { f.average = func(d, c float64) float64 { return math.Abs(d - c*c) } }),
		mutate("average without c", "average, 2Step", func(f *minimaxFormula) { f.average = func(d, c float64) float64 { return d } }),
		mutate("average with half of c²", "average over the pair", func(f *minimaxFormula) { f.average = func(d, c float64) float64 { return d + c*c/2 } }),
		mutate("lower bound c", "least worst risk", func(f *minimaxFormula) { f.lower = func(c float64) float64 { return c } }),
		mutate("lower bound 2c²", "worst risk, 2Step", func(f *minimaxFormula) { f.lower = func(c float64) float64 { return 2 * c * c } }),
		mutate("lower bound c²/2", "meets upper", func(f *minimaxFormula) { f.lower = func(c float64) float64 { return c * c / 2 } }),
		mutate("upper bound 2c²", "infinite samples", func(f *minimaxFormula) { f.upper = func(c float64) float64 { return 2 * c * c } }),
		mutate("violation c", "violation of size c", func(f *minimaxFormula) { f.violation = func(c float64) float64 { return c } }),
		mutate("printed bound 2c²", "as printed", func(f *minimaxFormula) { f.printed = func(c float64) float64 { return 2 * c * c } }),
	})
}

func TestMinimaxWorkedExample(t *testing.T) {
	m := minimaxPairs(2)[1]
	// f = 3 X_2: under P+ E (3 X_2 - X_1/2 - 2 X_2)² = 1 + 1/4, under P- 25 + 1/4.
	e := minimaxEstimate{p: []float64{1}, values: [][4]float64{{-3, 3, -3, 3}}}
	if plus, minus := m.risks(e); plus != 1.25 || minus != 25.25 {
		t.Errorf("risks %g and %g, want 1.25 and 25.25", plus, minus)
	}
	for x, v := range m.limit() {
		if want := minimaxX[x][0] / 2; math.Abs(v-want) > 1e-15 {
			t.Errorf("limit at %v is %g, want %g", minimaxX[x], v, want)
		}
	}
	// A coin between 2 X_2 and -2 X_2: under either distribution half of 0 and half of 16, and 1/4 more.
	coin := minimaxEstimate{p: []float64{.5, .5}, values: [][4]float64{{-2, 2, -2, 2}, {2, -2, 2, -2}}}
	if plus, minus := m.risks(coin); plus != 8.25 || minus != 8.25 {
		t.Errorf("risks of the coin %g and %g, want 8.25", plus, minus)
	}
}

// apart must see what one distribution has and the other has not, on either side.
func TestApart(t *testing.T) {
	a, b := map[int]float64{1: .5, 2: .5}, map[int]float64{2: .25, 3: .75}
	if got := apart(a, b); got != .75 {
		t.Errorf("total variation %g, want 0.75", got)
	}
	if got := apart(b, a); got != .75 {
		t.Errorf("total variation %g, want 0.75", got)
	}
}

func TestMinimaxAnyOnRandomDistributions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var pairs minimaxTallies
		var samples leCamTallies
		var twins twinTallies
		s := seedSampler(t)
		for range distributionsPerCheck {
			rightMinimaxAny.onPair(&pairs, s)
			rightMinimaxAny.onClasses(&pairs, s.distribution(false))
			rightLeCam.onSamples(&samples, s)
			rightTwins.onDistribution(&twins, s.distribution(false))
		}
		wantTallies(t, pairs.checks())
		wantTallies(t, samples.checks())
		wantTallies(t, twins.checks())
	})
}

func TestMinimaxAnyMutations(t *testing.T) {
	if testing.Short() {
		t.Skip("many samples of one goroutine each")
	}
	right := measured(t, rightMinimaxAny.claim())
	wantHolds(t, right)
	var mutants [][]Check
	for name, m := range map[string]struct {
		change func(*minimaxAny)
		part   string
	}{
		"value c²":             {func(k *minimaxAny) { k.value = func(c float64) float64 { return c * c } }, "appendix H"},
		"value 2c":             {func(k *minimaxAny) { k.value = func(c float64) float64 { return 2 * c } }, "appendix B"},
		"average with c²/2":    {func(k *minimaxAny) { k.average = func(d, c float64) float64 { return d + c*c/2 } }, "average of"},
		"average with a minus": {func(k *minimaxAny) { k.average = func(d, c float64) float64 { return d - c*c } }, "average of"},
		"worst of 2c²":         {func(k *minimaxAny) { k.average = func(_, c float64) float64 { return 4 * c * c } }, "c² <= worst risk (w"},
		"stochastic, of 2c²":   {func(k *minimaxAny) { k.average = func(_, c float64) float64 { return 4 * c * c } }, "E[Yhat|X]"},
		"s not at the median":  {func(k *minimaxAny) { k.half = .6 }, "(U, Y) has one"},
		"another U":            {func(k *minimaxAny) { k.ofU = func([]float64) []float64 { return []float64{1, 2, 3, 4} } }, "(X, U) has one"},
		"upper bound c²/2":     {func(k *minimaxAny) { k.upper = func(c float64) float64 { return c * c / 2 } }, "10^6"},
		"classes swapped": {func(k *minimaxAny) {
			k.larger = func(l *Distribution) (a, b float64) { return squared(l.Violation()), excess(l) }
		}, "contains"},
		"risk of another class": {func(k *minimaxAny) {
			k.larger = func(l *Distribution) (a, b float64) { return squared(l.Violation()), 1e9 }
		}, "risk of 2Step-RR"},
		"main text's class with U": {func(k *minimaxAny) {
			k.main = func(l *Distribution) float64 { return squared(l.Violation()) }
		}, "section 5.5"},
	} {
		k := rightMinimaxAny
		m.change(&k)
		checks := measured(t, k.claim())
		wantFails(t, name, checks, m.part)
		mutants = append(mutants, checks)
	}
	wantEachFails(t, right, mutants)
}

func TestLeCamMutations(t *testing.T) {
	right := measured(t, rightLeCam.claim())
	wantHolds(t, right)
	var mutants [][]Check
	for name, m := range map[string]struct {
		change func(*leCam)
		part   string
	}{
		"without the distance":      {func(k *leCam) { k.ours = func(d, _ float64) float64 { return d * d } }, "<= least average"},
		"of 2 delta":                {func(k *leCam) { k.ours = func(d, tv float64) float64 { return 4 * d * d * (1 - tv) } }, "<= least average"},
		"of half":                   {func(k *leCam) { k.ours = func(d, tv float64) float64 { return d * d / 2 * (1 - tv) } }, "least average risk ="},
		"delta not squared":         {func(k *leCam) { k.ours = func(d, tv float64) float64 { return d * (1 - tv) } }, "least average risk ="},
		"printed twice":             {func(k *leCam) { k.printed = func(d, tv float64) float64 { return 4 * d * d * (1 - tv) } }, "as printed"},
		"Pinsker without the root":  {func(k *leCam) { k.pinsker = func(kl float64) float64 { return kl / 2 } }, "TV <="},
		"Pinsker without the half²": {func(k *leCam) { k.pinsker = func(kl float64) float64 { return math.Sqrt(kl / 4) } }, "TV <="},
		"squares for norms":         {func(k *leCam) { k.norms = func(a, b float64) float64 { return math.Hypot(a, b) } }, "d(q_1, q_3)"},
	} {
		k := rightLeCam
		m.change(&k)
		checks := measured(t, k.claim())
		wantFails(t, name, checks, m.part)
		mutants = append(mutants, checks)
	}
	wantEachFails(t, right, mutants)
}

func TestTwinMutations(t *testing.T) {
	right := measured(t, rightTwins.claim())
	wantHolds(t, right)
	var mutants [][]Check
	for name, m := range map[string]struct {
		draw func(givenU, givenXU float64) float64
		part string
	}{
		"the distribution itself": {func(_, givenXU float64) float64 { return givenXU }, "violation of the twin"},
		"another Y":               {func(givenU, _ float64) float64 { return squared(givenU) }, "(U, Y) of the twin"},
		"another U":               {func(givenU, _ float64) float64 { return squared(givenU) }, "(X, U) of the twin"},
		"E[Y|X] itself":           {func(_, givenXU float64) float64 { return givenXU }, "of the twin)²"},
	} {
		checks := measured(t, twins{draw: m.draw}.claim())
		wantFails(t, name, checks, m.part)
		mutants = append(mutants, checks)
	}
	wantEachFails(t, right, mutants)
}

// E[Y|X] = ±2 s(X) and E[Y|U] = 0.
func TestSignedPairWorkedExample(t *testing.T) {
	pair, signs := rightMinimaxAny.pair(newSampler(quick, "signed", 0), 2)
	for i, sign := range []float64{1, -1} {
		for x, v := range pair[i].MeanYGivenX() {
			if math.Abs(v-sign*2*signs[x]) > 1e-14 {
				t.Errorf("E[Y|x] is %g, want %g", v, sign*2*signs[x])
			}
		}
		if h := pair[i].MeanYGivenU(); math.Abs(h[0]) > 1e-14 {
			t.Errorf("E[Y|u] is %g, want 0", h[0])
		}
	}
}

// delta = 1, P_1 = (3/4, 1/4), P_2 = (1/4, 3/4): TV = 1/2, the best estimators are 1/2 and 3/2 from p_1, risk
// 3/8·1/4 + 1/8·9/4 twice = 3/4; delta² (1 - TV) = 1/2.
func TestAverageRiskWorkedExample(t *testing.T) {
	if got := averageRisk(1, []float64{.75, .25}, []float64{.25, .75}); math.Abs(got-.75) > 1e-15 {
		t.Errorf("average risk %g, want 3/4", got)
	}
	tv, kl := sampleDistances([]float64{.75, .25}, []float64{.25, .75})
	if want := .5 * math.Log(3); tv != .5 || math.Abs(kl-want) > 1e-15 {
		t.Errorf("TV %g, KL %g, want 1/2 and %g", tv, kl, want)
	}
}
