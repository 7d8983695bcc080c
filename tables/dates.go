package tables

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// datePartNames are the columns that a column of dates becomes, behind its name.
var datePartNames = [...]string{" year", " month", " weekday", " days"}

// A dateOrder says what the first number of 01/02/2024 is.
type dateOrder int

const (
	noOrder dateOrder = iota
	dayFirst
	monthFirst
)

// A dateReading says how the cells of a column of dates are read.
type dateReading struct {
	order  dateOrder
	serial bool // plain numbers are days as spreadsheets count them
}

// orderSuffixes are how CSVOptions.Dates sets the order, serialSuffix that numbers are days.
var orderSuffixes = map[dateOrder]string{dayFirst: "=dmy", monthFirst: "=mdy"}

const serialSuffix = "=excel"

// names writes a column as CSVOptions.Dates has it.
func (r dateReading) names(column string) []string {
	var all []string
	if r.serial {
		all = append(all, column+serialSuffix)
	}
	if r.order != noOrder || !r.serial {
		all = append(all, column+orderSuffixes[r.order])
	}
	return all
}

// date reads a cell without spaces around it.
func (r dateReading) date(cell string, decimal byte) (date, bool) {
	if r.serial {
		if n, ok := scanNumeral(cell, decimal); ok && !n.exponent {
			return serialDate(numeralValue(cell, decimal))
		}
	}
	return parseDate(cell, r.order)
}

// Days as spreadsheets count them begin so many before 1970-01-01. The first ones are left out, since 1900-02-29 is among them, and the last
// is 9999-12-31.
const (
	serialEpoch = 25569
	firstSerial = 61
	lastSerial  = 2958465
)

// serialDate is the date of a number of days, with the time of day as its fraction.
func serialDate(v float64) (date, bool) {
	day := math.Floor(v)
	if !(day >= firstSerial && day <= lastSerial) {
		return date{}, false
	}
	t := time.Unix(int64(day-serialEpoch)*86400, 0).UTC()
	return date{year: t.Year(), month: int(t.Month()), day: t.Day(), seconds: (v - day) * 86400}, true
}

// A date is a day, and perhaps a time of day, as it is written.
type date struct {
	year, month, day int
	slashes          bool      // 01/02/2024, 01-02-2024
	order            dateOrder // that it shows by itself
	seconds          float64   // since midnight, UTC
}

// DateForm returns the form of a date, with or without a time of day, as a layout of package time: "2006-01-02", "2006/01/02",
// "02.01.2006", "2 Jan 2006" for all with the name of the month, or, with slashes or hyphens, "02/01/2006" or "01/02/2006" where the number
// above 12 is the day, and "?/?/2006" where the cell alone cannot tell.
func DateForm(cell string) (layout string, ok bool) {
	cell = trimSpaces(cell)
	d, ok := parseDate(cell, noOrder)
	_, named := withMonthNumber(cell)
	switch {
	case !ok:
		return "", false
	case named:
		return "2 Jan 2006", true
	case d.slashes:
		return map[dateOrder]string{noOrder: "?/?/2006", dayFirst: "02/01/2006", monthFirst: "01/02/2006"}[d.order], true
	}
	return map[byte]string{'-': "2006-01-02", '/': "2006/01/02", '.': "02.01.2006"}[cell[digitsEnd(cell, 0)]], true
}

