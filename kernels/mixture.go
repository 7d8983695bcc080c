package kernels

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat/distuv"
)

// A constant is the mixture of a Gaussian distribution.
type constant float64

func (s constant) Draw(*rand.Rand) float64 { return float64(s) }

// A studentT is the mixture of a multivariate t distribution: scale sqrt(freedom/chi²).
type studentT struct{ freedom, scale float64 }

// Draw takes the inverse root of a chi² of so many degrees of freedom.
func (s studentT) Draw(rnd *rand.Rand) float64 {
	for {
		if chi2 := chiSquared(s.freedom, rnd); chi2 > 0 {
			return s.scale * math.Sqrt(s.freedom/chi2)
		}
	}
}

// chiSquared sums the squares of up to five normals, and else draws from a gamma distribution. It may be 0: one
// normal in 2³¹ or so is, and a gamma distribution of shape 1/10 is below 1e-300 once in 1e30.
func chiSquared(freedom float64, rnd *rand.Rand) float64 {
	if freedom != math.Trunc(freedom) || freedom > 5 {
		return distuv.ChiSquared{K: freedom, Src: rnd}.Rand()
	}
	var sum float64
	for range int(freedom) {
		z := rnd.NormFloat64()
		sum += z * z
	}
	return sum
}

// A rootGamma is the mixture of the root of a gamma variable of mean 1 and the given shape, times scale.
type rootGamma struct{ shape, scale float64 }

// Draw draws the gamma variable. It may be 0, at very small shapes: that of a constant cosine.
func (s rootGamma) Draw(rnd *rand.Rand) float64 {
	return s.scale * math.Sqrt(distuv.Gamma{Alpha: s.shape, Beta: s.shape, Src: rnd}.Rand())
}
