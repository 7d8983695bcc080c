package check

import (
	"slices"
	"strings"

	"mediant/internal/literal"
)

// recentCells of a column of text are counted before anything else is done with them.
const recentCells = 64

// A recentCell is a cell of a batch with its hash, and in how many rows it was since another one had its place.
type recentCell struct {
	cell string
	hash uint64
	rows int
}

// addCells looks at the cells of a batch. Each distinct one is looked at about once.
func (c *columnLook) addCells(cells []string) {
	if c.recent == nil {
		c.recent = make([]recentCell, recentCells)
	}
	c.hashes = slices.Grow(c.hashes[:0], len(cells))[:len(cells)]
	for i, cell := range cells {
		h := hashText(cell)
		c.hashes[i] = h
		if cell == "" {
			c.missing++
			continue
		}
		r := &c.recent[h%recentCells]
		if r.cell == cell {
			r.rows++
			continue
		}
		c.addRecent(*r)
		*r = recentCell{cell, h, 1}
		if !c.keyed {
			if prefix := withoutDigits(cell); len(prefix) < len(cell) {
				c.keyed, c.prefix = true, strings.Clone(prefix)
			}
		}
	}
	for _, r := range c.recent {
		c.addRecent(r)
	}
	clear(c.recent) // whose text is that of the batch
}

// addRecent counts the rows of a cell.
func (c *columnLook) addRecent(r recentCell) {
	if r.rows == 0 {
		return
	}
	c.distinct.addRows(r.hash, r.rows)
	if strings.Contains(strings.TrimSpace(r.cell), " ") {
		c.lines += r.rows
	}
	if prefix := withoutDigits(r.cell); len(prefix) < len(r.cell) && prefix == c.prefix {
		c.keys += r.rows
	}
	c.levels = c.limit.add(c.levels, &c.bytes, r.cell, r.rows)
}

// withoutDigits is a cell without the digits at its end.
func withoutDigits(cell string) string {
	n := len(cell)
	for n > 0 && literal.IsDigit(cell[n-1]) {
		n--
	}
	return cell[:n]
}
