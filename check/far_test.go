package check

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestFarValues: what no tail of a column leads to is reported, by either end, and tails are not.
func TestFarValues(t *testing.T) {
	const n = 300
	for name, c := range map[string]struct {
		value func(rnd *rand.Rand) float64
		far   []float64
		want  bool
	}{
		"a million in scores":     {func(rnd *rand.Rand) float64 { return math.Round(600 + 50*rnd.NormFloat64()) }, []float64{1e6}, true},
		"three at the low end":    {func(rnd *rand.Rand) float64 { return rnd.NormFloat64() }, []float64{-1e9, -2e9, -3e9}, true},
		"1e12 in counts":          {func(rnd *rand.Rand) float64 { return float64(rnd.IntN(9)) }, []float64{1e12}, true},
		"1e12 in skewed ones":     {func(rnd *rand.Rand) float64 { return math.Exp(2 * rnd.NormFloat64()) }, []float64{1e12, 2e12}, true},
		"a decimal point":         {func(rnd *rand.Rand) float64 { return 600 + 50*rnd.NormFloat64() }, []float64{6000}, false},
		"a rare 1":                {func(rnd *rand.Rand) float64 { return 0 }, []float64{1, 1, 1}, false},
		"normal":                  {func(rnd *rand.Rand) float64 { return rnd.NormFloat64() }, nil, false},
		"skewed":                  {func(rnd *rand.Rand) float64 { return math.Exp(3 * rnd.NormFloat64()) }, nil, false},
		"mostly 0":                {func(rnd *rand.Rand) float64 { return max(0, math.Exp(2*rnd.NormFloat64())-3) }, nil, false},
		"Cauchy":                  {func(rnd *rand.Rand) float64 { return rnd.NormFloat64() / rnd.NormFloat64() }, nil, false},
		"heavier than Cauchy":     {func(rnd *rand.Rand) float64 { return math.Pow(rnd.Float64(), -3) }, nil, false},
		"two populations, apart":  {func(rnd *rand.Rand) float64 { return 1e6*float64(rnd.IntN(2)) + rnd.NormFloat64() }, nil, false},
		"a tenth of them far out": {func(rnd *rand.Rand) float64 { return 1e6*math.Floor(1.1*rnd.Float64()) + rnd.NormFloat64() }, nil, false},
	} {
		for seed := range uint64(200) {
			rnd := rand.New(rand.NewPCG(seed, 2))
			values := make([]float64, n)
			for i := range values {
				values[i] = c.value(rnd)
			}
			copy(values, c.far)
			slices.Sort(values)
			median := quantile(values, .5)
			if k := farAt(distances(values, median, true)) + farAt(distances(values, median, false)); k != 0 && k != len(c.far) || (k > 0) != c.want {
				t.Errorf("%s, seed %d: %d values are far", name, seed, k)
				break
			}
		}
	}
}

// TestFarValuesOfManyRows: one row among more than are sampled.
func TestFarValuesOfManyRows(t *testing.T) {
	const n = 3 * sampleRows
	rnd := rand.New(rand.NewPCG(1, 2))
	normal := func(int) float64 { return rnd.NormFloat64() }
	one := func(i int) float64 {
		if i == n/2 {
			return -1e7
		}
		return rnd.NormFloat64()
	}
	y := numbers("y", n, one)
	u := numbers("u", n, normal)
	if all := found(t, table(t, numbers("x", n, normal), u), table(t, u, y), Options{}); !slices.Equal(all, []string{"warning far-value y"}) {
		t.Errorf("%q", all)
	}
}
