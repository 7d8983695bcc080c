package tables

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// SparseRows are the cells of a column of kind Vector, one a row: row i has Values[t] in place Columns[t], for t
// from Start[i] to Start[i+1]-1; places ascend within a row. It must not be changed.
type SparseRows struct {
	Width   int // one more than the largest place of the table, or more
	Start   []int
	Columns []int
	Values  []float64
}

// HasVectors reports whether one of the columns is of kind Vector.
func HasVectors(columns []Column) bool {
	return slices.ContainsFunc(columns, func(c Column) bool { return c.Kind == Vector })
}

// An element is a number that is not left out of a sparse row.
type element struct {
	column int
	value  float64
}

// add adds a row. Zeros are left out.
func (s *SparseRows) add(row []element) error {
	slices.SortFunc(row, func(a, b element) int { return cmp.Compare(a.column, b.column) })
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

// slice returns rows lo to hi.
func (s SparseRows) slice(lo, hi int) SparseRows {
	s.Start = s.Start[lo : hi+1]
	return s
}

// Row returns the places and values of row i.
func (s SparseRows) Row(i int) (columns []int, values []float64) {
	return s.Columns[s.Start[i]:s.Start[i+1]], s.Values[s.Start[i]:s.Start[i+1]]
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
