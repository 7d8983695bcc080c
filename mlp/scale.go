package mlp

import (
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// A scale is the mean of each target and the root of their mean variance: one number for all, so that
// the squared loss is only multiplied by a constant.
type scale struct {
	mean   []float64
	spread float64
}

func scaleOf(y *mat.Dense, weights []float64) scale {
	_, k := y.Dims()
	s := scale{mean: make([]float64, k)}
	sum := 0.0
	for j := range k {
		mean, variance := stat.PopMeanVariance(mat.Col(nil, j, y), weights)
		s.mean[j] = mean
		sum += variance
	}
	s.spread = math.Sqrt(sum / float64(k))
	if !(s.spread > 0) { // constant targets
		s.spread = 1
	}
	return s
}

// of returns the scaled targets.
func (s scale) of(y *mat.Dense) *mat.Dense {
	var out mat.Dense
	out.Apply(func(_, j int, v float64) float64 { return (v - s.mean[j]) / s.spread }, y)
	return &out
}

// restore makes a network that learned scaled targets predict them as they were.
func (s scale) restore(n *network) {
	if n.output == Identity {
		n.stretch(s.spread, s.mean)
	}
}
