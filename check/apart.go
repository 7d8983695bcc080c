package check

import (
	"fmt"
	"math"
)

const (
	// Distances of a value at the end of a column are in units of its longer tail: from the median to the 5 % or the 95 % quantile of the others, 1.64
	// standard deviations if they are normal. Amounts, of which many are naturally 0, are skew: the others have a long upper tail and reach down towards 0. The
	// median of exponential ones is 0.3 from 0, of log-normal ones 1.6 where the standard deviation of the logarithm is 0.3; of normal ones 2.4 or more where
	// the mean is 4 standard deviations or more.
	apartSurely, apartPerhaps = 2.4, 1.3
	// The next value is so far from it.
	gapSurely, gapPerhaps = .5, .25
	// A value in a larger share may well be a state of its own, as a dose of 0 is.
	apartShare = 1. / 3
	// It is in so large a share of the rows, and in three.
	apartLeast = .01
)

// apart returns a value at one end of a column of many values that many rows share and that is out of the distribution of the others, as 0 is for
// measurements far from it. Not surely so is a 0 that is not far from the others, and a value of a large share.
func (c *columnLook) apart(t *tableLook) (found valueCount, rest [2]float64, surely, ok bool) {
	n := c.present()
	if n == 0 || c.distinct.count() <= spikeDistinct {
		return found, rest, false, false
	}
	values := t.sample.values(c.place)
	for _, ends := range [][2][]valueCount{{c.numbers.low, c.numbers.high}, {c.numbers.high, c.numbers.low}} {
		outer, next := ends[0][0], ends[0][1].value
		share := float64(outer.rows) / float64(n)
		if outer.rows < 3 || share < apartLeast || outer.rows < spikeTimes*mostRows(ends[0][1:]) {
			continue
		}
		others := without(values, []valueCount{outer})
		if len(others) <= spikeDistinct {
			continue
		}
		median := quantile(others, .5)
		tail := max(quantile(others, .95)-median, median-quantile(others, .05))
		if tail == 0 {
			continue
		}
		from, gap := math.Abs(outer.value-median)/tail, math.Abs(outer.value-next)/tail
		rest = [2]float64{min(next, ends[1][0].value), max(next, ends[1][0].value)}
		switch far := from >= apartSurely && gap >= gapSurely; {
		case far && share <= apartShare:
			return outer, rest, true, true
		case far, outer.value == 0 && from >= apartPerhaps && gap >= gapPerhaps:
			return outer, rest, false, true
		}
	}
	return found, rest, false, false
}

// mostRows is the largest count.
func mostRows(values []valueCount) int {
	most := 0
	for _, v := range values {
		most = max(most, v.rows)
	}
	return most
}

// apartFromOthers is the finding of such a value, if there is one.
func (c *checker) apartFromOthers(table Table, look *columnLook, p *Profile, t *tableLook) bool {
	v, rest, surely, ok := look.apart(t)
	if !ok {
		return false
	}
	f := Finding{Code: MissingMarker, Severity: Warning, Table: table, Columns: []string{p.Name}, Rows: v.rows, Of: p.Rows,
		What:    fmt.Sprintf("%q is %g in %d of %d rows of %s, apart from all other values (%g to %g)", p.Name, v.value, v.rows, p.Rows, table.words(), rest[0], rest[1]),
		Effect:  "if that marks missing values, it is learned from as a number",
		Remedy:  fmt.Sprintf("%s takes it as missing, or --accept %s:%q if it was measured", naFlag(p.Name, v.value), MissingMarker, p.Name),
		gravity: causeFirst + float64(v.rows)/float64(p.Rows)}
	if !surely {
		f.Severity = Note
	}
	c.add(f)
	return true
}
