package rowops

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// CSR is an immutable sparse matrix in compressed row storage. Every Map, and every Kernel, takes it
// through its stored elements. The zero value is an empty matrix; use NewCSR or CSROf.
//
// Maps know sparse rows by the interface mat.RowNonZeroDoer alone, so other modules' sparse matrices
// serve as well, whose rows have each column once, in any order.
type CSR struct {
	rows, cols int
	start      []int // of each row in columns and values, and the end of the last
	columns    []int
	values     []float64
}

var (
	_ mat.Matrix         = (*CSR)(nil)
	_ mat.RowNonZeroDoer = (*CSR)(nil)
)

// NewCSR returns the rows×cols matrix whose row i holds values[t] in column columns[t], for t from
// start[i] to start[i+1]-1. Columns ascend strictly within a row. The slices are copied. The error
// names the first row that breaks these rules.
func NewCSR(rows, cols int, start, columns []int, values []float64) (*CSR, error) {
	switch {
	case rows < 1 || cols < 1:
		return nil, fmt.Errorf("encode: csr: shape %d×%d, want at least 1×1", rows, cols)
	case len(start)-1 != rows || start[0] != 0 || start[rows] != len(values):
		return nil, fmt.Errorf("encode: csr: row starts do not run from 0 to the %d values in %d steps", len(values), rows)
	case len(columns) != len(values):
		return nil, fmt.Errorf("encode: csr: %d columns for %d values", len(columns), len(values))
	}
	for i := range rows {
		if start[i] > start[i+1] || start[i+1] > len(values) {
			return nil, fmt.Errorf("encode: csr: row %d ends before it starts or after the last value", i)
		}
		last := -1
		for _, j := range columns[start[i]:start[i+1]] {
			if j <= last || j >= cols {
				return nil, fmt.Errorf("encode: csr: row %d: column %d after column %d, want ascending columns below %d", i, j, last, cols)
			}
			last = j
		}
	}
	return &CSR{rows, cols, slices.Clone(start), slices.Clone(columns), slices.Clone(values)}, nil
}

// CSROf returns the nonzero elements of x. NaN is kept.
func CSROf(x mat.Matrix) *CSR {
	rows, cols := x.Dims()
	c := &CSR{rows: rows, cols: cols, start: make([]int, 1, rows+1)}
	line := make([]float64, cols)
	for i := range rows {
		for j, v := range mat.Row(line, i, x) {
			if v != 0 {
				c.columns = append(c.columns, j)
				c.values = append(c.values, v)
			}
		}
		c.start = append(c.start, len(c.values))
	}
	return c
}

// Dims returns the numbers of rows and columns.
func (c *CSR) Dims() (rows, cols int) { return c.rows, c.cols }

// At returns the element at (i, j), by binary search.
func (c *CSR) At(i, j int) float64 {
	if i < 0 || i >= c.rows {
		panic(mat.ErrRowAccess)
	}
	if j < 0 || j >= c.cols {
		panic(mat.ErrColAccess)
	}
	lo, hi := c.start[i], c.start[i+1]
	if t, ok := slices.BinarySearch(c.columns[lo:hi], j); ok {
		return c.values[lo+t]
	}
	return 0
}

// T returns the transpose, which has no sparse rows of its own.
func (c *CSR) T() mat.Matrix { return mat.Transpose{Matrix: c} }

// DoRowNonZero calls fn for the stored elements of row i in the order of their columns.
func (c *CSR) DoRowNonZero(i int, fn func(i, j int, v float64)) {
	if i < 0 || i >= c.rows {
		panic(mat.ErrRowAccess)
	}
	for t := c.start[i]; t < c.start[i+1]; t++ {
		fn(i, c.columns[t], c.values[t])
	}
}

// Raw returns the places of the rows in columns and values, as NewCSR takes them, which must not be changed.
func (c *CSR) Raw() (start, columns []int, values []float64) { return c.start, c.columns, c.values }

// A csrBuilder makes a CSR of so many columns row by row: its user appends a row's columns, ascending, and values, and ends it.
type Builder struct {
	Cols    int
	Columns []int
	Values  []float64
	start   []int
}

// endRow ends a row.
func (b *Builder) EndRow() {
	if b.start == nil {
		b.start = []int{0}
	}
	b.start = append(b.start, len(b.Values))
}

// csr returns the rows that have been ended, at least one, and gives its slices away.
func (b *Builder) CSR() *CSR {
	return &CSR{rows: len(b.start) - 1, cols: b.Cols, start: b.start, columns: b.Columns, values: b.Values}
}