// parseDate reads a cell without spaces around it. Where dates have slashes and neither the cell nor the order tells, the day is
// taken as first.
func parseDate(cell string, order dateOrder) (date, bool) {
	var d date
	if numbers, ok := withMonthNumber(cell); ok {
		cell = numbers
	}
	day, time := cell, ""
	if at := strings.IndexAny(cell, "T "); at >= 0 {
		day, time = cell[:at], cell[at+1:]
		if time == "" {
			return d, false
		}
	}
	parts, mark, ok := threeNumbers(day)
	if !ok || !d.setTime(time) {
		return d, false
	}
	switch {
	case mark != '.' && digitsEnd(day, 0) == 4: // the year first
		d.year, d.month, d.day = parts[0], parts[1], parts[2]
	case mark == '.':
		d.day, d.month, d.year = parts[0], parts[1], parts[2]
	default:
		d.slashes = true
		d.day, d.month, d.year = parts[0], parts[1], parts[2]
		switch {
		case parts[0] > 12:
			d.order = dayFirst
		case parts[1] > 12:
			d.order = monthFirst
		}
		if d.order == monthFirst || d.order == noOrder && order == monthFirst {
			d.day, d.month = d.month, d.day
		}
		if order != noOrder && d.order != noOrder && d.order != order {
			return d, false
		}
	}
	return d, d.year >= 1 && d.month >= 1 && d.month <= 12 && d.day >= 1 && d.day <= daysIn(d.year, d.month)
}

// monthNames are the first letters of months, in English and German.
var monthNames = map[string]int{
	"jan": 1, "feb": 2, "mar": 3, "mär": 3, "apr": 4, "may": 5, "mai": 5, "jun": 6, "jul": 7, "aug": 8, "sep": 9, "oct": 10, "okt": 10, "nov": 11, "dec": 12, "dez": 12,
}

// fullMonthNames are what they may go on as.
var fullMonthNames = wordSet(`january february march april june july august september october november december
	sept januar februar märz maerz juni juli oktober dezember`)

// withMonthNumber writes a date that has the name of its month, such as 2 Jan 2006 or March 1, 2024 12:00, with its number, the year
// first.
func withMonthNumber(cell string) (string, bool) {
	var tokens [3]string
	rest := cell
	for i := range tokens {
		end := strings.IndexAny(rest, " -,./")
		if i == 2 { // a time of day may follow
			if end = strings.IndexAny(rest, "T ,"); end < 0 {
				end = len(rest)
			}
		}
		if end <= 0 {
			return "", false
		}
		tokens[i], rest = rest[:end], rest[end:]
		if i < 2 {
			rest = strings.TrimLeft(rest, " -,./")
		}
	}
	at := 0 // of the name
	if isDigit(tokens[0][0]) {
		at = 1
	}
	name := strings.ToLower(tokens[at])
	short := 3
	if strings.HasPrefix(name, "mär") {
		short = len("mär")
	}
	if len(name) < short || len(name) > short && !fullMonthNames[name] {
		return "", false
	}
	month, ok := monthNames[name[:short]]
	if !ok {
		return "", false
	}
	day, year := tokens[1-at], tokens[2]
	if len(day) == 4 {
		day, year = year, day
	}
	if len(year) != 4 || len(day) > 2 || digitsEnd(year, 0) != 4 || digitsEnd(day, 0) != len(day) {
		return "", false
	}
	return fmt.Sprintf("%s-%02d-%s%s", year, month, day, rest), true
}

// threeNumbers takes 2024-3-01 apart: a year of four digits at one end, and one or two digits each of the others.
func threeNumbers(s string) (parts [3]int, mark byte, ok bool) {
	var lengths [3]int
	at := 0
	for i := range parts {
		end := digitsEnd(s, at)
		lengths[i] = end - at
		if lengths[i] < 1 || lengths[i] > 4 {
			return parts, 0, false
		}
		for _, c := range []byte(s[at:end]) {
			parts[i] = 10*parts[i] + int(c-'0')
		}
		at = end
		if i == 2 {
			break
		}
		if at == len(s) || i == 1 && s[at] != mark {
			return parts, 0, false
		}
		mark = s[at]
		at++
	}
	yearFirst := lengths[0] == 4 && lengths[1] <= 2 && lengths[2] <= 2
	yearLast := lengths[0] <= 2 && lengths[1] <= 2 && lengths[2] == 4
	return parts, mark, at == len(s) && ((mark == '/' || mark == '-') && (yearFirst || yearLast) || mark == '.' && yearLast)
}

