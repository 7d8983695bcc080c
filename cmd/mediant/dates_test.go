package main

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestDates: a column of dates counts as its parts, which flags can name, and a model reads later tables in the same way.
func TestDates(t *testing.T) {
	inFolder(t)
	day := func(i int) time.Time { return time.Date(2023, 1, 1+11*i, 0, 0, 0, 0, time.UTC) }
	weekday := func(d time.Time) int { return (int(d.Weekday())+6)%7 + 1 }
	in := func(layout string) (xu, uy string) {
		xu = table("enrolled,x,u", 30, func(i int) []any { return []any{day(i).Format(layout), i % 7, i % 4} })
		uy = table("enrolled,u,y", 30, func(i int) []any { return []any{day(i + 3).Format(layout), i % 4, weekday(day(i + 3))} })
		return xu, uy
	}
	fit := func(args ...string) string {
		t.Helper()
		succeed(t, append(words("fit --xu xu.csv --uy uy.csv -o m.mediant --no-risk --quiet --method 2step --phi linear --psi linear --lambda 1e-3"), args...)...)
		header := object(t, succeed(t, "inspect", "m.mediant", "--json"))
		return fmt.Sprint(at(t, header, "roles", "x"), at(t, header, "roles", "u"), at(t, header, "roles", "y"))
	}
	xu, uy := in("2006-01-02")
	write(t, "xu.csv", xu)
	write(t, "uy.csv", uy)
	const parts = "enrolled year enrolled month enrolled weekday enrolled days"
	if got := fit("--dates", "enrolled"); got != "[x] ["+parts+" u] [y]" {
		t.Errorf("roles %s", got)
	}
	if got := fit("--dates", "enrolled", "--x", "enrolled", "--u", "u", "--y", "y"); got != "["+parts+"] [u] [y]" {
		t.Errorf("roles %s", got)
	}
	if got := fit("--dates", "enr*", "--u", "enrolled w*", "--x", "x", "--y", "y"); got != "[x] [enrolled weekday] [y]" {
		t.Errorf("roles %s", got)
	}
	if got := fit("--dates", "enrolled", "--ignore", "enrolled"); got != "[x] [u] [y]" {
		t.Errorf("roles %s", got)
	}
	fit("--dates", "enrolled", "--x", "enrolled", "--u", "u", "--y", "y")
	write(t, "new.csv", "k,enrolled\n1,2024-05-17\n2,2023-03-02T18:00:00Z\n")
	want := succeed(t, "predict", "m.mediant", "new.csv")
	write(t, "parts.csv", fmt.Sprintf("enrolled year,enrolled month,enrolled weekday,enrolled days\n2024,5,5,%d\n2023,3,4,%v\n", time.Date(2024, 5, 17, 0, 0, 0, 0, time.UTC).Unix()/86400, 19418.75))
	if got := succeed(t, "predict", "m.mediant", "parts.csv"); got != want {
		t.Errorf("predictions of the parts %q, want %q", got, want)
	}
	write(t, "xy.csv", "enrolled,y\n2024-05-17,3\n2023-03-02,4\n")
	succeed(t, "evaluate", "m.mediant", "--xy", "xy.csv")
	if out := succeed(t, "inspect", "m.mediant"); !strings.Contains(out, "dates     enrolled\n") {
		t.Errorf("inspect: %s", out)
	}
	// Another form in each table, and a later one that cannot tell by itself.
	model := withoutReading(succeed(t, "inspect", "m.mediant", "--json"))
	xu, _ = in("02/01/2006")
	_, uy = in("02.01.2006 15:04")
	write(t, "xu.csv", xu)
	write(t, "uy.csv", uy)
	fit("--dates", "enrolled", "--x", "enrolled", "--u", "u", "--y", "y")
	if got := succeed(t, "inspect", "m.mediant", "--json"); withoutReading(got) != model || !strings.Contains(got, `"enrolled=dmy"`) {
		t.Error("dates in other forms give another model")
	}
	write(t, "new.csv", "enrolled\n03/02/2023\n")
	write(t, "same.csv", "enrolled\n2023-02-03\n")
	if got, want := succeed(t, "predict", "m.mediant", "new.csv"), succeed(t, "predict", "m.mediant", "same.csv"); got != want {
		t.Errorf("03/02/2023 gives %q, want %q", got, want)
	}
	if got, want := succeed(t, "predict", "m.mediant", "new.csv", "--dates", "enrolled=mdy"), succeed(t, "predict", "m.mediant", "same.csv"); got == want {
		t.Error("--dates enrolled=mdy has no effect on 03/02/2023")
	}
	write(t, "xu.csv", "enrolled,u\n03/02/2023,1\n04/02/2023,2\n")
	for _, c := range [][2]string{{"enrolled", `--dates "enrolled=dmy" or "enrolled=mdy"`}, {"nosuch", `--dates: no column "nosuch"`}, {"u", `column "u": "1" is not a date`}} {
		got := invoke(words("fit --xu xu.csv --uy uy.csv -o n.mediant --dates " + c[0])...)
		if got.status != statusData || !strings.Contains(got.stderr, c[1]) {
			t.Errorf("--dates %s: %+v, want %q", c[0], got, c[1])
		}
	}
}
