package rr

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// A spread is the weighted means of some columns, row by row, and what the standard errors of smooth
// functions of the means need. With weights w, W = Σ w and N rows of positive weight,
//
//	mean = Σ w t / W,   cov(mean) = N/(N-1) Σ w² (t - mean)(t - mean)' / W²
//
// which is the sample covariance, of denominator N-1, over N where all weights are equal. The
// squares are summed about the mean under the weights w² by Welford's recurrence, and moved. The zero
// value is not usable; use newSpread.
type spread struct {
	rows        int
	weight      float64
	mean        []float64
	squares     float64 // Σ w²
	meanSquares []float64
	cross       *mat.SymDense // Σ w² (t - meanSquares)(t - meanSquares)'
	gap         []float64
}

func newSpread(columns int) *spread {
	return &spread{
		mean: make([]float64, columns), meanSquares: make([]float64, columns),
		cross: mat.NewSymDense(columns, nil), gap: make([]float64, columns),
	}
}

// add adds a row of values with weight w; weight 0 changes nothing.
func (s *spread) add(w float64, values ...float64) {
	if w == 0 {
		return
	}
	s.rows++
	s.weight += w
	s.squares += w * w
	for j, v := range values {
		s.mean[j] += (v - s.mean[j]) * (w / s.weight)
		s.gap[j] = v - s.meanSquares[j]
		s.meanSquares[j] += s.gap[j] * (w * w / s.squares)
	}
	raw := s.cross.RawSymmetric()
	for i, gap := range s.gap {
		for j := i; j < len(values); j++ {
			raw.Data[i*raw.Stride+j] += w * w * gap * (values[j] - s.meanSquares[j])
		}
	}
}

// variance returns the variance of gradient'mean, NaN below two rows.
func (s *spread) variance(gradient ...float64) float64 {
	if s.rows < 2 {
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
	n := float64(s.rows)
	return max(sum, 0) / (s.weight * s.weight) * n / (n - 1)
}
