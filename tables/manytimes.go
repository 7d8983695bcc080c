package tables

import "math"

const (
	// A row that is there at least manyTimes, and is the only one of its values in measuredColumns columns of numbers with at least
	// measuredValues values each, is no tie. 0 and both ends of a column do not count: what cannot be measured has such a value in
	// several columns at once, and then in many rows.
	manyTimes       = 4
	measuredColumns = 3
	measuredValues  = 50
)

// singular reports whether one of these rows (places among the distinct ones, each there many times) has values of its own in several
// columns of numbers.
func (t *ties) singular(rows []int) bool {
	if len(rows) == 0 {
		return false
	}
	own := make([]int, len(rows))
	for _, c := range t.columns {
		if c.kind != Numeric {
			continue
		}
		counts := make(map[uint64]int)
		for _, h := range c.hashes {
			counts[h]++
		}
		if len(counts) < measuredValues {
			continue
		}
		least, most := math.Inf(1), math.Inf(-1)
		for _, v := range c.values {
			if !math.IsNaN(v) {
				least, most = min(least, v), max(most, v)
			}
		}
		for k, row := range rows {
			v := c.values[row]
			if counts[c.hashes[row]] == 1 && v != 0 && v > least && v < most {
				own[k]++
			}
		}
	}
	for _, n := range own {
		if n >= measuredColumns {
			return true
		}
	}
	return false
}
