package main

import (
	"strings"
	"testing"
)

// TestEvaluateDiagnoses: Y is U + X and so depends on X beyond U, which coupled rows show and the two
// tables do not.
func TestEvaluateDiagnoses(t *testing.T) {
	inFolder(t)
	x := func(i int) int { return i % 5 }
	u := func(i int) int { return i%5 + (i*7)%3 } // U depends on X, but does not tell it
	write(t, "xu.csv", table("x,u", 60, func(i int) []any { return []any{x(i), u(i)} }))
	write(t, "uy.csv", table("u,y", 75, func(i int) []any { return []any{u(i), u(i) + x(i)} }))
	write(t, "xuy.csv", table("y,u,x", 45, func(i int) []any { return []any{u(i) + x(i), u(i), x(i)} }))
	succeed(t, words("fit --xu xu.csv --uy uy.csv --phi linear --psi linear --quiet -o m.mediant")...)
	out := succeed(t, words("evaluate m.mediant --xu xu.csv --uy uy.csv")...)
	for _, want := range []string{"distribution of U", "X explains ", "U explains ", "ties explain", "cannot show whether X says more"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in %q", want, out)
		}
	}
	if strings.Contains(out, "coupled rows") {
		t.Errorf("two tables are said to test what they cannot: %q", out)
	}
	if out := succeed(t, words("evaluate m.mediant --xu xu.csv --uy uy.csv --xuy xuy.csv")...); !strings.Contains(out, "On 45 coupled rows X says more of Y than U does") {
		t.Errorf("with coupled rows: %q", out)
	}
	got := object(t, succeed(t, words("evaluate m.mediant --xu xu.csv --uy uy.csv --xuy xuy.csv --json")...))
	d, ok := got["diagnosis"].(map[string]any)
	if !ok || got["risk"] == nil {
		t.Fatalf("JSON %v", got)
	}
	for _, key := range []string{"distribution_of_u", "shared_rows", "x_predicts_h", "u_predicts_y", "sensitivity", "cmi"} {
		if d[key] == nil {
			t.Errorf("no %s in %v", key, d)
		}
	}
	for line, says := range map[string]string{
		"evaluate m.mediant --xuy xuy.csv":                          "--xu is missing",
		"evaluate m.mediant --xu - --uy uy.csv --xuy -":             "standard input",
		"evaluate m.mediant --xu xu.csv --uy uy.csv --xuy none.csv": "none.csv",
	} {
		if r := invoke(words(line)...); r.status == statusDone || !strings.Contains(r.stderr, says) {
			t.Errorf("%s: %+v", line, r)
		}
	}
}
