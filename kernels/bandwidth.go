package kernels

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// sampleSize is the number of rows whose pairs the median rules look at: half a million pairs, which
// fix the median to about a thousandth of its rank.
const sampleSize = 1000

// Median returns the median of the Euclidean distances of all pairs of different rows, the usual
// bandwidth of radial kernels. More than 1,000 rows are sampled from src, which is otherwise not
// used and may be nil. If more than half of the pairs are equal, it is the median of the distances
// that are not 0; if all are (or there is one row), it is 1, and note says so. A bandwidth above
// 1e150, or NaN for rows with missing or infinite values, is refused by the kernels' constructors.
// It costs as much as a Gram matrix of the sample. Rows may be of any magnitude: distances are
// formed from rows scaled by a power of two.
func Median(x mat.Matrix, src rand.Source) (bandwidth float64, note string) {
	return medianOf(x, src, func(dst *mat.Dense, x mat.Matrix) { sqDistTo(dst, x, x, nil) }, math.Sqrt)
}

// MedianL1 is Median for the L1 distance, the bandwidth of the Laplacian kernel.
func MedianL1(x mat.Matrix, src rand.Source) (bandwidth float64, note string) {
	return medianOf(x, src, func(dst *mat.Dense, x mat.Matrix) { L1DistTo(dst, x, x) }, itself)
}

// MedianChiSquared is Median for ChiSquaredDistTo, the bandwidth of the exponential chi-squared kernel. It
// panics for rows that CheckRows refuses.
func MedianChiSquared(x mat.Matrix, src rand.Source) (bandwidth float64, note string) {
	return medianOf(x, src, func(dst *mat.Dense, x mat.Matrix) { ChiSquaredDistTo(dst, x, x) }, itself)
}

// itself is v.
func itself(v float64) float64 { return v }

// medianOf is the median of an increasing function of what distTo stores.
func medianOf(x mat.Matrix, src rand.Source, distTo func(dst *mat.Dense, x mat.Matrix), of func(float64) float64) (float64, string) {
	rows := sample(x, src)
	exponent, ok := magnitude(x, rows)
	if !ok {
		return math.NaN(), noteNotFinite
	}
	var d mat.Dense
	distTo(&d, pick(x, rows, math.Ldexp(1, -exponent)))
	pairs := make([]float64, 0, len(rows)*(len(rows)-1)/2)
	for i := range rows {
		pairs = append(pairs, d.RawRowView(i)[i+1:]...)
	}
	if len(pairs) == 0 {
		return 1, noteAllEqual
	}
	median := middle(pairs, of)
	if median == 0 {
		pairs = slices.DeleteFunc(pairs, func(d float64) bool { return d == 0 })
		if len(pairs) == 0 {
			return 1, noteAllEqual
		}
		median = middle(pairs, of)
	}
	return unscaled(median, exponent), ""
}

const (
	noteAllEqual  = "all rows looked at are equal: bandwidth 1 is used"
	noteNotFinite = "a row looked at has a missing or infinite value: no bandwidth"
)

// middle returns the median of an increasing function of values, the mean of two if their number is even. It reorders them.
func middle(values []float64, of func(float64) float64) float64 {
	k := (len(values) - 1) / 2
	lower := of(ranked(values, k))
	if len(values)%2 == 1 {
		return lower
	}
	return lower/2 + of(slices.Min(values[k+1:]))/2
}

// ranked returns the value that would be at place k if values were sorted, by Hoare's selection, some 3n
// comparisons where sorting takes n log n; half a million distances are the better part of a median
// rule. It reorders them.
func ranked(values []float64, k int) float64 {
	lo, hi := 0, len(values)-1
	for lo < hi {
		pivot := values[lo+(hi-lo)/2]
		i, j := lo, hi
		for i <= j {
			for values[i] < pivot {
				i++
			}
			for values[j] > pivot {
				j--
			}
			if i <= j {
				values[i], values[j] = values[j], values[i]
				i++
				j--
			}
		}
		switch { // values lo..j are at most the pivot, i..hi at least, those between equal to it
		case k <= j:
			hi = j
		case k >= i:
			lo = i
		default:
			return pivot
		}
	}
	return values[k]
}

// unscaled returns v·2^exponent, or the largest number if that overflows.
func unscaled(v float64, exponent int) float64 { return min(math.Ldexp(v, exponent), math.MaxFloat64) }

// MedianPerColumn returns Median of each column of x alone, the bandwidths of an additive kernel. A
// constant column has bandwidth 1 (it adds a constant to the kernel, whatever its bandwidth), and
// note counts these. All columns see the same sample of at most 1,000 rows; a column costs a sort
// and some 130 passes over it.
func MedianPerColumn(x mat.Matrix, src rand.Source) (bandwidths []float64, note string) {
	rows := sample(x, src)
	exponent, ok := magnitude(x, rows)
	_, width := x.Dims()
	bandwidths = make([]float64, width)
	if !ok {
		for j := range bandwidths {
			bandwidths[j] = math.NaN()
		}
		return bandwidths, noteNotFinite
	}
	columns := transposed(pick(x, rows, math.Ldexp(1, -exponent)))
	constants := 0
	for j := range bandwidths {
		column := columns.RawRowView(j)
		slices.Sort(column)
		if column[0] == column[len(column)-1] {
			bandwidths[j] = 1
			constants++
			continue
		}
		bandwidths[j] = unscaled(medianGap(column), exponent)
	}
	if constants > 0 {
		note = fmt.Sprintf("%d of %d columns are constant in the rows looked at: bandwidth 1 is used for them", constants, width)
	}
	return bandwidths, note
}

