package check

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestThousandsReadAsThousandths: 745 beside 1.234 are reported; measurements, and shares that end at a hundred, are not.
func TestThousandsReadAsThousandths(t *testing.T) {
	const n = 200
	rnd := rand.New(rand.NewPCG(3, 1))
	round := func(v float64) float64 { return math.Round(1000*v) / 1000 }
	amount := func(int) float64 { return math.Round(math.Exp(6.7 + .8*rnd.NormFloat64())) }
	read := func(v float64) float64 {
		if math.Abs(v) < 1000 {
			return v
		}
		return round(v / 1000)
	}
	for name, c := range map[string]struct {
		value func(i int) float64
		want  bool
	}{
		"amounts":           {func(i int) float64 { return read(amount(i)) }, true},
		"of either sign":    {func(i int) float64 { return read(amount(i) * float64(1-2*(i%2))) }, true},
		"few of them small": {func(i int) float64 { return read(math.Round(math.Exp(8.8 + 1.1*rnd.NormFloat64()))) }, true},
		"many of them 0": {func(i int) float64 {
			if i%20 < 3 {
				return 0
			}
			return read(math.Round(100 + 15000*rnd.Float64()))
		}, true},
		"whole above, capped": {func(i int) float64 {
			if i%30 == 0 {
				return 100
			}
			return round(1 + 50*rnd.Float64())
		}, false},
		"three decimals, some whole": {func(i int) float64 {
			if i%30 == 0 {
				return math.Round(1 + 400*rnd.Float64())
			}
			return round(1 + 400*rnd.Float64())
		}, false},
		"amounts, in plain": {amount, false},
		"all from 1000 on":  {func(i int) float64 { return read(1000 + amount(i)) }, false}, // a scale of its own
		"three decimals":    {func(int) float64 { return round(1 + 900*rnd.Float64()) }, false},
		"shares":            {func(int) float64 { return round(min(100, 1+150*rnd.Float64())) }, false},
		"tenths and whole":  {func(int) float64 { return math.Round(10*(1+900*rnd.Float64())) / 10 }, false},
		"small and whole": {func(i int) float64 {
			if i%2 == 0 {
				return float64(rnd.IntN(50))
			}
			return round(1 + 900*rnd.Float64())
		}, false},
	} {
		xu := table(t, numbers("x", n, func(int) float64 { return rnd.NormFloat64() }), numbers("u", n, func(int) float64 { return rnd.NormFloat64() }))
		uy := table(t, numbers("u", n, func(int) float64 { return rnd.NormFloat64() }), numbers("y", n, c.value))
		all := found(t, xu, uy, Options{})
		if got := slices.Contains(all, "error number-with-marks y"); got != c.want {
			t.Errorf("%s: %v", name, all)
		}
	}
}
