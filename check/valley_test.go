package check

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestOneMode: of densities with one mode the deepest valley is hardly ever below perhapsTwo: of 300 uniform values in one sample of 3,000, by simulation, and of others
// yet more rarely.
func TestOneMode(t *testing.T) {
	for name, value := range map[string]func(*rand.Rand) float64{
		"uniform": func(rnd *rand.Rand) float64 { return rnd.Float64() }, "normal": gaussian(0, 1), "logarithms of uniform": func(rnd *rand.Rand) float64 { return math.Log(rnd.Float64()) },
		"exponential": func(rnd *rand.Rand) float64 { return rnd.ExpFloat64() }, "Cauchy": func(rnd *rand.Rand) float64 { return rnd.NormFloat64() / rnd.NormFloat64() },
		"whole numbers": rounding(0, gaussian(20, 6)), "logarithms of whole numbers": func(rnd *rand.Rand) float64 { return math.Log(max(1, math.Round(20+6*rnd.NormFloat64()))) },
		"a peak beside a plain": func(rnd *rand.Rand) float64 {
			if rnd.IntN(2) == 0 {
				return 5 * rnd.Float64()
			}
			return 5 + .1*rnd.Float64()
		},
	} {
		for seed := range uint64(300) {
			rnd := rand.New(rand.NewPCG(seed, 4))
			v := make([]float64, 300)
			for i := range v {
				v[i] = value(rnd)
			}
			slices.Sort(v)
			if got := deepest(v, leastOfUnit); got.logP < perhapsTwo {
				t.Errorf("%s, seed %d: valley of %g at %g", name, seed, got.logP, got.high[0])
				break
			}
		}
	}
}

// TestChernoff: the bound is one, and not far from it.
func TestChernoff(t *testing.T) {
	for _, c := range []struct {
		k, n int
		p    float64
	}{{10, 10, .5}, {30, 40, .5}, {5, 100, .01}, {80, 90, .7}} {
		exact := 0.
		for k := c.k; k <= c.n; k++ {
			exact += math.Exp(logChoose(c.n, k) + float64(k)*math.Log(c.p) + float64(c.n-k)*math.Log(1-c.p))
		}
		bound := chernoff(c.k, c.n-c.k, c.p)
		if bound < math.Log(exact)-1e-9 || bound > math.Log(exact)+math.Log(10) {
			t.Errorf("%d of %d at %g: %g, exactly %g", c.k, c.n, c.p, bound, math.Log(exact))
		}
	}
	if chernoff(0, 0, .5) != 0 || chernoff(3, 7, .5) != 0 {
		t.Error("what is expected is bounded by less than 1")
	}
}
