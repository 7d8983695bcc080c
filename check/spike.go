package check

import (
	"fmt"
	"math"
	"slices"
)

const (
	// A known marker is reported that occurs spikeTimes as often as any other value, in a column of more values than spikeDistinct.
	spikeTimes    = 5
	spikeDistinct = 20
)

// spike returns a known marker of missing values within the range of a column, or near it, that occurs far more often than
// any other value: in a column of measurements no value is expected to repeat so.
func (c *columnLook) spike() (value float64, rows int, ok bool) {
	d := &c.distinct
	if d.level > 0 || d.count() <= spikeDistinct { // counts of all values are known
		return 0, 0, false
	}
	candidates := markers
	if c.fraction && c.numbers.low[0].value < 0 && c.numbers.high[0].value > 0 { // decimals on both sides of 0 are neither counts nor amounts
		candidates = append(slices.Clone(markers), 0)
	}
	for _, m := range candidates {
		key := mixed(math.Float64bits(m))
		rows := d.of.rows(key)
		if rows < 3 {
			continue
		}
		most := 0 // of the other values but 0, which is frequent in many columns
		for k, n := range d.of.all() {
			if k != key && k != mixed(math.Float64bits(0)) {
				most = max(most, n)
			}
		}
		if rows >= spikeTimes*most {
			return m, rows, true
		}
	}
	return 0, 0, false
}

// markerWithin is the finding of a spike, if there is one.
func (c *checker) markerWithin(table Table, look *columnLook, p *Profile) bool {
	v, rows, ok := look.spike()
	if !ok {
		return false
	}
	c.add(Finding{Code: MissingMarker, Severity: Warning, Table: table, Columns: []string{p.Name}, Rows: rows, Of: p.Rows,
		What:    fmt.Sprintf("%q is %g in %d of %d rows of %s, more than %d times as often as any other value", p.Name, v, rows, p.Rows, table.words(), spikeTimes),
		Effect:  "if that marks missing values, it is learned from as a number",
		Remedy:  naFlag(p.Name, v),
		gravity: causeFirst + float64(rows)/float64(p.Rows)})
	return true
}
