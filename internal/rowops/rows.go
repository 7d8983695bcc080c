package rowops

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
const BlockRows = 128

// block returns the r×c block of a that begins at (i, j), without copying.
func Block(a blas64.General, i, j, r, c int) blas64.General {
	if r == 0 || c == 0 {
		return blas64.General{Rows: r, Cols: c, Stride: max(a.Stride, 1)}
	}
	return blas64.General{Rows: r, Cols: c, Stride: a.Stride, Data: a.Data[i*a.Stride+j : (i+r-1)*a.Stride+j+c]}
}

// row returns row i of a.
func Row(a blas64.General, i int) []float64 { return a.Data[i*a.Stride : i*a.Stride+a.Cols] }

// A scratch is memory for one block of rows.
type Scratch struct{ data []float64 }

var Scratches = sync.Pool{New: func() any { return new(Scratch) }}

// general returns an r×c matrix of the scratch's memory, which holds anything.
func (s *Scratch) Matrix(r, c int) blas64.General {
	s.data = slices.Grow(s.data[:0], r*c)[:r*c]
	return blas64.General{Rows: r, Cols: c, Stride: c, Data: s.data}
}

// denseRows returns rows lo to hi of x: a view where x stores its rows densely, else a copy in s.
// Sparse rows are copied by their nonzeros.
func Dense(x mat.Matrix, lo, hi int, s *Scratch) blas64.General {
	_, c := x.Dims()
	if raw, ok := x.(mat.RawMatrixer); ok {
		return Block(raw.RawMatrix(), lo, 0, hi-lo, c)
	}
	to := s.Matrix(hi-lo, c)
	if sparse, ok := x.(mat.RowNonZeroDoer); ok {
		clear(to.Data)
		scatter := func(i, j int, v float64) { to.Data[(i-lo)*c+j] += v }
		for i := lo; i < hi; i++ {
			sparse.DoRowNonZero(i, scatter)
		}
		return to
	}
	for i := lo; i < hi; i++ {
		mat.Row(Row(to, i-lo), i, x)
	}
	return to
}

// denseTo copies x to dst, of the same shape, a block of rows at a time.
func DenseTo(dst *mat.Dense, x mat.Matrix) {
	to := dst.RawMatrix()
	parallel.Blocks(to.Rows, BlockRows, func(lo, hi int) {
		s := Scratches.Get().(*Scratch)
		defer Scratches.Put(s)
		from := Dense(x, lo, hi, s)
		for i := lo; i < hi; i++ {
			copy(Row(to, i), Row(from, i-lo))
		}
	})
}

// finite reports whether no value is infinite or NaN.
func Finite(values []float64) bool {
	for _, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return true
}

// firstRows returns the first n rows of memory, which is made larger if it has fewer.
func First(memory *mat.Dense, n, width int) *mat.Dense {
	if r, _ := memory.Dims(); r < n {
		memory.Reset()
		memory.ReuseAs(n, width)
	}
	return memory.Slice(0, n, 0, width).(*mat.Dense)
}

// weightOf is the weight of row i under weights that may be nil.
func WeightAt(weights []float64, i int) float64 {
	if weights == nil {
		return 1
	}
	return weights[i]
}

// general returns an r×c matrix of zeros.
func New(r, c int) blas64.General {
	return blas64.General{Rows: r, Cols: c, Stride: c, Data: make([]float64, r*c)}
}

// rowsOf copies the given rows of x.
func Of(x *mat.Dense, rows []int) blas64.General {
	_, c := x.Dims()
	to := New(len(rows), c)
	for t, i := range rows {
		copy(Row(to, t), x.RawRowView(i))
	}
	return to
}

func Append(data []float64, rows *mat.Dense) []float64 {
	n, _ := rows.Dims()
	for i := range n {
		data = append(data, rows.RawRowView(i)...)
	}
	return data
}

// view is a as a *mat.Dense that shares its memory.
func View(a blas64.General) *mat.Dense {
	var d mat.Dense
	d.SetRawMatrix(a)
	return &d
}
