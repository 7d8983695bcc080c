package losses

import "math"

// Poisson is y log(y/f) - y + f, summed over outputs, half the Poisson deviance of counts y with means f > 0. Its potential is y log y - y.
type Poisson struct{}

var _ Canonical = Poisson{}

// Name implements Loss.
func (Poisson) Name() string { return "poisson" }

// Potential implements Loss.
func (Poisson) Potential(y []float64) float64 {
	sum := 0.0
	for _, v := range y {
		sum += xLogX(v) - v
	}
	return sum
}

// GradientTo implements Loss: log f.
func (Poisson) GradientTo(dst, f []float64) {
	for j, v := range f {
		dst[j] = math.Log(v)
	}
}

// MeanTo implements Canonical: exp(eta).
func (Poisson) MeanTo(dst, eta []float64) {
	for j, v := range eta {
		dst[j] = math.Exp(v)
	}
}

// Conjugate implements Canonical: Σ exp(eta).
func (Poisson) Conjugate(eta []float64) float64 {
	sum := 0.0
	for _, v := range eta {
		sum += math.Exp(v)
	}
	return sum
}

// CurvatureTo implements Canonical: the means on the diagonal.
func (Poisson) CurvatureTo(dst, f []float64) { diagonal(dst, f, func(v float64) float64 { return v }) }
