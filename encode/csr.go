package encode

import (
	"gonum.org/v1/gonum/mat"

	"mediant/internal/rowops"
)

// CSR is an immutable sparse matrix in compressed row storage. Every features.Map and kernels.Kernel takes it through its
// stored elements.
type CSR = rowops.CSR

// NewCSR returns the rows×cols matrix whose row i holds values[t] in column columns[t], for t from start[i] to
// start[i+1]-1. Columns ascend strictly within a row. The slices are copied. The error names the first row that breaks
// these rules.
func NewCSR(rows, cols int, start, columns []int, values []float64) (*CSR, error) {
	return rowops.NewCSR(rows, cols, start, columns, values)
}

// CSROf returns the nonzero elements of x. NaN is kept.
func CSROf(x mat.Matrix) *CSR { return rowops.CSROf(x) }
