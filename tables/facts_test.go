package tables

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestUnsureDates: dates of which no one shows the order that they are read in are reported, by all that stands for the file, and none else.
func TestUnsureDates(t *testing.T) {
	opt := CSVOptions{Dates: []string{"open=mdy", "shown=dmy", "iso=dmy"}}
	c := mustOpen(t, "x,open,shown,iso\n1,,01/02/2024,2024-01-02\n2,01/02/2024,13/02/2024,2024-01-02\n", opt)
	want := []UnsureDates{{c.in.name, "open", 3, "01/02/2024", false}}
	loaded, err := Load(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	for _, src := range []Source{c, loaded, NewGuard("", c)} {
		if d := cmp.Diff(want, UnsureDatesOf(src)); d != "" {
			t.Errorf("%T (-want +got)\n%s", src, d)
		}
	}
	if got := UnsureDatesOf(mustOpen(t, "x,d\n1,2024-01-02\n", CSVOptions{Dates: []string{"d"}})); got != nil {
		t.Errorf("unsure dates %v of none", got)
	}
}

// TestMixedColumnsAreRenamed: what is reported of a column has the name that the column has now, whatever the source.
func TestMixedColumnsAreRenamed(t *testing.T) {
	c := mustOpen(t, "x,y\n1,1\n2,2\n3 kg,3\n", CSVOptions{Lenient: true})
	loaded, err := Load(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	for _, src := range []Source{c, loaded, NewGuard("", c), plainSource{c}} {
		renamed, err := Rename(src, map[string]string{"x": "y", "y": "x"})
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, m := range MixedColumns(renamed) {
			names = append(names, m.Column)
		}
		want := []string{"y"}
		if _, other := src.(plainSource); other {
			want = nil // a source of another package tells nothing
		}
		if d := cmp.Diff(want, names); d != "" || MixedColumns(c)[0].Column != "x" {
			t.Errorf("%T (-want +got)\n%s", src, d)
		}
	}
}
