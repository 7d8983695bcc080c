package moments

import (
	"gonum.org/v1/gonum/floats"

	"mediant/internal/rowops"
)

// Weights say how much the rows of a block count; nil slices stand for ones.
type Weights struct {
	// Frequency is how many observations each row stands for, Factor what else it is multiplied by in sums: a sampling
	// weight, a ratio of densities, a precision.
	Frequency, Factor []float64
}

// Of is the weight of row i in sums.
func (w Weights) Of(i int) float64 {
	return rowops.WeightAt(w.Frequency, i) * rowops.WeightAt(w.Factor, i)
}

// FrequencyOf is the number of observations that row i stands for.
func (w Weights) FrequencyOf(i int) float64 { return rowops.WeightAt(w.Frequency, i) }

// FactorOf is the part that multiplies the observations.
func (w Weights) FactorOf(i int) float64 { return rowops.WeightAt(w.Factor, i) }

// Products are the weights of all rows in sums, nil for ones.
func (w Weights) Products() []float64 {
	switch {
	case w.Frequency == nil:
		return w.Factor
	case w.Factor == nil:
		return w.Frequency
	}
	return floats.MulTo(make([]float64, len(w.Factor)), w.Frequency, w.Factor)
}

// Times multiplies the factors.
func (w Weights) Times(factor []float64) Weights {
	if w.Factor != nil {
		factor = floats.MulTo(make([]float64, len(factor)), factor, w.Factor)
	}
	return Weights{w.Frequency, factor}
}

// pick returns the weights of some rows.
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
	return Weights{some(w.Frequency), some(w.Factor)}
}
