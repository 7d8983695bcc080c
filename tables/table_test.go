package tables_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"strings"
	"testing"
	"unsafe"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/mat"

	"mediant/internal/tabletest"
	"mediant/tables"
	"mediant/tables/csv"
)

func TestFromColumns(t *testing.T) {
	x, l := []float64{1, math.NaN()}, []string{"a", ""}
	table, err := tables.FromColumns(tables.Strings("l", l), tables.Numbers("x", x), tables.Numbers("y", []float64{3, 4}))
	if err != nil {
		t.Fatal(err)
	}
	x[0], l[0] = 99, "changed"
	want := []tables.Column{{"l", tables.Text}, {"x", tables.Numeric}, {"y", tables.Numeric}}
	if d := cmp.Diff(want, table.Columns()); d != "" {
		t.Error(d)
	}
	if table.Rows() != 2 {
		t.Errorf("%d rows, want 2", table.Rows())
	}
	tabletest.WantTable(t, table, map[string][]float64{"x": {1, math.NaN()}, "y": {3, 4}}, map[string][]string{"l": {"a", ""}})
}

func TestFromColumnsRefuses(t *testing.T) {
	for _, tt := range []struct {
		cols []tables.ColumnData
		want string
	}{
		{nil, "no columns"},
		{[]tables.ColumnData{tables.Numbers("a", nil)}, "no rows"},
		{[]tables.ColumnData{tables.Numbers("a", []float64{1}), tables.Strings("a", []string{""})}, `"a"`},
		{[]tables.ColumnData{tables.Numbers("", []float64{1})}, "column 1 has no name"},
		{[]tables.ColumnData{tables.Numbers("a", []float64{1, math.Inf(1)})}, `column "a": row 1`},
		{[]tables.ColumnData{tables.Numbers("a", []float64{1e155})}, `column "a": row 0`},
		{[]tables.ColumnData{tables.Strings("a", []string{"", "\xff"})}, `column "a": row 1`},
	} {
		_, err := tables.FromColumns(tt.cols...)
		wantError(t, err, tt.want)
	}
	tabletest.WantPanic(t, mat.ErrColLength, func() { tables.FromColumns(tables.Numbers("a", []float64{1}), tables.Strings("b", nil)) })
}

func TestLoad(t *testing.T) {
	for _, rows := range []int{1, tables.BlockRows, 2*tables.BlockRows + 7} {
		text := "x,l,y\n"
		for i := range rows {
			text += fmt.Sprintf("%d,\"l\n%d\",%g\n", i, i%7, float64(i)/3)
		}
		c := mustOpen(t, text, csv.Options{})
		table, err := tables.Load(context.Background(), c)
		if err != nil {
			t.Fatal(err)
		}
		want := tabletest.ReadAll(t, c)
		c.Close() // the table must not need the file
		for range 2 {
			if d := cmp.Diff(want, tabletest.ReadAll(t, table)); d != "" {
				t.Errorf("%d rows (-file +table):\n%s", rows, d)
			}
		}
		if again, err := tables.Load(context.Background(), table); again != table || err != nil {
			t.Errorf("a loaded table is loaded again: %p, %v, want %p", again, err, table)
		}
	}
}

// failing yields one batch of one text and then an error, or nothing at all.
type failing struct{ err error }

func (failing) Columns() []tables.Column { return []tables.Column{{"l", tables.Text}} }

func (f failing) Batches(context.Context) iter.Seq2[tables.Batch, error] {
	return func(yield func(tables.Batch, error) bool) {
		if f.err != nil && yield(tables.Batch{Rows: 1, Text: [][]string{{"x"}}}, nil) {
			yield(tables.Batch{}, f.err)
		}
	}
}

func TestLoadClonesText(t *testing.T) {
	// 40 bytes: allocations of this size come 48 bytes apart, the cells of a line do not.
	cell := strings.Repeat("x", 40)
	c := mustOpen(t, "l,m\n"+cell+","+cell+"\n", csv.Options{})
	table, err := tables.Load(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	for b := range table.Batches(context.Background()) {
		l, m := unsafe.StringData(b.Text[0][0]), unsafe.StringData(b.Text[1][0])
		if uintptr(unsafe.Pointer(m)) == uintptr(unsafe.Pointer(l))+40 {
			t.Error("the cells share the memory of their line")
		}
	}
}

func TestLoadRefuses(t *testing.T) {
	broken := errors.New("broken")
	if _, err := tables.Load(context.Background(), failing{broken}); err != broken {
		t.Errorf("error %v, want %v", err, broken)
	}
	_, err := tables.Load(context.Background(), failing{})
	wantError(t, err, "no rows")
}

// Text cells of a CSV share memory with their line; a loaded table must keep neither lines nor
// copies of equal cells.
func TestLoadKeepsEachTextOnce(t *testing.T) {
	c := mustOpen(t, "l,x\n"+strings.Repeat("abc,1\n", 100), csv.Options{})
	table, err := tables.Load(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	if n := testing.AllocsPerRun(1, func() {
		for b := range table.Batches(context.Background()) {
			for _, cell := range b.Text[0] {
				if cell != "abc" {
					t.Fatal(cell)
				}
			}
		}
	}); n > 10 {
		t.Errorf("%v allocations for a batch of a table in memory, want a few headers", n)
	}
	first := ""
	for b := range table.Batches(context.Background()) {
		first = b.Text[0][0]
		for _, cell := range b.Text[0] {
			if !sameMemory(first, cell) {
				t.Fatal("equal cells are kept more than once")
			}
		}
	}
}

// wantError checks that the error is one line of this package with all the parts.
func wantError(t tabletest.T, err error, parts ...string) {
	t.Helper()
	tabletest.WantError(t, err, "tables", parts...)
}

func mustOpen(t testing.TB, content string, opt csv.Options) *csv.File {
	t.Helper()
	c, err := csv.Open(t.Context(), tabletest.WriteFile(t, "f.csv", content), opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}
