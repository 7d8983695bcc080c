package main

import (
	"strings"
	"testing"
)

// TestFitDiagnoses: what evaluate says of tables, fit says of those that it learns from, unless --no-diagnosis is set.
func TestFitDiagnoses(t *testing.T) {
	inFolder(t)
	write(t, "xu.csv", table("x,u", 60, func(i int) []any { return []any{i % 5, i%5 + (i*7)%3} }))
	write(t, "uy.csv", table("u,y", 75, func(i int) []any { return []any{i%5 + (i*7)%3, i % 5} }))
	fit := "fit --xu xu.csv --uy uy.csv --phi linear --psi linear -o m.mediant"
	out := succeed(t, words(fit)...)
	for _, want := range []string{"No clear sign that the distribution of U differs", "f(X) explains ", "U explains ", "ties explain", "cannot show whether X says more"} {
		if strings.Count(out, want) != 1 {
			t.Errorf("not one %q in %q", want, out)
		}
	}
	d, ok := object(t, succeed(t, words(fit+" --json")...))["diagnosis"].(map[string]any)
	for _, key := range []string{"distribution_of_u", "shared_rows", "x_predicts_h", "u_predicts_y", "sensitivity"} {
		if !ok || d[key] == nil {
			t.Errorf("no %s in %v", key, d)
		}
	}
	for _, flag := range []string{" --no-diagnosis", " --no-risk"} {
		if out := succeed(t, words(fit+flag)...); strings.Contains(out, "distribution of U") {
			t.Errorf("%s: %q", flag, out)
		}
	}
	write(t, "far.csv", table("u,y", 75, func(i int) []any { return []any{min(i, 4) + i%3, i % 5} }))
	out = invoke(words("fit --xu xu.csv --uy far.csv --phi linear --psi linear -o m.mediant")...).stdout
	if !strings.Contains(out, "The distribution of U differs") || !strings.Contains(out, "Flag of fit: --shift.") || strings.Contains(out, "form 2") {
		t.Errorf("tables of other distributions of U: %q", out)
	}
	write(t, "apart.csv", table("u,y", 75, func(i int) []any { return []any{9 + i%5, i % 5} }))
	got := invoke(words("fit --xu xu.csv --uy apart.csv --phi linear --psi linear --accept unit-differs --accept no-overlap -o m.mediant")...)
	if got.status != statusDone || strings.Contains(got.stdout, "--shift") || !strings.Contains(got.stderr, "no risk: ") {
		t.Errorf("tables apart: %+v", got)
	}
}

// TestEvaluateFewRows: fewer rows than folds are a warning, as is what training had not seen.
func TestEvaluateFewRows(t *testing.T) {
	inFolder(t)
	write(t, "xu.csv", table("x,c,u", 60, func(i int) []any { return []any{i % 5, string(rune('a' + i%2)), i%5 + (i*7)%3} }))
	write(t, "uy.csv", table("u,y", 75, func(i int) []any { return []any{i%5 + (i*7)%3, i % 5} }))
	succeed(t, words("fit --xu xu.csv --uy uy.csv --phi linear --psi linear --lambda 1e-3 --quiet -o m.mediant")...)
	write(t, "few.csv", "x,c,u\n1,a,2\n,b,3\n3,z,4\n")
	write(t, "newuy.csv", "u,y\n1,2\n2,2\n,3\n4,3\n3,1\n0,1\n")
	r := invoke(words("evaluate m.mediant --xu few.csv --uy newuy.csv")...)
	if r.status != statusDone {
		t.Fatalf("%+v", r)
	}
	for _, want := range []string{
		"warning: a table has fewer than 5 rows: the risk is from 3 folds",
		`warning: few.csv: column "x": 1 missing`, `warning: few.csv: column "c": 1 value that`, `warning: newuy.csv: column "u": 1 missing`,
	} {
		if !strings.Contains(r.stderr, want) {
			t.Errorf("no %q in %q", want, r.stderr)
		}
	}
	if strings.Count(r.stderr, "warning") != 4 {
		t.Errorf("warns %q", r.stderr)
	}
	write(t, "one.csv", "u,y\n1,2\n")
	if r := invoke(words("evaluate m.mediant --xu few.csv --uy one.csv --accept no-overlap")...); r.status == statusDone || !strings.Contains(r.stderr, "at least 2 rows") {
		t.Errorf("one row: %+v", r)
	}
}

// TestTighterOnlyIfTighter: a level of U that only one table has leaves the Riesz weight free, and the bracket
// made with it as wide as can be.
func TestTighterOnlyIfTighter(t *testing.T) {
	inFolder(t)
	write(t, "xu.csv", table("x,u", 60, func(i int) []any {
		if i%10 == 0 {
			return []any{i % 5, ""}
		}
		return []any{i % 5, i%5 + (i*7)%3}
	}))
	write(t, "uy.csv", table("u,y", 75, func(i int) []any { return []any{i%5 + (i*7)%3, i % 5} }))
	out := invoke(words("fit --xu xu.csv --uy uy.csv --phi linear --psi linear --lambda 1e-3 --w 1 -o m.mediant")...).stdout
	if !strings.Contains(out, "bracket   ") || strings.Contains(out, "tighter   ") {
		t.Errorf("fit prints %q", out)
	}
}
