package features

import (
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"mediant/internal/parallel"
)

// blockRows is the number of rows that are turned into features at a time. 128 rows of some hundred
// columns stay in the second-level cache. A constant, because results must not depend on threads.
const blockRows = 128

// prepare checks the shapes of a call of MapTo, resizes an empty dst and returns the number of rows.
func prepare(m Map, dst *mat.Dense, x mat.Matrix) int {
	in, out := m.Dims()
	n, c := x.Dims()
	if c != in {
		panic(mat.ErrShape)
	}
	if dst.IsEmpty() {
		dst.ReuseAs(n, out)
		return n
	}
	if r, c := dst.Dims(); r != n || c != out {
		panic(mat.ErrShape)
	}
	return n
}

// block returns the r×c block of a that begins at (i, j), without copying.
func block(a blas64.General, i, j, r, c int) blas64.General {
	if r == 0 || c == 0 {
		return blas64.General{Rows: r, Cols: c, Stride: max(a.Stride, 1)}
	}
	return blas64.General{Rows: r, Cols: c, Stride: a.Stride, Data: a.Data[i*a.Stride+j : (i+r-1)*a.Stride+j+c]}
}

// row returns row i of a.
func row(a blas64.General, i int) []float64 { return a.Data[i*a.Stride : i*a.Stride+a.Cols] }

// A scratch is memory for one block of rows.
type scratch struct{ data []float64 }

var scratches = sync.Pool{New: func() any { return new(scratch) }}

// general returns an r×c matrix of the scratch's memory, which holds anything.
func (s *scratch) general(r, c int) blas64.General {
	s.data = slices.Grow(s.data[:0], r*c)[:r*c]
	return blas64.General{Rows: r, Cols: c, Stride: c, Data: s.data}
}

// denseRows returns rows lo to hi of x: a view where x stores its rows densely, else a copy in s.
// Sparse rows are copied by their nonzeros.
func denseRows(x mat.Matrix, lo, hi int, s *scratch) blas64.General {
	_, c := x.Dims()
	if raw, ok := x.(mat.RawMatrixer); ok {
		return block(raw.RawMatrix(), lo, 0, hi-lo, c)
	}
	to := s.general(hi-lo, c)
	if sparse, ok := x.(mat.RowNonZeroDoer); ok {
		clear(to.Data)
		scatter := func(i, j int, v float64) { to.Data[(i-lo)*c+j] += v }
		for i := lo; i < hi; i++ {
			sparse.DoRowNonZero(i, scatter)
		}
		return to
	}
	for i := lo; i < hi; i++ {
		mat.Row(row(to, i-lo), i, x)
	}
	return to
}

// denseTo copies x to dst, of the same shape, a block of rows at a time.
func denseTo(dst *mat.Dense, x mat.Matrix) {
	to := dst.RawMatrix()
	parallel.Blocks(to.Rows, blockRows, func(lo, hi int) {
		s := scratches.Get().(*scratch)
		defer scratches.Put(s)
		from := denseRows(x, lo, hi, s)
		for i := lo; i < hi; i++ {
			copy(row(to, i), row(from, i-lo))
		}
	})
}

// finite reports whether no value is infinite or NaN.
func finite(values []float64) bool {
	for _, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return true
}
