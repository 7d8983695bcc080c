package check

import (
	"context"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/tables"
)

// TestRows: copies and rows without overlap are counted, by severity, table and column.
func TestRows(t *testing.T) {
	const n = 400
	rnd := rand.New(rand.NewPCG(7, 8))
	u, y := make([]float64, n), make([]float64, n)
	for i := range n {
		u[i], y[i] = rnd.NormFloat64(), rnd.NormFloat64()
	}
	plain := func(of []float64) func(i int) float64 { return func(i int) float64 { return of[i%n] } }
	far := func(share int) func(i int) float64 {
		return func(i int) float64 {
			if i%100 < share {
				return 20 + u[i]
			}
			return u[i]
		}
	}
	lacking := func(i int) float64 {
		if i%10 == 0 {
			return math.NaN()
		}
		return u[i]
	}
	for name, c := range map[string]struct {
		rows   [2]int
		u      func(i int) float64
		want   []string
		counts []int
	}{
		"clean":          {[2]int{n, n}, plain(u), nil, nil},
		"pasted":         {[2]int{2 * n, 5 * n}, plain(u), []string{"note copies xu", "note copies uy"}, []int{n, 4 * n}},
		"a tenth pasted": {[2]int{n + n/10, n}, plain(u), []string{"note copies xu"}, []int{n / 10}},
		"a tenth is far": {[2]int{n, n}, far(10), []string{"warning no-overlap xu u"}, []int{n / 10}},
		"one in a hundred is": {[2]int{n, n}, func(i int) float64 {
			if i%100 == 0 {
				return 1e6
			}
			return u[i]
		}, []string{"note no-overlap xu u"}, []int{n / 100}},
		"most are far":   {[2]int{n, n}, far(60), []string{"error no-overlap xu u"}, []int{6 * n / 10}},
		"missing in one": {[2]int{n, n}, lacking, []string{"warning no-overlap xu u"}, []int{n / 10}},
	} {
		xu := table(t, numbers("x", c.rows[0], plain(y)), numbers("u", c.rows[0], func(i int) float64 { return c.u(i % n) }))
		uy := table(t, numbers("u", c.rows[1], plain(u)), numbers("y", c.rows[1], plain(y)))
		r, err := Tables(context.Background(), xu, uy, Options{})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		var counts []int
		for _, f := range r.Findings {
			if f.Code == CopiedRows || f.Code == NoOverlap {
				got = append(got, strings.TrimSpace(fmt.Sprintf("%s %s %s %s", f.Severity, f.Code, f.Table, f.column())))
				counts = append(counts, f.Rows)
			}
		}
		slices.Sort(counts)
		if !slices.Equal(got, c.want) || !slices.Equal(counts, c.counts) {
			t.Errorf("%s: %q %v, want %q %v", name, got, counts, c.want, c.counts)
		}
	}
}

// sparseTable is a Source of n rows of columns of sparse rows, and of a column of numbers if it has a name.
type sparseTable struct {
	sparse []string
	number string
	n      int
}

func (s sparseTable) Columns() []tables.Column {
	var columns []tables.Column
	for _, name := range s.sparse {
		columns = append(columns, tables.Column{Name: name, Kind: tables.Vector})
	}
	if s.number != "" {
		columns = append(columns, tables.Column{Name: s.number, Kind: tables.Numeric})
	}
	return columns
}

func (s sparseTable) Batches(context.Context) iter.Seq2[tables.Batch, error] {
	return func(yield func(tables.Batch, error) bool) {
		for lo := 0; lo < s.n; lo += tables.BlockRows {
			b := tables.Batch{Start: lo, Rows: min(tables.BlockRows, s.n-lo)}
			rows := tables.SparseRows{Width: s.n, Start: make([]int, 1, b.Rows+1)}
			numbers := make([]float64, b.Rows)
			for i := range b.Rows {
				rows.Columns, rows.Values = append(rows.Columns, lo+i), append(rows.Values, 1)
				rows.Start = append(rows.Start, i+1)
				numbers[i] = math.Sqrt(float64(lo + i))
			}
			if s.number != "" {
				b.Num = mat.NewDense(b.Rows, 1, numbers)
			}
			if b.Sparse = slices.Repeat([]tables.SparseRows{rows}, len(s.sparse)); !yield(b, nil) {
				return
			}
		}
	}
}

// TestManySparseRows: sparse rows have no overlap to be looked at, however many rows there are.
func TestManySparseRows(t *testing.T) {
	xu, uy := sparseTable{[]string{"x", "u"}, "", rowsLooked + 1}, sparseTable{[]string{"u"}, "y", 100}
	if all := found(t, xu, uy, Options{}); len(all) > 0 {
		t.Errorf("findings %q", all)
	}
}
