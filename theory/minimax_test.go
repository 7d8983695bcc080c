package theory

import (
	"math"
	"testing"
)

func TestMinimaxClaims(t *testing.T) { mustHold(t, minimaxClaims()) }

func TestMinimaxMutations(t *testing.T) {
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

func TestMinimaxByHand(t *testing.T) {
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
