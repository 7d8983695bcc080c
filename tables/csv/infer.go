package csv

import (
	"fmt"
	"slices"

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
		s := &scan{rows: rows, at: &lines.Index{File: rows.name}, skips: slices.Clone(rows.skips), levels: map[string]bool{}, sumsAbove: sums}
		s.sieve = sieve{header: &rows.header, fields: known, known: known != nil, keep: opt.KeepRows}
		if s.columns, err = cells.ScansFor(rows.name, rows.names, opt.Columns(), decimal); err != nil {
			return nil, fmt.Errorf("csv: %w", err)
		}
		if !s.known {
			s.fields = make([]cells.Field, len(rows.names))
		}
		for i := range s.columns {
			s.fields[i].NA = s.columns[i].NA
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
		if s.at.Rows == 0 {
			return nil, rows.noRows()
		}
		l := &layout{at: s.at, skips: s.skips, drop: s.drop, records: s.read}
		if opt.Lenient {
			l.mixed = cells.Forgive(rows.name, rows.names, s.columns, decimal)
		}
		if l.fields, l.columns, err = cells.Settle(rows.names, s.columns); err != nil {
			return nil, fmt.Errorf("csv: %s:%d: %w", rows.name, rows.top, err)
		}
		l.unsure = cells.UnsureDates(rows.name, l.fields)
		if s.marked && !s.known && slices.ContainsFunc(l.columns, func(c tables.Column) bool { return c.Kind == tables.Text }) {
			known = l.fields // where "NA" is a value is known now
			continue
		}
		if err := cells.FirstComplaint(rows.name, l.fields, s.columns, decimal, opt.Only != nil); err != nil {
			return nil, fmt.Errorf("csv: %w", err)
		}
		return l, nil
	}
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
}
