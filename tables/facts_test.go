package tables_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"mediant/tables"
	"mediant/tables/notes"
)

// reporting is a table of one column whose Facts are set.
type reporting struct {
	tables.Source
	facts tables.Facts
}

func (s reporting) Facts() tables.Facts { return s.facts }

// TestFactsPassOn: tables that are made of others know what these know; rows are known only where both tables side by side have as many.
func TestFactsPassOn(t *testing.T) {
	of := func(name string, rows int) reporting {
		src, err := tables.FromColumns(tables.Numbers(name, make([]float64, 3)))
		if err != nil {
			t.Fatal(err)
		}
		return reporting{src, tables.Facts{Rows: rows, Held: 10, TextBytes: 100, Skips: []notes.Skip{{File: name}}, Mixed: []notes.MixedColumn{{Column: name}}, UnsureDates: []notes.UnsureDates{{Column: name}}}}
	}
	a := of("a", 3)
	for _, c := range []struct{ rows, want int }{{3, 3}, {4, 0}, {0, 0}} {
		both, err := tables.HStack(a, of("b", c.rows))
		if err != nil {
			t.Fatal(err)
		}
		want := tables.Facts{Rows: c.want, Held: 20, TextBytes: 200, Skips: []notes.Skip{{File: "a"}, {File: "b"}}, Mixed: []notes.MixedColumn{{Column: "a"}, {Column: "b"}}, UnsureDates: []notes.UnsureDates{{Column: "a"}, {Column: "b"}}}
		if d := cmp.Diff(want, tables.FactsOf(both)); d != "" {
			t.Errorf("beside one of %d rows: (-want +got)\n%s", c.rows, d)
		}
	}
	kept, err := tables.Subset{Rows: 2, Keep: func(row int) bool { return row > 0 }, Held: 5}.Of(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	want := a.facts
	want.Rows, want.Held = 2, 15
	if d := cmp.Diff(want, tables.FactsOf(kept)); d != "" {
		t.Errorf("kept (-want +got)\n%s", d)
	}
	renamed, err := tables.Rename(a, map[string]string{"a": "z"})
	if err != nil {
		t.Fatal(err)
	}
	if got := tables.FactsOf(renamed); got.Mixed[0].Column != "z" || got.Rows != 3 || a.facts.Mixed[0].Column != "a" {
		t.Errorf("renamed: %+v", got)
	}
	if got := tables.FactsOf(a.Source); got.Rows != 3 || got.Held != 24 || got.Where(1) != "row 2" {
		t.Errorf("in memory: %+v", got)
	}
	if got := tables.FactsOf(struct{ tables.Source }{a}); got.Rows != 0 || got.Held != 0 {
		t.Errorf("a source without Facts: %+v", got)
	}
}
