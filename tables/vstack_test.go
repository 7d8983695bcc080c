package tables_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"mediant/internal/fixture"
	"mediant/internal/tabletest"
	"mediant/tables"
)

// Rows of parts, cut anywhere, with their columns in any order, are those of the whole.
func TestStackIsTheWhole(t *testing.T) {
	n := 2500
	numbers, words := make([]float64, n), make([]string, n)
	for i := range n {
		numbers[i], words[i] = float64(i), fmt.Sprint("w", i%7)
	}
	whole, err := tables.FromColumns(tables.Numbers("x", numbers), tables.Strings("s", words))
	if err != nil {
		t.Fatal(err)
	}
	want := tabletest.ReadAll(t, whole)
	rapid.Check(t, func(rt *rapid.T) {
		cuts := rapid.SliceOfN(rapid.IntRange(1, n-1), 1, 4).Draw(rt, "cuts")
		cuts = append(cuts, 0, n)
		slices.Sort(cuts)
		cuts = slices.Compact(cuts)
		var parts []tables.Source
		for i := range cuts[1:] {
			lo, hi := cuts[i], cuts[i+1]
			columns := []tables.ColumnData{tables.Numbers("x", numbers[lo:hi]), tables.Strings("s", words[lo:hi])}
			if i > 0 && rapid.Bool().Draw(rt, "turned") {
				slices.Reverse(columns)
			}
			part, err := tables.FromColumns(columns...)
			if err != nil {
				rt.Fatal(err)
			}
			parts = append(parts, part)
		}
		all, err := tables.VStack(parts...)
		if err != nil {
			rt.Fatal(err)
		}
		if d := cmp.Diff(want, tabletest.ReadAll(rt, tables.NewGuard("", all))); d != "" {
			rt.Error(d)
		}
		if f := tables.FactsOf(all); f.Rows != n {
			rt.Errorf("%d rows are known", f.Rows)
		}
	})
}

func TestStackRefuses(t *testing.T) {
	x := fixture.Table(t, "x", []float64{1, 2})
	for _, c := range []struct {
		parts []tables.Source
		want  string
	}{
		{nil, "no sources"},
		{[]tables.Source{x, fixture.Table(t, "u", []float64{1})}, `source 2: tables: no column "x"`},
		{[]tables.Source{x, fixture.Table(t, "x", []string{"a"})}, `column "x" is text, want numeric`},
		{[]tables.Source{x, fixture.Table(t, "x", []float64{1}, "u", []float64{1})}, "source 2 has 2 columns, the first has 1"},
		{[]tables.Source{x, fixture.Weigh(t, fixture.Table(t, "x", []float64{1}, "w", []float64{1}), "w")}, "source 2 has"},
	} {
		_, err := tables.VStack(c.parts...)
		tabletest.WantError(t, err, "tables", c.want)
	}
}

// A row is where it is in its own part.
func TestStackWhere(t *testing.T) {
	a, err := tables.FromColumns(tables.Numbers("x", []float64{1, 2}))
	if err != nil {
		t.Fatal(err)
	}
	all, err := tables.VStack(a.WithFacts(tables.Facts{Rows: 2, Place: func(row int) string { return fmt.Sprint("a:", row) }}), fixture.Table(t, "x", []float64{3}))
	if err != nil {
		t.Fatal(err)
	}
	f := tables.FactsOf(all)
	if got := []string{f.Where(0), f.Where(1), f.Where(2)}; !slices.Equal(got, []string{"a:0", "a:1", "row 1"}) {
		t.Errorf("rows are at %q", got)
	}
}
