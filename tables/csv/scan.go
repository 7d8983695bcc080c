package csv

import (
	"slices"
	"strings"

	"mediant/internal/lines"
	"mediant/internal/literal"
	"mediant/tables/internal/cells"
	"mediant/tables/notes"
)

// A heldRecord is a record of which the rest of the file decides whether it is a row.
type heldRecord struct {
	candidate
	complaint error // that it is ragged
	at        int   // the cell that says so
	total     bool  // as sums do, else as a note
}

func (s *scan) hold(r candidate, at int, total bool) heldRecord {
	h := heldRecord{candidate: r, complaint: s.complaint(r), at: at, total: total}
	h.cells, h.lines = make([]string, len(r.cells)), slices.Clone(r.lines)
	for i, cell := range r.cells {
		h.cells[i] = strings.Clone(cell)
	}
	return h
}

// complaint is that a record is ragged, nil if it is not.
func (s *scan) complaint(r candidate) error {
	if !r.ragged {
		return nil
	}
	return s.rows.raggedError(r.cells, r.start)
}

// word is what the cell says, in lower case.
func (h heldRecord) word() string { return strings.ToLower(literal.Trim(h.cells[h.at])) }

// text shows a record in a Skip.
func (h heldRecord) text() string { return shown(h.cells) }

// shown quotes the cells of a record that are not empty, as many as fit.
func shown(cells []string) string {
	var full []string
	for _, cell := range cells {
		if cell = literal.Trim(cell); cell != "" {
			full = append(full, cell)
		}
	}
	return literal.Quote(strings.Join(full, ", "))
}

// maxTail bounds the records at the end of a file that may be sums and notes.
const maxTail = 32

// A scan is the first pass over a file.
type scan struct {
	sieve
	rows    *recordReader
	read    int   // records so far
	drop    []int // numbers of those that are no rows, besides those that show it by themselves
	columns []cells.Scan
	at      *lines.Index
	skips   []notes.Skip
	first   *heldRecord     // the first record, if it has no number
	tail    []heldRecord    // sums and notes, with no row behind them
	sums    []columnSum     // of the rows above the tail, if they were needed
	levels  map[string]bool // words of sums that rows begin with
	comment error           // about the first comment, if it were a row
	hash    bool            // rows begin with # too
	marked  bool            // see sieve.skip
	kept    *kept           // nil if rows are not kept

	subtotals      []subtotal // records that may hold sums of the rows above them
	named, unnamed int        // how many there are, with a word and without
	sumsAbove      []int      // numbers of those that do, of an earlier pass over the file
}

// decide decides what is a row of the records that have been put by.
func (s *scan) decide(open func() (*recordReader, error)) error {
	if err := s.decideTail(open); err != nil {
		return err
	}
	if err := s.decideFirst(); err != nil {
		return err
	}
	if s.hash && s.comment != nil { // so what begins with # is a row that is cut
		return s.comment
	}
	slices.Sort(s.drop)
	slices.SortStableFunc(s.skips, func(a, b notes.Skip) int { return a.Line - b.Line })
	return nil
}

// add takes a record, or leaves it out, or puts it by.
func (s *scan) add(r candidate) error {
	if r.skip != "" {
		text := ""
		if r.skip == notes.CommentLines {
			text = shown(r.cells)
			if s.comment == nil && len(r.cells) > 0 {
				s.comment = s.complaint(r)
			}
		}
		s.skips = notes.AddSkip(s.skips, notes.Skip{File: s.name, Reason: r.skip, Line: r.start, Lines: 1 + r.more, Text: text})
		return nil
	}
	if s.summaries() {
		if _, sum := slices.BinarySearch(s.sumsAbove, r.number); sum {
			s.drop = append(s.drop, r.number)
			s.skips = notes.AddSkip(s.skips, notes.Skip{File: s.name, Reason: notes.SubtotalRows, Line: r.start, Lines: 1, Text: shown(r.cells)})
			return nil
		}
		if s.sumsAbove == nil && !r.ragged {
			s.noteSubtotal(r)
		}
		if at, total := endWord(r.cells); at >= 0 {
			if len(s.tail) == maxTail {
				if err := s.takeHeld(s.tail[0]); err != nil {
					return err
				}
				s.tail = s.tail[1:]
			}
			s.tail = append(s.tail, s.hold(r, at, total))
			return nil
		}
	}
	if err := s.takeTail(); err != nil {
		return err
	}
	if r.ragged {
		return s.complaint(r)
	}
	if s.wantsFirst() && !s.someNumber(r.cells) {
		h := s.hold(r, 0, false)
		s.first = &h
		return nil
	}
	s.take(&r)
	return nil
}

// summaries reports whether the table may have records that summarise others.
func (s *scan) summaries() bool { return !s.keep && len(s.fields) > 1 }

// wantsFirst reports whether the first row is still to come.
func (s *scan) wantsFirst() bool { return s.at.Rows == 0 && s.first == nil && s.summaries() }

// takeTail takes the sums and notes that a row follows: they were rows too.
func (s *scan) takeTail() error {
	for _, h := range s.tail {
		if err := s.takeHeld(h); err != nil {
			return err
		}
	}
	s.tail = s.tail[:0]
	return nil
}

func (s *scan) someNumber(cells []string) bool {
	return slices.ContainsFunc(cells, func(cell string) bool { return s.isNumber(cell) })
}

func (s *scan) isNumber(cell string) bool {
	class, _, _ := literal.Classify(cell, s.decimal)
	return class == literal.Number || class == literal.Huge
}

// take looks at a row.
func (s *scan) take(r *candidate) {
	s.at.Add(r.start)
	s.hash = s.hash || strings.HasPrefix(r.cells[0], "#")
	for i, cell := range r.cells {
		s.columns[i].Look(cell, s.decimal, r.line(i))
	}
}

func (s *scan) takeHeld(h heldRecord) error {
	if h.complaint != nil {
		return h.complaint
	}
	if h.total {
		s.levels[h.word()] = true
	}
	s.take(&h.candidate)
	return nil
}

func (s *scan) leaveOut(h heldRecord, why notes.SkipReason) {
	s.drop = append(s.drop, h.number)
	s.skips = append(s.skips, notes.Skip{File: s.name, Reason: why, Line: h.start, Lines: 1, Text: h.text()})
}
