package baselines

import (
	"gonum.org/v1/gonum/mat"

	"mediant/internal/draw"
	"mediant/kernels"
)

// squaredDistances stores those of the rows of a to the rows of b in dst.
func squaredDistances(dst *mat.Dense, a, b mat.Matrix) { kernels.SqDistTo(dst, a, b) }

func span(x mat.Matrix, lo, hi int) mat.Matrix { return kernels.Span(x, lo, hi) }

// bandwidths are multiples of the median distance of rows.
func bandwidths(x mat.Matrix, multiples []float64, seed uint64, purpose string) []float64 {
	median, _ := kernels.Median(x, draw.Source(seed, purpose, 0))
	out := make([]float64, len(multiples))
	for i, m := range multiples {
		out[i] = m * median
	}
	return out
}
