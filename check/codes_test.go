package check

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestCodesBesideScales: codes of no answer are reported by the codes that are left out before them, and scales are not.
func TestCodesBesideScales(t *testing.T) {
	scale := func(low, high int) func(*rand.Rand) float64 {
		return func(rnd *rand.Rand) float64 { return float64(low + rnd.IntN(high-low+1)) }
	}
	of := func(values ...float64) func(*rand.Rand) float64 {
		return func(rnd *rand.Rand) float64 { return values[rnd.IntN(len(values))] }
	}
	tryColumns(t, MissingMarker, map[string]columnCase{
		"8 beside 1 to 5":        {or(.1, 8, scale(1, 5)), "warning"},
		"7 beside 1 to 5":        {or(.1, 7, scale(1, 5)), "warning"},
		"8 beside 1 to 4":        {or(.1, 8, scale(1, 4)), "warning"},
		"9 beside 1 to 7":        {or(.1, 9, scale(1, 7)), "warning"},
		"8 and 9 beside 1 to 5":  {or(.1, 8, or(.1, 9, scale(1, 5))), "warning"},
		"99 beside 0 to 10":      {or(.1, 99, scale(0, 10)), "warning"},
		"-8 beside -2 to 2":      {or(.1, -8, scale(-2, 2)), "warning"},
		"9 beside 1 to 3":        {or(.1, 9, scale(1, 3)), "warning"},
		"cylinders":              {of(3, 4, 4, 5, 6, 8), ""},
		"sizes":                  {of(3, 4, 5, 6, 7, 10), "note"},
		"6 beside 1 to 5":        {or(.1, 6, scale(1, 5)), ""}, // which is a scale as well
		"doses":                  {of(1, 2, 3, 5), ""},
		"doubled doses":          {of(0, 1, 2, 4, 8), ""},
		"a scale":                {scale(1, 7), ""},
		"years of school":        {of(8, 9, 10, 11, 12, 12, 14, 16), ""},
		"counts with a long end": {func(rnd *rand.Rand) float64 { return min(12, math.Floor(math.Exp(rnd.NormFloat64()))) }, ""},
	})
}
