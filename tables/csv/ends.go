package csv

import (
	"fmt"
	"io"
	"slices"

	"mediant/internal/lines"
	"mediant/internal/literal"
	"mediant/tables/notes"
)

// decideFirst decides whether a first record without any number holds the units of the columns: it has units wherever all
// others have numbers, and nothing that is none elsewhere.
func (s *scan) decideFirst() error {
	h := s.first
	if h == nil {
		return nil
	}
	against, units, markers := 0, 0, 0 // cells in columns of numbers
	words := 0                         // others that are no units
	for i, cell := range h.cells {
		cell = literal.Trim(cell)
		switch {
		case cell == "" || literal.UsualMarker(cell) || s.columns[i].NA.Has(cell):
		case s.columns[i].AllNumbers():
			against++
			if literal.UnusualMarker(cell) {
				markers++
			} else if literal.LikeUnit(cell) {
				units++
			}
		case !literal.LikeUnit(cell) && !literal.UnusualMarker(cell):
			words++
		}
	}
	switch {
	case against > 0 && units > 0 && units+markers == against && words == 0:
		s.leaveOut(*h, notes.UnitRow)
		return nil
	case against > 1 && markers == 0:
		return fmt.Errorf("csv: %s:%d: %s are no numbers, and the rows below have numbers there; if it is a second header or a row of units, remove it",
			s.name, h.start, h.text())
	}
	at := s.at
	s.at = &lines.Index{File: at.File, Most: at.Most}
	err := s.takeHeld(*h)
	s.at.Append(at)
	return err
}

// decideTail leaves out the sums and notes at the end of the file: from the first of the tail on behind which nothing stands
// that might be a row. Behind sums that agree other statistics need not.
func (s *scan) decideTail(open func() (*recordReader, error)) error {
	known := make([]bool, len(s.tail))
	in := make(map[string]int)
	for _, h := range s.tail {
		if in[h.word()]++; h.total && in[h.word()] > 1 {
			s.levels[h.word()] = true
		}
	}
	for i := range s.tail {
		var err error
		if known[i], err = s.isNoRow(s.tail[i], open); err != nil {
			return err
		}
	}
	start := 0
	for i, summary := 0, false; i < len(s.tail); i++ {
		h := s.tail[i]
		if !known[i] && (!summary || !h.total || h.complaint != nil) {
			start, summary = i+1, false
		} else if h.total {
			summary = true
		}
	}
	for _, h := range s.tail[:start] {
		if err := s.takeHeld(h); err != nil {
			return err
		}
	}
	for _, h := range s.tail[start:] {
		why := notes.NoteRow
		if h.total {
			why = notes.TotalRow
		}
		s.leaveOut(h, why)
	}
	return nil
}

// isNoRow decides on a record that looks like sums or a note: its word is in a column of numbers, or in no other row, and
// nothing else stands in the record or its numbers are the sums or means of the rows above (agree).
func (s *scan) isNoRow(h heldRecord, open func() (*recordReader, error)) (bool, error) {
	alone := true
	for i, cell := range h.cells {
		alone = alone && (i == h.at || literal.Trim(cell) == "")
	}
	switch {
	case h.complaint != nil || !h.total:
		return alone, nil
	case s.columns[h.at].AllNumbers():
		return true, nil
	case s.levels[h.word()]:
		return false, nil
	case alone:
		return true, nil
	}
	if s.sums == nil {
		var err error
		if s.sums, err = s.sum(open); err != nil {
			return false, err
		}
	}
	return agree(h, s.sums, s.decimal), nil
}

// sum adds up the numbers of each column above the tail, in a pass of its own, since few files end with sums.
func (s *scan) sum(open func() (*recordReader, error)) ([]columnSum, error) {
	rows, err := open()
	if err != nil {
		return nil, err
	}
	again := rowReader{sieve: sieve{header: &rows.header, fields: s.fields, known: s.known}, rows: rows, drop: slices.Sorted(slices.Values(s.drop))}
	sums := make([]columnSum, len(s.fields))
	for _, h := range s.tail {
		for i := range min(len(h.cells), len(sums)) {
			sums[i].expect(h.cells[i], s.decimal)
		}
	}
	for {
		r, err := again.nextRow()
		if again.read > s.tail[0].number {
			break
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		for i, cell := range r.cells {
			sums[i].add(cell, s.decimal)
		}
	}
	return sums, nil
}
