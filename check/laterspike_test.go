package check

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestLaterSpike: a value that fills later rows, and no value filled those of training, is reported; parts of the range, codes and values that were as frequent are not.
func TestLaterSpike(t *testing.T) {
	age := rounding(1, gaussian(50, 10))
	amount := or(.4, 0, logNormal(20, 1))
	for name, c := range ordered(map[string]struct {
		was, now func(*rand.Rand) float64
		want     []string
	}{
		"one value":            {age, func(*rand.Rand) float64 { return 50 }, []string{"warning later-spike"}},
		"half are the mean":    {age, or(.5, 50, age), []string{"warning later-spike"}},
		"a fifth are 0":        {gaussian(1, 2), or(.2, 0, gaussian(1, 2)), []string{"warning later-spike"}},
		"cut at the median":    {age, func(rnd *rand.Rand) float64 { return min(50, age(rnd)) }, []string{"warning later-spike"}},
		"a fifth below all":    {age, or(.2, -9, age), []string{"warning later-spike", "warning later-range"}},
		"like training":        {age, age, nil},
		"as many zeros":        {amount, amount, nil},
		"some more zeros":      {amount, or(.2, 0, amount), nil},
		"far more of another":  {amount, or(.95, 20, amount), nil}, // of which training says that it is no more frequent than 0
		"a narrow part":        {rounding(0, gaussian(50, 10)), func(rnd *rand.Rand) float64 { return float64(48 + rnd.IntN(8)) }, nil},
		"one of a few codes":   {func(rnd *rand.Rand) float64 { return float64(rnd.IntN(6)) }, func(*rand.Rand) float64 { return 3 }, nil},
		"a narrower part":      {func(rnd *rand.Rand) float64 { return float64(18 + rnd.IntN(43)) }, func(rnd *rand.Rand) float64 { return float64(18 + rnd.IntN(6)) }, nil},
		"few of a part":        {func(rnd *rand.Rand) float64 { return float64(18 + rnd.IntN(43)) }, or(.4, 24, func(rnd *rand.Rand) float64 { return float64(18 + rnd.IntN(20)) }), []string{"warning later-spike"}},
		"rounded to ten":       {rounding(0, gaussian(50, 10)), func(rnd *rand.Rand) float64 { return 10 * math.Round(5+rnd.NormFloat64()) }, []string{"warning later-spike"}},
		"frequent in training": {or(.3, 50, age), or(.5, 50, age), nil},
	}) {
		rnd := rand.New(rand.NewPCG(8, 1))
		var was, now []float64
		for range 600 {
			was = append(was, c.was(rnd))
		}
		for range 200 {
			now = append(now, c.now(rnd))
		}
		if got := later(t, was, now); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
