package check

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestZerosApart: 0 out of the distribution of the others is reported, and amounts and counts of which many are 0 are not.
func TestZerosApart(t *testing.T) {
	exponential := func(rnd *rand.Rand) float64 { return 30 * rnd.ExpFloat64() }
	wage := func(rnd *rand.Rand) float64 { return math.Round(800 + 900*rnd.ExpFloat64()) }
	tryColumns(t, MissingMarker, map[string]columnCase{
		"costs":                  {or(.2, 0, rounding(2, gaussian(20, 4))), "warning"},
		"costs, of the dear":     {func(rnd *rand.Rand) float64 { v := 20 + 4*rnd.NormFloat64(); return v * max(0, math.Copysign(1, 25-v)) }, "warning"},
		"ages":                   {or(.2, 0, rounding(0, gaussian(50, 8))), "warning"},
		"ages, in a few":         {or(.03, 0, rounding(1, gaussian(50, 8))), "warning"},
		"blood pressure":         {or(.05, 0, rounding(0, gaussian(130, 20))), "warning"},
		"another number":         {or(.1, 250, gaussian(130, 20)), "warning"},
		"scores below 0":         {or(.1, 0, gaussian(-40, 6)), "warning"},
		"a dose that half have":  {or(.5, 0, gaussian(20, 2)), "note"},
		"rather narrow amounts":  {or(.2, 0, logNormal(20, .33)), "note"},
		"amounts":                {or(.2, 0, logNormal(20, 1)), "note of Y alone"},
		"exponential amounts":    {or(.4, 0, exponential), "note of Y alone"},
		"wages from a least one": {or(.2, 0, wage), "note of Y alone"},
		"rain":                   {func(rnd *rand.Rand) float64 { return max(0, rnd.NormFloat64()) }, "note of Y alone"},
		"counts":                 {func(rnd *rand.Rand) float64 { return math.Floor(8 * rnd.ExpFloat64()) }, ""},
	})
}
