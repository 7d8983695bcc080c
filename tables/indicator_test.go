package tables_test

import (
	"context"
	"math"
	"testing"

	"mediant/tables"
)

// TestIndicator: a column of either kind becomes 1, 0 or missing, behind all others, which stay.
func TestIndicator(t *testing.T) {
	src, err := tables.FromColumns(tables.Numbers("a", []float64{1, 2, math.NaN()}), tables.Strings("b", []string{"x", "", "y"}), tables.Numbers("c", []float64{7, 8, 9}), tables.Strings("d", []string{"p", "q", "r"}))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		column, level string
		num           [][]float64
		text          [][]string
	}{
		{"b", "y", [][]float64{{1, 7, 0}, {2, 8, math.NaN()}, {math.NaN(), 9, 1}}, [][]string{{"p", "q", "r"}}},
		{"a", "2.0", [][]float64{{7, 0}, {8, 1}, {9, math.NaN()}}, [][]string{{"x", "", "y"}, {"p", "q", "r"}}},
	} {
		got, err := tables.Indicator(src, c.column, c.level)
		if err != nil {
			t.Fatal(err)
		}
		columns := got.Columns()
		if last := columns[len(columns)-1]; last != (tables.Column{Name: c.column, Kind: tables.Numeric}) || len(columns) != 4 {
			t.Errorf("columns are %v", columns)
		}
		if rows := tables.FactsOf(got).Rows; rows != 3 || tables.FactsOf(got).Held != tables.FactsOf(src).Held {
			t.Errorf("%d rows, %d bytes", rows, tables.FactsOf(got).Held)
		}
		for b, err := range tables.NewGuard("", got).Batches(context.Background()) {
			if err != nil {
				t.Fatal(err)
			}
			for i, row := range c.num {
				for j, want := range row {
					if v := b.Num.At(i, j); v != want && !(math.IsNaN(v) && math.IsNaN(want)) {
						t.Errorf("%s: row %d has %v, want %v", c.column, i, b.Num.RawRowView(i), row)
					}
				}
			}
			for j, cells := range c.text {
				for i, want := range cells {
					if b.Text[j][i] != want {
						t.Errorf("%s: text is %q, want %q", c.column, b.Text, c.text)
					}
				}
			}
		}
	}
	if _, err := tables.Indicator(src, "e", "1"); err == nil {
		t.Error("a column that is not there has an indicator")
	}
}
