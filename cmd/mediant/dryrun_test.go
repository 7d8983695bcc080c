package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"mediant/rr"
)

// TestDryRun: columns, roles, sizes, memory and time are printed, findings go to stderr, and nothing is written. -o is not needed.
func TestDryRun(t *testing.T) {
	inFolder(t)
	write(t, "a.csv", table("id,x,x2,u", 60, func(i int) []any { return []any{fmt.Sprintf("P%05d", i), i % 7, string(rune('a' + i%3)), i % 11} }))
	write(t, "b.csv", table("u,y", 50, func(i int) []any { return []any{i % 11, []string{"no", "yes"}[i%2]} }))
	got := invoke(words("fit --xu a.csv --uy b.csv --dry-run")...)
	if got.status != statusDone || !strings.Contains(got.stderr, `"id"`) {
		t.Fatalf("%+v", got)
	}
	for _, part := range []string{
		"a.csv: 60 rows\n", "b.csv: 50 rows\n", "x2      X     level", "id      -     identifier",
		"\nrows      60 of X and U, 50 of U and Y\n", "\nclasses   no, yes\n", "\nphi       31 maps of X are compared at 120 features: linear; additive:gaussian",
		"\nfeatures  120 of X and 220 of U in the final fit", "\nmemory    at most ", "\ntime      about ", "\ndry run   nothing was fitted or written\n",
	} {
		if !strings.Contains(got.stdout, part) {
			t.Errorf("no %q in\n%s", part, got.stdout)
		}
	}
	v := object(t, invoke(words("fit --xu a.csv --uy b.csv --dry-run --json --method 2step --phi linear --psi linear --lambda 1 -o m.mediant")...).stdout)
	isNumber(t, v, 0, "seconds", "low")
	if x := at(t, v, "roles", "x").([]any); len(x) != 2 || x[1].(map[string]any)["kind"] != "level" {
		t.Errorf("X: %v", x)
	}
	if n := at(t, v, "features", "final").([]any)[0]; n != numberAt(t, v, "encoded_columns", "x") || n != 4. { // x, and 3 levels
		t.Errorf("%v features of X", n)
	}
	if got := files(t); len(got) != 2 {
		t.Errorf("files %v", got)
	}
	write(t, "b.csv", table("u,y", 50, func(i int) []any { return []any{string(rune('a' + i%11)), i % 7} }))
	if got := invoke(words("fit --xu a.csv --uy b.csv --dry-run")...); got.status != statusData || got.stdout != "" || !strings.Contains(got.stderr, `"u"`) {
		t.Errorf("U is numbers and text: %+v", got)
	}
}

// TestDryRunMemoryIsThatOfTheFit: a fit within the memory that is named is not refused, and one within two thirds of it is.
func TestDryRunMemoryIsThatOfTheFit(t *testing.T) {
	inFolder(t)
	surrogateTables(t, 100)
	const fit = "fit --xu xu.csv --uy uy.csv --u u,v -o m.mediant --method 2step --lambda 1 --phi gaussian --psi gaussian --bandwidth-x 1 --bandwidth-u 1 --features 300 --solver closed "
	bytes := numberAt(t, object(t, invoke(words(fit+"--dry-run --json")...).stdout), "memory", "bytes")
	if got := invoke(words(fit + fmt.Sprintf("--no-diagnosis --memory %.0f", bytes))...); got.status != statusDone {
		t.Errorf("%+v", got)
	}
	if got := invoke(words(fit + fmt.Sprintf("--memory %.0f", bytes*2/3))...); got.status != statusData || !strings.Contains(got.stderr, "--memory") {
		t.Errorf("%+v", got)
	}
}

// BenchmarkDryRun reports how many times as long as estimated a fit takes: about 1. Linear maps are the best for these tables.
func BenchmarkDryRun(b *testing.B) {
	rr.UseFastBLAS()
	for _, of := range []struct {
		rows  int
		flags string
	}{
		{3000, ""}, {3000, "--features 200"}, {20000, "--phi linear --psi linear"},
		{20000, "--method 2step --lambda 1e-3 --phi gaussian --psi gaussian --bandwidth-x 1 --bandwidth-u 1"},
		{3000, "--method joint --phi nystrom:gaussian --psi nystrom:gaussian --features 400"},
	} {
		b.Run(fmt.Sprintf("%d rows %s", of.rows, of.flags), func(b *testing.B) {
			b.Chdir(b.TempDir())
			surrogateTables(b, of.rows)
			line := "fit --xu xu.csv --uy uy.csv --x x --u u,v --y y --ignore mine,half,fold -o m.mediant --json " + of.flags
			for b.Loop() {
				var v struct{ Seconds struct{ Estimate float64 } }
				if err := json.Unmarshal([]byte(invoke(words(line+" --dry-run")...).stdout), &v); err != nil {
					b.Fatal(err)
				}
				start := time.Now()
				if got := invoke(words(line)...); got.status != statusDone {
					b.Fatal(got.stderr)
				}
				b.ReportMetric(time.Since(start).Seconds()/v.Seconds.Estimate, "taken/estimated")
			}
		})
	}
}
