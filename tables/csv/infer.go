package csv

import (
	"fmt"
	"slices"

	"mediant/internal/input"
	"mediant/internal/lines"
	"mediant/tables"
	"mediant/tables/internal/cells"
	"mediant/tables/notes"
)

// scanColumns reads all rows and returns how the file is read.
func scanColumns(open func() (*recordReader, error), opt Options, decimal byte) (*layout, error) {
	var known []cells.Field
	var sums []int
	for {
		rows, err := open()
		if err != nil {
			return nil, err
		}
		s, err := newScan(rows, opt, known, sums)
		if err != nil {
			return nil, err
		}
		if err := eachChunk(rows, s.look, s.use); err != nil {
			return nil, err
		}
		if sums == nil {
			if sums, err = s.findSubtotals(open); err != nil {
				return nil, err
			}
			if sums != nil {
				continue
			}
		}
		if err := s.decide(open); err != nil {
			return nil, err
		}
		l, err := s.layout(opt)
		if err != nil {
			return nil, err
		}
		if err := cells.CheckBatch(l.columns, l.at.Rows, rows.in.Size); err != nil {
			return nil, fmt.Errorf("csv: %s: %w", rows.name, err)
		}
		if s.marked && !s.known && l.hasText() {
			known = l.fields // where "NA" is a value is known now
			continue
		}
		if err := cells.FirstComplaint(rows.name, l.fields, s.columns, decimal, opt.Only != nil); err != nil {
			return nil, fmt.Errorf("csv: %w", err)
		}
		return l, nil
	}
}

// newScan begins a pass in which the fields are known, or nil, and so are the numbers of records that hold sums of those above them.
func newScan(rows *recordReader, opt Options, known []cells.Field, sums []int) (s *scan, err error) {
	s = &scan{rows: rows, at: newIndex(rows.in), skips: slices.Clone(rows.skips), levels: map[string]bool{}, sumsAbove: sums}
	s.sieve = sieve{header: &rows.header, fields: known, known: known != nil, keep: opt.KeepRows}
	if s.columns, err = cells.ScansFor(rows.name, rows.names, opt.Columns(), rows.decimal); err != nil {
		return nil, fmt.Errorf("csv: %w", err)
	}
	if !s.known {
		s.fields = make([]cells.Field, len(rows.names))
	}
	for i := range s.columns {
		s.fields[i].NA = s.columns[i].NA
	}
	s.kept = newKept(s.columns, rows.in.Size)
	return s, nil
}

// newIndex has room for the lines of a file: a run of them takes 16 bytes, and as many again while room is made for more.
func newIndex(in *input.File) *lines.Index {
	return &lines.Index{File: in.Name, Most: int(in.Size/16 + 1<<17)}
}

// layout settles what columns are.
func (s *scan) layout(opt Options) (l *layout, err error) {
	if s.at.Rows == 0 {
		return nil, s.rows.noRows()
	}
	l = &layout{at: s.at, skips: s.skips, drop: s.drop, records: s.read, kept: s.kept}
	if opt.Lenient {
		l.mixed = cells.Forgive(s.name, s.names, s.columns, s.decimal)
	}
	if l.fields, l.columns, err = cells.Settle(s.names, s.columns); err != nil {
		return nil, fmt.Errorf("csv: %s:%d: %w", s.name, s.top, err)
	}
	l.unsure = cells.UnsureDates(s.name, l.fields)
	if l.hasText() {
		l.kept = nil
	}
	return l, nil
}

// A layout is what the first pass finds of a file.
type layout struct {
	fields  []cells.Field
	columns []tables.Column
	at      *lines.Index
	skips   []notes.Skip
	mixed   []notes.MixedColumn
	unsure  []notes.UnsureDates
	drop    []int // records that are no rows, besides those that show it by themselves
	records int
	kept    *kept // the rows, nil if they are to be parsed
}

func (l *layout) hasText() bool {
	return slices.ContainsFunc(l.columns, func(c tables.Column) bool { return c.Kind == tables.Text })
}
