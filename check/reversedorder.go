package check

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"mediant/tables"
)

const (
	// The order of a column is reversed in one table if its correlations with the others differ by chance with a probability of orderDiffers at most, and their sums
	// with one of orderAgrees at least.
	orderDiffers, orderAgrees = 1e-6, .01
)

// reversedOrder is the column of numbers whose rank correlations with the others are of the other sign in the second table in each of the arms, "" if none is so.
// Of several, as of two columns, it is the one of fewest values: codes are reversed more often than measurements.
func reversedOrder(arms [][]*uColumn) string {
	name, fewest := "", math.MaxInt
	for i, u := range arms[0] {
		reversed := true
		for _, columns := range arms {
			reversed = reversed && orderReversed(columns, i)
		}
		if reversed {
			if values := len(slices.Compact(slices.Clone(u.present(1)))); values < fewest {
				name, fewest = u.name, values
			}
		}
	}
	return name
}

// orderReversed compares correlations after Fisher's transformation, by which their errors are those of normal variables.
func orderReversed(columns []*uColumn, i int) bool {
	if columns[i].kind != tables.Numeric {
		return false
	}
	differ, agree, others := 0., 0., 0.
	for j, other := range columns {
		if j == i || other.kind != tables.Numeric {
			continue
		}
		var z [2]float64
		variance := 0.
		for t := range 2 {
			r, rows := rankCorrelation(columns[i].numbers[t], other.numbers[t])
			if rows < fewestRows {
				return false
			}
			z[t] = math.Atanh(max(-.999, min(.999, r)))
			variance += 1.1 / float64(rows-3) // of ranks
		}
		differ += (z[0] - z[1]) * (z[0] - z[1]) / variance
		agree += (z[0] + z[1]) * (z[0] + z[1]) / variance
		others++
	}
	return others > 0 && distuv.ChiSquared{K: others}.Survival(differ) < orderDiffers && distuv.ChiSquared{K: others}.Survival(agree) > orderAgrees
}

// rankCorrelation is that of the rows in which neither is missing, and their number.
func rankCorrelation(a, b []float64) (r float64, rows int) {
	var x, y []float64
	for i := range a {
		if !math.IsNaN(a[i]) && !math.IsNaN(b[i]) {
			x, y = append(x, a[i]), append(y, b[i])
		}
	}
	if len(x) < fewestRows {
		return 0, len(x)
	}
	if r = stat.Correlation(ranksOf(x), ranksOf(y), nil); math.IsNaN(r) {
		r = 0
	}
	return r, len(x)
}
