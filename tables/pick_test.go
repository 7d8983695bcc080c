package tables_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"mediant/tables"
)

// counted is a table of the numbers 0, 1, ... and their names.
func counted(t *testing.T, rows int) *tables.Table {
	t.Helper()
	numbers, names := make([]float64, rows), make([]string, rows)
	for i := range rows {
		numbers[i], names[i] = float64(i), fmt.Sprint(i)
	}
	src, err := tables.FromColumns(tables.Numbers("n", numbers), tables.Strings("t", names))
	if err != nil {
		t.Fatal(err)
	}
	return src
}

// TestPick takes rows of several batches, the first and the last among them.
func TestPick(t *testing.T) {
	const rows = 3*tables.BlockRows + 5
	want := []int{0, 1, tables.BlockRows - 1, tables.BlockRows, 2*tables.BlockRows + 7, rows - 1}
	got, err := tables.Pick(context.Background(), counted(t, rows), want)
	if err != nil {
		t.Fatal(err)
	}
	if got.Rows() != len(want) || len(got.Columns()) != 2 {
		t.Fatalf("%d rows of %v", got.Rows(), got.Columns())
	}
	for b, err := range got.Batches(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		for i, n := range want {
			if b.Num.At(i, 0) != float64(n) || b.Text[0][i] != fmt.Sprint(n) {
				t.Errorf("row %d is %g %q, want %d", i, b.Num.At(i, 0), b.Text[0][i], n)
			}
		}
	}
}

func TestPickRefuses(t *testing.T) {
	for _, rows := range [][]int{nil, {3}, {0, 2, 3}} {
		if _, err := tables.Pick(context.Background(), counted(t, 3), rows); err == nil || !strings.Contains(err.Error(), "rows asked for") {
			t.Errorf("rows %v of 3: %v", rows, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := tables.Pick(ctx, counted(t, 3), []int{0}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestPickKeepsMissing: a missing number stays one.
func TestPickKeepsMissing(t *testing.T) {
	src, err := tables.FromColumns(tables.Numbers("n", []float64{1, math.NaN()}))
	if err != nil {
		t.Fatal(err)
	}
	got, err := tables.Pick(context.Background(), src, []int{1})
	if err != nil {
		t.Fatal(err)
	}
	for b := range got.Batches(context.Background()) {
		if !math.IsNaN(b.Num.At(0, 0)) {
			t.Errorf("got %g, want NaN", b.Num.At(0, 0))
		}
	}
}
