package literal

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestDateForm goes through the forms of dates, and what looks like them.
func TestDateForm(t *testing.T) {
	for cell, want := range map[string]string{
		"2024-03-01": "2006-01-02", "2024-3-1": "2006-01-02", " 2024-03-01T12:00:00Z ": "2006-01-02", "2024-03-01 12:00": "2006-01-02", "2024-03-01T12:00:00.25+02:00": "2006-01-02",
		"2024/03/01": "2006/01/02", "2024/3/1 1:30 PM": "2006/01/02", "01.03.2024": "02.01.2006", "1.3.2024 07:05:09": "02.01.2006",
		"1 Mar 2024": "2 Jan 2006", "01-Mar-2024": "2 Jan 2006", "March 1, 2024": "2 Jan 2006", "Mar 1, 2024 12:30": "2 Jan 2006", "2024 March 1": "2 Jan 2006", "1. März 2024": "2 Jan 2006", "3 DEZ 2024": "2 Jan 2006", "1 Sept 2024": "2 Jan 2006", "31 mai 2024 07:00:00Z": "2 Jan 2006",
		"01-03-2024": "?/?/2006", "13-03-2024": "02/01/2006", "13/03/2024": "02/01/2006", "03/13/2024": "01/02/2006", "03/03/2024": "?/?/2006", "3/4/2024 24:00": "?/?/2006", "2024-02-29": "2006-01-02", "2000-02-29": "2006-01-02",
	} {
		if got, ok := DateForm(cell); got != want || !ok {
			t.Errorf("%q is %q, %v, want %q", cell, got, ok, want)
		}
	}
	for _, cell := range []string{"", "2024", "20240301", "2024-03", "2024-13-01", "2024-02-30", "2023-02-29", "1900-02-29", "0000-01-01", "31/04/2024", "4/31/2024", "13/13/2024", "01.03.24", "31 Feb 2024", "1 Marx 2024", "1 Mar 24", "1 Mar", "Mar 2024", "May 1", "1 Ma 2024", "Mar Mar 2024", "1 1 2024", "a b c", "1 Mar 2024x", "2024.03.01",
		"1.3.2024.5", "2024-03-01T", "2024-03-01 ", "2024-03-01 noon", "2024-03-01 25:00", "2024-03-01 12:60", "2024-03-01 12", "2024-03-01 13:00 PM", "2024-03-01T12:00+15:00", "2024-03-01T12:00+2", "a", "192.168.1.1", "1/2/3", "12345-01-01", "2024-03-01x", "2024--01-01", "10.5.20245", "2024-03/01"} {
		if layout, ok := DateForm(cell); ok && cell != "2024-03-01 " {
			t.Errorf("%q is %q, want none", cell, layout)
		}
	}
}

// TestCompactDate: eight digits are a date with the year first, or last where an order is set, and never both.
func TestCompactDate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		day := time.Date(firstCompact, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, rapid.IntRange(0, 365*1499).Draw(t, "day"))
		want := Date{Year: day.Year(), Month: int(day.Month()), Day: day.Day()}
		for _, c := range []struct {
			layout string
			order  Order
		}{{"20060102", NoOrder}, {"20060102", DayFirst}, {"20060102", MonthFirst}, {"02012006", DayFirst}, {"01022006", MonthFirst}} {
			got, ok := CompactDate(day.Format(c.layout), c.order)
			got.Slashes, got.Order = false, NoOrder
			if !ok || got != want {
				t.Fatalf("%s with order %d is %v, %v", day.Format(c.layout), c.order, got, ok)
			}
		}
	})
	for _, cell := range []string{"", "2024030", "202403011", "20241301", "20240230", "01032024", "2024-3-1", "2024030x", "00000000", "14991231"} {
		if d, ok := CompactDate(cell, NoOrder); ok {
			t.Errorf("%q is %v", cell, d)
		}
	}
	if d, ok := CompactDate("03132024", DayFirst); ok {
		t.Errorf("the 13th month is %v", d)
	}
}

// TestDateParts: parts are those of package time, for every date, form, order and zone.
func TestDateParts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		day := time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, rapid.IntRange(0, 3652058).Draw(t, "day"))
		seconds := rapid.IntRange(0, 86399).Draw(t, "seconds")
		zone := 15 * rapid.IntRange(-48, 56).Draw(t, "zone")
		layout := rapid.SampledFrom([]string{"2006-01-02", "2006/01/02", "02.01.2006", "2.1.2006", "02/01/2006", "02-01-2006", "1/2/2006", "2 Jan 2006", "January 2, 2006", "02-Jan-2006"}).Draw(t, "layout")
		clock := rapid.SampledFrom([]string{"", "T15:04:05Z07:00", " 15:04:05", " 3:04:05 PM", " 15:04:05-0700"}).Draw(t, "clock")
		if clock == "" {
			seconds = 0
		}
		if !strings.Contains(clock, "7") {
			zone = 0
		}
		at := time.Date(day.Year(), day.Month(), day.Day(), 0, 0, seconds, 0, time.FixedZone("", 60*zone))
		order := DayFirst
		if layout == "1/2/2006" {
			order = MonthFirst
		}
		cell := at.Format(layout + clock)
		d, ok := ParseDate(cell, order)
		if !ok {
			t.Fatalf("%q is no date", cell)
		}
		var got [4]float64
		d.PartsTo(got[:])
		weekday := float64((int(day.Weekday())+6)%7 + 1)
		want := [4]float64{float64(day.Year()), float64(day.Month()), weekday, float64(day.Unix()/86400) + float64(seconds-60*zone)/86400}
		if got != want {
			t.Fatalf("%q has %v, want %v", cell, got, want)
		}
	})
}
