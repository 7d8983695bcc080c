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
	text  string
	at    int      // in text
	next  int      // the line at at
	start int      // the line of the record
	cells []string // of the record, valid until the next
	// numerals are those of cells that are all a number, not even with spaces around it; the zero value says nothing of a cell.
	numerals []literal.Numeral
	lines    []int // on which they begin, if the record has more than one line
	plain    bool  // there is no quote in text
	end      int   // the line on which the record before ended
}

// open begins a chunk.
func (r *records) open(c chunk) {
	r.text, r.at, r.next, r.end = c.text, 0, c.line, c.end
	r.plain = strings.IndexByte(c.text, '"') < 0
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
		r.start, r.cells, r.numerals, r.lines = r.next, r.cells[:0], r.numerals[:0], r.lines[:0]
		if !r.plain && strings.IndexByte(line, '"') >= 0 {
			return r.splitQuoted()
		}
		r.splitLine(r.at, r.at+len(line))
		r.at, r.next = min(behind, len(r.text)), r.next+1
		return nil
	}
	return io.EOF
}

// splitLine cuts a line without quotes, which goes from at to end.
func (r *records) splitLine(at, end int) {
	mark := r.sep[0]
	for {
		var n literal.Numeral
		length := 0
		if mark != r.decimal { // else a number may go on behind the cell
			n, length = literal.ReadNumeral(r.text[at:], r.decimal)
		}
		cell := at + length
		if length == 0 || cell > end || cell < end && !r.delimits(cell, mark) {
			n, cell = literal.Numeral{}, end
			if i := r.delimiter(r.text[at:end], mark); i >= 0 {
				cell = at + i
			}
		}
		r.cells, r.numerals = append(r.cells, r.text[at:cell]), append(r.numerals, n)
		if cell == end {
			return
		}
		at = cell + len(r.sep)
	}
}

// delimits reports whether the delimiter stands at a place in text.
func (r *records) delimits(at int, mark byte) bool {
	return r.text[at] == mark && (len(r.sep) == 1 || strings.HasPrefix(r.text[at:], r.sep))
}

// delimiter returns where the first delimiter is in s.
func (r *records) delimiter(s string, mark byte) int {
	if len(r.sep) == 1 {
		return strings.IndexByte(s, mark)
	}
	return strings.Index(s, r.sep)
}

// splitQuoted reads the record at at, which has quotes in its first line.
func (r *records) splitQuoted() error {
	for {
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
		r.numerals = append(r.numerals, literal.Numeral{})
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

// line returns the line of the file on which a cell of the record begins.
func (r *records) line(cell int) int {
	if len(r.lines) > 0 {
		return r.lines[cell]
	}
	return r.start
}

// read returns the cells of the next record, valid until the next call, or io.EOF. ragged says that they are not as many as the header has.
func (r *records) read() (cells []string, ragged bool, err error) {
	if err := r.split(); err != nil {
		return nil, false, err
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
