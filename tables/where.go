package tables

import (
	"fmt"
	"sort"
)

// Where says where a row of a source is, for errors: "xu.csv:3", the file and its line, if the source was read from one,
// and else "row 2", counted from 1. row is its Batch.Number, which counts from 0.
func Where(src Source, row int) string {
	if p := placesOf(src); p != nil {
		return fmt.Sprintf("%s:%d", p.file, p.line(row))
	}
	return fmt.Sprintf("row %d", row+1)
}

// placesOf returns nil if the source was not read from a file by this package.
func placesOf(src Source) *places {
	switch s := src.(type) {
	case *CSV:
		return s.places
	case *Table:
		return s.places
	case *Sparse:
		return s.places
	case *Guard:
		return placesOf(s.src)
	case *weighted:
		return placesOf(s.guard)
	case *subset:
		return placesOf(s.guard)
	case beside:
		return placesOf(s.a)
	case renamedSource:
		return placesOf(s.guard)
	}
	return nil
}

// places are the lines of a file on which rows begin, as runs of rows on consecutive lines.
type places struct {
	file        string
	next        int   // the row after the last
	rows, lines []int // the first row of each run, and its line
}

// add notes the line of the next row.
func (p *places) add(line int) {
	if n := len(p.rows); n == 0 || line != p.lines[n-1]+p.next-p.rows[n-1] {
		p.rows, p.lines = append(p.rows, p.next), append(p.lines, line)
	}
	p.next++
}

// append adds the rows of o behind those of p.
func (p *places) append(o *places) {
	for i, row := range o.rows {
		p.rows, p.lines = append(p.rows, p.next+row), append(p.lines, o.lines[i])
	}
	p.next += o.next
}

// line returns the line of a row that was added.
func (p *places) line(row int) int {
	k := sort.SearchInts(p.rows, row+1) - 1
	return p.lines[k] + row - p.rows[k]
}