// setTime reads a time of day such as 12:00, 12:00:00.5Z, 1:30 PM or 12:00+02:00; "" is midnight.
func (d *date) setTime(s string) bool {
	if s == "" {
		return true
	}
	clock, zone := s, 0.0
	if before, ok := strings.CutSuffix(s, "Z"); ok {
		clock = before
	} else if at := strings.LastIndexAny(s, "+-"); at >= 0 {
		hours, minutes, ok := zoneOf(s[at+1:])
		if !ok {
			return false
		}
		clock, zone = s[:at], float64(3600*hours+60*minutes)
		if s[at] == '-' {
			zone = -zone
		}
	}
	clock = trimSpaces(clock)
	half := 0 // of the day: 1 AM, 2 PM
	for i, word := range []string{"AM", "PM"} {
		if n := len(clock) - 2; n > 0 && strings.EqualFold(clock[n:], word) {
			clock, half = trimSpaces(clock[:n]), i+1
		}
	}
	fields := strings.Split(clock, ":")
	if len(fields) < 2 || len(fields) > 3 {
		return false
	}
	var v [3]float64
	for i, f := range fields {
		n, ok := scanNumeral(f, '.')
		if !ok || !isDigit(f[0]) || n.exponent || n.intDigits > 2 || i > 0 && n.intDigits != 2 || i < 2 && !n.integer {
			return false
		}
		v[i] = numeralValue(f, '.')
	}
	if v[1] >= 60 || v[2] >= 61 || v[0] > 24 || v[0] == 24 && v[1]+v[2] > 0 || half > 0 && (v[0] < 1 || v[0] > 12) {
		return false
	}
	if half > 0 {
		v[0] = math.Mod(v[0], 12) + float64(12*(half-1))
	}
	d.seconds = 3600*v[0] + 60*v[1] + v[2] - zone
	return true
}

// zoneOf reads 02:00, 0200 or 02.
func zoneOf(s string) (hours, minutes int, ok bool) {
	digits := strings.Replace(s, ":", "", 1)
	if n := len(digits); digitsEnd(digits, 0) != n || n != 2 && n != 4 {
		return 0, 0, false
	}
	two := func(s string) int { return int(10*(s[0]-'0') + s[1] - '0') }
	hours = two(digits)
	if len(digits) == 4 {
		minutes = two(digits[2:])
	}
	return hours, minutes, hours <= 14 && minutes < 60
}

func daysIn(year, month int) int {
	switch month {
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	case 4, 6, 9, 11:
		return 30
	}
	return 31
}

// epochDay is the number of days from 1970-01-01 to the date [Hinnant, chrono-compatible low-level date algorithms: years begin
// in March, so that the leap day is the last of one].
func (d date) epochDay() int {
	y, m := d.year, d.month-3
	if m < 0 {
		y, m = y-1, m+12
	}
	era := y / 400 // years are positive
	ofEra := y - 400*era
	ofYear := (153*m+2)/5 + d.day - 1
	return 146097*era + 365*ofEra + ofEra/4 - ofEra/100 + ofYear - 719468
}

// partsTo stores year, month, weekday (1 is Monday) and days since 1970-01-01, with the time of day as their fraction.
func (d date) partsTo(dst []float64) {
	day := d.epochDay()
	weekday := (day+3)%7 + 1 // 1970-01-01 was a Thursday
	if weekday < 1 {
		weekday += 7
	}
	dst[0], dst[1], dst[2] = float64(d.year), float64(d.month), float64(weekday)
	dst[3] = float64(day) + d.seconds/86400
}

// dateColumns finds the columns that the patterns name as dates, and how they say that these are read: the first order counts.
func dateColumns(columns []Column, patterns []string) (map[int]dateReading, error) {
	found := make(map[int]dateReading)
	for _, p := range ResolveNames(columns, patterns) {
		var how dateReading
		if columnIndex(columns, p) < 0 {
			p, how = cutReading(p)
		}
		hit, err := matchOne(columns, p)
		if err != nil {
			return nil, err
		}
		for _, i := range hit {
			before := found[i]
			if before.order == noOrder {
				before.order = how.order
			}
			before.serial = before.serial || how.serial
			found[i] = before
		}
	}
	return found, nil
}

