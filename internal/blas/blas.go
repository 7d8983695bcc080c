// Package blas holds the matrix kernels that everything else spends its time in: symmetric rank-k
// updates, Cholesky factors and triangular solves, all reduced to matrix products by recursion.
//
// Symmetric and triangular matrices are upper ones, row-major, as in gonum: A = U'U. The strictly
// lower part of a symmetric argument is never read and may be overwritten. Block sizes are
// constants, and gonum's product depends on shapes alone, so results do not depend on the number
// of threads.
package blas

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"mediant/internal/parallel"
)

const (
	// leaf is the order below which recursion hands over to gonum's unblocked routines: small
	// enough that they are a few per cent of the work at the orders of interest (512 and up), large
	// enough that products inside the recursion are worth their call.
	leaf = 64
	// panel is the number of rows of a symmetric product formed at a time: half a panel's square of
	// the work at the diagonal is wasted, and a panel should still fill the product's own blocks.
	panel = 256
	// strip is the number of right-hand sides that one goroutine solves for.
	strip = 128
)

// view returns the r×c block of a that begins at (i, j).
func view(a blas64.General, i, j, r, c int) blas64.General {
	if r == 0 || c == 0 {
		return blas64.General{Rows: r, Cols: c, Stride: max(a.Stride, 1)}
	}
	return blas64.General{Rows: r, Cols: c, Stride: a.Stride, Data: a.Data[i*a.Stride+j : (i+r-1)*a.Stride+j+c]}
}

// gemm is c = alpha op(a) op(b) + beta c, silent on empty operands.
func gemm(ta, tb blas.Transpose, alpha float64, a, b blas64.General, beta float64, c blas64.General) {
	if c.Rows == 0 || c.Cols == 0 || a.Rows == 0 || a.Cols == 0 {
		return
	}
	blas64.Gemm(ta, tb, alpha, a, b, beta, c)
}

// Syrk adds alpha a'a to the upper triangle of the square matrix c; a is n×p, c p×p. It costs n p²
// flops and half a panel more.
func Syrk(alpha float64, a, c blas64.General) {
	for i := 0; i < c.Rows; i += panel {
		r := min(panel, c.Rows-i)
		gemm(blas.Trans, blas.NoTrans, alpha, view(a, 0, i, a.Rows, r), view(a, 0, i, a.Rows, a.Cols-i), 1, view(c, i, i, r, c.Cols-i))
	}
}

// Cholesky overwrites the upper triangle of a with U, a = U'U, in n³/3 flops. It reports false when
// a is not positive definite to rounding; a is then destroyed.
func Cholesky(a blas64.General) bool {
	n := a.Rows
	if n <= leaf {
		return cholesky(a)
	}
	k := split(n)
	u11, u12, a22 := view(a, 0, 0, k, k), view(a, 0, k, k, n-k), view(a, k, k, n-k, n-k)
	if !Cholesky(u11) {
		return false
	}
	SolveLeft(blas.Trans, u11, u12)
	Syrk(-1, u12, a22)
	return Cholesky(a22)
}

// cholesky is the unblocked factorisation.
func cholesky(a blas64.General) bool {
	n := a.Rows
	for j := range n {
		row := a.Data[j*a.Stride : j*a.Stride+n]
		d := row[j]
		if !(d > 0) || math.IsInf(d, 1) {
			return false
		}
		d = math.Sqrt(d)
		row[j] = d
		for i := j + 1; i < n; i++ {
			row[i] /= d
		}
		for i := j + 1; i < n; i++ {
			v, next := row[i], a.Data[i*a.Stride:i*a.Stride+n]
			for l := i; l < n; l++ {
				next[l] -= v * row[l]
			}
		}
	}
	return true
}

// SolveLeft overwrites b with op(u)⁻¹ b; u is n×n upper triangular, b n×k. It costs n²k flops.
func SolveLeft(t blas.Transpose, u, b blas64.General) {
	n := u.Rows
	if b.Cols == 0 || n == 0 {
		return
	}
	if n <= leaf {
		parallel.Blocks(b.Cols, strip, func(lo, hi int) {
			blas64.Trsm(blas.Left, t, 1, triangle(u), view(b, 0, lo, n, hi-lo))
		})
		return
	}
	k := split(n)
	u11, u12, u22 := view(u, 0, 0, k, k), view(u, 0, k, k, n-k), view(u, k, k, n-k, n-k)
	b1, b2 := view(b, 0, 0, k, b.Cols), view(b, k, 0, n-k, b.Cols)
	if t == blas.NoTrans {
		SolveLeft(t, u22, b2)
		gemm(blas.NoTrans, blas.NoTrans, -1, u12, b2, 1, b1)
		SolveLeft(t, u11, b1)
		return
	}
	SolveLeft(t, u11, b1)
	gemm(blas.Trans, blas.NoTrans, -1, u12, b1, 1, b2)
	SolveLeft(t, u22, b2)
}

// SolveRight overwrites b with b u⁻¹; u is n×n upper triangular, b k×n. It costs n²k flops.
func SolveRight(b, u blas64.General) {
	n := u.Rows
	if b.Rows == 0 || n == 0 {
		return
	}
	if n <= leaf {
		parallel.Blocks(b.Rows, strip, func(lo, hi int) {
			blas64.Trsm(blas.Right, blas.NoTrans, 1, triangle(u), view(b, lo, 0, hi-lo, n))
		})
		return
	}
	k := split(n)
	b1, b2 := view(b, 0, 0, b.Rows, k), view(b, 0, k, b.Rows, n-k)
	SolveRight(b1, view(u, 0, 0, k, k))
	gemm(blas.NoTrans, blas.NoTrans, -1, b1, view(u, 0, k, k, n-k), 1, b2)
	SolveRight(b2, view(u, k, k, n-k, n-k))
}

// split halves n at a multiple of leaf, so that the products keep whole blocks.
func split(n int) int { return (n/2 + leaf - 1) / leaf * leaf }

func triangle(u blas64.General) blas64.Triangular {
	return blas64.Triangular{N: u.Rows, Stride: u.Stride, Data: u.Data, Uplo: blas.Upper, Diag: blas.NonUnit}
}
