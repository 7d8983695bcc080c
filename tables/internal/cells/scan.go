package cells

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"mediant/internal/literal"
	"mediant/tables"
)

// A Scan is what the first pass learns of a column.
type Scan struct {
	forced          bool        // the kind was given
	kind            tables.Kind // as given
	numbers, words  int         // numbers include huge ones
	almost          int         // neither of them markers
	markers         int         // of missing values, as they are unless Options.NA says so
	NA              *Markers
	fraction, lost  bool // a number not written as an integer; an integer float64 would change
	bad, huge, mojo place
	// Of dates.
	date    bool
	how     dateReading   // as given
	shown   literal.Order // as cells show
	slashes bool
	open    place // a date that does not show its order
}

// Forced reports the kind that options set, if they do. A column of dates is one of numbers.
func (c *Scan) Forced() (kind tables.Kind, forced bool) {
	if c.date {
		return tables.Numeric, true
	}
	return c.kind, c.forced
}

// IsDate reports a column of dates.
func (c *Scan) IsDate() bool { return c.date }

// SetKind sets the kind of a column that has a type of its own.
func (c *Scan) SetKind(kind tables.Kind) { c.forced, c.kind = true, kind }

// A place is a cell to complain about; line 0 means none.
type place struct {
	line int
	cell string
}

// Look counts cell i of a row; line is asked for only where it is needed.
func (c *Scan) Look(cell string, decimal byte, line func(cell int) int, i int) {
	note := func(p *place) {
		if p.line == 0 {
			*p = place{line(i), strings.Clone(cell)}
		}
	}
	if c.NA.Has(literal.Trim(cell)) {
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

// AllNumbers reports whether the cells that are not missing are numbers, and more than one.
func (c *Scan) AllNumbers() bool { return c.numbers > 1 && c.words+c.almost+c.markers == 0 }

// Forget makes room for complaints about a row before those that were looked at, and recall puts later ones behind them.
func (c *Scan) Forget() { c.bad, c.huge, c.mojo, c.open = place{}, place{}, place{}, place{} }

func (c *Scan) Recall(later *Scan) {
	for _, p := range []struct{ to, from *place }{{&c.bad, &later.bad}, {&c.huge, &later.huge}, {&c.mojo, &later.mojo}, {&c.open, &later.open}} {
		if p.to.line == 0 {
			*p.to = *p.from
		}
	}
}

// Decide applies the rules of the package documentation.
func (c *Scan) Decide() tables.Kind {
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

// complaint returns the first cell that a column of this kind cannot hold, and why.
func (c *Scan) complaint(kind tables.Kind, name string, decimal byte, only bool) (place, string) {
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
		return fmt.Sprintf("; if it marks missing values: Options.NA %q", cell)
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
			return "; Options.Decimal , reads decimal commas, and marks of thousands must go"
		}
	}
	if only {
		return "; the column must hold numbers"
	}
	if len(cell) <= markerLength {
		return fmt.Sprintf("; correct it, or, if it marks missing values, Options.NA %q; to read the column as text: Options.Text %q", cell, name)
	}
	return fmt.Sprintf("; to read the column as text: Options.Text %q", name)
}

// markerLength is that of the longest cell that is said to be a marker perhaps.
const markerLength = 20