// DatesName is the name or glob of an item of CSVOptions.Dates: what is before =dmy, =mdy or =excel.
func DatesName(item string) string {
	name, _ := cutReading(item)
	return name
}

// cutReading takes how dates are read from a pattern of CSVOptions.Dates.
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

// dateNames are the names of the parts of a column of dates.
func dateNames(name string) []string {
	names := make([]string, len(datePartNames))
	for i, part := range datePartNames {
		names[i] = name + part
	}
	return names
}

// dateParts finds the columns that a column of dates of this name has become, none if they are not all there.
func dateParts(columns []Column, name string) []int {
	var parts []int
	for _, n := range dateNames(name) {
		i := columnIndex(columns, n)
		if i < 0 {
			return nil
		}
		parts = append(parts, i)
	}
	return parts
}

// lookDate is look for a column of dates.
func (c *columnScan) lookDate(cell string, decimal byte, note func(*place)) {
	cell = trimSpaces(cell)
	if cell == "" || usualMarker(cell) {
		return
	}
	d, ok := c.how.date(cell, decimal)
	if !ok {
		if unusualMarker(cell) {
			c.markers++
		} else {
			c.words++
		}
		note(&c.bad)
		return
	}
	c.numbers++
	if !d.slashes {
		return
	}
	c.slashes = true
	switch {
	case d.order == noOrder:
		note(&c.open)
	case c.shown == noOrder:
		c.shown = d.order
	case c.shown != d.order:
		note(&c.bad)
	}
}

// dateComplaint is complaint for a column of dates.
func (c *columnScan) dateComplaint(name string, decimal byte) (place, string) {
	if c.bad.line == 0 {
		if c.open.line != 0 && c.shown == noOrder && c.how.order == noOrder {
			return c.open, fmt.Sprintf("may be day/month or month/day, as may all others; say which: CSVOptions.Dates %q or %q", name+orderSuffixes[dayFirst], name+orderSuffixes[monthFirst])
		}
		return place{}, ""
	}
	cell := trimSpaces(c.bad.cell)
	if unusualMarker(cell) {
		return c.bad, fmt.Sprintf("is not a date%s", hint(c.bad.cell, name, '.', true))
	}
	if _, ok := parseDate(cell, noOrder); ok {
		if c.how.order != noOrder {
			return c.bad, fmt.Sprintf("is no date in the order that CSVOptions.Dates %q sets; set the order of this file, or, if others need that one, write dates such as 2024-03-01", name+orderSuffixes[c.how.order])
		}
		return c.bad, "is no date with day and month in the order of others; want one order, or dates such as 2024-03-01"
	}
	if d, ok := (dateReading{serial: true}).date(cell, decimal); ok {
		return c.bad, fmt.Sprintf("is not a date; if numbers are days as spreadsheets count them, this one %04d-%02d-%02d: CSVOptions.Dates %q", d.year, d.month, d.day, name+serialSuffix)
	}
	return c.bad, "is not a date; want dates such as 2024-03-01, 01.03.2024, 03/01/2024 or 1 Mar 2024, the year in full, with or without a time of day"
}

// Dates returns the columns that were read as dates, in the form of CSVOptions.Dates, with the order of day and month where dates have
// slashes, so that later files are read likewise.
func (c *CSV) Dates() []string {
	var all []string
	for _, f := range c.fields {
		if f.date {
			all = append(all, f.how.names(f.name)...)
		}
	}
	return all
}

func unsureDates(file string, fields []csvField) []UnsureDates {
	var all []UnsureDates
	for _, f := range fields {
		if f.unsure.line != 0 {
			all = append(all, UnsureDates{file, f.name, f.unsure.line, f.unsure.cell, f.how.order == dayFirst})
		}
	}
	return all
}

// Header returns the names of the columns of the file itself, in which a column of dates is one.
func (c *CSV) Header() []string { return slices.Clone(c.names) }
