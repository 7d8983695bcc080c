package baselines

import (
	"gonum.org/v1/gonum/mat"

	"mediant/internal/draw"
	"mediant/kernels"
	"mediant/problem"
)

// squaredDistances stores those of the rows of a to the rows of b in dst.
func squaredDistances(dst *mat.Dense, a, b mat.Matrix) { kernels.SqDistTo(dst, a, b) }

func span(x mat.Matrix, lo, hi int) mat.Matrix { return kernels.Span(x, lo, hi) }

// medianRows bounds the rows with weights that a median is looked for among, which are as many as they stand for; kernels.Median looks at
// no more.
const medianRows = 1000

// bandwidths are multiples of the median distance of rows, whose weights count as in tables.Weigh; nil: they have none.
func bandwidths(x *mat.Dense, weights, multiples []float64, seed uint64, purpose string) []float64 {
	if weights != nil {
		x = problem.SampleRows(x, weights, medianRows, seed, purpose)
	}
	median, _ := kernels.Median(x, draw.Source(seed, purpose, 0))
	out := make([]float64, len(multiples))
	for i, m := range multiples {
		out[i] = m * median
	}
	return out
}
