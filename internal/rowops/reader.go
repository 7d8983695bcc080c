package rowops

import (
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// A rowReader goes through the elements of rows lo to hi of a matrix, those that are not 0 if it is sparse.
type Reader struct {
	sparse mat.RowNonZeroDoer
	dense  blas64.General
	lo     int
	memory *Scratch
}

func Open(x mat.Matrix, lo, hi int) Reader {
	r := Reader{lo: lo}
	if sparse, ok := x.(mat.RowNonZeroDoer); ok {
		r.sparse = sparse
		return r
	}
	r.memory = Scratches.Get().(*Scratch)
	r.dense = Dense(x, lo, hi, r.memory)
	return r
}

// close gives the reader's memory back.
func (r Reader) Close() {
	if r.memory != nil {
		Scratches.Put(r.memory)
	}
}

// each calls fn for the elements of row i in the order of their columns.
func (r Reader) Each(i int, fn func(j int, v float64)) {
	if r.sparse != nil {
		r.sparse.DoRowNonZero(i, func(_, j int, v float64) { fn(j, v) })
		return
	}
	for j, v := range Row(r.dense, i-r.lo) {
		fn(j, v)
	}
}
