package tables

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
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
		order := dayFirst
		if layout == "1/2/2006" {
			order = monthFirst
		}
		cell := at.Format(layout + clock)
		d, ok := parseDate(cell, order)
		if !ok {
			t.Fatalf("%q is no date", cell)
		}
		var got [4]float64
		d.partsTo(got[:])
		weekday := float64((int(day.Weekday())+6)%7 + 1)
		want := [4]float64{float64(day.Year()), float64(day.Month()), weekday, float64(day.Unix()/86400) + float64(seconds-60*zone)/86400}
		if got != want {
			t.Fatalf("%q has %v, want %v", cell, got, want)
		}
	})
}

// TestDates: columns of dates become numbers, where the order of day and month is known.
func TestDates(t *testing.T) {
	type numbers = map[string][]float64
	parts := func(name string, rows ...[4]float64) numbers {
		all := numbers{}
		for j, part := range datePartNames {
			for _, r := range rows {
				all[name+part] = append(all[name+part], r[j])
			}
		}
		return all
	}
	first, second := [4]float64{2024, 3, 5, 19783}, [4]float64{2024, 3, 5, 19783.5} // Friday
	none := [4]float64{nan, nan, nan, nan}
	for _, tt := range []struct {
		name, content string
		opt           CSVOptions
		numbers       numbers
		dates         []string
	}{
		{"iso", "d,x\n2024-03-01,1\n2024-03-01T12:00:00Z,2\n", CSVOptions{Dates: []string{"d"}}, parts("d", first, second), []string{"d"}},
		{"names of months", "d,x\n1 Mar 2024,1\n\"March 1, 2024 12:00\",2\n", CSVOptions{Dates: []string{"d"}}, parts("d", first, second), []string{"d"}},
		{"slashes, year first", "d,x\n2024/03/01,1\n2024/03/01 12:00,2\n", CSVOptions{Dates: []string{"d"}}, parts("d", first, second), []string{"d"}},
		{"points", "d,x\n01.03.2024,1\n1.3.2024 12:00,2\n", CSVOptions{Dates: []string{"d"}}, parts("d", first, second), []string{"d"}},
		{"day first", "d,x\n01/03/2024,1\n13/03/2024,2\n", CSVOptions{Dates: []string{"d"}}, parts("d", first, [4]float64{2024, 3, 3, 19795}), []string{"d=dmy"}},
		{"month first", "d,x\n03/01/2024,1\n03/13/2024,2\n", CSVOptions{Dates: []string{"d"}}, parts("d", first, [4]float64{2024, 3, 3, 19795}), []string{"d=mdy"}},
		{"order set", "d,x\n03/01/2024,1\n03/01/2024 12:00,2\n", CSVOptions{Dates: []string{"d=mdy"}}, parts("d", first, second), []string{"d=mdy"}},
		{"order set, later ones not", "d,x\n03/01/2024,1\n,2\n", CSVOptions{Dates: []string{"d=mdy", "d=dmy", "d"}}, parts("d", first, none), []string{"d=mdy"}},
		{"days of a spreadsheet", "d,x\n45352,1\n45352.5,2\n2024-03-01,3\n1/3/2024,4\n,5\n", CSVOptions{Dates: []string{"d=excel", "d=dmy"}}, parts("d", first, second, first, first, none), []string{"d=excel", "d=dmy"}},
		{"order without a need", "d,x\n2024-03-01,1\n", CSVOptions{Dates: []string{"d=mdy"}}, parts("d", first), []string{"d"}},
		{"missing", "d,x\n2024-03-01,1\nNA,2\n,3\n?,4\n", CSVOptions{Dates: []string{"d"}, NA: []string{"?"}}, parts("d", first, none, none, none), []string{"d"}},
		{"glob, and none", "date 1,x\n2024-03-01,1\n", CSVOptions{Dates: []string{"date*,other"}}, parts("date 1", first), []string{"date 1"}},
		{"units under the header", "d,x,t\n[date],kg,\n2024-03-01,1,a\n2024-03-01T12:00,2,b\n2024-03-01,2,b\n", CSVOptions{Dates: []string{"d"}}, parts("d", first, second, first), []string{"d"}},
		{"where kinds are set", "d,e,x\n2024-03-01,a,1\n", CSVOptions{Dates: []string{"d", "e"}, Only: []Column{{Name: "d days"}, {Name: "x"}}}, parts("d", first), []string{"d"}},
		{"a name with a comma", "\"d,e\",x\n2024-03-01,1\n", CSVOptions{Dates: []string{"d,e"}}, parts("d,e", first), []string{"d,e"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := mustOpen(t, tt.content, tt.opt)
			got := readAll(t, c)
			for name, want := range tt.numbers {
				if d := cmp.Diff(fmt.Sprint(want), fmt.Sprint(got.Numbers[name])); d != "" {
					t.Errorf("%s (-want +got)\n%s", name, d)
				}
			}
			if d := cmp.Diff(tt.dates, c.Dates()); d != "" {
				t.Errorf("dates (-want +got)\n%s", d)
			}
			if x := got.Numbers["x"]; len(x) == 0 || x[0] != 1 {
				t.Errorf("x is %v", x)
			}
			again := readAll(t, mustOpen(t, tt.content, CSVOptions{Dates: c.Dates(), NA: tt.opt.NA, Only: tt.opt.Only}))
			if fmt.Sprint(again.Numbers) != fmt.Sprint(got.Numbers) {
				t.Errorf("read again by its own dates: %v, want %v", again.Numbers, got.Numbers)
			}
			header := c.Header()
			if want := strings.Count(strings.SplitN(tt.content, "\n", 2)[0], ",") + 1; len(header) != want && !slices.Contains(header, "d,e") {
				t.Errorf("header %q, want %d names", header, want)
			}
			parts := slices.DeleteFunc(columnNames(c.Columns()), func(n string) bool { return !strings.HasPrefix(n, header[0]+" ") })
			if names, err := MatchNames(c.Columns(), header[:1]); err != nil || !slices.Equal(names, parts) || len(parts) != 4 {
				t.Errorf("%q names %q, want %q (%v)", header[0], names, parts, err)
			}
		})
	}
	for _, tt := range []struct {
		name, content string
		opt           CSVOptions
		want          []string
	}{
		{"open order", "d,x\n01/02/2024,1\n03/03/2024,2\n", CSVOptions{Dates: []string{"d"}}, []string{"f.csv:2:", `column "d"`, `"01/02/2024" may be day/month or month/day`, `CSVOptions.Dates "d=dmy" or "d=mdy"`}},
		{"both orders", "d,x\n13/02/2024,1\n03/13/2024,2\n", CSVOptions{Dates: []string{"d"}}, []string{"f.csv:3:", "order"}},
		{"against the order", "d,x\n03/13/2024,2\n", CSVOptions{Dates: []string{"d=dmy"}}, []string{"f.csv:2:", `"03/13/2024" is no date in the order that CSVOptions.Dates "d=dmy" sets`}},
		{"days of a spreadsheet", "d,x\n43960,2\n", CSVOptions{Dates: []string{"d"}}, []string{"f.csv:2:", `"43960" is not a date`, `2020-05-09: CSVOptions.Dates "d=excel"`}},
		{"no day of a spreadsheet", "d,x\n60,2\n", CSVOptions{Dates: []string{"d=excel"}}, []string{"f.csv:2:", `"60" is not a date`}},
		{"days beyond all", "d,x\n2958466,2\n", CSVOptions{Dates: []string{"d=excel"}}, []string{"f.csv:2:", `"2958466" is not a date`}},
		{"order of days open", "d,x\n45352,2\n01/02/2024,2\n", CSVOptions{Dates: []string{"d=excel"}}, []string{"f.csv:3:", "may be day/month or month/day"}},
		{"no date", "d,x\n2024-03-01,1\n2024-02-30,2\n", CSVOptions{Dates: []string{"d"}}, []string{"f.csv:3:", `"2024-02-30" is not a date`, "2024-03-01"}},
		{"number", "d,x\n2024-03-01,1\n20240301,2\n", CSVOptions{Dates: []string{"d"}}, []string{"f.csv:3:", "is not a date"}},
		{"marker", "d,x\n2024-03-01,1\n.,2\n", CSVOptions{Dates: []string{"d"}}, []string{"f.csv:3:", `CSVOptions.NA "."`}},
		{"text and dates", "d,x\n2024-03-01,1\n", CSVOptions{Dates: []string{"d"}, Text: []string{"d"}}, []string{`column "d"`, "both as text and as dates"}},
		{"a part that is a column", "d,d year\n2024-03-01,1\n", CSVOptions{Dates: []string{"d"}}, []string{"f.csv:1:", `"d year"`}},
		{"malformed", "d,x\n1,1\n", CSVOptions{Dates: []string{"[d"}}, []string{"malformed"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := open(t, tt.content, tt.opt)
			wantError(t, err, tt.want...)
		})
	}
	c := mustOpen(t, "d,x\n2024-03-01,1\n", CSVOptions{Dates: []string{"d"}, Only: []Column{{Name: "d", Kind: Text}, {Name: "x"}}})
	wantTable(t, c, map[string][]float64{"x": {1}}, map[string][]string{"d": {"2024-03-01"}})
	roles, err := AssignRoles(cols("x u"), append(cols("u"), mustOpen(t, "d,x\n2024-03-01,1\n", CSVOptions{Dates: []string{"d"}}).Columns()[:4]...), RoleOptions{Y: []string{"d"}})
	if want := dateNames("d"); err != nil || !slices.Equal(roles.Y, want) {
		t.Errorf("Y is %q (%v), want %q", roles.Y, err, want)
	}
}
