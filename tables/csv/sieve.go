package csv

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"mediant/internal/lines"
	"mediant/internal/literal"
	"mediant/internal/names"
	"mediant/tables"
	"mediant/tables/notes"
)

// A sieve reads the records of a file and tells rows from what is none, in the same way in every pass.
type sieve struct {
	rows   *recordReader
	fields []field
	known  bool  // the kinds of the fields are
	keep   bool  // every record is a row
	drop   []int // numbers of records that the first pass found to be no rows, ascending
	read   int   // records so far
	// marked tells that a record was taken as one without any value by cells such as "NA", which are values in a column of text.
	marked bool
}

// A field is a column of the file.
type field struct {
	name string
	kind tables.Kind
	at   int // its place among the columns of its kind
	na   *markers
	// Of dates, which become numbers from at on.
	date   bool
	how    dateReading
	unsure place // a date that may have another order than how says
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
		if f.na.has(cell) {
			continue
		}
		if s.known && f.kind == tables.Text || !literal.UsualMarker(cell) {
			return false
		}
		marked = true
	}
	s.marked = s.marked || marked
	return true
}

// A heldRecord is a record of which the rest of the file decides whether it is a row.
type heldRecord struct {
	number int
	cells  []string
	lines  []int
	ragged error
	at     int  // the cell that says so
	total  bool // as sums do, else as a note
}

func (s *scan) hold(r candidate, at int, total bool) heldRecord {
	h := heldRecord{number: r.number, ragged: r.ragged, at: at, total: total, lines: make([]int, len(r.cells))}
	for i, cell := range r.cells {
		h.cells = append(h.cells, strings.Clone(cell))
		h.lines[i] = s.rows.line(i)
	}
	return h
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
	decimal byte
	columns []columnScan
	at      *lines.Index
	skips   []notes.Skip
	first   *heldRecord     // the first record, if it has no number
	tail    []heldRecord    // sums and notes, with no row behind them
	sums    []columnSum     // of the rows above the tail, if they were needed
	levels  map[string]bool // words of sums that rows begin with
	line    func(cell int) int
	comment error // about the first comment, if it were a row
	hash    bool  // rows begin with # too

	subtotals      []subtotal // records that may hold sums of the rows above them
	named, unnamed int        // how many there are, with a word and without
	sumsAbove      []int      // numbers of those that do, of an earlier pass over the file
}

// readAll reads the whole file.
func (s *scan) readAll() error {
	for {
		r, err := s.next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if err := s.add(r); err != nil {
			return err
		}
	}
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
			if s.comment == nil {
				s.comment = r.ragged
			}
		}
		s.skips = notes.AddSkip(s.skips, notes.Skip{File: s.rows.name, Reason: r.skip, Line: s.rows.line(0), Lines: 1, Text: text})
		return nil
	}
	if !s.keep && len(s.fields) > 1 {
		if _, sum := slices.BinarySearch(s.sumsAbove, r.number); sum {
			s.drop = append(s.drop, r.number)
			s.skips = notes.AddSkip(s.skips, notes.Skip{File: s.rows.name, Reason: notes.SubtotalRows, Line: s.rows.line(0), Lines: 1, Text: shown(r.cells)})
			return nil
		}
		if s.sumsAbove == nil && r.ragged == nil {
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
	for _, h := range s.tail { // rows follow: they were rows too
		if err := s.takeHeld(h); err != nil {
			return err
		}
	}
	s.tail = s.tail[:0]
	if r.ragged != nil {
		return r.ragged
	}
	if s.at.Rows == 0 && s.first == nil && !s.keep && len(s.fields) > 1 && !s.someNumber(r.cells) {
		h := s.hold(r, 0, false)
		s.first = &h
		return nil
	}
	s.take(r.cells, s.line)
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
func (s *scan) take(cells []string, line func(cell int) int) {
	s.at.Add(line(0))
	s.hash = s.hash || strings.HasPrefix(cells[0], "#")
	for i := range cells {
		s.columns[i].look(cells[i], s.decimal, line, i)
	}
}

func (s *scan) takeHeld(h heldRecord) error {
	if h.ragged != nil {
		return h.ragged
	}
	if h.total {
		s.levels[h.word()] = true
	}
	s.take(h.cells, func(i int) int { return h.lines[i] })
	return nil
}

func (s *scan) leaveOut(h heldRecord, why notes.SkipReason) {
	s.drop = append(s.drop, h.number)
	s.skips = append(s.skips, notes.Skip{File: s.rows.name, Reason: why, Line: h.lines[0], Lines: 1, Text: h.text()})
}

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
		case cell == "" || literal.UsualMarker(cell) || s.columns[i].na.has(cell):
		case s.columns[i].allNumbers():
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
			s.rows.name, h.lines[0], h.text())
	}
	// As the first row: its complaints come before those of others.
	later := make([]columnScan, len(s.columns))
	copy(later, s.columns)
	for i := range s.columns {
		s.columns[i].forget()
	}
	at := s.at
	s.at = &lines.Index{File: at.File}
	err := s.takeHeld(*h)
	s.at.Append(at)
	for i := range s.columns {
		s.columns[i].recall(&later[i])
	}
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
		if !known[i] && (!summary || !h.total || h.ragged != nil) {
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
	case h.ragged != nil || !h.total:
		return alone, nil
	case s.columns[h.at].allNumbers():
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
	again := sieve{rows: rows, fields: s.fields, drop: slices.Sorted(slices.Values(s.drop)), known: s.known}
	sums := make([]columnSum, len(s.fields))
	for _, h := range s.tail {
		for i := range min(len(h.cells), len(sums)) {
			sums[i].expect(h.cells[i], s.decimal)
		}
	}
	for {
		cells, err := again.nextRow()
		if again.read > s.tail[0].number {
			break
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		for i, cell := range cells {
			sums[i].add(cell, s.decimal)
		}
	}
	return sums, nil
}
