package kernels

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestRankedIsSorting(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		// Few different values, so that many are equal.
		values := rapid.SliceOfN(rapid.Map(rapid.IntRange(0, 20), func(i int) float64 { return float64(i) / 3 }), 1, 200).Draw(t, "values")
		k := rapid.IntRange(0, len(values)-1).Draw(t, "k")
		sorted := slices.Sorted(slices.Values(values))
		if got := ranked(values, k); got != sorted[k] {
			t.Errorf("place %d is %g, want %g", k, got, sorted[k])
		}
		slices.Sort(values)
		if !slices.Equal(values, sorted) {
			t.Error("values are lost")
		}
	})
}
