package blas

import (
	"math"
	"sync"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"mediant/internal/asm"
)

// Cholesky overwrites the upper triangle of a with U, a = U'U, in n³/3 flops. It reports false when
// a is not positive definite to rounding; a is then destroyed.
func Cholesky(a blas64.General) bool {
	n := a.Rows
	if n <= leaf {
		return factorLeaf(a)
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

// leafStride leaves room beside a leaf for the tile that begins at its last column.
const leafStride = leaf + asm.Cols

// A workspace holds a leaf of Cholesky, filled up to a multiple of asm.Rows by the identity.
type workspace [leaf * leafStride]float64

var workspaces = sync.Pool{New: func() any { return new(workspace) }}

// factorLeaf is Cholesky for an order of at most leaf.
func factorLeaf(a blas64.General) bool {
	n := a.Rows
	w := workspaces.Get().(*workspace)
	defer workspaces.Put(w)
	clear(w[:])
	for i := range n {
		copy(w[i*leafStride+i:i*leafStride+n], a.Data[i*a.Stride+i:])
	}
	for i := n; i%asm.Rows != 0; i++ {
		w[i*leafStride+i] = 1
	}
	for i := 0; i < n; i += asm.Rows {
		if !w.factorRows(i, n) {
			return false
		}
	}
	for i := range n {
		copy(a.Data[i*a.Stride+i:i*a.Stride+n], w[i*leafStride+i:])
	}
	return true
}

// factorRows makes asm.Rows rows of U, from row i on, out of the rows above and those of a.
func (w *workspace) factorRows(i, n int) bool {
	rows := w[i*leafStride:]
	if i > 0 {
		for j := i; j < n; j += asm.Cols {
			asm.Gemm(asm.Cols, i, w[i:], 1, leafStride, w[j:], leafStride, -1, rows[j:], leafStride, true)
		}
	}
	var t [asm.Rows * asm.Rows]float64
	if !factorDiagonal(rows[i:], &t) {
		return false
	}
	for j := i + asm.Rows; j < n; j += asm.Cols {
		asm.Solve(t[:], rows[j:], leafStride)
	}
	return true
}

// factorDiagonal factors the first asm.Rows rows and columns of a, and stores U' in t too.
func factorDiagonal(a []float64, t *[asm.Rows * asm.Rows]float64) bool {
	for j := range asm.Rows {
		row := a[j*leafStride:][:asm.Rows]
		d := row[j]
		if !(d > 0) || math.IsInf(d, 1) {
			return false
		}
		d = math.Sqrt(d)
		row[j] = d
		t[j*asm.Rows+j] = d
		for i := j + 1; i < asm.Rows; i++ {
			row[i] /= d
			t[i*asm.Rows+j] = row[i]
		}
		for i := j + 1; i < asm.Rows; i++ {
			v, next := row[i], a[i*leafStride:][:asm.Rows]
			for l := i; l < asm.Rows; l++ {
				next[l] -= float64(v * row[l]) // rounded, lest only some processors fuse
			}
		}
	}
	return true
}
