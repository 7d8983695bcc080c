package theory

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestEmbeddingOnRandomDistributionsAndRows(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var tallies embeddingTallies
		for range distributionsPerCheck {
			if err := rightEmbedding.onDistribution(&tallies, rapidSampler(rt)); err != nil {
				rt.Fatal(err)
			}
		}
		if err := rightEmbedding.onRows(t.Context(), &tallies, seedSampler(rt)); err != nil {
			rt.Fatal(err)
		}
		wantTallies(rt, tallies.checks())
	})
}

func TestEmbeddingMutations(t *testing.T) {
	exact := func(k embedding) []Check {
		checks, err := k.exact(t.Context(), quick)
		if err != nil {
			t.Fatal(err)
		}
		return checks
	}
	wantHolds(t, exact(rightEmbedding))
	const weights, twoStep, gram = "weights of package", "Σ w_i(x) h(u_i)", "k(x)'(K"
	for name, m := range map[string]struct {
		change func(*embedding)
		part   string
	}{
		"sign":          {func(k *embedding) { k.weight = func(s, inner float64) float64 { return s * (1 - inner) } }, twoStep},
		"no share":      {func(k *embedding) { k.weight = func(_, inner float64) float64 { return 1 + inner } }, "= 1"},
		"no one":        {func(k *embedding) { k.weight = func(s, inner float64) float64 { return s * inner } }, "= 1"},
		"share once":    {func(k *embedding) { k.weight = func(s, inner float64) float64 { return s + inner } }, weights},
		"lambda, not n": {func(k *embedding) { k.gramRidge = func(_ int, l float64) float64 { return l } }, gram},
		"n squared": {func(k *embedding) {
			k.gramRidge = func(n int, l float64) float64 { return float64(n) * float64(n) * l }
		}, gram},
		"integral of square": {func(k *embedding) { k.integral = func(h, p float64) float64 { return h * p * p } }, "p(u|x) = E[Y|x]"},
		"integral's sign":    {func(k *embedding) { k.integral = func(h, p float64) float64 { return -h * p } }, "indicators"},
	} {
		k := rightEmbedding
		m.change(&k)
		wantFails(t, name, exact(k), m.part)
	}
}

func TestDensityIntegralMutations(t *testing.T) {
	if testing.Short() {
		t.Skip("many samples of one goroutine each")
	}
	slope := func(k embedding) []Check {
		c, err := k.densityCurve(t.Context(), quick)
		if err != nil {
			t.Fatal(err)
		}
		faster := k
		faster.fastest = -1
		wantFails(t, "faster than it is", []Check{faster.consistent(c)}, "slope")
		return []Check{k.consistent(c)}
	}
	wantHolds(t, slope(rightEmbedding))
	for name, change := range map[string]func(*embedding){
		"constant bandwidth": func(k *embedding) { k.bandwidth = func(int) float64 { return .3 } },
		"root of the root":   func(k *embedding) { k.bandwidth = func(n int) float64 { return math.Sqrt(quarterRoot(n)) } },
		"without the weight": func(k *embedding) { k.integral = func(h, _ float64) float64 { return h } },
	} {
		k := rightEmbedding
		change(&k)
		wantFails(t, name, slope(k), "slope")
	}
}
