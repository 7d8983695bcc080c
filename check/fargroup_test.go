package check

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// sortedDraws are n ascending values of a column, of which a share is replaced.
func sortedDraws(rnd *rand.Rand, n int, value func(*rand.Rand) float64, share float64, other func(v float64, rnd *rand.Rand) float64) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = value(rnd)
		if i < int(share*float64(n)) {
			v[i] = other(v[i], rnd)
		}
	}
	slices.Sort(v)
	return v
}

// TestFarGroups: rows apart from all others by three ranges are reported, or by half as much in logarithms, with what they may be.
func TestFarGroups(t *testing.T) {
	price := func(rnd *rand.Rand) float64 { return 1000 * math.Round(160*math.Exp(.6*rnd.NormFloat64())) }
	for name, c := range map[string]struct {
		value func(*rand.Rand) float64
		share float64
		other func(v float64, rnd *rand.Rand) float64
		cause string
	}{
		"days":          {rounding(2, gaussian(8, 2)), .05, func(v float64, rnd *rand.Rand) float64 { return 45000 + math.Round(27*v) }, "dates as spreadsheets count them"},
		"years":         {gaussian(28, 6), .03, func(_ float64, rnd *rand.Rand) float64 { return float64(2015 + rnd.IntN(9)) }, "years"},
		"four years":    {gaussian(28, 6), .007, func(_ float64, rnd *rand.Rand) float64 { return float64(2015 + rnd.IntN(9)) }, "years"},
		"a lost point":  {rounding(1, gaussian(75, 9)), .025, func(v float64, _ *rand.Rand) float64 { return 10 * v }, "a decimal point that was lost"},
		"logarithms":    {price, .33, func(v float64, _ *rand.Rand) float64 { return math.Log(v) }, "logarithms of such values"},
		"decimal ones":  {price, .2, func(v float64, _ *rand.Rand) float64 { return math.Log10(v) }, "decimal logarithms of such values"},
		"a price of 1":  {price, .04, func(float64, *rand.Rand) float64 { return 1 }, ""},
		"below":         {gaussian(0, 1), .1, func(_ float64, rnd *rand.Rand) float64 { return -500 - rnd.Float64() }, ""},
		"16 bits":       {rounding(3, gaussian(28, 6)), 1, func(v float64, _ *rand.Rand) float64 { return v - 65.536*math.Floor(v/65.536+.5) }, "numbers of 16 bits that ran over, by 65.536"},
		"8 bits":        {rounding(0, gaussian(110, 20)), 1, func(v float64, _ *rand.Rand) float64 { return v - 256*math.Floor(v/256+.5) }, "numbers of 8 bits that ran over, by 256"},
		"a tenth above": {gaussian(0, 1), .1, func(_ float64, rnd *rand.Rand) float64 { return 1e6 + rnd.NormFloat64() }, ""},
	} {
		for seed := range uint64(10) {
			v := sortedDraws(rand.New(rand.NewPCG(seed, 8)), 600, c.value, c.share, c.other)
			g, ok := findFarGroup(v)
			if want := int(c.share * 600); !ok || g.cause != c.cause || c.share < 1 && len(g.group) != want || len(g.group)+len(g.rest) != 600 {
				t.Errorf("%s, seed %d: %v, %d rows, %q", name, seed, ok, len(g.group), g.cause)
				break
			}
		}
	}
}

// TestNoFarGroups: tails, amounts with many zeros, counts, places that are repeated and two kinds of rows are no far groups.
func TestNoFarGroups(t *testing.T) {
	place := func(rnd *rand.Rand) float64 { // of 40, one of which is far larger
		if i := rnd.IntN(40); i > 0 {
			return 1e4 * float64(10+i)
		}
		return 8e6
	}
	for name, value := range map[string]func(*rand.Rand) float64{
		"normal": gaussian(50, 10), "around 0": gaussian(0, 1), "uniform": func(rnd *rand.Rand) float64 { return rnd.Float64() },
		"exponential": func(rnd *rand.Rand) float64 { return rnd.ExpFloat64() }, "log-normal": logNormal(20, 1), "wide log-normal": logNormal(20, 3),
		"Cauchy":               func(rnd *rand.Rand) float64 { return rnd.NormFloat64() / rnd.NormFloat64() },
		"sizes of Cauchy":      func(rnd *rand.Rand) float64 { return math.Abs(rnd.NormFloat64() / rnd.NormFloat64()) },
		"Pareto":               func(rnd *rand.Rand) float64 { return math.Pow(rnd.Float64(), -1) },
		"heavier than Pareto":  func(rnd *rand.Rand) float64 { return math.Pow(rnd.Float64(), -4) },
		"powers of small ones": func(rnd *rand.Rand) float64 { return math.Pow(rnd.Float64(), 8) },
		"amounts, many 0":      or(.3, 0, logNormal(1000, .3)),
		"claims":               or(.8, 0, logNormal(1000, 1)),
		"counts":               func(rnd *rand.Rand) float64 { return math.Floor(8 * rnd.ExpFloat64()) },
		"counts, heavy":        func(rnd *rand.Rand) float64 { return math.Floor(math.Pow(rnd.Float64(), -1)) },
		"codes":                func(rnd *rand.Rand) float64 { return []float64{1, 2, 3, 4, 5, 99}[rnd.IntN(6)] },
		"doses":                func(rnd *rand.Rand) float64 { return []float64{0, 0, 0, 5, 10, 500}[rnd.IntN(6)] },
		"places":               place,
		"two kinds":            func(rnd *rand.Rand) float64 { return 20 + 40*float64(rnd.IntN(4)/3) + 5*rnd.NormFloat64() },
		"two scales": func(rnd *rand.Rand) float64 {
			return math.Pow(10, float64(rnd.IntN(4)/3)) * math.Exp(.5*rnd.NormFloat64())
		},
		"shares at both ends":         func(rnd *rand.Rand) float64 { return math.Min(100, math.Max(0, 60+60*rnd.NormFloat64())) },
		"bytes of both signs":         func(rnd *rand.Rand) float64 { return float64(rnd.IntN(256) - 128) },
		"nothing beside measurements": func(rnd *rand.Rand) float64 { return max(1e-17*rnd.Float64(), rnd.NormFloat64()) },
	} {
		for _, n := range []int{30, 100, 600} {
			for seed := range uint64(100) {
				v := sortedDraws(rand.New(rand.NewPCG(seed, 9)), n, value, 0, nil)
				if g, ok := findFarGroup(v); ok {
					t.Errorf("%s, %d rows, seed %d: %g to %g beside %g to %g", name, n, seed, g.group[0], g.group[len(g.group)-1], g.rest[0], g.rest[len(g.rest)-1])
					break
				}
			}
		}
	}
}

// TestFarGroupInEveryRole: it is reported in X, U and Y.
func TestFarGroupInEveryRole(t *testing.T) {
	tryColumns(t, FarValue, map[string]columnCase{
		"years": {func(rnd *rand.Rand) float64 {
			v := 28 + 6*rnd.NormFloat64()
			if rnd.IntN(30) == 0 {
				return float64(2015 + rnd.IntN(9))
			}
			return v
		}, "warning"},
		"log-normal": {logNormal(20, 2), ""},
	})
}
