package check

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestInfluentialRows: rows of Y that have nearly all of the squared errors are noted, by the column and its values, and the tails of clean tables are not.
func TestInfluentialRows(t *testing.T) {
	const n = 1000
	for name, c := range map[string]struct {
		error func(i int, rnd *rand.Rand) float64
		want  bool
	}{
		"typing errors": {func(i int, rnd *rand.Rand) float64 {
			if i%60 == 0 {
				return 10 + 50*rnd.Float64()
			}
			return rnd.NormFloat64()
		}, true},
		"Cauchy":             {func(_ int, rnd *rand.Rand) float64 { return rnd.NormFloat64() / rnd.NormFloat64() }, true},
		"normal":             {func(_ int, rnd *rand.Rand) float64 { return rnd.NormFloat64() }, false},
		"Laplace":            {func(_ int, rnd *rand.Rand) float64 { return rnd.ExpFloat64() - rnd.ExpFloat64() }, false},
		"exponential":        {func(_ int, rnd *rand.Rand) float64 { return 3 * rnd.ExpFloat64() }, false},
		"logarithms, normal": {func(_ int, rnd *rand.Rand) float64 { return math.Exp(rnd.NormFloat64()) }, false},
	} {
		for seed := range uint64(5) {
			rnd := rand.New(rand.NewPCG(seed, 31))
			u, y := make([]float64, n), make([]float64, n)
			for i := range u {
				u[i] = rnd.NormFloat64()
				y[i] = u[i] + c.error(i, rnd)
			}
			xu := table(t, numbers("x", n, func(int) float64 { return rnd.NormFloat64() }), numbers("u", n, func(int) float64 { return rnd.NormFloat64() }))
			uy := table(t, numbers("u", n, func(i int) float64 { return u[i] }), numbers("y", n, func(i int) float64 { return y[i] }))
			all := strings.Join(found(t, xu, uy, Options{}), "; ")
			if got := strings.Contains(all, "influential-rows y"); got != c.want || !c.want && all != "" {
				t.Errorf("%s, seed %d: %q", name, seed, all)
			}
		}
	}
}
