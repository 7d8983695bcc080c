package tables_test

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/internal/tabletest"
	"mediant/tables"
)

// unordered gives the elements of its rows in any order.
type unordered struct{ mat.Matrix }

func (u unordered) DoRowNonZero(i int, fn func(i, j int, v float64)) {
	_, c := u.Dims()
	for j := c - 1; j >= 0; j-- {
		if v := u.At(i, j); v != 0 {
			fn(i, j, v)
		}
	}
}

// byColumn has the methods of the CSC of james-bowman/sparse alone: its elements come column by column.
type byColumn struct{ mat.Matrix }

func (b byColumn) DoNonZero(fn func(i, j int, v float64)) {
	rows, columns := b.Dims()
	for j := range columns {
		for i := range rows {
			if v := b.At(i, j); v != 0 {
				fn(i, j, v)
			}
		}
	}
}

// dense returns the rows of a table with one sparse column.
func dense(t *testing.T, src tables.Source, width int) *mat.Dense {
	t.Helper()
	var data []float64
	for b, err := range tables.NewGuard("", src).Batches(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		for i := range b.Rows {
			row := make([]float64, width)
			places, values := b.Sparse[0].Row(i)
			for s, j := range places {
				row[j] = values[s]
			}
			data = append(data, row...)
		}
	}
	return mat.NewDense(len(data)/width, width, data)
}

// TestFromSparse: elements come in any order, row by row or all at once, and the width is that of the matrix.
func TestFromSparse(t *testing.T) {
	x := mat.NewDense(3, 4, []float64{1, 0, 2, 0, 0, 0, 0, 0, 0, 3, 4, 0})
	for name, of := range map[string]func(mat.Matrix) mat.Matrix{
		"DoRowNonZero": func(m mat.Matrix) mat.Matrix { return unordered{m} },
		"DoNonZero":    func(m mat.Matrix) mat.Matrix { return byColumn{m} },
	} {
		s, err := tables.FromSparse("u", of(x))
		if err != nil {
			t.Fatal(err)
		}
		if got := dense(t, s, 4); !mat.Equal(got, x) {
			t.Errorf("%s: got %v", name, mat.Formatted(got))
		}
		for b := range s.Batches(t.Context()) {
			if rows := b.Sparse[0]; rows.Width != 4 || len(rows.Values) != 4 {
				t.Errorf("%s: width %d, %d elements, want 4 and 4", name, rows.Width, len(rows.Values))
			}
		}
		for _, bad := range []float64{math.NaN(), math.Inf(1), 1e200} {
			_, err := tables.FromSparse("u", of(mat.NewDense(2, 2, []float64{0, 0, 0, bad})))
			wantError(t, err, `column "u": row 1 (from 0): column 1`)
		}
		if loaded, err := tables.Load(t.Context(), s); err != nil || !mat.Equal(dense(t, loaded, 4), x) {
			t.Errorf("%s: loaded as another table, error %v", name, err)
		}
	}
	_, err := tables.FromSparse("u", twice{mat.NewDense(1, 2, nil)})
	wantError(t, err, "row 0 (from 0): column 1 comes twice")
	tabletest.WantPanic(t, nil, func() { tables.FromSparse("u", x) })
}

// twice yields an element twice, as COO matrices may.
type twice struct{ mat.Matrix }

func (twice) DoNonZero(fn func(i, j int, v float64)) { fn(0, 1, 1); fn(0, 1, 2) }

// TestVectors: sparse rows stand beside other columns, and those that are none are refused.
func TestVectors(t *testing.T) {
	var rows tables.SparseRows
	for _, err := range []error{rows.Add([]int{4, 1}, []float64{3, 2}), rows.Add(nil, nil), rows.Add([]int{0, 2}, []float64{0, 1})} {
		if err != nil {
			t.Fatal(err)
		}
	}
	table, err := tables.FromColumns(tables.Numbers("n", []float64{1, 2, 3}), tables.Vectors("u", rows))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := dense(t, table, 5), mat.NewDense(3, 5, []float64{0, 2, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0}); !mat.Equal(got, want) {
		t.Errorf("got %v", mat.Formatted(got))
	}
	for _, bad := range []struct {
		place int
		value float64
	}{{-1, 1}, {1 << 24, 1}, {0, math.NaN()}, {0, 1e200}} {
		if err := new(tables.SparseRows).Add([]int{bad.place}, []float64{bad.value}); err == nil {
			t.Errorf("%+v is added", bad)
		}
	}
	for want, rows := range map[string]tables.SparseRows{
		"want ascending ones":    {Width: 3, Start: []int{0, 2}, Columns: []int{1, 0}, Values: []float64{1, 1}},
		"row 0 (from 0) has a":   {Width: 3, Start: []int{0, 1}, Columns: []int{1}, Values: []float64{math.NaN()}},
		"cannot hold its square": {Width: 3, Start: []int{0, 1}, Columns: []int{1}, Values: []float64{1e200}},
	} {
		_, err := tables.FromColumns(tables.Vectors("u", rows))
		if wantError(t, err, want); !strings.Contains(err.Error(), `"u"`) {
			t.Errorf("error %v names no column", err)
		}
	}
	tabletest.WantPanic(t, mat.ErrColLength, func() { tables.FromColumns(tables.Numbers("n", []float64{1}), tables.Vectors("u", rows)) })
}
