package check

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestGapAt: the gap at a value is one of those of which distance is the largest, with ties and without.
func TestGapAt(t *testing.T) {
	rnd := rand.New(rand.NewPCG(4, 4))
	for range 200 {
		var samples [2][]float64
		for k := range samples {
			for range 1 + rnd.IntN(12) {
				samples[k] = append(samples[k], float64(rnd.IntN(6)))
			}
			slices.Sort(samples[k])
		}
		x, y := samples[0], samples[1]
		most := 0.
		for _, v := range slices.Concat(x, y) {
			most = max(most, gapAt(v, x, y))
		}
		if d := distance(x, y); most != d {
			t.Fatalf("%v, %v: the largest gap is %g, the distance %g", x, y, most, d)
		}
	}
}
