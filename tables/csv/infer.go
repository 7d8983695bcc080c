package csv

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"mediant/internal/lines"
	"mediant/internal/literal"
	"mediant/internal/names"
	"mediant/tables"
	"mediant/tables/notes"
)

// A columnScan is what the first pass learns of a column.
type columnScan struct {
	forced          bool        // the kind was given
	kind            tables.Kind // as given
	numbers, words  int         // numbers include huge ones
	almost          int         // neither of them markers
	markers         int         // of missing values, as they are unless csv.Options.NA says so
	na              *markers
	fraction, lost  bool // a number not written as an integer; an integer float64 would change
	bad, huge, mojo place
	// Of dates.
	date    bool
	how     dateReading   // as given
	shown   literal.Order // as cells show
	slashes bool
	open    place // a date that does not show its order
}

// A place is a cell to complain about; line 0 means none.
type place struct {
	line int
	cell string
}

// look counts cell i of a row; line is asked for only where it is needed.
func (c *columnScan) look(cell string, decimal byte, line func(cell int) int, i int) {
	note := func(p *place) {
		if p.line == 0 {
			*p = place{line(i), strings.Clone(cell)}
		}
	}
	if c.na.has(literal.Trim(cell)) {
		return
	}
	if c.forced && c.kind == tables.Text {
		if !utf8.ValidString(cell) {
			note(&c.mojo)
		}
		return
	}
	if c.date {
		c.lookDate(cell, decimal, note)
		return
	}
	class, fraction, lost := literal.Classify(cell, decimal)
	c.fraction = c.fraction || fraction
	c.lost = c.lost || lost
	switch class {
	case literal.Number:
		c.numbers++
		return // digits and spaces are UTF-8
	case literal.Huge:
		c.numbers++
		note(&c.huge)
	case literal.Almost, literal.Word:
		switch {
		case literal.UnusualMarker(literal.Trim(cell)):
			c.markers++
		case class == literal.Almost:
			c.almost++
		default:
			c.words++
		}
		note(&c.bad)
	}
	if !utf8.ValidString(cell) {
		note(&c.mojo)
	}
}

// allNumbers reports whether the cells that are not missing are numbers, and more than one.
func (c *columnScan) allNumbers() bool { return c.numbers > 1 && c.words+c.almost+c.markers == 0 }

// forget makes room for complaints about a row before those that were looked at, and recall puts later ones behind them.
func (c *columnScan) forget() { c.bad, c.huge, c.mojo, c.open = place{}, place{}, place{}, place{} }

func (c *columnScan) recall(later *columnScan) {
	for _, p := range []struct{ to, from *place }{{&c.bad, &later.bad}, {&c.huge, &later.huge}, {&c.mojo, &later.mojo}, {&c.open, &later.open}} {
		if p.to.line == 0 {
			*p.to = *p.from
		}
	}
}

// decide applies the rules of the package documentation.
func (c *columnScan) decide() tables.Kind {
	switch {
	case c.date:
		return tables.Numeric
	case c.forced:
		return c.kind
	case c.numbers == 0 && c.words+c.almost+c.markers > 0:
		return tables.Text
	case c.words > 0 && 2*c.words >= c.numbers+c.words+c.almost:
		return tables.Text
	case c.lost && !c.fraction && c.words+c.almost+c.markers == 0:
		return tables.Text
	}
	return tables.Numeric
}

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

// complaint returns the first cell that a column of this kind cannot hold, and why.
func (c *columnScan) complaint(kind tables.Kind, name string, decimal byte, only bool) (place, string) {
	if c.date {
		return c.dateComplaint(name, decimal)
	}
	if kind == tables.Text {
		return c.mojo, "is not UTF-8; convert the file to UTF-8"
	}
	if c.bad.line != 0 && (c.huge.line == 0 || c.bad.line <= c.huge.line) {
		return c.bad, fmt.Sprintf("is not a number%s", hint(c.bad.cell, name, decimal, only))
	}
	return c.huge, "is too large: float64 cannot hold its square; rescale the column"
}

// hint says what to do about a cell that is not a number; only says that the kind is given.
func hint(cell, name string, decimal byte, only bool) string {
	cell = literal.Trim(cell)
	if literal.UnusualMarker(cell) {
		return fmt.Sprintf("; if it marks missing values: csv.Options.NA %q", cell)
	}
	if number, ok := literal.Respelled(cell, decimal); ok {
		return fmt.Sprintf("; if it is a number, write %s", number)
	}
	if number, unit, ok := literal.NumberIn(cell, rune(decimal)); ok {
		what := "it is a number with marks of thousands"
		if unit != "" {
			what = fmt.Sprintf("it is a number with the unit %q", unit)
		}
		return fmt.Sprintf("; %s: write %s in the cell, and so in all of the column", what, number)
	}
	if decimal == '.' {
		if _, ok := literal.Scan(cell, ','); ok {
			return "; csv.Options.Decimal , reads decimal commas, and marks of thousands must go"
		}
	}
	if only {
		return "; the column must hold numbers"
	}
	if len(cell) <= markerLength {
		return fmt.Sprintf("; correct it, or, if it marks missing values, csv.Options.NA %q; to read the column as text: csv.Options.Text %q", cell, name)
	}
	return fmt.Sprintf("; to read the column as text: csv.Options.Text %q", name)
}

// markerLength is that of the longest cell that is said to be a marker perhaps.
const markerLength = 20

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
