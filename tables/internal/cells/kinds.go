package cells

import (
	"fmt"
	"slices"
	"strings"

	"mediant/internal/literal"
	"mediant/internal/names"
	"mediant/tables"
	"mediant/tables/notes"
)

// Forgive makes those columns text that would be refused otherwise, but for bytes that are no text, and returns them.
func Forgive(file string, names []string, scans []Scan, decimal byte) []notes.MixedColumn {
	var mixed []notes.MixedColumn
	for i := range scans {
		c := &scans[i]
		if c.Decide() != tables.Numeric {
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

// ScansFor returns a scan of each column of a file: the kinds of those that options set, and their markers of missing values.
func ScansFor(file string, heads []string, opt tables.ReadOptions, decimal byte) ([]Scan, error) {
	scans := make([]Scan, len(heads))
	na, err := newMarkers(heads, opt.NA, decimal)
	if err != nil {
		return nil, err
	}
	for i := range scans {
		scans[i].NA = na[i]
	}
	for _, p := range names.Resolve(heads, opt.Ignore) {
		if _, err := names.Match(heads, p); err != nil {
			return nil, err
		}
	}
	dates, err := DateColumns(heads, opt.Dates)
	if err != nil {
		return nil, err
	}
	if opt.Only != nil {
		forceOnly(scans, heads, dates, opt.Only)
		return scans, nil
	}
	for i, how := range dates {
		scans[i].date, scans[i].how = true, how
	}
	if err := force(file, scans, heads, opt.Text, tables.Text); err != nil {
		return nil, err
	}
	return scans, force(file, scans, heads, opt.Numbers, tables.Numeric)
}

// forceOnly gives the columns that matter their kinds, and makes all others text.
func forceOnly(scans []Scan, heads []string, dates map[int]dateReading, only []tables.Column) {
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
func force(file string, scans []Scan, heads []string, patterns []string, kind tables.Kind) error {
	for _, p := range names.Resolve(heads, patterns) {
		hit, err := names.Match(heads, p)
		if err != nil {
			return err
		}
		for _, i := range hit {
			c := &scans[i]
			if c.date && kind == tables.Text {
				return fmt.Errorf("%s: column %q is to be read both as text and as dates", file, heads[i])
			}
			if c.forced && c.kind != kind {
				return fmt.Errorf("%s: column %q is to be read both as text and as numbers", file, heads[i])
			}
			c.forced, c.kind = true, kind
		}
	}
	return nil
}

// FirstComplaint returns an error for the first line that has a cell to complain about.
func FirstComplaint(file string, fields []Field, scans []Scan, decimal byte, only bool) error {
	var err error
	first := 0
	for i := range scans {
		p, why := scans[i].complaint(fields[i].Kind, fields[i].Name, decimal, only)
		if p.line != 0 && (first == 0 || p.line < first) {
			first = p.line
			err = badCell(file, p.line, fields[i].Name, p.cell, why)
		}
	}
	return err
}

func badCell(file string, line int, column, cell, why string) error {
	return fmt.Errorf("%s:%d: column %q: %s %s", file, line, column, literal.Quote(cell), why)
}
