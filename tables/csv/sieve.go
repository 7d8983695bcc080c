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

// A sieve reads the records of a file and tells rows from what is none, in the same way in every pass.
type sieve struct {
	rows   *recordReader
	fields []cells.Field
	known  bool  // the kinds of the fields are
	keep   bool  // every record is a row
	drop   []int // numbers of records that the first pass found to be no rows, ascending
	read   int   // records so far
	// marked tells that a record was taken as one without any value by cells such as "NA", which are values in a column of text.
	marked bool
}

// A candidate is what a sieve has to say of a record.
type candidate struct {
	number int
	cells  []string         // valid until the next is read
	skip   notes.SkipReason // "" for a row
	ragged error            // it has other cells than the header
}

// next reads a record, or returns io.EOF.
func (s *sieve) next() (candidate, error) {
	cells, ragged, err := s.rows.read()
	if err != nil {
		return candidate{}, err
	}
	r := candidate{number: s.read, cells: cells, ragged: ragged}
	s.read++
	if ragged != nil {
		if strings.HasPrefix(strings.TrimLeft(cells[0], " \t"), "#") {
			r.skip = notes.CommentLines
		}
		return r, nil
	}
	switch {
	case s.keep || len(s.fields) == 1:
	case s.empty(cells):
		r.skip = notes.EmptyRows
	case s.header(cells):
		r.skip = notes.RepeatedHeader
	}
	return r, nil
}

// nextRow reads on to the next row, behind all that the first pass left out.
func (s *sieve) nextRow() ([]string, error) {
	for {
		r, err := s.next()
		if err != nil {
			return nil, err
		}
		if len(s.drop) > 0 && s.drop[0] == r.number {
			s.drop = s.drop[1:]
			continue
		}
		if r.skip != "" {
			continue
		}
		return r.cells, r.ragged
	}
}

// header reports whether a record is the header once more. One of numbers alone may be a row.
func (s *sieve) header(cells []string) bool {
	if s.rows.allNumbers {
		return false
	}
	for i, f := range s.rows.heads {
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

// empty reports whether every cell is missing.
func (s *sieve) empty(cells []string) bool {
	marked := false
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
			return false
		}
		marked = true
	}
	s.marked = s.marked || marked
	return true
}
