package tables_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"mediant/tables"
)

func TestReplicateColumns(t *testing.T) {
	var columns []tables.Column
	for _, name := range strings.Fields("u wt rep10 rep2 rep1 r01 r02 a1-a2 a1 a2 word") {
		kind := tables.Numeric
		if name == "word" {
			kind = tables.Text
		}
		columns = append(columns, tables.Column{Name: name, Kind: kind})
	}
	for patterns, want := range map[string]string{
		"rep*":        "rep1 rep2 rep10",
		"rep1-rep2":   "rep1 rep2",
		"rep1-2":      "rep1 rep2",
		"r01-r02":     "r01 r02",
		"rep10,rep1":  "rep1 rep10",
		"a1-a2":       "a1-a2", // a column of that name
		"w*,rep?":     "",      // of the globs one has weights and text
		"rep1-rep3":   "",
		"rep2-rep1":   "",
		"nosuch":      "",
		"word":        "",
		"wt":          "",
		"rep1-rep1e9": "",
	} {
		got, err := tables.ReplicateColumns(columns, []string{patterns}, tables.RoleOptions{WeightsXU: "wt"})
		if strings.Join(got, " ") != want || (err == nil) != (want != "") {
			t.Errorf("%s: %v, %v, want %q", patterns, got, err, want)
		}
	}
}

// TestReplicatesHaveNoRole: in neither table, and not twice.
func TestReplicatesHaveNoRole(t *testing.T) {
	named := func(names string) (columns []tables.Column) {
		for _, name := range strings.Fields(names) {
			columns = append(columns, tables.Column{Name: name})
		}
		return columns
	}
	xu, uy := named("x u rep1 rep2 other1"), named("u rep1 rep2 other1 y")
	got, err := tables.AssignRoles(xu, uy, tables.RoleOptions{ReplicatesXU: []string{"rep*"}, ReplicatesUY: []string{"rep1-rep2", "other1"}})
	if err != nil || fmt.Sprint(got) != "{[x] [u] [y]}" {
		t.Errorf("%v, %v", got, err)
	}
	for want, opt := range map[string]tables.RoleOptions{
		"cannot be both replicate weights and U":       {ReplicatesXU: []string{"rep*"}, U: []string{"u", "rep1"}},
		"cannot be both weights and replicate weights": {ReplicatesXU: []string{"rep1"}, WeightsXU: "rep1"},
		"of the second table":                          {ReplicatesUY: []string{"x"}},
	} {
		if _, err := tables.AssignRoles(xu, uy, opt); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// TestReweigh: factors are multiplied, rows of factor 0 stay, and so do frequencies, numbers and clusters.
func TestReweigh(t *testing.T) {
	src, err := tables.FromColumns(tables.Numbers("a", []float64{1, 2, 3, 4}), tables.Numbers("k", []float64{2, 0, 1, 3}), tables.Numbers("w", []float64{.5, 0, 1, 1.5}))
	if err != nil {
		t.Fatal(err)
	}
	halves := func(b tables.Batch) ([]float64, error) {
		of := make([]float64, b.Rows)
		for i := range of {
			of[i] = float64(b.Number(i)) / 2 // row 0 gets 0
		}
		return of, nil
	}
	for weights, want := range map[string][]float64{"": {0, .5, 1, 1.5}, "k": {0, 1, 4.5}, "w": {0, 1, 2.25}} {
		weighed, err := tables.Weigh(context.Background(), src, weights)
		if err != nil {
			t.Fatal(err)
		}
		again := tables.Reweigh(weighed, halves)
		if f := tables.FactsOf(again); !f.Weighted || f.Rows != len(want) {
			t.Errorf("%q: %+v", weights, f)
		}
		for b, err := range again.Batches(context.Background()) {
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(b.Weights(), want) {
				t.Errorf("%q: %v, want %v", weights, b.Weights(), want)
			}
			if weights == "k" && !slices.Equal(b.Frequencies(), []float64{2, 1, 3}) {
				t.Errorf("frequencies %v", b.Frequencies())
			}
		}
	}
	none := errors.New("none")
	for _, err := range tables.Reweigh(src, func(tables.Batch) ([]float64, error) { return nil, none }).Batches(context.Background()) {
		if !errors.Is(err, none) {
			t.Errorf("error %v, want that of the function", err)
		}
	}
}
