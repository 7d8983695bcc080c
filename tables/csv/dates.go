package csv

import (
	"fmt"
	"slices"
	"strings"

	"mediant/internal/literal"
	"mediant/internal/names"
	"mediant/tables/notes"
)

// A dateReading says how the cells of a column of dates are read.
type dateReading struct {
	order  literal.Order
	serial bool // plain numbers are days as spreadsheets count them
}

// orderSuffixes are how csv.Options.Dates sets the order, serialSuffix that numbers are days.
var orderSuffixes = map[literal.Order]string{literal.DayFirst: "=dmy", literal.MonthFirst: "=mdy"}

const serialSuffix = "=excel"

// names writes a column as csv.Options.Dates has it.
func (r dateReading) names(column string) []string {
	var all []string
	if r.serial {
		all = append(all, column+serialSuffix)
	}
	if r.order != literal.NoOrder || !r.serial {
		all = append(all, column+orderSuffixes[r.order])
	}
	return all
}

// date reads a cell without spaces around it.
func (r dateReading) date(cell string, decimal byte) (literal.Date, bool) {
	if r.serial {
		if n, ok := literal.Scan(cell, decimal); ok && !n.Exponent {
			return literal.SerialDate(literal.Value(cell, decimal))
		}
	}
	return literal.ParseDate(cell, r.order)
}

// dateColumns finds the columns that the patterns name as dates, and how they say that these are read: the first order counts.
func dateColumns(heads []string, patterns []string) (map[int]dateReading, error) {
	found := make(map[int]dateReading)
	for _, p := range names.Resolve(heads, patterns) {
		var how dateReading
		if names.Index(heads, p) < 0 {
			p, how = cutReading(p)
		}
		hit, err := names.Match(heads, p)
		if err != nil {
			return nil, fmt.Errorf("csv: %w", err)
		}
		for _, i := range hit {
			before := found[i]
			if before.order == literal.NoOrder {
				before.order = how.order
			}
			before.serial = before.serial || how.serial
			found[i] = before
		}
	}
	return found, nil
}

// DatesName is the name or glob of an item of csv.Options.Dates: what is before =dmy, =mdy or =excel.
func DatesName(item string) string {
	name, _ := cutReading(item)
	return name
}

// cutReading takes how dates are read from a pattern of csv.Options.Dates.
func cutReading(pattern string) (string, dateReading) {
	if name, ok := strings.CutSuffix(pattern, serialSuffix); ok {
		return name, dateReading{serial: true}
	}
	for order, suffix := range orderSuffixes {
		if name, ok := strings.CutSuffix(pattern, suffix); ok {
			return name, dateReading{order: order}
		}
	}
	return pattern, dateReading{}
}

// lookDate is look for a column of dates.
func (c *columnScan) lookDate(cell string, decimal byte, note func(*place)) {
	cell = literal.Trim(cell)
	if cell == "" || literal.UsualMarker(cell) {
		return
	}
	d, ok := c.how.date(cell, decimal)
	if !ok {
		if literal.UnusualMarker(cell) {
			c.markers++
		} else {
			c.words++
		}
		note(&c.bad)
		return
	}
	c.numbers++
	if !d.Slashes {
		return
	}
	c.slashes = true
	switch {
	case d.Order == literal.NoOrder:
		note(&c.open)
	case c.shown == literal.NoOrder:
		c.shown = d.Order
	case c.shown != d.Order:
		note(&c.bad)
	}
}

// dateComplaint is complaint for a column of dates.
func (c *columnScan) dateComplaint(name string, decimal byte) (place, string) {
	if c.bad.line == 0 {
		if c.open.line != 0 && c.shown == literal.NoOrder && c.how.order == literal.NoOrder {
			return c.open, fmt.Sprintf("may be day/month or month/day, as may all others; say which: csv.Options.Dates %q or %q", name+orderSuffixes[literal.DayFirst], name+orderSuffixes[literal.MonthFirst])
		}
		return place{}, ""
	}
	cell := literal.Trim(c.bad.cell)
	if literal.UnusualMarker(cell) {
		return c.bad, fmt.Sprintf("is not a date%s", hint(c.bad.cell, name, '.', true))
	}
	if _, ok := literal.ParseDate(cell, literal.NoOrder); ok {
		if c.how.order != literal.NoOrder {
			return c.bad, fmt.Sprintf("is no date in the order that csv.Options.Dates %q sets; set the order of this file, or, if others need that one, write dates such as 2024-03-01", name+orderSuffixes[c.how.order])
		}
		return c.bad, "is no date with day and month in the order of others; want one order, or dates such as 2024-03-01"
	}
	if d, ok := (dateReading{serial: true}).date(cell, decimal); ok {
		return c.bad, fmt.Sprintf("is not a date; if numbers are days as spreadsheets count them, this one %04d-%02d-%02d: csv.Options.Dates %q", d.Year, d.Month, d.Day, name+serialSuffix)
	}
	return c.bad, "is not a date; want dates such as 2024-03-01, 01.03.2024, 03/01/2024 or 1 Mar 2024, the year in full, with or without a time of day"
}

// Dates returns the columns that were read as dates, in the form of csv.Options.Dates, with the order of day and month where dates have
// slashes, so that later files are read likewise.
func (c *File) Dates() []string {
	var all []string
	for _, f := range c.fields {
		if f.date {
			all = append(all, f.how.names(f.name)...)
		}
	}
	return all
}

func unsureDates(file string, fields []field) []notes.UnsureDates {
	var all []notes.UnsureDates
	for _, f := range fields {
		if f.unsure.line != 0 {
			all = append(all, notes.UnsureDates{File: file, Column: f.name, Line: f.unsure.line, Cell: f.unsure.cell, DayFirst: f.how.order == literal.DayFirst})
		}
	}
	return all
}

// Header returns the names of the columns of the file itself, in which a column of dates is one.
func (c *File) Header() []string { return slices.Clone(c.names) }
