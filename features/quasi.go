package features

import (
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mathext"

	"mediant/internal/draw"
	"mediant/internal/rowops"
	"mediant/kernels"
)

// MaxQuasiColumns is the largest number of columns of quasi-Monte-Carlo frequencies. In more columns their first
// few thousand points are spread no better than random ones.
const MaxQuasiColumns = maxSobol - 1

// NewQuasi is NewFourier with frequencies that are quasi-Monte-Carlo points instead of independent ones
// [Avron, Sindhwani, Yang and Mahoney, Quasi-Monte Carlo feature maps for shift-invariant kernels, JMLR 17,
// 2016]:
//
//	omega = s z,   z_j = Φ⁻¹(v_j),   s the quantile v_0 of the kernel's scale mixture
//
// where (v_1, …, v_in, v_0) are scrambled Sobol' points. Each frequency alone has the kernel's distribution, so that
// estimates are unbiased; their variance for the first 2^k frequencies falls faster than that of independent ones, in
// few columns by far. omega and -omega have the same products of features, so z_1 is taken from one half
// of its distribution. Powers of two are the best numbers of frequencies. A mixture without a method
// Quantile(p float64) float64 has independent scales. A larger size extends a smaller one.
//
// It panics if in < 1. The error is NewFourier's, or says that there are more than MaxQuasiColumns columns.
func NewQuasi(k SpectralRadial, in, size int, seed uint64, purpose string) (*Fourier, error) {
	if in > MaxQuasiColumns {
		return nil, fmt.Errorf("features: fourier: quasi-Monte-Carlo frequencies of %d columns, want at most %d", in, MaxQuasiColumns)
	}
	return newFourier(k, quasi, in, size, func(count int) frequencies {
		return newProjection(drawQuasi(k.Mixture(), in, count, seed, purpose))
	})
}

// drawQuasi returns count frequencies in the columns of an in × count matrix.
func drawQuasi(mixture kernels.ScaleMixture, in, count int, seed uint64, purpose string) blas64.General {
	w := rowops.New(in, count)
	points := newSobol(in+1, seed, purpose+"/frequencies")
	scale := quasiScales(mixture, points, in, seed, purpose)
	for t := range count {
		s := scale(t)
		for j := range in {
			v := points.at(uint32(t), j)
			if j == 0 {
				v /= 2
			}
			rowops.Row(w, j)[t] = s * mathext.NormalQuantile(v)
		}
	}
	return w
}

// quasiScales returns the function that gives frequency t its scale; t must ascend from 0.
func quasiScales(mixture kernels.ScaleMixture, points *sobol, coordinate int, seed uint64, purpose string) func(t int) float64 {
	if q, ok := mixture.(interface{ Quantile(p float64) float64 }); ok {
		return func(t int) float64 { return q.Quantile(points.at(uint32(t), coordinate)) }
	}
	lengths := draw.Rand(seed, purpose+"/lengths", 0)
	return func(int) float64 { return mixture.Draw(lengths) }
}
