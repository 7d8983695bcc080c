package kernels

import (
	"slices"
	"sync"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// prepare checks the shapes of a Gram matrix, resizes an empty dst and returns n, m and the width.
func prepare(dst *mat.Dense, x, y mat.Matrix) (n, m, width int) {
	n, width = x.Dims()
	m, w := y.Dims()
	if w != width {
		panic(mat.ErrShape)
	}
	if n == 0 || m == 0 || width == 0 {
		panic(mat.ErrZeroLength)
	}
	if dst.IsEmpty() {
		dst.ReuseAs(n, m)
		return n, m, width
	}
	if r, c := dst.Dims(); r != n || c != m {
		panic(mat.ErrShape)
	}
	return n, m, width
}

// prepareDiag checks that dst has an element for each row of x.
func prepareDiag(dst []float64, x mat.Matrix) {
	if n, _ := x.Dims(); len(dst) != n {
		panic(mat.ErrShape)
	}
}

// view returns the r×c block of a that begins at (i, j), without copying.
func view(a blas64.General, i, j, r, c int) blas64.General {
	return blas64.General{Rows: r, Cols: c, Stride: a.Stride, Data: a.Data[i*a.Stride+j : (i+r-1)*a.Stride+j+c]}
}

// line returns row i of a.
func line(a blas64.General, i int) []float64 { return a.Data[i*a.Stride : i*a.Stride+a.Cols] }

// A scratch is memory that grows and holds anything.
type scratch struct{ data []float64 }

func (s *scratch) floats(n int) []float64 {
	s.data = slices.Grow(s.data[:0], n)[:n]
	return s.data
}

func (s *scratch) general(r, c int) blas64.General {
	return blas64.General{Rows: r, Cols: c, Stride: c, Data: s.floats(r * c)}
}

// asSparse returns x's nonzeros, or nil if x stores its rows densely or cannot tell.
func asSparse(x mat.Matrix) mat.RowNonZeroDoer {
	if _, ok := x.(mat.RawMatrixer); ok {
		return nil
	}
	sparse, _ := x.(mat.RowNonZeroDoer)
	return sparse
}

// rowsOf returns rows lo to hi of x, a view where x stores its rows densely, else a copy in s. The
// result is not to be written to.
func rowsOf(s *scratch, x mat.Matrix, lo, hi int) blas64.General {
	_, c := x.Dims()
	if raw, ok := x.(mat.RawMatrixer); ok {
		return view(raw.RawMatrix(), lo, 0, hi-lo, c)
	}
	to := s.general(hi-lo, c)
	if sparse := asSparse(x); sparse != nil {
		clear(to.Data)
		i := 0
		scatter := func(_, j int, v float64) { to.Data[i*c+j] = v }
		for ; i < hi-lo; i++ {
			sparse.DoRowNonZero(lo+i, scatter)
		}
		return to
	}
	for i := range hi - lo {
		mat.Row(line(to, i), lo+i, x)
	}
	return to
}

// rowOf is rowsOf for one row.
func rowOf(s *scratch, x mat.Matrix, i int) []float64 { return line(rowsOf(s, x, i, i+1), 0) }

// EachRow calls do for the rows of x, dense or sparse, in order. A row is read-only and valid during the call only. Kernels and maps of other
// modules use EachRow to read rows.
func EachRow(x mat.Matrix, do func(i int, row []float64)) {
	var s scratch
	n, _ := x.Dims()
	for i := range n {
		do(i, rowOf(&s, x, i))
	}
}

// eachNonzero calls do for the elements of x that are not 0, row by row.
func eachNonzero(x mat.Matrix, do func(i, j int, v float64)) {
	if sparse := asSparse(x); sparse != nil {
		n, _ := x.Dims()
		for i := range n {
			sparse.DoRowNonZero(i, func(_, j int, v float64) {
				if v != 0 {
					do(i, j, v)
				}
			})
		}
		return
	}
	EachRow(x, func(i int, row []float64) {
		for j, v := range row {
			if v != 0 {
				do(i, j, v)
			}
		}
	})
}

// span returns rows lo to hi of x as a matrix of x's own kind, a dense copy if that gives no access to its
// memory.
func span(x mat.Matrix, lo, hi int) mat.Matrix {
	if asSparse(x) != nil {
		if n, _ := x.Dims(); lo == 0 && hi == n {
			return x
		}
		rows := make([]int, hi-lo)
		for i := range rows {
			rows[i] = lo + i
		}
		return selection{x, rows, 1}
	}
	var part mat.Dense
	part.SetRawMatrix(rowsOf(new(scratch), x, lo, hi))
	return &part
}

// pick returns the given rows of x times scale: a selection of sparse rows, else a dense copy.
func pick(x mat.Matrix, rows []int, scale float64) mat.Matrix {
	if asSparse(x) != nil {
		return selection{x, rows, scale}
	}
	_, c := x.Dims()
	part := mat.NewDense(len(rows), c, nil)
	var s scratch
	for i, r := range rows {
		for j, v := range rowOf(&s, x, r) {
			part.Set(i, j, v*scale)
		}
	}
	return part
}

// A selection is some rows of a sparse matrix times a scale.
type selection struct {
	of    mat.Matrix // a mat.RowNonZeroDoer
	rows  []int
	scale float64
}

func (s selection) Dims() (r, c int) {
	_, c = s.of.Dims()
	return len(s.rows), c
}

func (s selection) At(i, j int) float64 { return s.of.At(s.rows[i], j) * s.scale }

func (s selection) T() mat.Matrix { return mat.Transpose{Matrix: s} }

func (s selection) DoRowNonZero(i int, fn func(i, j int, v float64)) {
	asSparse(s.of).DoRowNonZero(s.rows[i], func(_, j int, v float64) { fn(i, j, v*s.scale) })
}

// works hold what a thread needs for one block of rows.
var works = sync.Pool{New: func() any { return new(work) }}

// A work is a block of rows, less a centre, ready to be multiplied.
type work struct {
	rows  scratch      // copies of rows that are not stored densely
	x, y  scratch      // one row of either side, for exact distances
	pairs []difference // or these, if both are sparse

	centred scratch
	dense   blas64.General // rows less the centre, unless sparse

	sparse bool
	start  []int // of each row in cols and vals, and the end of the last
	cols   []int
	vals   []float64

	norms []float64 // |row - centre|², none if the centre is the origin
}

// load takes rows lo to hi of x, less c.
func (w *work) load(x mat.Matrix, lo, hi int, c centre) {
	w.sparse, w.norms = c.sparse, w.norms[:0]
	if c.sparse {
		w.loadSparse(asSparse(x), lo, hi, c)
		return
	}
	w.dense = rowsOf(&w.rows, x, lo, hi)
	if c.at == nil {
		return
	}
	from := w.dense
	w.dense = w.centred.general(from.Rows, from.Cols)
	for i := range from.Rows {
		to := line(w.dense, i)
		for k, v := range line(from, i) {
			to[k] = v - c.at[k]
		}
		w.norms = append(w.norms, sumOfSquares(to))
	}
}

// loadSparse stores of each row the centred columns, zeros included, and the nonzeros of the others.
func (w *work) loadSparse(x mat.RowNonZeroDoer, lo, hi int, c centre) {
	w.start, w.cols, w.vals = append(w.start[:0], 0), w.cols[:0], w.vals[:0]
	first := 0
	visit := func(_, j int, v float64) {
		if c.place != nil && c.place[j] > 0 {
			w.vals[first+c.place[j]-1] = v - c.at[j]
			return
		}
		w.cols, w.vals = append(w.cols, j), append(w.vals, v)
	}
	for i := lo; i < hi; i++ {
		first = len(w.vals)
		for _, j := range c.heavy {
			w.cols, w.vals = append(w.cols, j), append(w.vals, -c.at[j])
		}
		x.DoRowNonZero(i, visit)
		w.start = append(w.start, len(w.vals))
		w.norms = append(w.norms, sumOfSquares(w.vals[first:]))
	}
}

func sumOfSquares(a []float64) float64 {
	var sum float64
	for _, v := range a {
		sum += v * v
	}
	return sum
}
