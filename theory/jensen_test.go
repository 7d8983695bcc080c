package theory

import (
	"testing"

	"pgregory.net/rapid"
)

func TestJensenOnRandomDistributions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var tallies jensenTallies
		s := rapidSampler(t)
		for range distributionsPerCheck {
			rightJensen.onDistribution(&tallies, s)
		}
		wantTallies(t, tallies.checks())
	})
}

func TestJensenMutations(t *testing.T) {
	if testing.Short() {
		t.Skip("many samples of one goroutine each")
	}
	right := measured(t, rightJensen.claim())
	wantHolds(t, right)
	var mutants [][]Check
	for name, m := range map[string]struct {
		change func(*jensen)
		part   string
	}{
		"concave":       {func(j *jensen) { j.quadratic = func(a, u float64) float64 { return -a * u * u } }, "quadratic and exponential"},
		"gap's sign":    {func(j *jensen) { j.gap = func(a, v float64) float64 { return -a * v } }, "Σ a_j Var"},
		"gap halved":    {func(j *jensen) { j.gap = func(a, v float64) float64 { return a * v / 2 } }, "Σ a_j Var"},
		"fourth powers": {func(j *jensen) { j.quadratic = func(a, u float64) float64 { return a * u * u * u * u } }, "Σ a_j Var"},
		"no half":       {func(j *jensen) { j.least = func(m, v float64) float64 { return m * v } }, "m/2 Var"},
		"naive doubled": {func(j *jensen) {
			j.naive = func(h func([]float64) float64, mean []float64) float64 { return 2 * h(mean) }
		}, "linear h*"},
		"naive at another mean": {func(j *jensen) {
			j.naive = func(h func([]float64) float64, mean []float64) float64 {
				moved := append([]float64(nil), mean...)
				moved[0] += .1
				return h(moved)
			}
		}, "U = g(X)"},
	} {
		j := rightJensen
		m.change(&j)
		checks := measured(t, j.claim())
		wantFails(t, name, checks, m.part)
		mutants = append(mutants, checks)
	}
	wantEachFails(t, right, mutants)
}
