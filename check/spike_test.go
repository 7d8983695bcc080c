package check

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestMarkersWithin: a known marker that the range of the column hides is reported by how often it occurs; counts, heaps and scales that end
// at such a number are not.
func TestMarkersWithin(t *testing.T) {
	const n = 300
	rnd := rand.New(rand.NewPCG(5, 4))
	cells := func(int) float64 { return float64(40 + rnd.IntN(900)) }
	salary := func(int) float64 { return math.Round(100*math.Exp(6+rnd.NormFloat64())) / 100 }
	with := func(marker, share float64, value func(int) float64) func(int) float64 {
		return func(i int) float64 {
			if rnd.Float64() < share {
				return marker
			}
			return value(i)
		}
	}
	for name, c := range map[string]struct {
		value func(int) float64
		want  bool
	}{
		"cells -9":           {with(-9, .1, cells), true},
		"cells -1":           {with(-1, .3, cells), true},
		"cells 99":           {with(99, .1, cells), true},
		"salary 999":         {with(999, .1, salary), true},
		"salary -1":          {with(-1, .05, salary), true},
		"cells":              {cells, false},
		"cells 0":            {with(0, .3, cells), false},  // a count may be 0
		"cells 500":          {with(500, .3, cells), true}, // as if put in for missing ones
		"cells 500, few":     {with(500, .1, cells), true}, // their mean
		"cells 300, few":     {with(300, .1, cells), false},
		"a percentage":       {func(int) float64 { return float64(rnd.IntN(101)) }, false},
		"integers about 99":  {func(int) float64 { return math.Round(99 + 12*rnd.NormFloat64()) }, false},
		"zeros beside 99":    {with(0, .2, with(99, .05, cells)), true},
		"top code":           {func(int) float64 { return min(99, math.Round(60+12*rnd.NormFloat64())) }, false},
		"a scale of ten":     {func(int) float64 { return float64(rnd.IntN(11)) }, false},
		"mostly 9, a degree": {with(9, .9, func(int) float64 { return float64(8 + rnd.IntN(5)) }), false},
	} {
		*rnd = *rand.New(rand.NewPCG(5, 4)) // whatever the order of the cases
		xu := table(t, numbers("x", n, func(int) float64 { return rnd.NormFloat64() }), numbers("u", n, c.value))
		uy := table(t, numbers("u", n, c.value), numbers("y", n, func(int) float64 { return rnd.NormFloat64() }))
		all := found(t, xu, uy, Options{})
		if got := slices.Contains(all, "warning missing-marker u"); got != c.want {
			t.Errorf("%s: %v", name, all)
		}
	}
}
