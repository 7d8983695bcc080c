package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mediant/report"
	"mediant/theory"
)

// withChecks makes verify find these checks until the test ends, and returns the options it was given.
func withChecks(t *testing.T, checks ...theory.Check) *theory.Options {
	t.Helper()
	var got theory.Options
	old := verifyClaims
	t.Cleanup(func() { verifyClaims = old })
	verifyClaims = func(_ context.Context, o theory.Options) (*report.Document, []theory.Check, error) {
		got = o
		return &report.Document{Title: "title"}, checks, nil
	}
	return &got
}

var (
	goodCheck = theory.Check{Name: "first claim", Reference: "9.1", Statement: "a <= b", Got: 1, Bound: 2, Relation: "<=", Verdict: theory.Holds}
	badCheck  = theory.Check{Name: "second claim", Reference: "9.2", Statement: "c <= d", Got: 3, Bound: 2, Relation: "<=", Verdict: theory.Fails}
)

func TestVerifyHolds(t *testing.T) {
	options := withChecks(t, goodCheck)
	dir := filepath.Join(t.TempDir(), "new")
	var stdout, stderr bytes.Buffer
	if status := run(t.Context(), []string{"verify", "--quick", "--seed", "5", "-o", dir}, &stdout, &stderr); status != statusDone {
		t.Fatalf("status %d: %s", status, stderr.String())
	}
	if !options.Quick || options.Seed != 5 {
		t.Errorf("options are %+v", *options)
	}
	for _, part := range []string{"first claim", "9.1", "a <= b", "<= 2", "holds"} {
		if !strings.Contains(stdout.String(), part) {
			t.Errorf("%q is not in\n%s", part, stdout.String())
		}
	}
	text, err := os.ReadFile(filepath.Join(dir, "report.json"))
	if err != nil {
		t.Fatal(err)
	}
	var d report.Document
	if err := json.Unmarshal(text, &d); err != nil || d.Title != "title" {
		t.Errorf("report: %v, %+v", err, d)
	}
}

// A failing check exits with 1, names its claim, and leaves the table and the report.
func TestVerifyFails(t *testing.T) {
	withChecks(t, goodCheck, badCheck, badCheck)
	dir := t.TempDir()
	var stdout, stderr bytes.Buffer
	if status := run(t.Context(), []string{"verify", "-o", dir, "--json"}, &stdout, &stderr); status != statusData {
		t.Errorf("status %d", status)
	}
	if s := stderr.String(); strings.Count(s, "second claim") != 1 || strings.Contains(s, "first claim") || strings.Count(s, "\n") != 1 {
		t.Errorf("stderr: %s", s)
	}
	var got struct {
		Checks []theory.Check
		Seed   *uint64
	}
	if err := json.Unmarshal(stdout.Bytes(), &got); err != nil || len(got.Checks) != 3 || got.Checks[1] != badCheck || got.Seed == nil {
		t.Errorf("JSON: %v, %+v", err, got)
	}
	if _, err := os.Stat(filepath.Join(dir, "report.json")); err != nil {
		t.Error(err)
	}
}

func TestVerifyUsage(t *testing.T) {
	withChecks(t, goodCheck)
	for _, args := range [][]string{{"verify", "surplus"}, {"verify", "--seed", "x"}} {
		var out bytes.Buffer
		if status := run(t.Context(), args, &out, &out); status != statusUsage {
			t.Errorf("%v: status %d", args, status)
		}
	}
}
