package features

import (
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// A rowReader goes through the elements of rows lo to hi of a matrix, those that are not 0 if it is sparse.
type rowReader struct {
	sparse mat.RowNonZeroDoer
	dense  blas64.General
	lo     int
	memory *scratch
}

func openRows(x mat.Matrix, lo, hi int) rowReader {
	r := rowReader{lo: lo}
	if sparse, ok := x.(mat.RowNonZeroDoer); ok {
		r.sparse = sparse
		return r
	}
	r.memory = scratches.Get().(*scratch)
	r.dense = denseRows(x, lo, hi, r.memory)
	return r
}

// close gives the reader's memory back.
func (r rowReader) close() {
	if r.memory != nil {
		scratches.Put(r.memory)
	}
}

// each calls fn for the elements of row i in the order of their columns.
func (r rowReader) each(i int, fn func(j int, v float64)) {
	if r.sparse != nil {
		r.sparse.DoRowNonZero(i, func(_, j int, v float64) { fn(j, v) })
		return
	}
	for j, v := range row(r.dense, i-r.lo) {
		fn(j, v)
	}
}
