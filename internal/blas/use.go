package blas

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/blas/gonum"
)

// Implementation is gonum's BLAS with the routines of level 3 that others are made of replaced by
// this package's: Dgemm, Dsyrk and Dtrsm. The zero value is ready for use.
type Implementation struct{ gonum.Implementation }

var _ blas.Float64 = Implementation{}

// Use makes gonum's mat, lapack and blas64 packages compute with Implementation, in the whole
// program. It must not be called while others compute.
func Use() { blas64.Use(Implementation{}) }

// Dgemm computes C = alpha op(A) op(B) + beta C, as Gemm does.
func (i Implementation) Dgemm(tA, tB blas.Transpose, m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	// Nothing is to be done for these alpha and beta but to check the arguments.
	i.Implementation.Dgemm(tA, tB, m, n, k, 0, a, lda, b, ldb, 1, c, ldc)
	if m == 0 || n == 0 {
		return
	}
	gemm(read(tA, blas64.General{Stride: lda, Data: a}), read(tB, blas64.General{Stride: ldb, Data: b}), k, alpha, beta,
		blas64.General{Rows: m, Cols: n, Stride: ldc, Data: c})
}

// Dsyrk computes C = alpha op(A) op(A)' + beta C in one triangle of C.
func (i Implementation) Dsyrk(ul blas.Uplo, t blas.Transpose, n, k int, alpha float64, a []float64, lda int, beta float64, c []float64, ldc int) {
	i.Implementation.Dsyrk(ul, t, n, k, 0, a, lda, 1, c, ldc)
	if n == 0 {
		return
	}
	triangle := upper
	if ul == blas.Lower {
		triangle = lower
	}
	syrk(triangle, read(t, blas64.General{Stride: lda, Data: a}), k, alpha, beta, blas64.General{Rows: n, Cols: n, Stride: ldc, Data: c})
}

// Dtrsm overwrites B with alpha op(A)⁻¹ B or alpha B op(A)⁻¹, for a triangular A.
func (i Implementation) Dtrsm(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int) {
	if alpha == 0 || m == 0 || n == 0 || !validTrsm(s, ul, tA, d, m, n, a, lda, b, ldb) {
		i.Implementation.Dtrsm(s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
		return
	}
	x := blas64.General{Rows: m, Cols: n, Stride: ldb, Data: b}
	if alpha != 1 {
		scale(alpha, x, whole)
	}
	t := read(tA, blas64.General{Stride: lda, Data: a})
	isUpper := (ul == blas.Upper) == (tA == blas.NoTrans)
	if s == blas.Left {
		solve(triangle{t, m, isUpper, d == blas.Unit}, read(blas.NoTrans, x), n)
		return
	}
	// X op(A) = B is op(A)'X' = B'.
	solve(triangle{t.transposed(), n, !isUpper, d == blas.Unit}, read(blas.Trans, x), m)
}

// validTrsm reports whether the arguments of Dtrsm are in order. If not, gonum's own has the words.
func validTrsm(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, a []float64, lda int, b []float64, ldb int) bool {
	order := m
	if s == blas.Right {
		order = n
	}
	return (s == blas.Left || s == blas.Right) && (ul == blas.Upper || ul == blas.Lower) &&
		(tA == blas.NoTrans || tA == blas.Trans || tA == blas.ConjTrans) && (d == blas.Unit || d == blas.NonUnit) &&
		m > 0 && n > 0 && lda >= order && ldb >= n && len(a) >= lda*(order-1)+order && len(b) >= ldb*(m-1)+n
}
