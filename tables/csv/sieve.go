package csv

import (
	"strings"
	"unicode/utf8"

	"mediant/internal/literal"
	"mediant/internal/names"
	"mediant/tables"
	"mediant/tables/internal/cells"
	"mediant/tables/notes"
)

// A sieve tells rows from what is none, in the same way in every pass.
type sieve struct {
	*header
	fields []cells.Field
	known  bool // the kinds of the fields are
	keep   bool // every record is a row
}

// skip says why a record is no row that shows it by itself, "" for a row; ragged says that it has other cells than the header. marked tells that it was taken as one
// without any value by cells such as "NA", which are values in a column of text.
func (s *sieve) skip(cells []string, ragged bool) (why notes.SkipReason, marked bool) {
	if ragged {
		if strings.HasPrefix(strings.TrimLeft(cells[0], " \t"), "#") {
			why = notes.CommentLines
		}
		return why, false
	}
	if s.keep || len(s.fields) == 1 {
		return "", false
	}
	empty, marked := s.empty(cells)
	switch {
	case empty:
		why = notes.EmptyRows
	case s.isHeader(cells):
		why = notes.RepeatedHeader
	}
	return why, marked
}

// A candidate is a record, and what a sieve has to say of it.
type candidate struct {
	number int
	cells  []string // those of a recordReader are valid until the next is read
	start  int      // the line on which it begins
	lines  []int    // on which its cells do, if it has more than one line
	skip   notes.SkipReason
	more   int // records of its chunk after it that are left out for the same reason
	ragged bool
}

// line returns the line on which a cell begins.
func (r *candidate) line(cell int) int {
	if len(r.lines) > 0 {
		return r.lines[cell]
	}
	return r.start
}

// rowReader reads records one after the other.
type rowReader struct {
	sieve
	rows *recordReader
	drop []int // numbers of records that the first pass found to be no rows, ascending
	read int   // records so far
}

// next reads a record, or returns io.EOF.
func (s *rowReader) next() (candidate, error) {
	cells, ragged, err := s.rows.read()
	if err != nil {
		return candidate{}, err
	}
	r := candidate{number: s.read, cells: cells, ragged: ragged, start: s.rows.now.start, lines: s.rows.now.lines}
	r.skip, _ = s.skip(cells, ragged)
	s.read++
	return r, nil
}

// nextRow reads on to the next row, behind all that the first pass left out.
func (s *rowReader) nextRow() (candidate, error) {
	for {
		r, err := s.next()
		if err != nil {
			return r, err
		}
		if len(s.drop) > 0 && s.drop[0] == r.number {
			s.drop = s.drop[1:]
			continue
		}
		if r.skip != "" {
			continue
		}
		if r.ragged {
			return r, s.rows.raggedError(r.cells, r.start)
		}
		return r, nil
	}
}

// isHeader reports whether a record is the header once more. One of numbers alone may be a row.
func (s *sieve) isHeader(cells []string) bool {
	if s.allNumbers {
		return false
	}
	for i, f := range s.heads {
		if cells[i] != f && (!sameASCII(cells[i], f) || names.Canonical(cells[i]) != f) {
			return false
		}
	}
	return true
}

// sameASCII reports whether a cell may have a plain name as its canonical form: its letters of ASCII are those of the name. It
// is asked of every record, where CanonicalName takes too long.
func sameASCII(cell, name string) bool {
	if !names.Plain(name) {
		return true
	}
	at := 0
	for i := range len(cell) {
		switch b := cell[i]; {
		case b <= ' ' || b >= utf8.RuneSelf:
		case at < len(name) && name[at] == b:
			at++
		case at < len(name) && name[at] == ' ' && at+1 < len(name) && name[at+1] == b:
			at += 2
		default:
			return false
		}
	}
	return at == len(name)
}

// empty reports whether every cell is missing, and whether any is marked as such.
func (s *sieve) empty(cells []string) (empty, marked bool) {
	for i, cell := range cells {
		cell = literal.Trim(cell)
		if cell == "" {
			continue
		}
		f := &s.fields[i]
		if f.NA.Has(cell) {
			continue
		}
		if s.known && f.Kind == tables.Text || !literal.UsualMarker(cell) {
			return false, false
		}
		marked = true
	}
	return true, marked
}
