package rr

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"

	fast "mediant/internal/blas"
)

// UseFastBLAS makes all of gonum compute its matrix products, symmetric products and triangular solves, and
// what mat and lapack make of them, by the routines that this module uses itself, in the whole program.
// Call it once, before anything computes. This module's own results are as fast without it, but for
// minimum-norm solutions of singular systems.
func UseFastBLAS() { fast.Use() }

// multiply stores a b in dst, which is resized. a is a *mat.Dense or the transpose of one.
func multiply(dst *mat.Dense, a mat.Matrix, b *mat.Dense) {
	t := blas.NoTrans
	if transposed, ok := a.(mat.Transpose); ok {
		t, a = blas.Trans, transposed.Matrix
	}
	left, right := a.(*mat.Dense).RawMatrix(), b.RawMatrix()
	rows := left.Rows
	if t == blas.Trans {
		rows = left.Cols
	}
	dst.Reset()
	dst.ReuseAs(rows, right.Cols)
	fast.Gemm(t, blas.NoTrans, 1, left, right, 0, dst.RawMatrix())
}
