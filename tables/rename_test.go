package tables_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mediant/internal/tabletest"
	"mediant/tables"
	"mediant/tables/csv"
)

func TestRename(t *testing.T) {
	table, err := tables.FromColumns(tables.Numbers("a", []float64{1, 2}), tables.Strings("gro\u0308\u00dfe", []string{"x", "y"}), tables.Numbers("c", []float64{3, 4}))
	if err != nil {
		t.Fatal(err)
	}
	c := mustOpen(t, "a,gro\u0308\u00dfe,c\n1,x,3\n2,y,4\n", csv.Options{})
	want := tabletest.Table{Columns: tabletest.Columns("c size:text a"), Numbers: map[string][]float64{"c": {1, 2}, "a": {3, 4}}, Text: map[string][]string{"size": {"x", "y"}}}
	names := map[string]string{"a": "c", " c": "a ", "gr\u00f6\u00dfe": "size\u200b"}
	for _, src := range []tables.Source{table, c, tables.NewGuard("", c), plainSource{c}} {
		got, err := tables.Rename(src, names)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, tabletest.ReadAll(t, got)); d != "" {
			t.Errorf("%T: (-want +got)\n%s", src, d)
		}
		if src.Columns()[0].Name != "a" {
			t.Errorf("%T: the source has other names itself", src)
		}
		for _, bad := range []struct {
			names map[string]string
			want  string
		}{{map[string]string{"z": "b"}, `no column "z"`}, {map[string]string{"a": "c"}, `column "a" cannot become "c"`}, {map[string]string{"c": "a"}, `column "c" cannot become "a"`}, {map[string]string{"a": " "}, "no new name"}} {
			_, err := tables.Rename(src, bad.names)
			wantError(t, err, bad.want)
		}
	}
}

// plainSource is a Source of another package.
type plainSource struct{ tables.Source }

func TestRenamedWhere(t *testing.T) {
	c := mustOpen(t, "a,b\n1,2\n,\n3,4\n", csv.Options{})
	for _, src := range []tables.Source{c, plainSource{c}} {
		weighed, err := tables.Weigh(context.Background(), src, "b")
		if err != nil {
			t.Fatal(err)
		}
		got, err := tables.Rename(weighed, map[string]string{"a": "z"})
		if err != nil {
			t.Fatal(err)
		}
		if !tables.FactsOf(got).Weighted || got.Columns()[0].Name != "z" {
			t.Errorf("weights %v, columns %v", tables.FactsOf(got).Weighted, got.Columns())
		}
		_, plain := src.(plainSource)
		if where := tables.FactsOf(got).Where(1); !plain && !strings.HasSuffix(where, "f.csv:4") {
			t.Errorf("row 1 is at %s", where)
		}
		if n := tables.FactsOf(got).Rows; n != 2 {
			t.Errorf("%d rows", n)
		}
		if tables.FactsOf(got).Held != tables.FactsOf(weighed).Held || tables.LoadBytes(got, 2) != tables.LoadBytes(weighed, 2) {
			t.Errorf("%d bytes held and %d loaded, want %d and %d", tables.FactsOf(got).Held, tables.LoadBytes(got, 2), tables.FactsOf(weighed).Held, tables.LoadBytes(weighed, 2))
		}
		if fmt.Sprint(tables.FactsOf(got).Skips) != fmt.Sprint(tables.FactsOf(src).Skips) {
			t.Errorf("skips %v", tables.FactsOf(got).Skips)
		}
	}
}
