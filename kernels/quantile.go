package kernels

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// Quantile returns the constant, whatever p is.
func (s constant) Quantile(float64) float64 { return float64(s) }

// Quantile returns the value that the mixture exceeds with probability 1-p, 0 < p < 1: sqrt(freedom/chi²) falls
// in chi², of which it takes the upper quantile.
func (s studentT) Quantile(p float64) float64 {
	half := s.freedom / 2
	return s.scale * math.Sqrt(half/mathext.GammaIncRegCompInv(half, p))
}

// Quantile returns the value that the mixture exceeds with probability 1-p, 0 < p < 1.
func (s rootGamma) Quantile(p float64) float64 {
	return s.scale * math.Sqrt(mathext.GammaIncRegInv(s.shape, p)/s.shape)
}
