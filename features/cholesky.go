package features

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"mediant/internal/blas"
	"mediant/internal/rowops"
)

// machineEpsilon is the distance from 1 to the next float64.
const machineEpsilon = 0x1p-52

// residualCutoff is the share of the largest k(z, z) below which a residual of m pivots is rounding
// and not kernel. An entry of a Gram matrix carries a few roundings (products, norms, exponential; 8
// is a bound on them with room), and m eliminations add one each [Higham, Accuracy and stability of
// numerical algorithms, 2nd ed., sec. 10.3; LAPACK's dpstrf uses m eps].
func residualCutoff(m int) float64 { return 8 * float64(m) * machineEpsilon }

// pivotedCholesky is blas.PivotedCholesky with the pivots alone.
func pivotedCholesky(ctx context.Context, a blas64.General, cutoff float64) (pivots []int, err error) {
	order, rank, err := blas.PivotedCholesky(ctx, a, cutoff)
	return order[:rank], err
}

// upperOf copies the leading n×n upper triangle of a, zeros below it.
func upperOf(a blas64.General, n int) blas64.General {
	u := rowops.New(n, n)
	for i := range n {
		copy(rowops.Row(u, i)[i:], rowops.Row(a, i)[i:n])
	}
	return u
}

// packUpper appends the rows of u's upper triangle to dst.
func packUpper(dst []float64, u blas64.General) []float64 {
	dst = slices.Grow(dst, packedLen(u.Rows))
	for i := range u.Rows {
		dst = append(dst, rowops.Row(u, i)[i:]...)
	}
	return dst
}

// unpackUpper is packUpper's inverse.
func unpackUpper(packed []float64, n int) blas64.General {
	u := rowops.New(n, n)
	for i := range n {
		packed = packed[copy(rowops.Row(u, i)[i:], packed):]
	}
	return u
}

// packedLen is the number of elements of a triangle of order n.
func packedLen(n int) int { return n * (n + 1) / 2 }
