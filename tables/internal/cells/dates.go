package cells

import (
	"fmt"
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

// orderSuffixes are how Options.Dates sets the order, serialSuffix that numbers are days.
var orderSuffixes = map[literal.Order]string{literal.DayFirst: "=dmy", literal.MonthFirst: "=mdy"}

const serialSuffix = "=excel"

// Names writes a column as Options.Dates has it.
func (r dateReading) Names(column string) []string {
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
	if d, ok := literal.CompactDate(cell, r.order); ok {
		return d, true
	}
	return literal.ParseDate(cell, r.order)
}

// DateColumns finds the columns that the patterns name as dates, and how they say that these are read: the first order counts.
func DateColumns(heads []string, patterns []string) (map[int]dateReading, error) {
	found := make(map[int]dateReading)
	for _, p := range names.Resolve(heads, patterns) {
		var how dateReading
		if names.Index(heads, p) < 0 {
			p, how = CutReading(p)
		}
		hit, err := names.Match(heads, p)
		if err != nil {
			return nil, err
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

// CutReading takes how dates are read from a pattern of Options.Dates.
func CutReading(pattern string) (string, dateReading) {
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

// lookDate is Look for a column of dates.
func (c *Scan) lookDate(written string, decimal byte, line int) {
	cell := literal.Trim(written)
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
		c.bad.note(written, line)
		return
	}
	c.numbers++
	if !d.Slashes {
		return
	}
	c.slashes = true
	if d.Order == literal.NoOrder {
		c.open.note(written, line)
	} else {
		c.shown[d.Order].note(written, line)
	}
}

// order returns the order that cells show, by the first of them, and the first cell that shows another.
func (c *Scan) order() (literal.Order, place) {
	first, other := literal.DayFirst, literal.MonthFirst
	if day, month := c.shown[first].line, c.shown[other].line; day == 0 || month != 0 && month < day {
		first, other = other, first
	}
	if c.shown[first].line == 0 {
		return literal.NoOrder, place{}
	}
	return first, c.shown[other]
}

// dateComplaint is complaint for a column of dates.
func (c *Scan) dateComplaint(name string, decimal byte) (place, string) {
	order, otherwise := c.order()
	bad := c.bad
	bad.merge(otherwise)
	if bad.line == 0 {
		if c.open.line != 0 && order == literal.NoOrder && c.how.order == literal.NoOrder {
			return c.open, fmt.Sprintf("may be day/month or month/day, as may all others; say which: Options.Dates %q or %q", name+orderSuffixes[literal.DayFirst], name+orderSuffixes[literal.MonthFirst])
		}
		return place{}, ""
	}
	cell := literal.Trim(bad.cell)
	if literal.UnusualMarker(cell) {
		return bad, fmt.Sprintf("is not a date%s", hint(bad.cell, name, '.', true))
	}
	if _, ok := literal.ParseDate(cell, literal.NoOrder); ok {
		if c.how.order != literal.NoOrder {
			return bad, fmt.Sprintf("is no date in the order that Options.Dates %q sets; set the order of this file, or, if others need that one, write dates such as 2024-03-01", name+orderSuffixes[c.how.order])
		}
		return bad, "is no date with day and month in the order of others; want one order, or dates such as 2024-03-01"
	}
	if d, ok := (dateReading{serial: true}).date(cell, decimal); ok {
		return bad, fmt.Sprintf("is not a date; if numbers are days as spreadsheets count them, this one %04d-%02d-%02d: Options.Dates %q", d.Year, d.Month, d.Day, name+serialSuffix)
	}
	return bad, "is not a date; want dates such as 2024-03-01, 20240301, 01.03.2024, 03/01/2024 or 1 Mar 2024, the year in full, with or without a time of day"
}

func UnsureDates(file string, fields []Field) []notes.UnsureDates {
	var all []notes.UnsureDates
	for _, f := range fields {
		if f.unsure.line != 0 {
			all = append(all, notes.UnsureDates{File: file, Column: f.Name, Line: f.unsure.line, Cell: f.unsure.cell, DayFirst: f.How.order == literal.DayFirst})
		}
	}
	return all
}

// DatesOf writes the columns that are read as dates as Options.Dates has them.
func DatesOf(fields []Field) []string {
	var all []string
	for _, f := range fields {
		if f.Date {
			all = append(all, f.How.Names(f.Name)...)
		}
	}
	return all
}
