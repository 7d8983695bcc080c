// Package permutation has what permutation tests of two samples share.
package permutation

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
)

// Deals make the least p-value 0.002.
const Deals = 499

// Picks has a row for each of k deals of nx rows of one sample and ny of another, which stand below each other: a row that is dealt to the first counts 1/nx, any other
// -1/ny, so that a product gives differences of means. The first deal is the samples as they are, if that is asked for.
func Picks(k, nx, ny int, asTheyAre bool, rnd *rand.Rand) *mat.Dense {
	picks := mat.NewDense(k, nx+ny, nil)
	for b := range k {
		row := picks.RawRowView(b)
		for i := range row {
			row[i] = -1 / float64(ny)
			if i < nx {
				row[i] = 1 / float64(nx)
			}
		}
		if b > 0 || !asTheyAre {
			rnd.Shuffle(len(row), func(i, j int) { row[i], row[j] = row[j], row[i] })
		}
	}
	return picks
}

// AtLeast counts the statistics that are at least a score; equal up to rounding counts as equal.
func AtLeast(statistics []float64, score float64) int {
	n := 0
	for _, v := range statistics {
		if v >= score-1e-9*math.Abs(score) {
			n++
		}
	}
	return n
}
