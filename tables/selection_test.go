package tables_test

import (
	"context"
	"fmt"
	"testing"
	"unsafe"

	"github.com/google/go-cmp/cmp"

	"mediant/internal/tabletest"
	"mediant/tables"
	"mediant/tables/csv"
)

func sameMemory(a, b string) bool { return unsafe.StringData(a) == unsafe.StringData(b) }

// dmlc/xgboost#8357, scikit-learn/scikit-learn#7242: columns in another order at predict gave
// silently wrong scores.
func TestSelect(t *testing.T) {
	want := []tables.Column{{"x1", tables.Numeric}, {"l", tables.Text}, {"x2", tables.Numeric}}
	for _, content := range []string{
		"x1,x2,l\n3,1,a\n0,2,b\n",
		"x2,l,x1\n1,a,3\n2,b,0\n",
		"extra,x2,more,l,x1\n9,1,u,a,3\n9,2,v,b,0\n",
	} {
		c := mustOpen(t, content, csv.Options{})
		s, err := tables.Select(c.Columns(), want)
		if err != nil {
			t.Fatal(err)
		}
		if s.Len() != 3 {
			t.Errorf("%d columns, want 3", s.Len())
		}
		for b, err := range c.Batches(context.Background()) {
			if err != nil {
				t.Fatal(err)
			}
			x1, x2 := make([]float64, 2), make([]float64, 2)
			s.NumericTo(x1, b, 0)
			s.NumericTo(x2, b, 2)
			if d := cmp.Diff([]any{[]float64{3, 0}, []string{"a", "b"}, []float64{1, 2}}, []any{x1, s.Text(b, 1), x2}); d != "" {
				t.Errorf("%q: (-want +got)\n%s", content, d)
			}
			kind, at := s.Place(2)
			if kind != tables.Numeric || b.Num.At(1, at) != 2 {
				t.Errorf("place of x2 is %v %d", kind, at)
			}
			tabletest.WantPanic(t, nil, func() { s.NumericTo(x1, b, 1) })
			tabletest.WantPanic(t, nil, func() { s.NumericTo(x1[:1], b, 0) })
			tabletest.WantPanic(t, nil, func() { s.Text(b, 0) })
		}
	}
}

func TestSelectRefuses(t *testing.T) {
	have := []tables.Column{{"a", tables.Numeric}, {"b", tables.Text}}
	_, err := tables.Select(have, []tables.Column{{"x", tables.Numeric}, {"a", tables.Numeric}, {"y", tables.Text}})
	wantError(t, err, `no column "x", "y"; there are "a", "b"`)
	_, err = tables.Select(have, []tables.Column{{"a", tables.Text}, {"b", tables.Numeric}})
	wantError(t, err, `column "a" is numeric, want text; column "b" is text, want numeric`)
	_, err = tables.Select(nil, []tables.Column{{"a", tables.Text}})
	wantError(t, err, `no column "a"; there are none`)
	var lots []tables.Column
	for i := range 20 {
		lots = append(lots, tables.Column{fmt.Sprint("c", i), tables.Text})
	}
	_, err = tables.Select(lots, []tables.Column{{"a", tables.Text}})
	wantError(t, err, `"c7" and 12 more`)
}

func TestSelectionAllocatesNothing(t *testing.T) {
	table, err := tables.FromColumns(tables.Numbers("x", make([]float64, 100)), tables.Strings("l", make([]string, 100)))
	if err != nil {
		t.Fatal(err)
	}
	s, err := tables.Select(table.Columns(), []tables.Column{{"l", tables.Text}, {"x", tables.Numeric}})
	if err != nil {
		t.Fatal(err)
	}
	dst := make([]float64, 100)
	for b := range table.Batches(context.Background()) {
		if n := testing.AllocsPerRun(10, func() { s.NumericTo(dst, b, 1); s.Text(b, 0) }); n != 0 {
			t.Errorf("%v allocations, want 0", n)
		}
	}
}

func TestKindString(t *testing.T) {
	if got := fmt.Sprint(tables.Numeric, tables.Text, tables.Kind(7)); got != "numeric text Kind(7)" {
		t.Errorf("kinds print as %q", got)
	}
}
