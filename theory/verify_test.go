package theory

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mediant/report"
)

// fixed is a claim with one check.
func fixed(name string, wait time.Duration, check Check) Claim {
	return Claim{
		Name: name, Reference: "here", Statement: "statement of " + name, Assumptions: "none", Method: "none",
		Run: func(context.Context, Options) (Result, error) {
			time.Sleep(wait)
			return Result{Checks: []Check{check}, Charts: []report.Chart{{Name: "chart-" + name}}}, nil
		},
	}
}

func TestVerifyKeepsTheOrder(t *testing.T) {
	claims := []Claim{
		fixed("slow", 20*time.Millisecond, atMost("s", 1, 2)),
		fixed("quick", 0, atMost("q", 3, 2)),
		fixed("own", 0, Check{Name: "its own name", Reference: "there", Statement: "o", Relation: ">", Got: 3, Bound: 2, Verdict: Holds}),
	}
	d, checks, err := verify(t.Context(), Options{Seed: 7, Quick: true}, claims)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, c := range checks {
		names = append(names, c.Name+" "+c.Reference)
	}
	if diff := cmp.Diff([]string{"slow here", "quick here", "its own name there"}, names); diff != "" {
		t.Error(diff)
	}
	if failed := Failed(checks); len(failed) != 1 || failed[0].Name != "quick" {
		t.Errorf("failed: %+v", failed)
	}
	if s := strings.Join(d.Summary, " "); !strings.Contains(s, "3 claims, 3 checks: 1 FAIL") || !strings.Contains(s, "Quick run, seed 7") {
		t.Errorf("summary: %s", s)
	}
	if len(d.Sections) != 4 || d.Sections[1].Title != "slow" || d.Sections[3].Charts[0].Name != "chart-own" {
		t.Errorf("sections: %+v", d.Sections)
	}
}

func TestVerifyStopsAtAnError(t *testing.T) {
	broken := errors.New("broken")
	claims := []Claim{
		fixed("good", 0, atMost("g", 1, 2)),
		{Name: "bad", Run: func(context.Context, Options) (Result, error) { return Result{}, broken }},
	}
	if _, _, err := verify(t.Context(), quick, claims); !errors.Is(err, broken) || !strings.Contains(err.Error(), "bad") {
		t.Errorf("error is %v", err)
	}
	claims[1].Run = func(context.Context, Options) (Result, error) { return Result{}, nil }
	if _, _, err := verify(t.Context(), quick, claims); err == nil || !strings.Contains(err.Error(), "nothing was measured") {
		t.Errorf("a claim without checks: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := Verify(ctx, quick); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestClaimsObeyTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []Claim{
		rightBound.claim(), rightClosedForm.claim(), rightLimit.claim(), rightClassLimit.claim(), rightConsistency.claim(), rightShrinkage.claim(),
		rightJensen.claim(), rightViolation.claim(), rightEmbedding.claim(), rightUncoupledRisk.claim(),
		rightMinimaxAny.claim(), rightLeCam.claim(), rightTwins.claim(), rightPrecision.claim(), rightOptimism.claim(),
	} {
		if _, err := c.Run(ctx, quick); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error is %v", c.Name, err)
		}
	}
}

func TestWriteText(t *testing.T) {
	checks := []Check{
		atMost("small", 1e-15, 1e-12),
		near("slope", -1.01, -1, .01, .03),
		above("positive", 0, 1),
	}
	for i := range checks {
		checks[i].Name, checks[i].Reference = "a claim", "docs/theory.md, 9.1"
	}
	checks[2].Name = "another claim"
	var got strings.Builder
	if err := WriteText(&got, checks); err != nil {
		t.Fatal(err)
	}
	want := `
a claim  (docs/theory.md, 9.1)
  holds  1e-15                     <= 1e-12                small
  holds  -1.01 (s.e. 0.01)         = -1 ± 0.1              slope

another claim  (docs/theory.md, 9.1)
  FAILS  0                         > 1                     positive
`
	if diff := cmp.Diff(want, got.String()); diff != "" {
		t.Error(diff)
	}
}

func TestOverviewCountsAndMarks(t *testing.T) {
	claims := []Claim{{Name: "a", Reference: "1"}, {Name: "b", Reference: "2"}}
	results := []Result{{Checks: []Check{atMost("small", 0, 1)}}, {Checks: []Check{atMost("small", 0, 1), above("positive", 0, 1)}}}
	table := overview(claims, results)
	if table.Rows[0][3].Mark != report.Good || table.Rows[1][3].Mark != report.Bad || table.Rows[1][3].Text != "1 FAIL" {
		t.Errorf("verdicts %+v and %+v", table.Rows[0][3], table.Rows[1][3])
	}
	if *table.Rows[1][2].Value != 2 {
		t.Errorf("%g checks, want 2", *table.Rows[1][2].Value)
	}
}

