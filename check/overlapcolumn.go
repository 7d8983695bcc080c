package check

import (
	"math"
)

// A numberRange is what is known of a column of numbers in S_Y.
type numberRange struct {
	name          string
	at            int // among the wanted columns
	missing, rows int
	whole         bool
	values        map[float64]bool // as long as they are codes
	low, high     tail             // the largest of -v and of v
	centre, scale float64
	least, most   float64 // the range, and beyond
	// The limits, and those from which on a single row is without overlap.
	below, above       float64
	farBelow, farAbove float64
	lacks              *hitRows
	under, over        *hitRows // below and above the limits
}

// A levelSet is what is known of a column of text in S_Y.
type levelSet struct {
	name    string
	at      int
	levels  map[string]int // nil: not looked at
	bytes   int
	cells   int
	missing int
	lacks   *hitRows
	unknown map[string]int // of S_X, the first ones if they are too many
	lost    *hitRows       // missing

	unknownBytes int
}

func (c *numberRange) add(v float64, times int) {
	c.rows += times
	if math.IsNaN(v) {
		c.missing += times
		return
	}
	c.whole = c.whole && v == math.Trunc(v)
	if c.values != nil {
		if c.values[v] = true; len(c.values) > codeValues || !c.whole {
			c.values = nil
		}
	}
	c.low.add(-v)
	c.high.add(v)
}

func (c *levelSet) add(cell string, times int, limit levelLimit) {
	if cell == "" {
		c.missing += times
		return
	}
	c.cells += times
	c.levels = limit.add(c.levels, &c.bytes, cell, times)
}

// calibrate finds the range and the limits of a column, one of so many, from its values in sampled rows.
func (c *numberRange) calibrate(j int, rows []sampledRow, columns int) {
	c.least, c.most = -c.low.largest(), c.high.largest()
	n := c.rows - c.missing
	var values counted
	for _, row := range rows {
		if v := row.num[j]; !math.IsNaN(v) {
			values.add(v, int(row.weight))
		}
	}
	if values.total == 0 {
		return
	}
	values.sort()
	c.centre = values.quantile(.5)
	if c.scale = (values.quantile(.75) - values.quantile(.25)) / 1.349; c.scale == 0 {
		c.scale = values.deviation()
	}
	c.below, c.above = c.least-.5*c.scale, c.most+.5*c.scale
	c.farBelow, c.farAbove = math.Inf(-1), math.Inf(1)
	if c.scale > 0 {
		margin, p := certainRange*(c.most-c.least), certain/2/float64(columns)
		c.farBelow, c.farAbove = c.least-max(margin, c.low.beyond(-c.centre, n, p)), c.most+max(margin, c.high.beyond(c.centre, n, p))
	}
}

// standardised is a value in standard deviations from the median, by its logarithm beyond three of them; a missing one is 0.
func (c *numberRange) standardised(v float64) float64 {
	if math.IsNaN(v) {
		return 0
	}
	z := (v - c.centre) / c.scale
	if a := math.Abs(z); a > squashed {
		return math.Copysign(squashed+math.Log(a-squashed+1), z)
	}
	return z
}

// look returns the score of a number, and whether it is beyond the range whatever others are.
func (c *numberRange) look(row int, v float64, times int) (score float64, sure bool) {
	switch {
	case math.IsNaN(v):
		if c.missing == 0 {
			c.lacks.add(row, times)
		}
	case c.rows == c.missing: // no range
	case v > c.most:
		if score = (v - c.most) / (c.above - c.most); score > 1 {
			c.over.add(row, times)
		}
	case v < c.least:
		if score = (c.least - v) / (c.least - c.below); score > 1 {
			c.under.add(row, times)
		}
	}
	return score, v > c.farAbove || v < c.farBelow
}

// look notes what is new about a cell.
func (c *levelSet) look(row int, cell string, times int, limit levelLimit) {
	if cell == "" {
		if c.missing == 0 {
			c.lost.add(row, times)
		}
		return
	}
	if c.levels == nil || c.levels[cell] > 0 {
		return
	}
	c.lacks.add(row, times)
	limit.add(c.unknown, &c.unknownBytes, cell, times)
}
