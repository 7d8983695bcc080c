package moments

import (
	"gonum.org/v1/gonum/floats"

	"mediant/internal/rowops"
)

// Weights are the weights of the rows of a block; nil slices stand for ones.
type Weights struct {
	// Frequency is the number of observations that each row stands for. Factor multiplies it in sums: a sampling weight, a
	// ratio of densities, a precision.
	Frequency, Factor []float64
	// Cluster is the number of the cluster of each row, from 0, within which rows may depend on each other; nil: each row is one of its own.
	Cluster []int32
}

// Of returns the weight of row i in sums, frequency times factor.
func (w Weights) Of(i int) float64 {
	return rowops.WeightAt(w.Frequency, i) * rowops.WeightAt(w.Factor, i)
}

// FrequencyOf returns the number of observations that row i stands for.
func (w Weights) FrequencyOf(i int) float64 { return rowops.WeightAt(w.Frequency, i) }

// FactorOf returns the factor of row i.
func (w Weights) FactorOf(i int) float64 { return rowops.WeightAt(w.Factor, i) }

// Products returns the weights of all rows in sums, nil if all are 1.
func (w Weights) Products() []float64 {
	switch {
	case w.Frequency == nil:
		return w.Factor
	case w.Factor == nil:
		return w.Frequency
	}
	return floats.MulTo(make([]float64, len(w.Factor)), w.Frequency, w.Factor)
}

// Times returns the weights with the factors multiplied by factor.
func (w Weights) Times(factor []float64) Weights {
	if w.Factor != nil {
		factor = floats.MulTo(make([]float64, len(factor)), factor, w.Factor)
	}
	return Weights{w.Frequency, factor, w.Cluster}
}

// Pick returns the weights of the given rows.
func (w Weights) Pick(rows []int) Weights {
	some := func(v []float64) []float64 {
		if v == nil {
			return nil
		}
		out := make([]float64, len(rows))
		for i, r := range rows {
			out[i] = v[r]
		}
		return out
	}
	var cluster []int32
	if w.Cluster != nil {
		cluster = make([]int32, len(rows))
		for i, r := range rows {
			cluster[i] = w.Cluster[r]
		}
	}
	return Weights{some(w.Frequency), some(w.Factor), cluster}
}
