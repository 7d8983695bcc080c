package check

import (
	"fmt"
	"math"
	"slices"
)

// FarValue is the code of a few values that no tail of the others leads to.
const FarValue Code = "far-value"

const (
	// farValues is the number of values of one end that may be far out, and tailSize that of the next ones, which say how heavy the tail is.
	farValues, tailSize = 5, 20
	// farRatio is the least ratio of distances from the median that counts as far.
	farRatio = 100
	// farTimes is by how many times the mean logarithmic spacing of the tail a spacing is exceeded that chance does not explain: in a tail
	// that falls as a power, Cauchy's among them, these are exponential, and beyond with odds of exp(-20), or of 1e-6 with the error of their mean.
	farTimes = 20
	// leastSpacing of the tail of a column of few values, whose next ones are equal.
	leastSpacing = .1
)

// far finds a few values far from all others of a column of numbers.
func (c *checker) far(table Table, look *columnLook, p *Profile, t *tableLook) {
	values := withOuter(t.sample.values(look.place), look.numbers)
	median := quantile(values, .5)
	for _, high := range []bool{true, false} {
		k := farAt(distances(values, median, high))
		if k == 0 {
			continue
		}
		far, rest := values[len(values)-k:], values[:len(values)-k]
		if !high {
			far, rest = values[:k], values[k:]
		}
		what := fmt.Sprintf("%g in a row", far[0])
		if k > 1 {
			what = fmt.Sprintf("%g to %g in %d rows", far[0], far[k-1], k)
		}
		c.add(Finding{Code: FarValue, Severity: Warning, Table: table, Columns: []string{p.Name}, Rows: k, Of: p.Rows,
			What:    fmt.Sprintf("%q is %s of %s, far from all other values (%.6g to %.6g)", p.Name, what, table.words(), rest[0], rest[len(rest)-1]),
			Effect:  "such a value decides the mean and the spread of the column: the other values say nothing beside it, or the interval of the result nothing",
			Remedy:  fmt.Sprintf("write what was meant, or %s takes it as missing", naFlag(p.Name, far[0])),
			gravity: float64(k) / float64(p.Rows)})
		return
	}
}

// withOuter adds the outermost values of all rows to those of a sorted sample that has not got them.
func withOuter(sample []float64, of extremes) []float64 {
	all := slices.Clone(sample)
	for _, o := range slices.Concat(of.low, of.high) {
		if _, sampled := slices.BinarySearch(sample, o.value); !sampled {
			all = append(all, o.value)
		}
	}
	slices.Sort(all)
	return all
}

// distances are those from the median of the values above it, or below, the farthest first.
func distances(sorted []float64, median float64, high bool) []float64 {
	var all []float64
	for _, v := range sorted {
		if d := v - median; high && d > 0 || !high && d < 0 {
			all = append(all, math.Abs(d))
		}
	}
	if high {
		slices.Reverse(all)
	}
	return all
}

// farAt is how many of the distances are far out, 0 if none: the spacing of logarithms after them is farTimes that of the next ones (the
// estimate of Hill).
func farAt(d []float64) int {
	for k := 1; k <= farValues && k+tailSize < len(d); k++ {
		gap := math.Log(d[k-1] / d[k])
		if d[k-1] < farRatio*d[k] {
			continue
		}
		spacing := 0.0
		for i := k; i < k+tailSize; i++ {
			spacing += math.Log(d[i]/d[k+tailSize]) / tailSize
		}
		if float64(k)*gap >= farTimes*max(spacing, leastSpacing) {
			return k
		}
	}
	return 0
}
