package features

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"

	"mediant/internal/blas"
)

const (
	// machineEpsilon is the distance from 1 to the next float64.
	machineEpsilon = 0x1p-52
	// pivotPanel is the number of pivots eliminated before the rest of the matrix is updated: the
	// panel's own work, m² × panel / 2 flops a panel at memory speed, stays a few per cent of the
	// update's at m = 3,000.
	pivotPanel = 64
)

// residualCutoff is the share of the largest k(z, z) below which a residual of m pivots is rounding
// and not kernel. An entry of a Gram matrix carries a few roundings (products, norms, exponential; 8
// is a bound on them with room), and m eliminations add one each [Higham, Accuracy and stability of
// numerical algorithms, 2nd ed., sec. 10.3; LAPACK's dpstrf uses m eps].
func residualCutoff(m int) float64 { return 8 * float64(m) * machineEpsilon }

// pivotedCholesky overwrites the leading rank × rank block of the upper triangle of a with U such
// that U'U is the matrix of the pivots' rows and columns, a being symmetric positive semidefinite
// with its upper triangle given. The pivot is always the largest residual diagonal; elimination
// stops when that falls to cutoff times the largest diagonal. It costs m² rank flops at most. The
// rank is len(pivots); the rest of a is destroyed. It looks at ctx before each panel, and its error is that of ctx.
func pivotedCholesky(ctx context.Context, a blas64.General, cutoff float64) (pivots []int, err error) {
	m := a.Rows
	pivots = make([]int, m)
	least := 0.0
	for i := range pivots {
		pivots[i] = i
		least = max(least, cutoff*row(a, i)[i])
	}
	for lo := 0; lo < m; lo += pivotPanel {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		hi := min(lo+pivotPanel, m)
		if rank := eliminate(a, lo, hi, least, pivots); rank < hi {
			return pivots[:rank], nil
		}
		rest := block(a, hi, hi, m-hi, m-hi)
		blas.Syrk(-1, block(a, lo, hi, hi-lo, m-hi), rest)
	}
	return pivots, nil
}

// eliminate makes rows lo to hi of U, given that rows and columns from lo on hold the residual of
// the rows above. It returns the number of rows of U there are then: hi, or less if the residual
// ran out.
func eliminate(a blas64.General, lo, hi int, least float64, pivots []int) (rank int) {
	m := a.Rows
	taken := make([]float64, m) // from the diagonal, by the panel's rows so far
	for j := lo; j < hi; j++ {
		pivot, residual := j, math.Inf(-1)
		for i := j; i < m; i++ {
			if j > lo {
				u := row(a, j-1)[i]
				taken[i] += u * u
			}
			if r := row(a, i)[i] - taken[i]; r > residual {
				pivot, residual = i, r
			}
		}
		if !(residual > least) {
			return j
		}
		if pivot != j {
			swapUpper(a, j, pivot)
			taken[j], taken[pivot] = taken[pivot], taken[j]
			pivots[j], pivots[pivot] = pivots[pivot], pivots[j]
		}
		u := math.Sqrt(residual)
		rest := row(a, j)[j+1:]
		for l := lo; l < j; l++ {
			above := row(a, l)
			floats.AddScaled(rest, -above[j], above[j+1:])
		}
		floats.Scale(1/u, rest)
		row(a, j)[j] = u
	}
	return hi
}

// swapUpper exchanges rows and columns j < p of the symmetric matrix whose upper triangle is a's,
// and columns j and p of the rows of U above.
func swapUpper(a blas64.General, j, p int) {
	for l := range j {
		above := row(a, l)
		above[j], above[p] = above[p], above[j]
	}
	at, other := row(a, j), row(a, p)
	at[j], other[p] = other[p], at[j]
	for i := j + 1; i < p; i++ {
		between := row(a, i)
		at[i], between[p] = between[p], at[i]
	}
	for i := p + 1; i < a.Cols; i++ {
		at[i], other[i] = other[i], at[i]
	}
}

// upperOf copies the leading n×n upper triangle of a, zeros below it.
func upperOf(a blas64.General, n int) blas64.General {
	u := general(n, n)
	for i := range n {
		copy(row(u, i)[i:], row(a, i)[i:n])
	}
	return u
}

// packUpper appends the rows of u's upper triangle to dst.
func packUpper(dst []float64, u blas64.General) []float64 {
	dst = slices.Grow(dst, packedLen(u.Rows))
	for i := range u.Rows {
		dst = append(dst, row(u, i)[i:]...)
	}
	return dst
}

// unpackUpper is packUpper's inverse.
func unpackUpper(packed []float64, n int) blas64.General {
	u := general(n, n)
	for i := range n {
		packed = packed[copy(row(u, i)[i:], packed):]
	}
	return u
}

// packedLen is the number of elements of a triangle of order n.
func packedLen(n int) int { return n * (n + 1) / 2 }
