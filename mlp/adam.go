package mlp

import "math"

// Adam's constants, those of its authors (Kingma and Ba, ICLR 2015) and of [Yamane21].
const (
	beta1   = 0.9
	beta2   = 0.999
	epsilon = 1e-8
)

// An adam moves parameters against their gradient g by
//
//	rate · m/(1-β₁ᵗ) / (√(v/(1-β₂ᵗ)) + ε),  m = β₁ m + (1-β₁) g,  v = β₂ v + (1-β₂) g²
//
// element by element.
type adam struct {
	rate         float64
	mean, square []float64
	decay1       float64 // β₁ᵗ
	decay2       float64
}

func newAdam(size int, rate float64) *adam {
	return &adam{rate: rate, mean: make([]float64, size), square: make([]float64, size), decay1: 1, decay2: 1}
}

func (a *adam) step(theta, grad []float64) {
	a.decay1 *= beta1
	a.decay2 *= beta2
	rate, root := a.rate/(1-a.decay1), 1/math.Sqrt(1-a.decay2)
	mean, square := a.mean[:len(theta)], a.square[:len(theta)]
	grad = grad[:len(theta)]
	for i, g := range grad {
		mean[i] = beta1*mean[i] + (1-beta1)*g
		square[i] = beta2*square[i] + (1-beta2)*g*g
		theta[i] -= rate * mean[i] / (math.Sqrt(square[i])*root + epsilon)
	}
}
