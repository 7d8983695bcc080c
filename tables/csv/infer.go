package csv

import (
	"fmt"
	"slices"
	"strings"

	"mediant/internal/lines"
	"mediant/internal/literal"
	"mediant/internal/names"
	"mediant/tables"
	"mediant/tables/notes"
)

// forgive makes those columns text that would be refused otherwise, but for bytes that are no text, and returns them.
func forgive(file string, names []string, scans []columnScan, decimal byte) []notes.MixedColumn {
	var mixed []notes.MixedColumn
	for i := range scans {
		c := &scans[i]
		if c.decide() != tables.Numeric {
			continue
		}
		p, complaint := c.complaint(tables.Numeric, names[i], decimal, false)
		if p.line == 0 {
			continue
		}
		why, remedy, _ := strings.Cut(complaint, "; ")
		bad := c.words + c.almost + c.markers
		mixed = append(mixed, notes.MixedColumn{File: file, Column: names[i], Line: p.line, Cell: p.cell, Why: why, Remedy: remedy, Cells: bad, Of: c.numbers + bad})
		c.forced, c.kind, c.date = true, tables.Text, false
	}
	return mixed
}

// scanColumns reads all rows and returns how the file is read.
func scanColumns(open func() (*recordReader, error), opt Options, decimal byte) (*layout, error) {
	var known []field
	var sums []int
	for {
		rows, err := open()
		if err != nil {
			return nil, err
		}
		s := &scan{decimal: decimal, at: &lines.Index{File: rows.name}, skips: slices.Clone(rows.skips), line: rows.line, levels: map[string]bool{}, sumsAbove: sums}
		s.sieve = sieve{rows: rows, fields: known, known: known != nil, keep: opt.KeepRows}
		if s.columns, err = forceKinds(rows, opt, decimal); err != nil {
			return nil, err
		}
		if !s.known {
			s.fields = make([]field, len(rows.names))
		}
		for i := range s.columns {
			s.fields[i].na = s.columns[i].na
		}
		if err := s.readAll(); err != nil {
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
			l.mixed = forgive(rows.name, rows.names, s.columns, decimal)
		}
		if err := l.decide(rows.names, s.columns); err != nil {
			return nil, fmt.Errorf("csv: %s:%d: %w", rows.name, rows.top, err)
		}
		l.unsure = unsureDates(rows.name, l.fields)
		if s.marked && !s.known && slices.ContainsFunc(l.columns, func(c tables.Column) bool { return c.Kind == tables.Text }) {
			known = l.fields // where "NA" is a value is known now
			continue
		}
		return l, firstComplaint(rows.name, l.fields, s.columns, decimal, opt.Only != nil)
	}
}

// A layout is what the first pass finds of a file.
type layout struct {
	fields  []field
	columns []tables.Column
	at      *lines.Index
	skips   []notes.Skip
	mixed   []notes.MixedColumn
	unsure  []notes.UnsureDates
	drop    []int // records that are no rows, besides those that show it by themselves
	records int
}

// decide settles the kinds of the columns. The error says that a part of a date has the name of a column.
func (l *layout) decide(heads []string, scans []columnScan) error {
	l.fields = make([]field, len(scans))
	var places [2]int // the next of each kind
	for i := range scans {
		c := &scans[i]
		f := field{name: heads[i], kind: c.decide(), na: c.na, date: c.date}
		f.at = places[f.kind]
		if f.date {
			f.how.serial = c.how.serial
			if c.slashes {
				f.how.order = max(c.how.order, c.shown) // which are one, or one of them is none
			}
			if c.shown == literal.NoOrder {
				f.unsure = c.open
			}
			for _, name := range names.OfDates(f.name) {
				l.columns = append(l.columns, tables.Column{Name: name, Kind: tables.Numeric})
			}
			places[tables.Numeric] += names.DateParts
		} else {
			l.columns = append(l.columns, tables.Column{Name: f.name, Kind: f.kind})
			places[f.kind]++
		}
		l.fields[i] = f
	}
	return names.Check(tables.ColumnNames(l.columns))
}

// forceKinds marks the columns whose kind is set, and gives each its markers of missing values.
func forceKinds(rows *recordReader, opt Options, decimal byte) ([]columnScan, error) {
	scans := make([]columnScan, len(rows.names))
	na, err := newMarkers(rows.names, opt.NA, decimal)
	if err != nil {
		return nil, err
	}
	for i := range scans {
		scans[i].na = na[i]
	}
	dates, err := dateColumns(rows.names, opt.Dates)
	if err != nil {
		return nil, err
	}
	if opt.Only != nil {
		forceOnly(scans, rows.names, dates, opt.Only)
		return scans, nil
	}
	for i, how := range dates {
		scans[i].date, scans[i].how = true, how
	}
	if err := force(scans, rows, opt.Text, tables.Text); err != nil {
		return nil, err
	}
	return scans, force(scans, rows, opt.Numbers, tables.Numeric)
}

// forceOnly gives the columns that matter their kinds, and makes all others text.
func forceOnly(scans []columnScan, heads []string, dates map[int]dateReading, only []tables.Column) {
	wanted := names.NewLookup(tables.ColumnNames(only))
	for i, head := range heads {
		how, date := dates[i]
		if date = date && slices.ContainsFunc(names.OfDates(head), wanted.Has); date {
			scans[i].date, scans[i].how = true, how
		}
		scans[i].forced, scans[i].kind = true, tables.Text // of no account, and text has no bad cells
		if date {
			scans[i].kind = tables.Numeric
		} else if k := wanted.Find(head); k >= 0 {
			scans[i].kind = only[k].Kind
		}
	}
}

// force gives the columns that the patterns name a kind.
func force(scans []columnScan, rows *recordReader, patterns []string, kind tables.Kind) error {
	for _, p := range names.Resolve(rows.names, patterns) {
		hit, err := names.Match(rows.names, p)
		if err != nil {
			return fmt.Errorf("csv: %w", err)
		}
		for _, i := range hit {
			c := &scans[i]
			if c.date && kind == tables.Text {
				return fmt.Errorf("csv: %s: column %q is to be read both as text and as dates", rows.name, rows.names[i])
			}
			if c.forced && c.kind != kind {
				return fmt.Errorf("csv: %s: column %q is to be read both as text and as numbers", rows.name, rows.names[i])
			}
			c.forced, c.kind = true, kind
		}
	}
	return nil
}

// firstComplaint returns an error for the first line that has a cell to complain about.
func firstComplaint(file string, fields []field, scans []columnScan, decimal byte, only bool) error {
	var err error
	first := 0
	for i := range scans {
		p, why := scans[i].complaint(fields[i].kind, fields[i].name, decimal, only)
		if p.line != 0 && (first == 0 || p.line < first) {
			first = p.line
			err = badCell(file, p.line, fields[i].name, p.cell, why)
		}
	}
	return err
}

func badCell(file string, line int, column, cell, why string) error {
	return fmt.Errorf("csv: %s:%d: column %q: %s %s", file, line, column, literal.Quote(cell), why)
}
