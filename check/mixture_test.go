package check

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestMixedUnits: part of the values in another unit are reported, and two kinds of rows are not.
func TestMixedUnits(t *testing.T) {
	const n = 400
	rnd := rand.New(rand.NewPCG(5, 9))
	mixed := func(every int, factor float64, value func() float64) func(int) float64 {
		return func(i int) float64 {
			if i%every == 0 {
				return factor * value()
			}
			return value()
		}
	}
	weight := func() float64 { return 75 + 12*rnd.NormFloat64() }
	cost := func() float64 { return 20 + 100*rnd.Float64() }
	skew := func() float64 { return 5 * math.Exp(.3*rnd.NormFloat64()) }
	for _, c := range []struct {
		name  string
		value func(int) float64
		want  bool
	}{
		{"grams beside kilograms", mixed(4, 1000, weight), true}, {"cents", mixed(3, 100, cost), true}, {"thousandths", mixed(2, .001, skew), true},
		{"few", mixed(40, 1000, weight), true}, {"seconds beside minutes", mixed(5, 60, skew), true}, {"hours beside seconds", mixed(4, 3600, weight), true},
		{"one unit", mixed(1, 1, weight), false}, {"twice as much", mixed(2, 2, weight), false}, {"zeros", mixed(3, 0, weight), false},
		{"other spread", func(i int) float64 {
			if i%3 == 0 {
				return 75000 + 300*rnd.NormFloat64()
			}
			return weight()
		}, false},
		{"heavy tail", func(int) float64 { return 1 / (1e-4 + rnd.Float64()) }, false}, {"long tail", func(int) float64 { return math.Exp(3 * rnd.NormFloat64()) }, false},
	} {
		normal := func(int) float64 { return rnd.NormFloat64() }
		xu := table(t, numbers("x", n, normal), numbers("u", n, normal))
		uy := table(t, numbers("u", n, normal), numbers("y", n, c.value))
		got := found(t, xu, uy, Options{})
		if slices.Contains(got, "warning mixed-units y") != c.want {
			t.Errorf("%s: %q", c.name, got)
		}
	}
}

// TestSmallUnits: two humps at the ratio of a unit, of either sign, are reported; two kinds of rows are not, or are noted.
func TestSmallUnits(t *testing.T) {
	part := func(share float64, value func(*rand.Rand) float64, of func(v float64) float64) func(*rand.Rand) float64 {
		return func(rnd *rand.Rand) float64 {
			v := value(rnd)
			if rnd.Float64() < share {
				return of(v)
			}
			return v
		}
	}
	times := func(f float64) func(float64) float64 { return func(v float64) float64 { return f * v } }
	fahrenheit := func(v float64) float64 { return 1.8*v + 32 }
	tryColumns(t, MixedUnits, map[string]columnCase{
		"pounds":                  {part(.3, rounding(1, gaussian(75, 10)), times(2.2046)), "warning"},
		"kilograms":               {part(.4, rounding(0, gaussian(165, 22)), times(.4536)), "warning"},
		"inches":                  {part(.5, rounding(1, gaussian(170, 9)), times(1/2.54)), "warning"},
		"mmHg":                    {part(.5, rounding(1, gaussian(17, 2)), times(7.5006)), "warning"},
		"a currency":              {part(.25, rounding(2, gaussian(20, 4)), times(7.46)), "warning"},
		"another currency":        {part(.25, rounding(2, gaussian(20, 2)), times(3.7)), "note"},
		"ten times":               {part(.15, gaussian(20, 5), times(10)), "warning"},
		"months":                  {part(.1, gaussian(45, 12), times(12)), "warning"},
		"days":                    {part(.2, logNormal(6, .4), times(24)), "warning"},
		"Fahrenheit":              {part(.2, rounding(1, gaussian(20, 4)), fahrenheit), "warning"},
		"Fahrenheit, around 0":    {part(.3, rounding(1, gaussian(2, 2)), fahrenheit), "warning"},
		"body in Fahrenheit":      {part(.1, rounding(1, gaussian(37, .6)), fahrenheit), "warning"},
		"negated":                 {part(.2, gaussian(20, 4), times(-1)), "warning"},
		"thousands of both signs": {part(.25, gaussian(0, 2), times(1000)), "warning"},
		"millions of both signs":  {part(.1, gaussian(1, 2), times(1e6)), "warning"},
		"half are negative":       {part(.5, gaussian(20, 4), times(-1)), "note"},
		"men and women":           {func(rnd *rand.Rand) float64 { return 165 + 13*float64(rnd.IntN(2)) + 6*rnd.NormFloat64() }, ""},
		"one unit":                {gaussian(20, 4), ""},
		"of both signs":           {gaussian(0, 4), ""},
		"skew":                    {logNormal(3, 1.5), ""},
		"amounts with refunds":    {part(.15, logNormal(30, .7), times(-1)), ""},
		"amounts, many 0":         {or(.3, 0, logNormal(30, .7)), ""},
		"missing as -99":          {or(.2, -99, gaussian(0, 1)), ""},
		"other spread": {func(rnd *rand.Rand) float64 {
			if rnd.IntN(3) == 0 {
				return 44 + 2*rnd.NormFloat64()
			}
			return 20 + 4*rnd.NormFloat64()
		}, ""},
	})
}
