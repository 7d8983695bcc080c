package tables

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// SparseRows are the cells of a column of kind Vector, one a row: row i has Values[t] in place Columns[t], for t
// from Start[i] to Start[i+1]-1; places ascend within a row. The zero value has no rows, and Add adds one. Those of a Batch must not be changed.
type SparseRows struct {
	Width   int // one more than the largest place of the table, or more
	Start   []int
	Columns []int
	Values  []float64
}

// maxWidth bounds the places of sparse rows: their products hold some bytes for each.
const maxWidth = 1 << 24

// HasVectors reports whether one of the columns is of kind Vector.
func HasVectors(columns []Column) bool {
	return slices.ContainsFunc(columns, func(c Column) bool { return c.Kind == Vector })
}

// FromSparse returns the rows of x as a table of one column of kind Vector. x has either of gonum's methods of sparse matrices: DoRowNonZero
// (mat.RowNonZeroDoer, such as the CSR of james-bowman/sparse) or DoNonZero (mat.NonZeroDoer, such as its CSC, COO and DOK), which may yield elements in any
// order, each once. Others panic: FromMatrix takes them. x is copied, 16 bytes an element, and twice as many for a moment with DoNonZero. The error says
// that there are no rows, or names the row and the column, counted from 0, of a value that is not finite or whose
// square is not, or of an element that comes twice.
func FromSparse(name string, x mat.Matrix) (*Table, error) {
	rows, width := x.Dims()
	if rows == 0 {
		return nil, errors.New("tables: matrix: no rows")
	}
	row := sparseRowsOf(x)
	cells := SparseRows{Width: width, Start: []int{0}}
	for i := range rows {
		if err := cells.addRow(row(i)); err != nil {
			return nil, fmt.Errorf("tables: column %q: row %d (from 0): %w", name, i, err)
		}
	}
	return FromColumns(Vectors(name, cells))
}

// sparseRowsOf returns a function that gives the elements of a row of x, valid until the next call.
func sparseRowsOf(matrix mat.Matrix) func(i int) []element {
	switch x := matrix.(type) {
	case mat.RowNonZeroDoer:
		var row []element
		return func(i int) []element {
			row = row[:0]
			x.DoRowNonZero(i, func(_, j int, v float64) { row = append(row, element{j, v}) })
			return row
		}
	case mat.NonZeroDoer:
		rows, _ := matrix.Dims()
		all := make([][]element, rows)
		x.DoNonZero(func(i, j int, v float64) { all[i] = append(all[i], element{j, v}) })
		return func(i int) []element { return all[i] }
	}
	panic("tables: a matrix without DoRowNonZero and DoNonZero is not sparse: use FromMatrix")
}

// An element is a number that is not left out of a sparse row.
type element struct {
	column int
	value  float64
}

// Add adds a row that has values in the given places, from 0, in any order, each once. Zeros are left out. The error names the place that comes
// twice, is out of range (below 0, or 2^24 and above), or has a value that is not finite or whose square is not.
func (s *SparseRows) Add(places []int, values []float64) error {
	row := make([]element, len(places))
	for i, j := range places {
		if j < 0 || j >= maxWidth {
			return fmt.Errorf("column %d, want 0 to %d", j, maxWidth-1)
		}
		row[i] = element{j, values[i]}
	}
	return s.addRow(row)
}

func (s *SparseRows) addRow(row []element) error {
	slices.SortFunc(row, func(a, b element) int { return cmp.Compare(a.column, b.column) })
	if len(s.Start) == 0 {
		s.Start = []int{0}
	}
	for i, e := range row {
		switch {
		case i > 0 && e.column == row[i-1].column:
			return fmt.Errorf("column %d comes twice", e.column)
		case math.IsNaN(e.value) || math.IsInf(e.value*e.value, 0):
			return fmt.Errorf("column %d is %g, want a number whose square float64 can hold", e.column, e.value)
		}
		s.Width = max(s.Width, e.column+1)
		if e.value != 0 {
			s.Columns, s.Values = append(s.Columns, e.column), append(s.Values, e.value)
		}
	}
	s.Start = append(s.Start, len(s.Values))
	return nil
}

// Len returns the number of rows.
func (s SparseRows) Len() int { return max(len(s.Start)-1, 0) }

// Row returns the places and values of row i.
func (s SparseRows) Row(i int) (columns []int, values []float64) {
	return s.Columns[s.Start[i]:s.Start[i+1]], s.Values[s.Start[i]:s.Start[i+1]]
}

// slice returns rows lo to hi.
func (s SparseRows) slice(lo, hi int) SparseRows {
	s.Start = s.Start[lo : hi+1]
	return s
}

// append appends rows lo to hi of o.
func (s *SparseRows) append(o SparseRows, lo, hi int) {
	s.Width = max(s.Width, o.Width)
	for i := lo; i < hi; i++ {
		columns, values := o.Row(i)
		s.Columns, s.Values = append(s.Columns, columns...), append(s.Values, values...)
		s.Start = append(s.Start, len(s.Values))
	}
}

func (s SparseRows) bytes() int64 { return int64(8*len(s.Start) + 16*len(s.Columns)) }
