package check

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"mediant/internal/literal"
	"mediant/tables"
)

const (
	// identifierRows is the number of rows below which only its name makes a column an identifier.
	identifierRows = 20
	// Distinct whole numbers within a range of at most denseRange times as many are a running number: of n values drawn from
	// a range of 1.5 n all are distinct with a probability below 1e-4 for n = 20, and ever less.
	denseRange = 1.5
)

// isIdentifier reports a running number or a name of rows: of no use as U or X, since it says nothing of other rows.
func (c *columnLook) isIdentifier() bool {
	n := c.present()
	if n == 0 {
		return false
	}
	named := namesRows(c.column.Name) || n >= identifierRows && namesGroups(c.column.Name)
	if c.column.Kind == tables.Text {
		if c.lines > 0 && 10*c.keys < 9*n {
			return false
		}
		coded := mostlyKeys(c.levels, hasDigit) || c.levels == nil
		if named && coded && c.isGrouping() {
			return true
		}
		return c.distinct.repeated() <= .05 && (named && n > 1 || coded && n >= identifierRows)
	}
	if c.fraction {
		return false
	}
	distinct := c.distinct.repeated() == 0
	if distinct && c.missing == 0 && n >= identifierRows && c.numbers.high[0].value-c.numbers.low[0].value+1 <= denseRange*float64(n) {
		return true
	}
	return named && n > 1 && (c.distinct.repeated() <= .01 || c.distinct.count() > max(identifierRows, n/10) || c.isGrouping())
}

// isGrouping reports whether the values of a column stand in a few rows each, as those of persons do that were seen several times.
func (c *columnLook) isGrouping() bool {
	groups := c.distinct.count()
	return groups >= leastGroups && c.present() <= mostOfGroups*groups
}

func mostlyKeys(levels map[string]int, form func(string) bool) bool {
	of := 0
	for level := range levels {
		if form(level) {
			of++
		}
	}
	return 10*of >= 9*len(levels)
}

func hasDigit(s string) bool { return strings.ContainsFunc(s, unicode.IsDigit) }

// rowNames are the last words of names of columns that name rows.
var rowNames = []string{"id", "ids", "uuid", "guid", "index", "idx", "rowname", "rownames", "rowid", "rownum", "rownumber", "pid", "nr", "unnamed: 0", ""}

// namesRows reports whether a column of that name is likely to name rows: "id", "person id", "personId", "row_number".
func namesRows(name string) bool {
	all := wordsOf(name)
	last := all[strings.LastIndex(all, " ")+1:]
	return slices.Contains(rowNames, all) || slices.Contains(rowNames, last) || all == "row number" || all == "row name" || all == "row names" || all == "row"
}

// groupNames are who, or what, several rows may be of.
var groupNames = strings.Fields(`patient subject subj client household hh person customer account case record participant respondent individual student
	pupil school family member user employee worker animal firm company store shop`)

// numberWords may stand behind one of them: "patient no", "PatientNumber", "patientid".
var numberWords = []string{"", "id", "no", "nr", "num", "number", "code", "key"}

// namesGroups reports whether a column is named after persons or things that may have several rows each.
func namesGroups(name string) bool {
	all := strings.ReplaceAll(wordsOf(name), " ", "")
	return slices.ContainsFunc(numberWords, func(end string) bool {
		of, ok := strings.CutSuffix(all, end)
		return ok && slices.Contains(groupNames, of)
	})
}

// wordsOf are the words of a name in lower case, with a space between them: "person id" of "personId" and "person_ID".
func wordsOf(name string) string {
	var words strings.Builder
	lower := false
	for _, r := range name {
		switch {
		case unicode.IsUpper(r) && lower:
			words.WriteRune(' ')
		case !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != ':':
			r = ' '
		}
		lower = unicode.IsLower(r)
		words.WriteRune(unicode.ToLower(r))
	}
	return strings.Join(strings.Fields(words.String()), " ")
}

// dateLayouts are ways to write dates and times that package tables does not read, since they leave the day, the century or the
// date open.
var dateLayouts = []string{"02.01.06", "02/01/06", "01/02/06", "02-Jan-06", "Jan 2006", "January 2006", "2006-01", "15:04", "15:04:05"}

// isDate reports whether a cell is a date or a time.
func isDate(cell string) bool {
	cell = strings.TrimSpace(cell)
	if len(cell) < 4 || !hasDigit(cell) {
		return false
	}
	if _, ok := literal.DateForm(cell); ok {
		return true
	}
	return slices.ContainsFunc(dateLayouts, func(layout string) bool {
		_, err := time.Parse(layout, cell)
		return err == nil
	})
}

