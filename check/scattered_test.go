package check

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// TestScattered: cells that were put in from other rows are noted where U nearly determines the column; long tails, noise and rows of another kind are not.
func TestScattered(t *testing.T) {
	const n = 600
	for name, c := range map[string]struct {
		value func(u float64, rnd *rand.Rand) float64
		want  bool
	}{
		"from other rows": {func(u float64, rnd *rand.Rand) float64 {
			if rnd.Float64() < .3 {
				u = rnd.NormFloat64()
			}
			return u + .15*rnd.NormFloat64()
		}, true},
		"a narrow line": {func(u float64, rnd *rand.Rand) float64 { return u + .15*rnd.NormFloat64() }, false},
		"a wide line":   {func(u float64, rnd *rand.Rand) float64 { return u + rnd.NormFloat64() }, false},
		"unrelated":     {func(_ float64, rnd *rand.Rand) float64 { return rnd.NormFloat64() }, false},
		"heavy tails":   {func(u float64, rnd *rand.Rand) float64 { return u + .1*rnd.NormFloat64()/rnd.NormFloat64() }, false},
		"a part of noise": {func(u float64, rnd *rand.Rand) float64 {
			if rnd.Float64() < .3 {
				return u + rnd.NormFloat64()
			}
			return u + .15*rnd.NormFloat64()
		}, false},
		"another slope": {func(u float64, rnd *rand.Rand) float64 {
			if rnd.Float64() < .3 {
				u *= .3
			}
			return u + .15*rnd.NormFloat64()
		}, false},
	} {
		for seed := range uint64(6) {
			rnd := rand.New(rand.NewPCG(seed, 41))
			normal := func(int) float64 { return rnd.NormFloat64() }
			u, x := make([]float64, n), make([]float64, n)
			for i := range u {
				u[i] = rnd.NormFloat64()
				x[i] = c.value(u[i], rnd)
			}
			for k, tables := range [][]string{{"x", "y"}, {"y", "x"}} {
				related, other := table(t, numbers("u", n, at(u)), numbers(tables[k], n, at(x))), table(t, numbers("u", n, normal), numbers(tables[1-k], n, normal))
				if k == 1 {
					related, other = other, related
				}
				all := strings.Join(found(t, related, other, Options{}), "; ")
				if got := strings.Contains(all, "note misaligned-rows x"); got != c.want {
					t.Errorf("%s, seed %d, table %d: %q", name, seed, k, all)
				}
			}
		}
	}
}
