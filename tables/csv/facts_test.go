package csv

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"mediant/tables"
	"mediant/tables/notes"
)

// TestUnsureDates: dates of which no one shows the order that they are read in are reported, by all that stands for the file, and none else.
func TestUnsureDates(t *testing.T) {
	opt := Options{Dates: []string{"open=mdy", "shown=dmy", "iso=dmy"}}
	c := mustOpen(t, "x,open,shown,iso\n1,,01/02/2024,2024-01-02\n2,01/02/2024,13/02/2024,2024-01-02\n", opt)
	want := []notes.UnsureDates{{File: c.in.Name, Column: "open", Line: 3, Cell: "01/02/2024"}}
	loaded, err := tables.Load(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	for _, src := range []tables.Source{c, loaded, tables.NewGuard("", c)} {
		if d := cmp.Diff(want, tables.FactsOf(src).UnsureDates); d != "" {
			t.Errorf("%T (-want +got)\n%s", src, d)
		}
	}
	if got := mustOpen(t, "x,d\n1,2024-01-02\n", Options{Dates: []string{"d"}}).Facts().UnsureDates; got != nil {
		t.Errorf("unsure dates %v of none", got)
	}
}

// TestMixedColumnsAreRenamed: what is reported of a column has the name that the column has now, whatever the source.
func TestMixedColumnsAreRenamed(t *testing.T) {
	c := mustOpen(t, "x,y\n1,1\n2,2\n3 kg,3\n", Options{Lenient: true})
	loaded, err := tables.Load(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	for _, src := range []tables.Source{c, loaded, tables.NewGuard("", c), plainSource{c}} {
		renamed, err := tables.Rename(src, map[string]string{"x": "y", "y": "x"})
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, m := range tables.FactsOf(renamed).Mixed {
			names = append(names, m.Column)
		}
		want := []string{"y"}
		if _, other := src.(plainSource); other {
			want = nil // a source of another package tells nothing
		}
		if d := cmp.Diff(want, names); d != "" || tables.FactsOf(c).Mixed[0].Column != "x" {
			t.Errorf("%T (-want +got)\n%s", src, d)
		}
	}
}
