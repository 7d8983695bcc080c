package blas

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
)

// pivotPanel is the number of pivots eliminated before the rest of the matrix is updated: the panel's own work, m² × panel / 2
// flops a panel at memory speed, stays a few per cent of the update's at m = 3,000.
const pivotPanel = 64

// PivotedCholesky overwrites the leading rank × rank block of the upper triangle of a with U such
// that U'U is the matrix of the pivots' rows and columns, a being symmetric positive semidefinite
// with its upper triangle given. The pivot is always the largest residual diagonal; elimination
// stops when that falls to cutoff times the largest diagonal. The order of all rows is returned, with those of the pivots
// first, rank of them; rows of a up to rank hold those of U for all columns in this order, the rest of a is destroyed.
// It costs m² rank flops at most, looks at ctx before each panel, and its error is that of ctx.
func PivotedCholesky(ctx context.Context, a blas64.General, cutoff float64) (pivots []int, rank int, err error) {
	m := a.Rows
	pivots = make([]int, m)
	least := 0.0
	for i := range pivots {
		pivots[i] = i
		least = max(least, cutoff*rowOf(a, i)[i])
	}
	for lo := 0; lo < m; lo += pivotPanel {
		if err := ctx.Err(); err != nil {
			return nil, 0, err
		}
		hi := min(lo+pivotPanel, m)
		if rank := eliminate(a, lo, hi, least, pivots); rank < hi {
			return pivots, rank, nil
		}
		rest := view(a, hi, hi, m-hi, m-hi)
		Syrk(-1, view(a, lo, hi, hi-lo, m-hi), rest)
	}
	return pivots, m, nil
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
				u := rowOf(a, j-1)[i]
				taken[i] += u * u
			}
			if r := rowOf(a, i)[i] - taken[i]; r > residual {
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
		rest := rowOf(a, j)[j+1:]
		for l := lo; l < j; l++ {
			above := rowOf(a, l)
			floats.AddScaled(rest, -above[j], above[j+1:])
		}
		floats.Scale(1/u, rest)
		rowOf(a, j)[j] = u
	}
	return hi
}

// swapUpper exchanges rows and columns j < p of the symmetric matrix whose upper triangle is a's,
// and columns j and p of the rows of U above.
func swapUpper(a blas64.General, j, p int) {
	for l := range j {
		above := rowOf(a, l)
		above[j], above[p] = above[p], above[j]
	}
	at, other := rowOf(a, j), rowOf(a, p)
	at[j], other[p] = other[p], at[j]
	for i := j + 1; i < p; i++ {
		between := rowOf(a, i)
		at[i], between[p] = between[p], at[i]
	}
	for i := p + 1; i < a.Cols; i++ {
		at[i], other[i] = other[i], at[i]
	}
}

// rowOf returns row i of a.
func rowOf(a blas64.General, i int) []float64 { return a.Data[i*a.Stride : i*a.Stride+a.Cols] }
