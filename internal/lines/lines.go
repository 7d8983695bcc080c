// Package lines has the lines of a file that the rows of a table are from.
package lines

import (
	"fmt"
	"sort"
)

// An Index has the lines of a file on which rows begin, as runs of rows on consecutive lines.
type Index struct {
	File        string
	Rows        int   // how many there are
	Most        int   // runs that are kept, 0 for all: of rows behind them the line is not known
	rows, lines []int // the first row of each run, and its line
	end         int   // the first row whose line is not known, 0 if all are
}

// Add notes the line of the next row.
func (p *Index) Add(line int) {
	p.add(p.Rows, line)
	p.Rows++
}

// add begins a run, unless the row continues the last one.
func (p *Index) add(row, line int) {
	n := len(p.rows)
	switch {
	case p.end > 0:
	case n > 0 && line == p.lines[n-1]+row-p.rows[n-1]:
	case p.Most > 0 && n == p.Most:
		p.end = row
	default:
		p.rows, p.lines = append(p.rows, row), append(p.lines, line)
	}
}

// Append adds the rows of o behind those of p.
func (p *Index) Append(o *Index) {
	for i, row := range o.rows {
		p.add(p.Rows+row, o.lines[i])
	}
	if o.end > 0 && p.end == 0 {
		p.end = p.Rows + o.end
	}
	p.Rows += o.Rows
}

// Line returns the line of a row that was added, 0 if it is not known.
func (p *Index) Line(row int) int {
	if p.end > 0 && row >= p.end {
		return 0
	}
	k := sort.SearchInts(p.rows, row+1) - 1
	return p.lines[k] + row - p.rows[k]
}

// Place says where a row is: the file and its line, or the number of the row, from 1.
func (p *Index) Place(row int) string {
	if line := p.Line(row); line > 0 {
		return fmt.Sprintf("%s:%d", p.File, line)
	}
	return fmt.Sprintf("%s: row %d", p.File, row+1)
}
