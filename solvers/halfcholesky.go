package solvers

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	fast "mediant/internal/blas"
)

// A HalfCholesky, made by NewHalfCholesky, is the factor L of K + mu I ≈ L L' for a positive semidefinite matrix K of order m, in float32: 2 m² bytes. It is for preconditioners, used one at a time, and whitens sections of a kernel as in [Rudi, Carratino and Rosasco, FALKON, NIPS 2017].
type HalfCholesky struct {
	n       int
	columns [][]float32 // block columns from the diagonal down, by rows, halfWidth wide but for the last
	memory  []float64   // of one of them
}

// halfWidth columns are factored and applied at a time: wide enough for products to take all the time.
const halfWidth = 512

// halfShift times the root of the order and the mean diagonal is mu: rounding of L to float32, 6e-8 of entries that are below the root of the diagonal, moves eigenvalues of L L' by some 2 · 6e-8 sqrt(m).
const halfShift = 2.5e-7

// NewHalfCholesky factors K, of which block stores rows lo and beyond of columns lo to hi, in m³/3 flops. It is an error if K + mu I is not positive definite to rounding.
func NewHalfCholesky(ctx context.Context, diagonal []float64, block func(dst *mat.Dense, lo, hi int)) (*HalfCholesky, error) {
	n := len(diagonal)
	h := &HalfCholesky{n: n, memory: make([]float64, n*min(n, halfWidth))}
	mean := 0.
	for _, d := range diagonal {
		mean += d / float64(n)
	}
	shift := halfShift * math.Sqrt(float64(n)) * mean
	work := make([]float64, n*min(n, halfWidth))
	for lo := 0; lo < n; lo += halfWidth {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		hi := min(lo+halfWidth, n)
		w := mat.NewDense(n-lo, hi-lo, work[:(n-lo)*(hi-lo)])
		block(w, lo, hi)
		for i := range hi - lo {
			w.Set(i, i, w.At(i, i)+shift)
		}
		for k := range h.columns {
			l := h.wide(k, lo)
			fast.Gemm(blas.NoTrans, blas.Trans, -1, l, rowsOfBlock(l, 0, hi-lo), 1, w.RawMatrix())
		}
		if !h.finish(w) {
			return nil, fmt.Errorf("solvers: the kernel of %d landmarks is not positive definite to rounding", n)
		}
	}
	return h, nil
}

// finish factors the diagonal block of w, divides the rows below by it, and keeps all.
func (h *HalfCholesky) finish(w *mat.Dense) bool {
	rows, k := w.Dims()
	top := mat.NewDense(k, k, nil)
	for i := range k {
		for j := i; j < k; j++ {
			top.Set(i, j, w.At(j, i))
		}
	}
	if !fast.Cholesky(top.RawMatrix()) { // top'top
		return false
	}
	if rows > k {
		fast.SolveRight(rowsOfBlock(w.RawMatrix(), k, rows-k), top.RawMatrix())
	}
	kept := make([]float32, rows*k)
	for i := range rows {
		for j := range k {
			switch {
			case i >= k:
				kept[i*k+j] = float32(w.At(i, j))
			case j <= i:
				kept[i*k+j] = float32(top.At(j, i))
			}
		}
	}
	h.columns = append(h.columns, kept)
	return true
}

// rowsOfBlock is a run of rows.
func rowsOfBlock(a blas64.General, first, rows int) blas64.General {
	return blas64.General{Rows: rows, Cols: a.Cols, Stride: a.Stride, Data: a.Data[first*a.Stride:]}
}

// wide is block column k from a row of the matrix on, in float64, until the next call.
func (h *HalfCholesky) wide(k, from int) blas64.General {
	width := min(halfWidth, h.n-k*halfWidth)
	own := h.columns[k][(from-k*halfWidth)*width:]
	out := blas64.General{Rows: h.n - from, Cols: width, Stride: width, Data: h.memory[:len(own)]}
	for i, v := range own {
		out.Data[i] = float64(v)
	}
	return out
}

// Solve replaces the columns of x by L⁻¹x, or L'⁻¹x if transposed, in m² flops a column.
func (h *HalfCholesky) Solve(transposed bool, x *mat.Dense) {
	_, c := x.Dims()
	raw := x.RawMatrix()
	for at := range h.columns {
		k := at
		if transposed {
			k = len(h.columns) - 1 - at
		}
		lo := k * halfWidth
		l := h.wide(k, lo)
		own := blas64.General{Rows: l.Cols, Cols: c, Stride: raw.Stride, Data: raw.Data[lo*raw.Stride:]}
		var below, rest blas64.General
		if l.Rows > l.Cols {
			below = rowsOfBlock(l, l.Cols, l.Rows-l.Cols)
			rest = blas64.General{Rows: below.Rows, Cols: c, Stride: raw.Stride, Data: raw.Data[(lo+l.Cols)*raw.Stride:]}
		}
		top := mat.DenseCopyOf(mat.NewDense(l.Cols, l.Cols, l.Data[:l.Cols*l.Cols]).T()).RawMatrix()
		if transposed {
			if below.Rows > 0 {
				fast.Gemm(blas.Trans, blas.NoTrans, -1, below, rest, 1, own)
			}
			fast.SolveLeft(blas.NoTrans, top, own)
			continue
		}
		fast.SolveLeft(blas.Trans, top, own)
		if below.Rows > 0 {
			fast.Gemm(blas.NoTrans, blas.NoTrans, -1, below, own, 1, rest)
		}
	}
}
