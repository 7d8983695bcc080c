package blas

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"
)

// MulTo stores op(a) op(b) in dst, as mat.Dense.Mul does for NoTrans and transposes but by Gemm, whoever
// serves the rest of gonum. An empty dst is resized; a dst of another shape and factors that do not
// match panic. dst must not share memory with a or b.
func MulTo(dst *mat.Dense, tA blas.Transpose, a *mat.Dense, tB blas.Transpose, b *mat.Dense) {
	m, k := shape(tA, a.RawMatrix())
	depth, n := shape(tB, b.RawMatrix())
	if dst.IsEmpty() && k == depth {
		dst.ReuseAs(m, n)
	}
	if r, c := dst.Dims(); r != m || c != n || k != depth {
		panic(mat.ErrShape)
	}
	Gemm(tA, tB, 1, a.RawMatrix(), b.RawMatrix(), 0, dst.RawMatrix())
}
