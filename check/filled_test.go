package check

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestFilled: values that were put in for missing ones are reported, and other frequent values, as heaps at round numbers are, are noted.
func TestFilled(t *testing.T) {
	hours := func(rnd *rand.Rand) float64 {
		switch u := rnd.Float64(); {
		case u < .45:
			return 40
		case u < .6:
			return 35
		case u < .75:
			return 20
		}
		return float64(5 + rnd.IntN(50))
	}
	tryColumns(t, MissingMarker, map[string]columnCase{
		"the mean":                      {or(.3, 21.4, rounding(2, gaussian(21.35, 4))), "warning"},
		"the mean, in a few":            {or(.08, 50.3, rounding(1, gaussian(50, 10))), "warning"},
		"the mean of skew ones":         {or(.2, 2*math.Exp(.5), logNormal(2, 1)), "warning"},
		"the median of skew ones":       {or(.2, 2, logNormal(2, 1)), "warning"},
		"the mean, rounded":             {or(.3, 50, rounding(1, gaussian(50.4, 10))), "warning"},
		"another value, in many rows":   {or(.35, 16.25, gaussian(20, 4)), "warning"},
		"another value, in a few":       {or(.1, 16.25, gaussian(20, 4)), "note"},
		"the mean of scores":            {or(.3, 600, rounding(0, gaussian(600, 80))), "warning"},
		"nothing":                       {gaussian(20, 4), ""},
		"rounded":                       {rounding(0, gaussian(50, 12)), ""},
		"hours of work":                 {hours, "note"},
		"every tenth at a round number": {func(rnd *rand.Rand) float64 { return rounding(rnd.IntN(2)-1, gaussian(130, 18))(rnd) }, ""},
	})
}

// TestFilledByGroup: the means of three groups in the place of missing values.
func TestFilledByGroup(t *testing.T) {
	tryColumns(t, MissingMarker, map[string]columnCase{"means of groups": {func(rnd *rand.Rand) float64 {
		if group := rnd.IntN(3); rnd.Float64() < .3 {
			return []float64{18.31, 20.07, 22.4}[group]
		}
		return 20 + 3*rnd.NormFloat64()
	}, "note"}})
}
