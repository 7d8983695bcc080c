package rr

import (
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"mediant/moments"
)

// units say how errors of several outputs are compared. Classes of a label are one unit: their squared errors are
// summed. Several columns of numbers are a unit each, and count by their variances, so that no choice depends on what Y is
// measured in. The errors of a single column are as they are.
type units struct {
	scale []float64 // 1/variance of each output, 0 for one that does not vary; nil: all outputs are one unit
}

// unitsOf are those of the right sides of the folds, of a table that is not empty; together makes them one unit.
func unitsOf(folds []*moments.Pair, together bool) (units, error) {
	all, err := moments.Sum(folds...)
	if err != nil {
		return units{}, err
	}
	mean := all.MeanB()
	if together || len(mean) < 2 || all.Weight() == 0 {
		return units{}, nil
	}
	var second mat.SymDense
	all.RightTo(&second, true)
	u := units{make([]float64, len(mean))}
	for j := range u.scale {
		if v := second.At(j, j); varies(v, mean[j]) {
			u.scale[j] = 1 / v
		}
	}
	return u, nil
}

// units are those of Y for sums of S_Y.
func (p *Problem) units(foldsUY []*moments.Pair) (units, error) {
	return unitsOf(foldsUY, p.Y.Classes() != nil)
}

// split sums errors of outputs by unit.
func (u units) split(outputs []float64) []float64 {
	if u.scale == nil {
		return []float64{floats.Sum(outputs)}
	}
	return outputs
}

// total adds errors of units, each in its own variance.
func (u units) total(byUnit []float64) float64 {
	if u.scale == nil {
		return byUnit[0]
	}
	return floats.Dot(u.scale, byUnit)
}

// totals are those of each fold.
func (u units) totals(byFold [][]float64) []float64 {
	out := make([]float64, len(byFold))
	for k, v := range byFold {
		out[k] = u.total(v)
	}
	return out
}

// square is the squared length of a row of errors, output by output in its unit.
func (u units) square(row []float64) float64 {
	if u.scale == nil {
		return floats.Dot(row, row)
	}
	sum := 0.0
	for j, v := range row {
		sum += u.scale[j] * v * v
	}
	return sum
}
