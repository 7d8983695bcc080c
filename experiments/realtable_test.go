package experiments

import (
	"strings"
	"testing"

	"mediant/tables"
)

// numbered is a table of a column of numbers that begin at first, and one of their names.
func numbered(t *testing.T, first, n int, columns ...string) tables.Source {
	t.Helper()
	var all []tables.ColumnData
	for _, name := range columns {
		values, cells := make([]float64, n), make([]string, n)
		for i := range n {
			values[i], cells[i] = float64(first+i), name
		}
		if strings.HasPrefix(name, "text") {
			all = append(all, tables.Strings(name, cells))
		} else {
			all = append(all, tables.Numbers(name, values))
		}
	}
	src, err := tables.FromColumns(all...)
	if err != nil {
		t.Fatal(err)
	}
	return src
}

// TestRealTableDraw: tables have the sizes of the files, no row is in two of them, a quarter of the coupled rows is in each training table and none of the
// test rows is.
func TestRealTableDraw(t *testing.T) {
	const n, m, k = 30, 40, 21
	real, err := ReadRealTable(t.Context(), "real", numbered(t, 0, n, "x", "text", "u"), numbered(t, 100, m, "u", "y"), numbered(t, 200, k, "text", "x", "u", "y"))
	if err != nil {
		t.Fatal(err)
	}
	if xu, uy, test := real.Rows(); xu != n || uy != m || test != 11 {
		t.Errorf("%d, %d and %d rows, want %d, %d and 11", xu, uy, test, n, m)
	}
	orders := map[float64]bool{}
	for seed := range uint64(5) {
		xu, uy, test, err := real.Draw(seed)
		if err != nil {
			t.Fatal(err)
		}
		seen, coupled := map[float64]int{}, [3]int{}
		for i, src := range []tables.Source{xu, uy, test} {
			values, text := rows(t, src)
			if want := []int{n, m, 11}[i]; len(values) != want {
				t.Errorf("table %d has %d rows, want %d", i, len(values), want)
			}
			if i != 1 && text[len(text)-1] != "text" {
				t.Errorf("table %d has the text %q", i, text[len(text)-1])
			}
			for _, row := range values {
				if seen[row[0]]++; row[0] >= 200 {
					coupled[i]++
				}
			}
			if i == 2 {
				orders[values[0][0]] = true
			}
		}
		if len(seen) != n+m+11 || coupled != [3]int{5, 5, 11} {
			t.Errorf("%d rows are in one table alone, want %d; coupled rows %v, want 5, 5 and 11", len(seen), n+m+11, coupled)
		}
	}
	if len(orders) < 2 {
		t.Error("five seeds give the same draw")
	}
}

// TestRealTableRefused: coupled rows must have all columns, and be fewer than those of either table.
func TestRealTableRefused(t *testing.T) {
	xu, uy := numbered(t, 0, 10, "x", "u"), numbered(t, 0, 10, "u", "y")
	for want, xuy := range map[string]tables.Source{`"u"`: numbered(t, 0, 9, "x", "y"), "11 coupled": numbered(t, 0, 11, "x", "u", "y"), "7 coupled": numbered(t, 0, 7, "x", "u", "y")} {
		if _, err := ReadRealTable(t.Context(), "real", xu, uy, xuy); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}
