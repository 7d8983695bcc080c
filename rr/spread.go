package rr

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"mediant/moments"
)

// A spread is the weighted means of some columns, row by row, and what the standard errors of smooth
// functions of the means need. With frequencies m, N = Σ m, factors g and W = Σ m g,
//
//	mean = Σ m g t / W,   cov(mean) = N/(N-1) Σ m g² (t - mean)(t - mean)' / W²
//
// which is the sample covariance, of denominator N-1, over N where all factors are equal. The
// squares are summed about the mean under the weights m g² by Welford's recurrence, and moved. The zero
// value is not usable; use newSpread.
type spread struct {
	count       float64 // N
	weight      float64
	mean        []float64
	squares     float64 // Σ m g²
	meanSquares []float64
	cross       *mat.SymDense // Σ m g² (t - meanSquares)(t - meanSquares)'
	gap         []float64
}

func newSpread(columns int) *spread {
	return &spread{
		mean: make([]float64, columns), meanSquares: make([]float64, columns),
		cross: mat.NewSymDense(columns, nil), gap: make([]float64, columns),
	}
}

// add adds row i of a block that w is of; a factor of 0 changes nothing.
func (s *spread) add(w moments.Weights, i int, values ...float64) {
	count, factor := w.FrequencyOf(i), w.FactorOf(i)
	if factor == 0 {
		return
	}
	weight, square := count*factor, count*factor*factor
	s.count += count
	s.weight += weight
	s.squares += square
	for j, v := range values {
		s.mean[j] += (v - s.mean[j]) * (weight / s.weight)
		s.gap[j] = v - s.meanSquares[j]
		s.meanSquares[j] += s.gap[j] * (square / s.squares)
	}
	raw := s.cross.RawSymmetric()
	for i, gap := range s.gap {
		for j := i; j < len(values); j++ {
			raw.Data[i*raw.Stride+j] += square * gap * (values[j] - s.meanSquares[j])
		}
	}
}

// variance returns the variance of gradient'mean, NaN below two observations.
func (s *spread) variance(gradient ...float64) float64 {
	if s.count < 2 {
		return math.NaN()
	}
	sum, shift := 0.0, 0.0
	for i, a := range gradient {
		shift += a * (s.meanSquares[i] - s.mean[i])
		for j, b := range gradient {
			sum += a * b * s.cross.At(i, j)
		}
	}
	sum += s.squares * shift * shift
	return max(sum, 0) / (s.weight * s.weight) * s.count / (s.count - 1)
}

// means are weighted means of some columns, by Welford's recurrence.
type means struct {
	weight float64
	mean   []float64
}

func newMeans(columns int) *means { return &means{mean: make([]float64, columns)} }

// add adds a row of values; weight 0 changes nothing.
func (m *means) add(weight float64, values []float64) {
	if weight == 0 {
		return
	}
	m.weight += weight
	for j, v := range values {
		m.mean[j] += (v - m.mean[j]) * (weight / m.weight)
	}
}
