package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// TestReading: each file has a line for each reader, and the ratio of ours to itself is 1.
func TestReading(t *testing.T) {
	r := &reading{python: peers(t), rows: 50, rounds: 2, stderr: os.Stderr}
	var out bytes.Buffer
	if err := r.tables(t.Context(), &out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"| CSV, 6 decimals | csv.Open, tables.Load | ", "| CSV, all digits | pandas.read_csv | ", "| Parquet | parquet.Open, tables.Load | ", "| 1.00 | "} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}

// TestCostIsTheLeast: of seconds and of processors' seconds each, and of no round that was not run.
func TestCostIsTheLeast(t *testing.T) {
	if got := (cost{}).least(cost{2, 3}).least(cost{1, 4}); got != (cost{1, 3}) {
		t.Errorf("least cost %+v, want 1 and 3", got)
	}
}
