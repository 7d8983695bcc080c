package crossfit

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"mediant/moments"
)

// Units say how squared errors of several outputs are added. Classes of a label are one unit: their errors are summed. Of
// several columns of numbers each is a unit and its error is divided by the column's variance, so that no choice depends on
// the units of Y. The error of a single column is not divided.
type Units struct {
	Scale []float64 // 1/variance of each output, 0 for one that does not vary; nil: all outputs are one unit
}

// UnitsOf returns the units of the right sides of the folds of a table that is not empty; together makes them one unit.
func UnitsOf(folds []*moments.CoMoments, together bool) (Units, error) {
	all, err := moments.Sum(folds...)
	if err != nil {
		return Units{}, err
	}
	mean := all.MeanB()
	if together || len(mean) < 2 || all.Weight() == 0 {
		return Units{}, nil
	}
	var second mat.SymDense
	all.RightTo(&second, true)
	u := Units{make([]float64, len(mean))}
	for j := range u.Scale {
		if v := second.At(j, j); Varies(v, mean[j]) {
			u.Scale[j] = 1 / v
		}
	}
	return u, nil
}

// Count returns the number of units.
func (u Units) Count() int { return max(1, len(u.Scale)) }

// Split returns the sums of the errors of outputs by unit.
func (u Units) Split(outputs []float64) []float64 {
	if u.Scale == nil {
		return []float64{floats.Sum(outputs)}
	}
	return outputs
}

// Total returns the sum of the errors of all units, each divided by its variance.
func (u Units) Total(byUnit []float64) float64 {
	if u.Scale == nil {
		return byUnit[0]
	}
	return floats.Dot(u.Scale, byUnit)
}

// Totals returns Total for each fold.
func (u Units) Totals(byFold [][]float64) []float64 {
	out := make([]float64, len(byFold))
	for k, v := range byFold {
		out[k] = u.Total(v)
	}
	return out
}

// Square returns the sum of squared errors of a row, each in its unit.
func (u Units) Square(row []float64) float64 {
	if u.Scale == nil {
		return floats.Dot(row, row)
	}
	sum := 0.0
	for j, v := range row {
		sum += u.Scale[j] * v * v
	}
	return sum
}

// Varies reports whether a variance is larger than rounding of a constant would leave.
func Varies(variance, mean float64) bool { return math.Sqrt(variance) > 1e-14*math.Abs(mean) }

// VariancesOf returns the variances of the right side.
func VariancesOf(m *moments.CoMoments) []float64 {
	var second mat.SymDense
	m.RightTo(&second, true)
	out := make([]float64, second.SymmetricDim())
	for j := range out {
		out[j] = second.At(j, j)
	}
	return out
}
