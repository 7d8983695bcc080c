package features

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"

	fast "mediant/internal/blas"
	"mediant/internal/parallel"
	"mediant/internal/rowops"
)

// sphericalStep is a round of spherical k-means with signs: each row x goes to the unit column d of the
// largest |d'x|, and columns become
//
//	d + Σ (d'x) x over its rows, divided by its length
//
// [Coates and Ng, Learning feature representations with k-means, 2012]. A column without rows stays. It
// costs 2 n d K flops.
func sphericalStep(d, rows blas64.General) {
	nearest, product := make([]int, rows.Rows), make([]float64, rows.Rows)
	packed := fast.Pack(blas.NoTrans, d)
	parallel.Blocks(rows.Rows, rowops.BlockRows, func(lo, hi int) {
		s := rowops.Scratches.Get().(*rowops.Scratch)
		defer rowops.Scratches.Put(s)
		z := s.Matrix(hi-lo, d.Cols)
		packed.MulTo(z, 0, 1, rowops.Block(rows, lo, 0, hi-lo, rows.Cols))
		for i := range z.Rows {
			nearest[lo+i], product[lo+i] = largest(rowops.Row(z, i))
		}
	})
	sums := rowops.New(d.Cols, d.Rows) // transposed, so that rows add up in stretches
	for k := range sums.Rows {
		for i := range sums.Cols {
			rowops.Row(sums, k)[i] = d.Data[i*d.Stride+k]
		}
	}
	for i, k := range nearest { // in order, whatever the number of threads
		floats.AddScaled(rowops.Row(sums, k), product[i], rowops.Row(rows, i))
	}
	for k := range sums.Rows {
		norm := floats.Norm(rowops.Row(sums, k), 2)
		for i, v := range rowops.Row(sums, k) {
			if norm > 0 {
				d.Data[i*d.Stride+k] = v / norm
			}
		}
	}
}

// largest returns where |z| is largest, the first of equal ones, and z there.
func largest(z []float64) (at int, v float64) {
	for k, value := range z {
		if math.Abs(value) > math.Abs(v) {
			at, v = k, value
		}
	}
	return at, v
}
