package main

import (
	"strings"
	"testing"
)

// TestRowsWithoutValues: rows of commas alone, a second header, units and sums are not learned from, but reported
// (alphagov/notifications-utils PR #14, firefly-iii/firefly-iii#691); of what is predicted every row has its prediction.
func TestRowsWithoutValues(t *testing.T) {
	inFolder(t)
	xu := table("x,u", 12, func(i int) []any { return []any{float64(i) / 2, i % 5} })
	uy := table("u,y", 12, func(i int) []any { return []any{i % 5, i % 5 * 2} })
	fit := func(xu, uy string) (model, notes string) {
		write(t, "xu.csv", xu)
		write(t, "uy.csv", uy)
		got := invoke(words("fit --xu xu.csv --uy uy.csv -o m.mediant --method 2step --features 16")...)
		if got.status != statusDone {
			t.Fatal(got.stderr)
		}
		return read(t, "m.mediant"), got.stderr
	}
	want, notes := fit(xu, uy)
	if strings.Contains(notes, "note:") {
		t.Errorf("notes %q of clean tables", notes)
	}
	head, rows, _ := strings.Cut(xu, "\n")
	for name, c := range map[string][2]string{
		"empty":   {xu + strings.Repeat(",\n", 50), "note: xu.csv:14: 50 rows without any value are left out"},
		"header":  {xu + head + "\n", "note: xu.csv:14: the header again"},
		"units":   {head + "\n(s),kg\n" + rows, "note: xu.csv:2: \"(s), kg\": units"},
		"sums":    {xu + "Total,23\n", "note: xu.csv:14: \"Total, 23\": sums"},
		"note":    {xu + "Source: here\n", "note: xu.csv:14: \"Source: here\": a note"},
		"comment": {"# made here\n" + xu, "note: xu.csv:1: \"# made here\": a comment"},
		"sep":     {"sep=,\n" + xu, "note: xu.csv:1: \"sep=,\": the delimiter"},
	} {
		model, notes := fit(c[0], uy)
		if model != want {
			t.Errorf("%s: another model than without", name)
		}
		if !strings.Contains(notes, c[1]) {
			t.Errorf("%s: notes %q, want %q", name, notes, c[1])
		}
	}
	write(t, "new.csv", "x,k\n1,\n,\n2,\n,\n")
	if got := strings.Count(succeed(t, "predict", "m.mediant", "new.csv", "--quiet"), "\n"); got != 5 {
		t.Errorf("%d lines of predictions, want a header and 4", got)
	}
	write(t, "xy.csv", "x,y\n1,4\n,\n2,8\n,\n")
	got := invoke("evaluate", "m.mediant", "--xy", "xy.csv")
	if !strings.Contains(got.stdout, "rows      2\n") || strings.Contains(got.stdout, "without Y") || !strings.Contains(got.stderr, "xy.csv:3: 2 rows without any value") {
		t.Errorf("evaluate: %+v", got)
	}
}
