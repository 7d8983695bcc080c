package csv

import (
	"encoding/csv"
	"fmt"
	"io"
	"strings"

	"mediant/internal/literal"
)

// records reads the records of a chunk, by the rules of encoding/csv (a test compares them).
type records struct {
	*header
	text      string
	at        int      // in text
	next      int      // the line at at
	start     int      // the line of the record
	cells     []string // of the record, valid until the next
	lines     []int    // on which they begin, if the record has more than one line
	mostCells int      // of a record
	plain     bool     // there is no quote in text
	fast      bool     // records of numbers alone are read as numerals in place of cells
	// Of a record of numbers alone, if fast is set:
	numeric  bool
	numerals []literal.Numeral
	bounds   []int // where the cells begin in text, and where one behind the last would
	tries    int   // of records to come that are not tried, as most have other cells
	end      int   // the line on which the record before ended
}

// open begins a chunk.
func (r *records) open(c chunk) {
	r.text, r.at, r.next, r.end = c.text, 0, c.line, c.end
	r.plain, r.tries = strings.IndexByte(c.text, '"') < 0, 0
	if n := len(r.names); r.numerals == nil {
		r.numerals, r.bounds = make([]literal.Numeral, n), make([]int, n+1)
	}
	r.mostCells = 2*len(r.names) + surplusCells
	r.fast = r.fast && len(r.names) > 1 && !r.trailing && len(r.sep) == 1 && r.sep[0] != r.decimal
}

// split reads the next record, or returns io.EOF or one of the errors of encoding/csv about quotes.
func (r *records) split() error {
	for r.at < len(r.text) {
		line := r.text[r.at:]
		if end := strings.IndexByte(line, '\n'); end >= 0 {
			line = line[:end]
		}
		behind := r.at + len(line) + 1
		if n := len(line); n > 0 && line[n-1] == '\r' {
			line = line[:n-1]
		}
		if line == "" { // a blank line
			r.at, r.next = min(behind, len(r.text)), r.next+1
			continue
		}
		r.start, r.cells, r.lines = r.next, r.cells[:0], r.lines[:0]
		if r.numeric = r.fast && r.splitNumbers(r.at, r.at+len(line)); !r.numeric && !r.plain && strings.IndexByte(line, '"') >= 0 {
			return r.splitQuoted()
		}
		r.at, r.next = min(behind, len(r.text)), r.next+1
		if !r.numeric && !r.splitLine(line) {
			return r.tooManyCells()
		}
		return nil
	}
	return io.EOF
}

// surplusCells of a record are read, beside twice as many as the header has, to say what is wrong with it. A cell in memory takes more than a byte of text.
const surplusCells = 1 << 12

func (r *records) tooManyCells() error {
	return fmt.Errorf("csv: %s:%d: more than %d cells, want %d as in the header", r.name, r.start, r.mostCells, len(r.names))
}

// restNumbers is for how many records numbers alone are not expected after one that has others.
const restNumbers = 8

// splitNumbers reads the numbers of a line from at to end, unless it has other cells.
func (r *records) splitNumbers(at, end int) bool {
	if r.tries > 0 {
		r.tries--
		return false
	}
	mark, last := r.sep[0], len(r.numerals)-1
	r.bounds[0] = at
	for i := range r.numerals {
		length := r.numerals[i].Read(r.text[at:], r.decimal)
		at += length
		if length == 0 || (i < last) != (at < end) || i < last && r.text[at] != mark {
			r.tries = restNumbers
			return false
		}
		at++
		r.bounds[i+1] = at
	}
	return true
}

// number returns a numeral, and the cell that it was read from.
func (r *records) number(i int) (*literal.Numeral, string) {
	return &r.numerals[i], r.text[r.bounds[i] : r.bounds[i+1]-1]
}

// splitLine cuts a line without quotes. It is false of one with too many cells.
func (r *records) splitLine(line string) bool {
	if len(r.sep) == 1 {
		mark := r.sep[0]
		for {
			i := strings.IndexByte(line, mark)
			if i < 0 {
				break
			}
			if r.cells = append(r.cells, line[:i]); len(r.cells) > r.mostCells {
				return false
			}
			line = line[i+1:]
		}
		r.cells = append(r.cells, line)
		return true
	}
	for more := true; more; {
		var cell string
		cell, line, more = strings.Cut(line, r.sep)
		if r.cells = append(r.cells, cell); len(r.cells) > r.mostCells {
			return false
		}
	}
	return true
}

// splitQuoted reads the record at at, which has quotes in its first line.
func (r *records) splitQuoted() error {
	for {
		if len(r.cells) > r.mostCells {
			return r.tooManyCells()
		}
		r.lines = append(r.lines, r.next)
		rest := r.text[r.at:]
		if !strings.HasPrefix(rest, `"`) {
			cell, _, _ := strings.Cut(rest, "\n")
			cell, _, more := strings.Cut(cell, r.sep)
			if strings.IndexByte(cell, '"') >= 0 {
				return csv.ErrBareQuote
			}
			r.at += len(cell)
			if !more {
				cell = strings.TrimSuffix(cell, "\r")
			}
			r.cells = append(r.cells, cell)
		} else {
			closing := closingQuoteAt(r.text, r.at+1)
			if closing < 0 {
				return csv.ErrQuote
			}
			cell := r.text[r.at+1 : closing]
			r.next += strings.Count(cell, "\n")
			cell = strings.ReplaceAll(strings.ReplaceAll(cell, `""`, `"`), "\r\n", "\n")
			r.at = closing + 1
			r.cells = append(r.cells, cell)
		}
		switch behind := r.text[r.at:]; {
		case strings.HasPrefix(behind, r.sep):
			r.at += len(r.sep)
		case endsLine(behind):
			if r.next++; strings.HasPrefix(behind, "\r") {
				r.at++
			}
			r.at = min(len(r.text), r.at+1)
			return nil
		default:
			return csv.ErrQuote
		}
	}
}

// most is about how many records a chunk has whose first one has been read: no more than it has cells, since a record has a byte a cell.
func (r *records) most() int { return 1 + len(r.text)/max(r.at, len(r.names)) }

// line returns the line of the file on which a cell of the record begins.
func (r *records) line(cell int) int {
	if len(r.lines) > 0 {
		return r.lines[cell]
	}
	return r.start
}

// read returns the cells of the next record, valid until the next call, or io.EOF; those of a numeric record are nil. ragged says that they are not as many as the
// header has.
func (r *records) read() (cells []string, ragged bool, err error) {
	if err := r.split(); err != nil {
		return nil, false, err
	}
	if r.numeric {
		return nil, false, nil
	}
	n := len(r.names)
	if r.trailing {
		n++
	}
	if len(r.cells) != n {
		r.end = r.next - 1
		return r.cells, true, nil
	}
	if err := r.swallowed(r.cells); err != nil {
		return nil, false, err
	}
	if r.trailing {
		n--
		if cell := r.cells[n]; literal.Trim(cell) != "" {
			return nil, false, fmt.Errorf("csv: %s:%d: the cell %s is in the last column, which has no name", r.name, r.line(n), literal.Quote(cell))
		}
	}
	if n == 1 && !r.trailing && r.start != r.end+1 { // a line was skipped
		return nil, false, fmt.Errorf(`csv: %s:%d: blank line in a table of one column; write a missing cell as ""`, r.name, r.end+1)
	}
	r.end = r.next - 1
	return r.cells[:n], false, nil
}
