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
	how     dateReading                   // as given
	shown   [literal.MonthFirst + 1]place // the first cell that shows each order
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

// note keeps the cell on the first line, whatever the order in which lines are looked at.
func (p *place) note(cell string, line int) {
	if p.line == 0 || line < p.line {
		*p = place{line, strings.Clone(cell)}
	}
}

// TakesNumerals reports whether LookNumeral may be called.
func (c *Scan) TakesNumerals() bool { return c.NA == nil && !c.date }

// LookNumeral is Look at a cell that is all a number.
func (c *Scan) LookNumeral(n *literal.Numeral, cell string, decimal byte, line int) {
	if c.forced && c.kind == tables.Text {
		return
	}
	class, fraction, lost := n.Classify(cell, decimal)
	c.fraction = c.fraction || fraction
	c.lost = c.lost || lost
	c.numbers++
	if class == literal.Huge {
		c.huge.note(cell, line)
	}
}

// Look counts a cell that begins on a line.
func (c *Scan) Look(cell string, decimal byte, line int) {
	if c.NA != nil && c.NA.Has(literal.Trim(cell)) {
		return
	}
	if c.forced && c.kind == tables.Text {
		if !utf8.ValidString(cell) {
			c.mojo.note(cell, line)
		}
		return
	}
	if c.date {
		c.lookDate(cell, decimal, line)
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
		c.huge.note(cell, line)
	case literal.Almost, literal.Word:
		switch {
		case literal.UnusualMarker(literal.Trim(cell)):
			c.markers++
		case class == literal.Almost:
			c.almost++
		default:
			c.words++
		}
		c.bad.note(cell, line)
	}
	if !utf8.ValidString(cell) {
		c.mojo.note(cell, line)
	}
}

// Fresh is a scan of the same column that has looked at no cell.
func (c *Scan) Fresh() Scan {
	return Scan{forced: c.forced, kind: c.kind, NA: c.NA, date: c.date, how: c.how}
}

// Merge adds what a Fresh scan has found in other rows.
func (c *Scan) Merge(o *Scan) {
	c.numbers += o.numbers
	c.words += o.words
	c.almost += o.almost
	c.markers += o.markers
	c.fraction, c.lost, c.slashes = c.fraction || o.fraction, c.lost || o.lost, c.slashes || o.slashes
	for order, p := range o.shown {
		c.shown[order].merge(p)
	}
	c.bad.merge(o.bad)
	c.huge.merge(o.huge)
	c.mojo.merge(o.mojo)
	c.open.merge(o.open)
}

func (p *place) merge(o place) {
	if o.line != 0 && (p.line == 0 || o.line < p.line) {
		*p = o
	}
}

// AllNumbers reports whether the cells that are not missing are numbers, and more than one.
func (c *Scan) AllNumbers() bool { return c.numbers > 1 && c.words+c.almost+c.markers == 0 }

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

// notUTF8 is what is wrong with a cell in another encoding, and the command for the usual ones.
const notUTF8 = "is not UTF-8; a file in Latin-1 or Windows-1252 is converted by iconv -f WINDOWS-1252 -t UTF-8 IN > OUT"

// complaint returns the first cell that a column of this kind cannot hold, and why.
func (c *Scan) complaint(kind tables.Kind, name string, decimal byte, only bool) (place, string) {
	if c.date {
		return c.dateComplaint(name, decimal)
	}
	if kind == tables.Text {
		return c.mojo, notUTF8
	}
	if !utf8.ValidString(c.bad.cell) {
		return c.bad, notUTF8
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
