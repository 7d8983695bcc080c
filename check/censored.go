package check

import (
	"fmt"
	"math"
	"slices"
)

// Censored is the code of values that pile up at an end of their range.
const Censored Code = "censored"

const (
	// A pile has pileRows rows or more, pileShare of all, and spikeTimes as many as each of the values next to it.
	pileRows  = 10
	pileShare = .03
	// leastFloor is the least whole number that may be a floor: counts are often 1.
	leastFloor = 10
)

// piled returns the value of one end of a column of many values, if it has far more rows than those next to it.
func (c *columnLook) piled(t *tableLook, end []valueCount) bool {
	n := c.present()
	if c.distinct.count() <= spikeDistinct || len(end) < extremeValues {
		return false
	}
	outer, others := end[0], mostRows(end[1:])
	if !c.fraction { // counts often decrease from their first value on; a pile of them has more rows than any other value
		values := t.sample.values(c.place)
		share := float64(c.present()) / float64(len(values))
		for _, v := range tally(values) {
			if v.value != outer.value {
				others = max(others, int(share*float64(v.rows)))
				break
			}
		}
	}
	return outer.rows >= max(pileRows, int(pileShare*float64(n)), spikeTimes*others)
}

// censored finds numbers that were cut at one end. In Y it is what is estimated that was cut; U and X are only coarser for it. Scales end at
// round numbers.
func (c *checker) censored(table Table, look *columnLook, p *Profile, t *tableLook) {
	if p.Numbers == nil {
		return
	}
	y := slices.Contains(c.roles.Y, p.Name)
	for _, side := range []struct {
		end         []valueCount
		least, over string
		low         bool
	}{{look.numbers.low, "least", "below", true}, {look.numbers.high, "greatest", "above", false}} {
		if !look.piled(t, side.end) {
			continue
		}
		v := side.end[0]
		f := Finding{Code: Censored, Severity: Note, Table: table, Columns: []string{p.Name}, Rows: v.rows, Of: p.Rows, gravity: float64(v.rows) / float64(p.Rows),
			What: fmt.Sprintf("%q is %g, its %s value, in %d of %d rows of %s, more than %d times as often as the values next to it: those %s seem to have been cut off",
				p.Name, v.value, side.least, v.rows, p.Rows, table.words(), spikeTimes, side.over),
			Effect: "a result is one for values that are cut so: errors and effects seem smaller than those of what was measured",
			Remedy: fmt.Sprintf("take the values before they were cut, or --accept %s:%q if the scale ends there", Censored, p.Name)}
		switch {
		case side.low && v.value > 0 && v.value < leastFloor && !look.fraction, !y && isRound(v.value): // counts of which many are small, amounts, shares
			continue
		case side.low && v.value == 0:
			f.Code, f.What = MissingMarker, fmt.Sprintf("%q is %g in %d of %d rows of %s", p.Name, v.value, v.rows, p.Rows, table.words())
			f.Effect = "if some of these are missing values, they are learned from as numbers"
			f.Remedy = naFlag(p.Name, v.value) + " takes them as missing"
		case !y:
			f.Effect = "rows there are alike in it whatever they were before"
		case !isRound(v.value):
			f.Severity = Warning
		}
		c.add(f)
	}
}

// isRound reports 0 and numbers of one significant digit, at which scales end: 1, 5, 100.
func isRound(v float64) bool {
	if v == 0 {
		return true
	}
	digit := math.Abs(v) / math.Pow(10, math.Floor(math.Log10(math.Abs(v))))
	return math.Abs(digit-math.Round(digit)) < 1e-9
}
