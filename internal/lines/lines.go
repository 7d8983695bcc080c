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
	rows, lines []int // the first row of each run, and its line
}

// Add notes the line of the next row.
func (p *Index) Add(line int) {
	if n := len(p.rows); n == 0 || line != p.lines[n-1]+p.Rows-p.rows[n-1] {
		p.rows, p.lines = append(p.rows, p.Rows), append(p.lines, line)
	}
	p.Rows++
}

// Append adds the rows of o behind those of p.
func (p *Index) Append(o *Index) {
	for i, row := range o.rows {
		p.rows, p.lines = append(p.rows, p.Rows+row), append(p.lines, o.lines[i])
	}
	p.Rows += o.Rows
}

// Line returns the line of a row that was added.
func (p *Index) Line(row int) int {
	k := sort.SearchInts(p.rows, row+1) - 1
	return p.lines[k] + row - p.rows[k]
}

// Place says where a row is: the file and its line.
func (p *Index) Place(row int) string { return fmt.Sprintf("%s:%d", p.File, p.Line(row)) }
