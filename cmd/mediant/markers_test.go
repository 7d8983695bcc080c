package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestMissingMarkers: a marker of missing values is refused with the flag that says what it is, also in Y, and with it the rows
// are used; the model reads later tables in the same way.
func TestMissingMarkers(t *testing.T) {
	inFolder(t)
	fit := words("fit --xu xu.csv --uy uy.csv -o m.mediant --no-risk --method 2step --features 16")
	row := func(i int) (float64, int, float64) { return float64(i) / 2, i % 5, float64(i % 5 * 2) }
	tablesWith := func(u, y string) {
		write(t, "xu.csv", table("x,satis faction", 20, func(i int) []any {
			x, s, _ := row(i)
			if i == 3 {
				return []any{x, u}
			}
			return []any{x, s}
		}))
		write(t, "uy.csv", table("satis faction,y", 20, func(i int) []any {
			_, s, v := row(i)
			if i == 7 {
				return []any{s, y}
			}
			return []any{s, v}
		}))
	}
	fitted := func(args ...string) string {
		t.Helper()
		if got := invoke(append(slices.Clone(fit), args...)...); got.status != statusDone {
			t.Fatalf("%q: %s", args, got.stderr)
		}
		return succeed(t, "inspect", "m.mediant", "--json")
	}
	tablesWith("", "")
	want := fitted()
	for _, marker := range []string{".", "#N/A", "<NA>", "None", "?", "-", "n/a", "missing", "unknown"} {
		tablesWith(marker, "")
		got := invoke(fit...)
		if got.status != statusData || !strings.Contains(got.stderr, fmt.Sprintf(`xu.csv:5: column "satis faction": %q is not a number; if it marks missing values: --na %[1]q`, marker)) {
			t.Errorf("%s in U: %+v", marker, got)
		}
		tablesWith("", marker)
		got = invoke(fit...)
		if got.status != statusData || !strings.Contains(got.stderr, fmt.Sprintf(`uy.csv:9: column "y": %q is not a number; if it marks missing values: --na %[1]q`, marker)) {
			t.Errorf("%s in Y: %+v", marker, got)
		}
		tablesWith(marker, marker)
		if got := withoutReading(fitted("--na", marker)); got != withoutReading(want) {
			t.Errorf("--na %s: another model than with empty cells", marker)
		}
	}
	for _, c := range []struct {
		u, y string
		args []string
	}{
		{"-99", "-99.0", []string{"--na", "-99"}},
		{"-99", "?", []string{"--na", "-99,?"}},
		{"-99", "?", []string{"--na", "-99", "--na", "?"}},
		{"1000", "77", []string{"--na", "satis faction=1000", "--na", "y=77"}},
		{"-8", "-9", []string{"--na", `*=-9,"satis faction=-8"`}},
	} {
		tablesWith(c.u, c.y)
		if got := withoutReading(fitted(c.args...)); got != withoutReading(want) {
			t.Errorf("%q: another model than with empty cells", c.args)
		}
	}
	// The model knows of the markers.
	write(t, "empty.csv", "x,y\n1,2\n,4\n3,\n")
	write(t, "marked.csv", "x,y\n1,2\n-9,4\n3,-9\n")
	for _, file := range []string{"empty.csv", "marked.csv"} {
		write(t, file+".p", invoke("predict", "m.mediant", file, "--quiet").stdout+invoke("evaluate", "m.mediant", "--xy", file).stdout)
	}
	if a, b := read(t, "empty.csv.p"), read(t, "marked.csv.p"); a != b {
		t.Errorf("markers of the model: %s, want %s", b, a)
	}
	write(t, "marked.csv", "x\n?\n1\n")
	if got := invoke("predict", "m.mediant", "marked.csv"); got.status != statusData || !strings.Contains(got.stderr, `--na "?"`) {
		t.Errorf("another marker: %+v", got)
	}
	if got := invoke("predict", "m.mediant", "marked.csv", "--na", "?", "--quiet"); got.status != statusDone {
		t.Errorf("another marker with --na: %+v", got)
	}
	if got := invoke(append(fit, "--na", "nosuch=1")...); got.status != statusData || !strings.Contains(got.stderr, `--na nosuch=1: no column "nosuch"`) {
		t.Errorf("a column that is not there: %+v", got)
	}
	if out := succeed(t, "inspect", "m.mediant"); !strings.Contains(out, "missing   *=-9, satis faction=-8") {
		t.Errorf("inspect: %s", out)
	}
}

// withoutReading is a header without its section on reading.
func withoutReading(header string) string {
	var keys map[string]any
	if err := json.Unmarshal([]byte(header), &keys); err != nil {
		panic(err)
	}
	delete(keys, "reading")
	delete(keys, "sections")
	text, err := json.Marshal(keys)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// TestMarkersWithDecimalCommas: a marker with a decimal comma is one number, whatever marks later tables have.
func TestMarkersWithDecimalCommas(t *testing.T) {
	inFolder(t)
	write(t, "xu.csv", "x;u\n1,5;2\n2,5;1\n-99,5;3\n4;0\n")
	write(t, "uy.csv", "u,y\n1,2\n0,1.5\n3,-99.5\n2,4\n")
	got := invoke(words("fit --xu xu.csv --uy uy.csv -o m.mediant --no-risk --quiet --method 2step --phi linear --psi linear --lambda 0.1 --delimiter-xu ; --decimal-xu , --na -99,5")...)
	if got.status != statusDone {
		t.Fatal(got.stderr)
	}
	write(t, "a.csv", "x\n-99.5\n1\n")
	write(t, "b.csv", "x\n\"\"\n1\n")
	a, b := invoke("predict", "m.mediant", "a.csv", "--quiet"), invoke("predict", "m.mediant", "b.csv", "--quiet")
	if a != b || a.status != statusDone {
		t.Errorf("%+v, want %+v", a, b)
	}
}
