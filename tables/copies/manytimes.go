package copies

import (
	"math"

	"mediant/tables"
)

const (
	// A row that is there at least manyTimes, and is the only one of its values in measuredColumns columns of numbers with at least
	// measuredValues values each, is no tie. 0 and both ends of a column do not count: what cannot be measured has such a value in
	// several columns at once, and then in many rows.
	manyTimes       = 4
	measuredColumns = 3
	// Two columns are enough for one that is there veryManyTimes.
	veryManyTimes  = 20
	measuredValues = 50
)

// A tiedRow is a distinct row that is there so many times.
type tiedRow struct{ place, times int }

// singular reports whether one of these rows has values of its own in several
// columns of numbers.
func (t *ties) singular(rows []tiedRow) bool {
	if len(rows) == 0 {
		return false
	}
	own := make([]int, len(rows))
	for _, c := range t.columns {
		if c.kind != tables.Numeric {
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
			v := c.values[row.place]
			if counts[c.hashes[row.place]] == 1 && v != 0 && v > least && v < most {
				own[k]++
			}
		}
	}
	for k, n := range own {
		if n >= measuredColumns || n == measuredColumns-1 && rows[k].times >= veryManyTimes {
			return true
		}
	}
	return false
}
