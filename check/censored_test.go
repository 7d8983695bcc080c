package check

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestCensored: values that were cut at one end are reported, in Y with a warning, and ends of scales noted.
func TestCensored(t *testing.T) {
	cut := func(low, high float64, value func(*rand.Rand) float64) func(*rand.Rand) float64 {
		return func(rnd *rand.Rand) float64 { return min(high, max(low, value(rnd))) }
	}
	inf := math.Inf(1)
	tryColumns(t, Censored, map[string]columnCase{
		"cut above":           {cut(-inf, 24, rounding(2, gaussian(21, 4))), "warning of Y"},
		"cut below":           {cut(17.5, inf, gaussian(21, 4)), "warning of Y"},
		"cut at both ends":    {cut(-1.64, 1.64, gaussian(0, 1)), "warning of Y"},
		"cut at the median":   {cut(-inf, 21.3, gaussian(21.3, 4)), "warning of Y"},
		"follow-up of a year": {cut(0, 365, func(rnd *rand.Rand) float64 { return math.Ceil(400 * rnd.ExpFloat64()) }), "warning of Y"},
		"per cent":            {cut(0, 100, rounding(1, gaussian(80, 20))), "note of Y alone"},
		"grades":              {cut(0, 4, rounding(2, gaussian(3.2, .6))), "note of Y alone"},
		"nothing":             {gaussian(21, 4), ""},
		"rounded":             {rounding(0, gaussian(50, 12)), ""},
		"uniform":             {func(rnd *rand.Rand) float64 { return rnd.Float64() }, ""},
		"amounts":             {or(.4, 0, logNormal(20, 1)), ""},
		"counts":              {func(rnd *rand.Rand) float64 { return 1 + math.Floor(math.Exp(2*rnd.NormFloat64())) }, ""},
	})
}
