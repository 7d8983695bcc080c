package csv

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mediant/internal/names"
	"mediant/internal/tabletest"
	"mediant/tables"
)

// TestDates: columns of dates become numbers, where the order of day and month is known.
func TestDates(t *testing.T) {
	type numbers = map[string][]float64
	parts := func(name string, rows ...[4]float64) numbers {
		all := numbers{}
		for j, part := range names.OfDates("") {
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
		opt           Options
		numbers       numbers
		dates         []string
	}{
		{"iso", "d,x\n2024-03-01,1\n2024-03-01T12:00:00Z,2\n", Options{Dates: []string{"d"}}, parts("d", first, second), []string{"d"}},
		{"names of months", "d,x\n1 Mar 2024,1\n\"March 1, 2024 12:00\",2\n", Options{Dates: []string{"d"}}, parts("d", first, second), []string{"d"}},
		{"slashes, year first", "d,x\n2024/03/01,1\n2024/03/01 12:00,2\n", Options{Dates: []string{"d"}}, parts("d", first, second), []string{"d"}},
		{"points", "d,x\n01.03.2024,1\n1.3.2024 12:00,2\n", Options{Dates: []string{"d"}}, parts("d", first, second), []string{"d"}},
		{"compact", "d,x\n20240301,1\n2024-03-01T12:00:00Z,2\n", Options{Dates: []string{"d"}}, parts("d", first, second), []string{"d"}},
		{"compact, day first", "d,x\n01032024,1\n20240301,2\n", Options{Dates: []string{"d=dmy"}}, parts("d", first, first), []string{"d=dmy"}},
		{"day first", "d,x\n01/03/2024,1\n13/03/2024,2\n", Options{Dates: []string{"d"}}, parts("d", first, [4]float64{2024, 3, 3, 19795}), []string{"d=dmy"}},
		{"month first", "d,x\n03/01/2024,1\n03/13/2024,2\n", Options{Dates: []string{"d"}}, parts("d", first, [4]float64{2024, 3, 3, 19795}), []string{"d=mdy"}},
		{"order set", "d,x\n03/01/2024,1\n03/01/2024 12:00,2\n", Options{Dates: []string{"d=mdy"}}, parts("d", first, second), []string{"d=mdy"}},
		{"order set, later ones not", "d,x\n03/01/2024,1\n,2\n", Options{Dates: []string{"d=mdy", "d=dmy", "d"}}, parts("d", first, none), []string{"d=mdy"}},
		{"days of a spreadsheet", "d,x\n45352,1\n45352.5,2\n2024-03-01,3\n1/3/2024,4\n,5\n", Options{Dates: []string{"d=excel", "d=dmy"}}, parts("d", first, second, first, first, none), []string{"d=excel", "d=dmy"}},
		{"order without a need", "d,x\n2024-03-01,1\n", Options{Dates: []string{"d=mdy"}}, parts("d", first), []string{"d"}},
		{"missing", "d,x\n2024-03-01,1\nNA,2\n,3\n?,4\n", Options{Dates: []string{"d"}, NA: []string{"?"}}, parts("d", first, none, none, none), []string{"d"}},
		{"glob, and none", "date 1,x\n2024-03-01,1\n", Options{Dates: []string{"date*,other"}}, parts("date 1", first), []string{"date 1"}},
		{"units under the header", "d,x,t\n[date],kg,\n2024-03-01,1,a\n2024-03-01T12:00,2,b\n2024-03-01,2,b\n", Options{Dates: []string{"d"}}, parts("d", first, second, first), []string{"d"}},
		{"where kinds are set", "d,e,x\n2024-03-01,a,1\n", Options{Dates: []string{"d", "e"}, Only: []tables.Column{{Name: "d days"}, {Name: "x"}}}, parts("d", first), []string{"d"}},
		{"a name with a comma", "\"d,e\",x\n2024-03-01,1\n", Options{Dates: []string{"d,e"}}, parts("d,e", first), []string{"d,e"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := mustOpen(t, tt.content, tt.opt)
			got := tabletest.ReadAll(t, c)
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
			again := tabletest.ReadAll(t, mustOpen(t, tt.content, Options{Dates: c.Dates(), NA: tt.opt.NA, Only: tt.opt.Only}))
			if fmt.Sprint(again.Numbers) != fmt.Sprint(got.Numbers) {
				t.Errorf("read again by its own dates: %v, want %v", again.Numbers, got.Numbers)
			}
			header := c.Header()
			if want := strings.Count(strings.SplitN(tt.content, "\n", 2)[0], ",") + 1; len(header) != want && !slices.Contains(header, "d,e") {
				t.Errorf("header %q, want %d names", header, want)
			}
			parts := slices.DeleteFunc(tables.ColumnNames(c.Columns()), func(n string) bool { return !strings.HasPrefix(n, header[0]+" ") })
			if names, err := tables.MatchNames(c.Columns(), header[:1]); err != nil || !slices.Equal(names, parts) || len(parts) != 4 {
				t.Errorf("%q names %q, want %q (%v)", header[0], names, parts, err)
			}
		})
	}
	for _, tt := range []struct {
		name, content string
		opt           Options
		want          []string
	}{
		{"open order", "d,x\n01/02/2024,1\n03/03/2024,2\n", Options{Dates: []string{"d"}}, []string{"f.csv:2:", `column "d"`, `"01/02/2024" may be day/month or month/day`, `Options.Dates "d=dmy" or "d=mdy"`}},
		{"both orders", "d,x\n13/02/2024,1\n03/13/2024,2\n", Options{Dates: []string{"d"}}, []string{"f.csv:3:", "order"}},
		{"against the order", "d,x\n03/13/2024,2\n", Options{Dates: []string{"d=dmy"}}, []string{"f.csv:2:", `"03/13/2024" is no date in the order that Options.Dates "d=dmy" sets`}},
		{"days of a spreadsheet", "d,x\n43960,2\n", Options{Dates: []string{"d"}}, []string{"f.csv:2:", `"43960" is not a date`, `2020-05-09: Options.Dates "d=excel"`}},
		{"no day of a spreadsheet", "d,x\n60,2\n", Options{Dates: []string{"d=excel"}}, []string{"f.csv:2:", `"60" is not a date`}},
		{"days beyond all", "d,x\n2958466,2\n", Options{Dates: []string{"d=excel"}}, []string{"f.csv:2:", `"2958466" is not a date`}},
		{"order of days open", "d,x\n45352,2\n01/02/2024,2\n", Options{Dates: []string{"d=excel"}}, []string{"f.csv:3:", "may be day/month or month/day"}},
		{"no date", "d,x\n2024-03-01,1\n2024-02-30,2\n", Options{Dates: []string{"d"}}, []string{"f.csv:3:", `"2024-02-30" is not a date`, "2024-03-01"}},
		{"number", "d,x\n2024-03-01,1\n20241301,2\n", Options{Dates: []string{"d"}}, []string{"f.csv:3:", "is not a date"}},
		{"marker", "d,x\n2024-03-01,1\n.,2\n", Options{Dates: []string{"d"}}, []string{"f.csv:3:", `Options.NA "."`}},
		{"text and dates", "d,x\n2024-03-01,1\n", Options{Dates: []string{"d"}, Text: []string{"d"}}, []string{`column "d"`, "both as text and as dates"}},
		{"a part that is a column", "d,d year\n2024-03-01,1\n", Options{Dates: []string{"d"}}, []string{"f.csv:1:", `"d year"`}},
		{"malformed", "d,x\n1,1\n", Options{Dates: []string{"[d"}}, []string{"malformed"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := open(t, tt.content, tt.opt)
			wantError(t, err, tt.want...)
		})
	}
	c := mustOpen(t, "d,x\n2024-03-01,1\n", Options{Dates: []string{"d"}, Only: []tables.Column{{Name: "d", Kind: tables.Text}, {Name: "x"}}})
	tabletest.WantTable(t, c, map[string][]float64{"x": {1}}, map[string][]string{"d": {"2024-03-01"}})
	roles, err := tables.AssignRoles(tabletest.Columns("x u"), append(tabletest.Columns("u"), mustOpen(t, "d,x\n2024-03-01,1\n", Options{Dates: []string{"d"}}).Columns()[:4]...), tables.RoleOptions{Y: []string{"d"}})
	if want := names.OfDates("d"); err != nil || !slices.Equal(roles.Y, want) {
		t.Errorf("Y is %q (%v), want %q", roles.Y, err, want)
	}
}
