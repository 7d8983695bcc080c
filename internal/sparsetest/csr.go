// Package sparsetest has a matrix with the methods of another module's sparse matrix, CSR of
// github.com/james-bowman/sparse, that module not being required.
package sparsetest

import (
	"encoding"
	"io"

	"gonum.org/v1/gonum/mat"
)

// A CSR has just the methods of that module's *CSR, for tests that such matrices are taken by the nonzeros of
// their rows. Any other access to elements panics, and so does every change. What its own products leave behind is here
// too: the columns of a row come in no order, and some stored elements are 0.
type CSR struct {
	rows    [][]element
	columns int
}

type element struct {
	column int
	value  float64
}

// Of returns x, with the columns of each row from the last to the first, and the first 0 of a row stored.
func Of(x mat.Matrix) *CSR {
	n, columns := x.Dims()
	c := &CSR{make([][]element, n), columns}
	for i := range n {
		zeros := 0
		for j := range columns {
			if x.At(i, j) == 0 {
				zeros++
			}
			if x.At(i, j) != 0 || zeros == 1 {
				c.rows[i] = append([]element{{j, x.At(i, j)}}, c.rows[i]...)
			}
		}
	}
	return c
}

// New returns the matrix of rows that map columns to values; those of a row come from the last to the first.
func New(columns int, rows []map[int]float64) *CSR {
	c := &CSR{make([][]element, len(rows)), columns}
	for i, row := range rows {
		for j, v := range row {
			at := 0
			for at < len(c.rows[i]) && c.rows[i][at].column > j {
				at++
			}
			c.rows[i] = append(c.rows[i][:at:at], append([]element{{j, v}}, c.rows[i][at:]...)...)
		}
	}
	return c
}

// Kinds of matrices that the module converts to, and its own interfaces.
type (
	// CSC stands for the transpose.
	CSC struct{ *CSR }
	// COO is never made.
	COO struct{}
	// DOK is never made.
	DOK struct{}
	// SparseMatrix stands for the module's raw storage, which is not gonum's.
	SparseMatrix struct{}
	// A MatrixType converts to one of them.
	MatrixType interface {
		Convert(from TypeConverter) mat.Matrix
	}
	// A TypeConverter can be converted to all.
	TypeConverter interface {
		ToDense() *mat.Dense
		ToDOK() *DOK
		ToCOO() *COO
		ToCSR() *CSR
		ToCSC() *CSC
		ToType(matType MatrixType) mat.Matrix
	}
)

var (
	_ TypeConverter              = (*CSR)(nil)
	_ mat.Mutable                = (*CSR)(nil)
	_ mat.RowViewer              = (*CSR)(nil)
	_ mat.RowNonZeroDoer         = (*CSR)(nil)
	_ mat.NonZeroDoer            = (*CSR)(nil)
	_ mat.Reseter                = (*CSR)(nil)
	_ encoding.BinaryMarshaler   = (*CSR)(nil)
	_ encoding.BinaryUnmarshaler = (*CSR)(nil)
)

const (
	byElement = "sparsetest: a sparse matrix was read element by element"
	asDense   = "sparsetest: a sparse matrix was made dense"
	asAWhole  = "sparsetest: a sparse matrix was read as a whole"
	changed   = "sparsetest: a sparse matrix was changed"
)

// Dims returns the numbers of rows and columns.
func (c *CSR) Dims() (rows, columns int) { return len(c.rows), c.columns }

// NNZ returns the number of stored elements.
func (c *CSR) NNZ() int {
	n := 0
	for _, row := range c.rows {
		n += len(row)
	}
	return n
}

// RowNNZ returns the number of stored elements of row i.
func (c *CSR) RowNNZ(i int) int { return len(c.rows[i]) }

// DoRowNonZero calls fn for the stored elements of row i.
func (c *CSR) DoRowNonZero(i int, fn func(i, j int, v float64)) {
	for _, e := range c.rows[i] {
		fn(i, e.column, e.value)
	}
}

// At panics.
func (c *CSR) At(i, j int) float64 { panic(byElement) }

// T returns the transpose, in which At panics too.
func (c *CSR) T() mat.Matrix { return CSC{c} }

// Dims returns those of the transpose.
func (c CSC) Dims() (rows, columns int) { return c.columns, len(c.rows) }

// All that follows panics.

func (c *CSR) RowView(i int) mat.Vector                        { panic(asDense) }
func (c *CSR) ScatterRow(i int, row []float64) []float64       { panic(asDense) }
func (c *CSR) ToDense() *mat.Dense                             { panic(asDense) }
func (c *CSR) DoNonZero(fn func(i, j int, v float64))          { panic(asAWhole) }
func (c *CSR) RawMatrix() *SparseMatrix                        { panic(asAWhole) }
func (c *CSR) Trace() float64                                  { panic(asAWhole) }
func (c *CSR) ToDOK() *DOK                                     { panic(asAWhole) }
func (c *CSR) ToCOO() *COO                                     { panic(asAWhole) }
func (c *CSR) ToCSR() *CSR                                     { panic(asAWhole) }
func (c *CSR) ToCSC() *CSC                                     { panic(asAWhole) }
func (c *CSR) ToType(matType MatrixType) mat.Matrix            { panic(asAWhole) }
func (c *CSR) IsZero() bool                                    { panic(asAWhole) }
func (c *CSR) MulVecTo(dst []float64, trans bool, x []float64) { panic(asAWhole) }
func (c *CSR) MarshalBinary() ([]byte, error)                  { panic(asAWhole) }
func (c *CSR) MarshalBinaryTo(w io.Writer) (int, error)        { panic(asAWhole) }
func (c *CSR) Set(i, j int, v float64)                         { panic(changed) }
func (c *CSR) Reset()                                          { panic(changed) }
func (c *CSR) Clone(b mat.Matrix)                              { panic(changed) }
func (c *CSR) Mul(a, b mat.Matrix)                             { panic(changed) }
func (c *CSR) Add(a, b mat.Matrix)                             { panic(changed) }
func (c *CSR) Sub(a, b mat.Matrix)                             { panic(changed) }
func (c *CSR) UnmarshalBinary(data []byte) error               { panic(changed) }
func (c *CSR) UnmarshalBinaryFrom(r io.Reader) (int, error)    { panic(changed) }