// isTruth reports whether a cell is a word for true or false.
func isTruth(cell string) bool {
	_, ok := truths[strings.ToLower(strings.TrimSpace(cell))]
	return ok
}

// A marked number is a number with a sign before it, a unit behind it or marks in it: groups are thousands, separated in one of
// the usual ways.
var markedNumber = regexp.MustCompile(`^\(?[+-]?\s*([$€£¥₹]|[A-Z]{3}\s)?\s*[+-]?(\d{1,3}([,.' \x{a0}\x{202f}]\d{3})+|\d+)?([.,]\d+)?([eE][+-]?\d+)?(\s*)([%‰°µ$€£¥₹]?[A-Za-zµ°²³%]{0,8}(/[A-Za-zµ0-9²³]{1,6})?)\)?$`)

// isUnit reports whether a unit stands behind a number, in whatever case it is written.
func isUnit(s string) bool {
	return literal.IsUnit(s) || literal.IsUnit(strings.ToLower(s)) || literal.IsUnit(strings.ToUpper(s))
}

// isMarked reports a cell that a person reads as a number, plain ones among them.
func isMarked(cell string) bool {
	_, ok := markOf(cell)
	return ok
}

func hasMark(cell string) bool {
	mark, ok := markOf(cell)
	return ok && mark != ""
}

// markOf is the mark of a number: its unit or currency, "thousands" for separated groups, "decimal comma", "spelling" for what else is no plain number, "" for one.
func markOf(cell string) (mark string, ok bool) {
	cell = strings.TrimSpace(cell)
	m := markedNumber.FindStringSubmatch(cell)
	if m == nil || !hasDigit(cell) {
		_, _, ok := literal.NumberIn(cell, 0)
		return "spelling", ok // another minus, quotes, an exponent with D
	}
	switch unit := m[7]; {
	case unit != "":
		letter := len(unit) == 1 && unicode.IsLetter(rune(unit[0])) // "1a" and "2b" are levels
		if letter && m[6] == "" || !isUnit(unit) {
			return "", false
		}
		return unit, true
	case strings.TrimSpace(m[1]) != "":
		return strings.TrimSpace(m[1]), true
	case m[3] != "":
		return "thousands", true
	case strings.HasPrefix(m[4], ","):
		return "decimal comma", true // which the table is not read with
	}
	return "", true
}

// markers are numbers that often stand for a missing value.
var markers = []float64{-1, -2, -7, -8, -9, -77, -88, -99, -777, -888, -999, -9999, -99999, 9, 77, 88, 99, 777, 888, 999, 9999, 99999, 999999, 9999999}

// marker returns a repeated value far from all others of a column of numbers, as a marker of missing values is.
func (c *columnLook) marker(t *tableLook) (found valueCount, rest [2]float64, ok bool) {
	if c.present() == 0 || c.distinct.count() < 6 { // of fewer values, beside looks at codes
		return found, rest, false
	}
	values := t.sample.values(c.place)
	for _, side := range []struct {
		list []valueCount
		low  bool
	}{{c.numbers.low, true}, {c.numbers.high, false}} {
		for k := range min(len(side.list)-1, 2) {
			outer, next := side.list[k], side.list[k+1]
			others := c.others(values, side.list[:k+1], side.low)
			if len(others) == 0 {
				continue
			}
			rest = [2]float64{others[0], others[len(others)-1]}
			if side.low {
				rest[0] = next.value
			} else {
				rest[1] = next.value
			}
			if c.standsOut(outer, next, rest) {
				return outer, rest, true
			}
		}
	}
	return found, rest, false
}

// others are sorted values without some at one end, and without a marker at the other end.
func (c *columnLook) others(values []float64, without []valueCount, low bool) []float64 {
	edge := without[len(without)-1].value
	out := slices.Clone(values)
	out = slices.DeleteFunc(out, func(v float64) bool { return low && v <= edge || !low && v >= edge })
	far := c.numbers.high
	if !low {
		far = c.numbers.low
	}
	if far[0].rows > 1 && slices.Contains(markers, far[0].value) {
		out = slices.DeleteFunc(out, func(v float64) bool { return v == far[0].value })
	}
	return out
}

// standsOut reports whether a value at one end is repeated and far from the next one, by the range of the others. A known
// marker needs less: half of the range, or a fifth where it alone is negative.
func (c *columnLook) standsOut(outer, next valueCount, rest [2]float64) bool {
	gap, width := math.Abs(outer.value-next.value), rest[1]-rest[0]
	if width <= 0 {
		return false
	}
	if slices.Contains(markers, outer.value) && outer.rows >= 2 {
		if outer.value < 0 && rest[0] >= 0 && gap >= .2*width {
			return true
		}
		return gap >= .5*width
	}
	return outer.rows >= max(3, c.present()/200) && gap >= 3*width
}
