package literal

import (
	"fmt"
	"math"
	"strings"
	"time"
)

// A Order says what the first number of 01/02/2024 is.
type Order int

const (
	NoOrder Order = iota
	DayFirst
	MonthFirst
)

// Days as spreadsheets count them begin so many before 1970-01-01. The first ones are left out, since 1900-02-29 is among them, and the last
// is 9999-12-31.
const (
	serialEpoch = 25569
	firstSerial = 61
	lastSerial  = 2958465
)

// SerialDate is the date of a number of days, with the time of day as its fraction.
func SerialDate(v float64) (Date, bool) {
	day := math.Floor(v)
	if !(day >= firstSerial && day <= lastSerial) {
		return Date{}, false
	}
	t := time.Unix(int64(day-serialEpoch)*86400, 0).UTC()
	return Date{Year: t.Year(), Month: int(t.Month()), Day: t.Day(), seconds: (v - day) * 86400}, true
}

// A Date is a day, and perhaps a time of day, as it is written.
type Date struct {
	Year, Month, Day int
	Slashes          bool    // 01/02/2024, 01-02-2024
	Order            Order   // that it shows by itself
	seconds          float64 // since midnight, UTC
}

// DateForm returns the form of a date, with or without a time of day, as a layout of package time: "2006-01-02", "2006/01/02",
// "02.01.2006", "2 Jan 2006" for all with the name of the month, or, with slashes or hyphens, "02/01/2006" or "01/02/2006" where the number
// above 12 is the day, and "?/?/2006" where the cell alone cannot tell.
func DateForm(cell string) (layout string, ok bool) {
	cell = Trim(cell)
	d, ok := ParseDate(cell, NoOrder)
	_, named := withMonthNumber(cell)
	switch {
	case !ok:
		return "", false
	case named:
		return "2 Jan 2006", true
	case d.Slashes:
		return map[Order]string{NoOrder: "?/?/2006", DayFirst: "02/01/2006", MonthFirst: "01/02/2006"}[d.Order], true
	}
	return map[byte]string{'-': "2006-01-02", '/': "2006/01/02", '.': "02.01.2006"}[cell[digitsEnd(cell, 0)]], true
}

// ParseDate reads a cell without spaces around it. Where dates have slashes and neither the cell nor the order tells, the day is
// taken as first.
func ParseDate(cell string, order Order) (Date, bool) {
	var d Date
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
		d.Year, d.Month, d.Day = parts[0], parts[1], parts[2]
	case mark == '.':
		d.Day, d.Month, d.Year = parts[0], parts[1], parts[2]
	default:
		d.Slashes = true
		d.Day, d.Month, d.Year = parts[0], parts[1], parts[2]
		switch {
		case parts[0] > 12:
			d.Order = DayFirst
		case parts[1] > 12:
			d.Order = MonthFirst
		}
		if d.Order == MonthFirst || d.Order == NoOrder && order == MonthFirst {
			d.Day, d.Month = d.Month, d.Day
		}
		if order != NoOrder && d.Order != NoOrder && d.Order != order {
			return d, false
		}
	}
	return d, d.Year >= 1 && d.Month >= 1 && d.Month <= 12 && d.Day >= 1 && d.Day <= daysIn(d.Year, d.Month)
}

// compactDigits is the length of 20240301. Read with the day or the month first, it has a year of 1231 or less, its month and day:
// dates from firstCompact on are read in one way alone.
const compactDigits, firstCompact = 8, 1500

// CompactDate reads a date of eight digits: 20240301, or, where an order is set, 01032024 or 03012024 too.
func CompactDate(cell string, order Order) (Date, bool) {
	if len(cell) != compactDigits || digitsEnd(cell, 0) != compactDigits {
		return Date{}, false
	}
	if order != NoOrder {
		if d, ok := ParseDate(cell[:2]+"/"+cell[2:4]+"/"+cell[4:], order); ok && d.Year >= firstCompact {
			return d, true
		}
	}
	d, ok := ParseDate(cell[:4]+"-"+cell[4:6]+"-"+cell[6:], order)
	return d, ok && d.Year >= firstCompact
}

// monthNames are the first letters of months, in English and German.
var monthNames = map[string]int{
	"jan": 1, "feb": 2, "mar": 3, "mär": 3, "apr": 4, "may": 5, "mai": 5, "jun": 6, "jul": 7, "aug": 8, "sep": 9, "oct": 10, "okt": 10, "nov": 11, "dec": 12, "dez": 12,
}

// fullMonthNames are what they may go on as.
var fullMonthNames = Words(`january february march april june july august september october november december
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
	if IsDigit(tokens[0][0]) {
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
func (d Date) epochDay() int {
	y, m := d.Year, d.Month-3
	if m < 0 {
		y, m = y-1, m+12
	}
	era := y / 400 // years are positive
	ofEra := y - 400*era
	ofYear := (153*m+2)/5 + d.Day - 1
	return 146097*era + 365*ofEra + ofEra/4 - ofEra/100 + ofYear - 719468
}

// PartsTo stores year, month, weekday (1 is Monday) and days since 1970-01-01, with the time of day as their fraction.
func (d Date) PartsTo(dst []float64) {
	day := d.epochDay()
	weekday := (day+3)%7 + 1 // 1970-01-01 was a Thursday
	if weekday < 1 {
		weekday += 7
	}
	dst[0], dst[1], dst[2] = float64(d.Year), float64(d.Month), float64(weekday)
	dst[3] = float64(day) + d.seconds/86400
}
