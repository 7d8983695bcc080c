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
			if values := u.distinct(); values < fewest {
				name, fewest = u.name, values
			}
		}
	}
	return name
}

// distinct is the number of values of a column in the second table.
func (u *uColumn) distinct() int {
	if u.kind == tables.Numeric {
		return len(slices.Compact(slices.Clone(u.present(1))))
	}
	return len(u.levels(1))
}

// orderReversed compares correlations after Fisher's transformation, by which their errors are those of normal variables.
func orderReversed(columns []*uColumn, i int) bool {
	if columns[i].free {
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
			r, rows := rankCorrelation(columns[i].scoresBy(other)[t], other.numbers[t])
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

// scoresBy are the numbers of a column, or those of its levels by the mean rank that another column has in the first table, NaN where there is none.
func (u *uColumn) scoresBy(other *uColumn) [2][]float64 {
	if u.kind == tables.Numeric {
		return u.numbers
	}
	sums, rows := make(map[string]float64), make(map[string]float64)
	for i, r := range ranksOf(other.numbers[0]) {
		if cell := u.cells[0][i]; cell != "" && !math.IsNaN(r) {
			sums[cell] += r
			rows[cell]++
		}
	}
	var scores [2][]float64
	for t := range 2 {
		for _, cell := range u.cells[t] {
			scores[t] = append(scores[t], sums[cell]/rows[cell]) // NaN for 0/0
		}
	}
	return scores
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
