package check

import (
	"fmt"
	"regexp"
	"slices"

	"mediant/internal/literal"
	"mediant/tables"
	"mediant/tables/notes"
)

// datesRemedy says how a column of dates is used.
func (c *checker) datesRemedy(name string) string {
	switch {
	case c.hasTimes(name):
		return fmt.Sprintf("lengths of time as numbers, of minutes say, in the place of hours and minutes; --ignore %q leaves it out without a word", name)
	case !c.readsDates(name):
		return fmt.Sprintf("--dates reads dates with day, month and the year in full alone, --text %q takes levels", name)
	case c.serials(name):
		return fmt.Sprintf("--dates %q takes year, month, weekday and days, of the numbers as days as spreadsheets count them", name+"=excel")
	}
	return fmt.Sprintf("--dates %q takes year, month, weekday and days, --text %q levels", name, name)
}

// hasTimes reports whether a column has hours and minutes without a date, as lengths of time are written.
func (c *checker) hasTimes(name string) bool {
	x, y := c.profiles(name)
	return !slices.ContainsFunc([]*Profile{x, y}, func(p *Profile) bool {
		return p != nil && (len(p.Levels) == 0 || slices.ContainsFunc(p.Levels, func(l LevelCount) bool { return !timeOfDay.MatchString(l.Level) }))
	})
}

// timeOfDay is one, or a length of time.
var timeOfDay = regexp.MustCompile(`^\s*\d+:\d\d(:\d\d)?\s*$`)

// readsDates reports whether --dates reads the dates of a column, as far as its most frequent ones show.
func (c *checker) readsDates(name string) bool {
	x, y := c.profiles(name)
	for _, p := range []*Profile{x, y} {
		if p != nil && slices.ContainsFunc(p.Levels, func(l LevelCount) bool { _, ok := literal.DateForm(l.Level); return !ok }) {
			return false
		}
	}
	return true
}

// serials reports whether a column has numbers in one table that may be days as spreadsheets count them: of 1954 to 2119.
func (c *checker) serials(name string) bool {
	x, y := c.profiles(name)
	return slices.ContainsFunc([]*Profile{x, y}, func(p *Profile) bool {
		return p != nil && p.Numbers != nil && p.Numbers.Min >= 20000 && p.Numbers.Max <= 80000
	})
}

// unsureDates says in which order dates were read of which none shows it.
func (c *checker) unsureDates(xu, uy tables.Source) {
	x, y := tables.FactsOf(xu).UnsureDates, tables.FactsOf(uy).UnsureDates
	of := func(list []notes.UnsureDates, column string) bool {
		return slices.ContainsFunc(list, func(d notes.UnsureDates) bool { return d.Column == column })
	}
	for _, t := range []struct {
		table Table
		dates []notes.UnsureDates
	}{{XU, x}, {UY, y}} {
		for _, d := range t.dates {
			table, where := t.table, t.table.words()
			if of(x, d.Column) && of(y, d.Column) {
				if table == UY {
					continue // which the first table has said
				}
				table, where = Both, "either table"
			}
			order, other := "month/day", "day/month"
			if d.DayFirst {
				order, other = other, order
			}
			f := Finding{Code: DateColumn, Severity: Note, Table: table, Columns: []string{d.Column},
				What:   fmt.Sprintf("no date of %q in %s, such as %q on line %d, shows whether day or month comes first; they are read as %s, as --dates says", d.Column, where, d.Cell, d.Line, order),
				Effect: fmt.Sprintf("if they are %s, days and months are exchanged", other),
				Remedy: "dates such as 2024-03-01"}
			if first := d.Column + " days"; c.xu.of(first) != nil && c.uy.of(first) != nil {
				f.Effect = fmt.Sprintf("if a table has %s, days and months are exchanged there, and the column means another thing in the other table", other)
			}
			c.add(f)
		}
	}
}
