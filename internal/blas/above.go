package blas

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"mediant/internal/asm"
)

const (
	// triangleBlock columns of a triangle are multiplied at a time. Sums are in the stretches of Gemm.
	triangleBlock = depthBlock
	// fewColumns of X take less time by additions of rows of U, which read U once, than by Gemm.
	fewColumns = 4
)

// AboveTransposeTimes returns U'X for the part U of a symmetric matrix above its diagonal, n×n, and the n×k matrix X, in n²k flops: what x'Sy = (U'x)'y + (U'y)'x + Σ s_ii x_i y_i takes.
// An element depends on its column of U, its column of X and the order of S alone, to the last bit.
func AboveTransposeTimes(s blas64.Symmetric, x blas64.General) blas64.General {
	if s.Uplo != blas.Upper || x.Rows != s.N {
		panic("blas: shapes of a product do not match")
	}
	out := blas64.General{Rows: s.N, Cols: x.Cols, Stride: x.Cols, Data: make([]float64, s.N*x.Cols)}
	if x.Cols <= fewColumns {
		addRowsAbove(s, x, out)
		return out
	}
	block := make([]float64, triangleBlock*triangleBlock)
	for lo := 0; lo < s.N; lo += triangleBlock {
		n := min(triangleBlock, s.N-lo)
		to := blas64.General{Rows: n, Cols: x.Cols, Stride: out.Stride, Data: out.Data[lo*out.Stride:]}
		over := blas64.General{Rows: lo, Cols: n, Stride: s.Stride, Data: s.Data[lo:]}
		Gemm(blas.Trans, blas.NoTrans, 1, over, rows(x, 0, lo), 0, to)
		for i := range n {
			row := block[i*n : (i+1)*n]
			clear(row[:i+1])
			copy(row[i+1:], s.Data[(lo+i)*s.Stride+lo+i+1:(lo+i)*s.Stride+lo+n])
		}
		Gemm(blas.Trans, blas.NoTrans, 1, blas64.General{Rows: n, Cols: n, Stride: n, Data: block}, rows(x, lo, lo+n), 1, to)
	}
	return out
}

// addRowsAbove is AboveTransposeTimes by additions of rows of U, to zeros.
func addRowsAbove(s blas64.Symmetric, x, out blas64.General) {
	sums := make([][2][]float64, x.Cols) // of the stretches before, and of this one
	for j := range sums {
		sums[j] = [2][]float64{make([]float64, s.N), make([]float64, s.N)}
	}
	for lo := 0; lo < s.N; lo += depthBlock {
		for i := lo; i < min(lo+depthBlock, s.N); i++ {
			row := s.Data[i*s.Stride+i+1 : i*s.Stride+s.N]
			for j, sum := range sums {
				asm.Axpy(x.Data[i*x.Stride+j], row, sum[1][i+1:])
			}
		}
		for _, sum := range sums {
			asm.Axpy(1, sum[1][lo:], sum[0][lo:])
			clear(sum[1])
		}
	}
	for j, sum := range sums {
		for i, v := range sum[0] {
			out.Data[i*out.Stride+j] = v
		}
	}
}

// rows are those of x from lo to hi.
func rows(x blas64.General, lo, hi int) blas64.General {
	x.Rows, x.Data = hi-lo, x.Data[lo*x.Stride:]
	return x
}