// Every claim says all that the report prints, and names its charts once.
func TestClaimsAreComplete(t *testing.T) {
	names := make(map[string]bool)
	for _, c := range Claims() {
		if c.Name == "" || c.Reference == "" || c.Statement == "" || c.Assumptions == "" || c.Method == "" || c.Run == nil {
			t.Errorf("%q is not complete", c.Name)
		}
		if names[c.Name] {
			t.Errorf("%q is there twice", c.Name)
		}
		names[c.Name] = true
		// Of these two the statement is about formulas of other claims.
		if about := c.Name == "Constants of the excess-risk bounds" || c.Name == "Formulas of the paper that do not hold as printed"; about != (len(c.Formulas) == 0) {
			t.Errorf("%s has the formulas %q", c.Name, c.Formulas)
		}
		d := report.Document{Title: c.Name, Sections: []report.Section{section(c, Result{})}}
		var page strings.Builder
		if err := d.WriteHTML(&page); err != nil || strings.Count(page.String(), "<math") != len(c.Formulas) {
			t.Errorf("%s: %v, formulas drawn: %d of %d", c.Name, err, strings.Count(page.String(), "<math"), len(c.Formulas))
		}
	}
}

// TestMeasurementsAreNamedByWhatTheyHold: deviations with their tolerance, values with what bounds them, each in a table of its own.
func TestMeasurementsAreNamedByWhatTheyHold(t *testing.T) {
	var same tally
	same.equal(1, 1, 1)
	g := &gauge{}
	g.near("n", "zero", 1e-14, 0, 0, 1e-12)
	g.near("n", "mean", 1, 1.1, .1, 0)
	tables := measurements(append(g.checks, same.identity("same"), atMost("small", 1, 2)))
	var got []string
	for _, table := range tables {
		got = append(got, strings.Join(table.Columns[1:3], ", "))
		for _, row := range table.Rows {
			got = append(got, row[0].Text)
		}
	}
	if want := []string{"deviation, tolerance", "zero", "same (worst of 1)", "value, bound or expected value", "mean", "small"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if len(measurements(g.checks[1:])) != 1 {
		t.Error("there is a table without a row")
	}
}

// The quick run holds and makes a report that can be drawn and written as JSON.
func TestVerifyQuick(t *testing.T) {
	if testing.Short() {
		t.Skip("a quick run takes seconds")
	}
	d, checks, err := Verify(t.Context(), quick)
	if err != nil {
		t.Fatal(err)
	}
	wantHolds(t, checks)
	wantDrawable(t, d)
	if _, err := json.Marshal(d); err != nil {
		t.Error(err)
	}
}

// The same options give the same report, byte by byte, for any number of processors.
func TestVerifyIsDeterministic(t *testing.T) {
	claims := []Claim{rightBound.claim(), rightClosedForm.claim(), rightLimit.claim(), rightJensen.claim()}
	text := func(o Options) string {
		d, _, err := verify(t.Context(), o, claims)
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	want := text(quick)
	if text(Options{Quick: true, Seed: 1}) == want {
		t.Error("the seed makes no difference")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	if text(quick) != want {
		t.Error("one processor gives another report")
	}
}

// Charts of one distribution are not empty for any seed.
func TestChartsOfAnySeed(t *testing.T) {
	for seed := range uint64(50) {
		o := Options{Quick: true, Seed: seed}
		wantDrawable(t, &report.Document{Sections: []report.Section{
			{Charts: []report.Chart{rightBound.chart(o), rightLimit.chart(o), rightShrinkage.chart(o)}},
		}})
	}
}

// wantDrawable checks that charts have finite points, positive on log axes, and names of their own.
func wantDrawable(t *testing.T, d *report.Document) {
	t.Helper()
	names := make(map[string]bool)
	for _, s := range d.Sections {
		for _, c := range s.Charts {
			if names[c.Name] || c.Name == "" {
				t.Errorf("chart name %q is empty or there twice", c.Name)
			}
			names[c.Name] = true
			for _, series := range c.Series {
				if len(series.X) == 0 || len(series.X) != len(series.Y) {
					t.Errorf("%s: %q has %d and %d coordinates", c.Name, series.Name, len(series.X), len(series.Y))
				}
				for i := range series.X {
					bad := func(v float64, log bool) bool { return math.IsNaN(v) || math.IsInf(v, 0) || log && v <= 0 }
					if bad(series.X[i], c.LogX) || bad(series.Y[i], c.LogY) {
						t.Errorf("%s: %q has the point %g, %g", c.Name, series.Name, series.X[i], series.Y[i])
					}
				}
			}
		}
	}
}
