package blas

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"mediant/internal/asm"
)

// cornerStride leaves room beside a tile for the one that begins at its last column.
const cornerStride = largeTile + asm.Cols

// A triangleTile is a tile on the diagonal of U, filled up to a multiple of asm.Rows by the identity.
type triangleTile struct {
	u         [largeTile * cornerStride]float64
	diagonals [largeTile / asm.Rows][asm.Rows * asm.Rows]float64 // U' of the squares on the diagonal
}

// factor is Cholesky for an order of at most largeTile.
func (t *triangleTile) factor(a blas64.General) bool {
	n := a.Rows
	for i := 0; i < n || i%asm.Rows != 0; i++ {
		row := t.u[i*cornerStride:][:min(n+asm.Rows+asm.Cols, cornerStride)]
		if i < n {
			copy(row[i:n], a.Data[i*a.Stride+i:])
			clear(row[n:])
		} else {
			clear(row)
			row[i] = 1
		}
	}
	for i := 0; i < n; i += asm.Rows {
		if !t.factorRows(i, n) {
			return false
		}
	}
	for i := range n {
		copy(a.Data[i*a.Stride+i:i*a.Stride+n], t.u[i*cornerStride+i:])
	}
	return true
}

// factorRows makes asm.Rows rows of U, from row i on, out of the rows above and those of a.
func (t *triangleTile) factorRows(i, n int) bool {
	rows := t.u[i*cornerStride:]
	if i > 0 {
		for j := i; j < n; j += asm.Cols {
			asm.Gemm(asm.Cols, i, t.u[i:], 1, cornerStride, t.u[j:], cornerStride, -1, rows[j:], cornerStride, true)
		}
	}
	d := &t.diagonals[i/asm.Rows]
	if !factorDiagonal(rows[i:], d) {
		return false
	}
	for j := i + asm.Rows; j < n; j += asm.Cols {
		asm.Solve(d[:], rows[j:], cornerStride)
	}
	return true
}

// factorDiagonal factors the first asm.Rows rows and columns of a, and stores U' in t too.
func factorDiagonal(a []float64, t *[asm.Rows * asm.Rows]float64) bool {
	for j := range asm.Rows {
		row := a[j*cornerStride:][:asm.Rows]
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
			v, next := row[i], a[i*cornerStride:][:asm.Rows]
			for l := i; l < asm.Rows; l++ {
				next[l] -= float64(v * row[l]) // rounded, lest only some processors fuse
			}
		}
	}
	return true
}

// solve overwrites x, of as many rows, with U'⁻¹ x, and stores it as slivers too.
func (t *triangleTile) solve(x blas64.General, slivers []float64) {
	n := x.Rows
	for j := 0; j < x.Cols; j += asm.Cols {
		sliver, width := slivers[j*n:][:asm.Cols*n], min(asm.Cols, x.Cols-j)
		pack(sliver, asm.Cols, width, n, operand{x.Data[j:], 1, x.Stride})
		for i := 0; i < n; i += asm.Rows {
			t.solveRows(i, sliver)
		}
		for i := range n {
			copy(x.Data[i*x.Stride+j:][:width], sliver[i*asm.Cols:])
		}
	}
}

// solveRows solves for asm.Rows rows of a sliver, from row i on, given those above.
func (t *triangleTile) solveRows(i int, sliver []float64) {
	rows := sliver[i*asm.Cols:]
	if i > 0 {
		asm.Gemm(asm.Cols, i, t.u[i:], 1, cornerStride, sliver, asm.Cols, -1, rows, asm.Cols, true)
	}
	asm.Solve(t.diagonals[i/asm.Rows][:], rows, asm.Cols)
}
