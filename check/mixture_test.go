package check

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestMixedUnits: part of the values in another unit are told, and two kinds of rows are not.
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