func transposed(x mat.Matrix) *mat.Dense {
	n, width := x.Dims()
	t := mat.NewDense(width, n, nil)
	EachRow(x, func(i int, row []float64) { t.SetCol(i, row) })
	return t
}

// medianGap is the median of the differences of all pairs of sorted values, without those that are 0
// if it would be 0. The values are not all equal.
func medianGap(sorted []float64) float64 {
	pairs := len(sorted) * (len(sorted) - 1) / 2
	median := middleGap(sorted, 0, pairs)
	if median == 0 {
		equal := gapsUpTo(sorted, 0)
		median = middleGap(sorted, equal, pairs)
	}
	return median
}

// middleGap is the median of the gaps of ranks from first to last-1.
func middleGap(sorted []float64, first, last int) float64 {
	return gapOfRank(sorted, (first+last-1)/2)/2 + gapOfRank(sorted, (first+last)/2)/2
}

// gapOfRank returns the difference of the given rank, from 0, by bisection on the bits of positive
// numbers, which are in the order of the numbers.
func gapOfRank(sorted []float64, rank int) float64 {
	lo, hi := uint64(0), math.Float64bits(sorted[len(sorted)-1]-sorted[0])
	for lo < hi {
		mid := lo + (hi-lo)/2
		if gapsUpTo(sorted, math.Float64frombits(mid)) > rank {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return math.Float64frombits(lo)
}

// gapsUpTo counts the pairs of sorted values whose difference is at most gap.
func gapsUpTo(sorted []float64, gap float64) int {
	count, first := 0, 0
	for i, v := range sorted {
		for v-sorted[first] > gap {
			first++
		}
		count += i - first
	}
	return count
}

// ScaleRule returns the bandwidth with which the Gaussian kernel is exp(-gamma |x-x'|²),
//
//	gamma = 1/(d var),    b = sqrt(d var/2)
//
// for the variance of all entries of the n×d matrix x together, scikit-learn's gamma="scale". If all
// entries are equal it is 1, and note says so. Magnitudes and values that are not finite are treated
// as in Median.
func ScaleRule(x mat.Matrix) (bandwidth float64, note string) {
	n, width := x.Dims()
	rows := make([]int, n)
	for i := range rows {
		rows[i] = i
	}
	exponent, ok := magnitude(x, rows)
	if !ok {
		return math.NaN(), noteNotFinite
	}
	variance := varianceOf(x, math.Ldexp(1, -exponent))
	if variance == 0 {
		return 1, "all entries are equal: bandwidth 1 is used"
	}
	return unscaled(math.Sqrt(float64(width)*variance/2), exponent), ""
}

// varianceOf returns the variance of all entries of x times scale. It reckons from the first entry,
// so that the variance of equal entries is exactly 0.
func varianceOf(x mat.Matrix, scale float64) float64 {
	n, width := x.Dims()
	var first, mean, variance float64
	EachRow(x, func(i int, row []float64) {
		if i == 0 {
			first = row[0] * scale
		}
		for _, v := range row {
			mean += v*scale - first
		}
	})
	count := float64(n) * float64(width)
	mean /= count
	EachRow(x, func(_ int, row []float64) {
		for _, v := range row {
			d := v*scale - first - mean
			variance += d * d
		}
	})
	return variance / count
}

// sample returns all rows of x, or 1,000 of them in ascending order, every set equally likely.
func sample(x mat.Matrix, src rand.Source) []int {
	n, _ := x.Dims()
	if n == 0 {
		panic(mat.ErrZeroLength)
	}
	want := min(n, sampleSize)
	rows := make([]int, 0, want)
	if n == want {
		for i := range n {
			rows = append(rows, i)
		}
		return rows
	}
	rnd := rand.New(src)
	for i := 0; len(rows) < want; i++ {
		if rnd.IntN(n-i) < want-len(rows) {
			rows = append(rows, i)
		}
	}
	return rows
}

// magnitude returns e such that the given rows times 2^-e are at most 1, and false if an entry is NaN
// or infinite.
func magnitude(x mat.Matrix, rows []int) (exponent int, finite bool) {
	var most float64
	eachNonzero(pick(x, rows, 1), func(_, _ int, v float64) { most = max(most, math.Abs(v)) }) // max keeps NaN
	if !(most <= math.MaxFloat64) {
		return 0, false
	}
	_, exponent = math.Frexp(most)
	return max(exponent, -1000), true // 2^1000 is finite, 2^1074 is not
}
