package blas

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// An operand is a matrix read by any two strides: element (i, j) is data[i row + j col].
type operand struct {
	data     []float64
	row, col int
}

// read returns op(a).
func read(t blas.Transpose, a blas64.General) operand {
	if t == blas.NoTrans {
		return operand{a.Data, a.Stride, 1}
	}
	return operand{a.Data, 1, a.Stride}
}

// shape returns the rows and columns of op(a).
func shape(t blas.Transpose, a blas64.General) (rows, cols int) {
	if t == blas.NoTrans {
		return a.Rows, a.Cols
	}
	return a.Cols, a.Rows
}

// from returns o without its first i rows and j columns.
func (o operand) from(i, j int) operand {
	return operand{o.data[i*o.row+j*o.col:], o.row, o.col}
}

func (o operand) transposed() operand { return operand{o.data, o.col, o.row} }

// readRow copies the first elements of row i.
func (o operand) readRow(i int, to []float64) {
	from := o.data[i*o.row:]
	if o.col == 1 {
		copy(to, from)
		return
	}
	for j := range to {
		to[j] = from[j*o.col]
	}
}

// writeRow overwrites the first elements of row i.
func (o operand) writeRow(i int, from []float64) {
	to := o.data[i*o.row:]
	if o.col == 1 {
		copy(to, from)
		return
	}
	for j, v := range from {
		to[j*o.col] = v
	}
}

// view returns the r×c block of a that begins at (i, j).
func view(a blas64.General, i, j, r, c int) blas64.General {
	if r == 0 || c == 0 {
		return blas64.General{Rows: r, Cols: c, Stride: max(a.Stride, 1)}
	}
	return blas64.General{Rows: r, Cols: c, Stride: a.Stride, Data: a.Data[i*a.Stride+j : (i+r-1)*a.Stride+j+c]}
}
