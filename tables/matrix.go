package tables

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"mediant/internal/names"
)

var _ Source = (*Matrix)(nil)

// A Matrix is a matrix as a Source of numeric columns. It is made by FromMatrix.
type Matrix struct {
	columns []Column
	rows    int
	dense   blas64.General     // used if sparse is nil
	sparse  mat.RowNonZeroDoer // made dense a block at a time
}

// FromMatrix returns the rows of x as a Source whose columns have the given distinct names. NaN is
// a missing value. A matrix with RawMatrix (mat.Dense) is not copied: the batches are views of it,
// and neither x nor they may be changed. A mat.RowNonZeroDoer stays sparse, one block of rows at a
// time is made dense. Anything else is copied to a dense matrix, once.
//
// It panics with mat.ErrShape if the number of names is not the number of columns. The error names
// the column and, counted from 0, the row of an infinite value or of one whose square float64
// cannot hold; no rows are an error too.
func FromMatrix(columns []string, x mat.Matrix) (*Matrix, error) {
	rows, cols := x.Dims()
	if len(columns) != cols {
		panic(mat.ErrShape)
	}
	if rows == 0 {
		return nil, errors.New("tables: matrix: no rows")
	}
	if err := names.Check(columns); err != nil {
		return nil, fmt.Errorf("tables: matrix: %w", err)
	}
	m := &Matrix{columns: make([]Column, cols), rows: rows}
	for j, n := range columns {
		m.columns[j] = Column{Name: n, Kind: Numeric}
	}
	switch x := x.(type) {
	case mat.RawMatrixer:
		m.dense = x.RawMatrix()
	case mat.RowNonZeroDoer:
		m.sparse = x
	default:
		m.dense = mat.DenseCopyOf(x).RawMatrix()
	}
	if err := m.check(); err != nil {
		return nil, err
	}
	return m, nil
}

// check refuses the values that a reader of files refuses.
func (m *Matrix) check() error {
	if m.sparse == nil {
		return checkDense(m.columns, m.dense)
	}
	var bad error
	for i := range m.rows {
		m.sparse.DoRowNonZero(i, func(i, j int, v float64) {
			if bad == nil {
				bad = checkValue(m.columns[j].Name, i, v)
			}
		})
		if bad != nil {
			return bad
		}
	}
	return nil
}

func checkDense(columns []Column, x blas64.General) error {
	for i := range x.Rows {
		for j, v := range x.Data[i*x.Stride : i*x.Stride+x.Cols] {
			if math.IsInf(v*v, 0) {
				return checkValue(columns[j].Name, i, v)
			}
		}
	}
	return nil
}

func checkValue(column string, row int, v float64) error {
	switch {
	case math.IsInf(v, 0):
		return fmt.Errorf("tables: column %q: row %d (from 0) is %g, want a finite number", column, row, v)
	case math.IsInf(v*v, 0):
		return fmt.Errorf("tables: column %q: row %d (from 0) is %g: float64 cannot hold its square; rescale the column",
			column, row, v)
	}
	return nil
}

// Columns lists the columns in the order of the matrix. The caller must not change the slice.
func (m *Matrix) Columns() []Column { return m.columns }

// Rows returns the number of rows.
func (m *Matrix) Rows() int { return m.rows }

// Facts tells the number of rows.
func (m *Matrix) Facts() Facts { return Facts{Rows: m.rows} }

// Batches yields views of a dense matrix, and blocks made dense of a sparse one.
func (m *Matrix) Batches(ctx context.Context) iter.Seq2[Batch, error] {
	return func(yield func(Batch, error) bool) {
		var block []float64
		if m.sparse != nil {
			block = make([]float64, min(BlockRows, m.rows)*len(m.columns))
		}
		for start := 0; start < m.rows; start += BlockRows {
			if err := ctx.Err(); err != nil {
				yield(Batch{}, err)
				return
			}
			n := min(BlockRows, m.rows-start)
			b := Batch{Start: start, Rows: n}
			if m.sparse != nil {
				b.Num = m.densify(block, start, n)
			} else {
				b.Num = rowsView(m.dense, start, n)
			}
			if !yield(b, nil) {
				return
			}
		}
	}
}

// densify stores n rows of the sparse matrix in block.
func (m *Matrix) densify(block []float64, start, n int) *mat.Dense {
	cols := len(m.columns)
	block = block[:n*cols]
	clear(block)
	for i := range n {
		row := block[i*cols : (i+1)*cols]
		m.sparse.DoRowNonZero(start+i, func(_, j int, v float64) { row[j] = v })
	}
	return mat.NewDense(n, cols, block)
}

// rowsView returns n rows of x without copying them.
func rowsView(x blas64.General, start, n int) *mat.Dense {
	view := x
	view.Rows = n
	view.Data = x.Data[start*x.Stride : (start+n-1)*x.Stride+x.Cols]
	var d mat.Dense
	d.SetRawMatrix(view)
	return &d
}
