package kernels

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// Quantile returns the constant, whatever p is.
func (s constant) Quantile(float64) float64 { return float64(s) }

// Quantile returns the scale below which a draw is with probability p in (0, 1): chi² is then above.
func (s studentT) Quantile(p float64) float64 {
	var half float64 // of chi²
	if p < 0.5 {
		half = mathext.GammaIncRegCompInv(s.freedom/2, p)
	} else {
		half = gammaQuantile(s.freedom/2, 1-p)
	}
	return s.scale * math.Sqrt(s.freedom/2/half)
}

// gammaQuantile returns the quantile of the gamma distribution of the given shape a and scale 1. Small ones, to which
// mathext's search does not get, come from the first term of the distribution function, g^a/Gamma(a+1); the
// next one is a g/(a+1) of it.
func gammaQuantile(shape, p float64) float64 {
	logGamma, _ := math.Lgamma(shape + 1)
	if g := math.Exp((math.Log(p) + logGamma) / shape); g < 1e-8 {
		return g
	}
	return mathext.GammaIncRegInv(shape, p)
}

// Quantile returns the scale below which a draw is with probability p in (0, 1).
func (s rootGamma) Quantile(p float64) float64 {
	return s.scale * math.Sqrt(gammaQuantile(s.shape, p)/s.shape)
}
