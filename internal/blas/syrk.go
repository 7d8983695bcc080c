package blas

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// Syrk adds alpha a'a to the upper triangle of the square matrix c; a is n×p, c p×p. It costs n p²
// flops. The strictly lower triangle is neither read nor written.
func Syrk(alpha float64, a, c blas64.General) {
	if c.Rows != c.Cols || c.Rows != a.Cols {
		panic("blas: shapes of a symmetric product do not match")
	}
	syrk(upper, read(blas.Trans, a), a.Rows, alpha, 1, c)
}

// syrk is c = alpha a a' + beta c in a triangle of c, for an operand a of k columns.
func syrk(triangle part, a operand, k int, alpha, beta float64, c blas64.General) {
	if c.Rows == 0 || prescaled(alpha, beta, k, c, triangle) {
		return
	}
	multiply(product{m: c.Rows, n: c.Cols, k: k, alpha: alpha, a: a, b: a.transposed(), add: beta != 0, c: c, part: triangle})
}
