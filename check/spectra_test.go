package check

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
)

// TestSpectra: shares and products of near lags and of all are those of sums over the rows, for any number of stretches.
func TestSpectra(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{100, 895, 896, 897, 2000} {
		drawn := func(name string) series {
			values := make([]float64, n)
			for i := range values {
				values[i] = rnd.NormFloat64()
			}
			normalise(values)
			return series{name, values}
		}
		b, y := newBasis([]series{drawn("a"), drawn("b"), drawn("c")}, 3), drawn("y").values
		own, lags := b.coefficients(y, 0), min(nearLag, (n-1)/2)
		near, nearDirected := b.nearSpectra(n, lags).scan(y, own)
		all, allDirected := b.spectra(n).scan(y, own)
		for i := range near {
			lag := 1 + i/2
			if i%2 == 1 {
				lag = -lag
			}
			c := b.coefficients(y, lag)
			share, directed := floats.Dot(c, c), floats.Dot(own, c)/floats.Norm(own, 2)*math.Sqrt(float64(n))
			at := (lag + n) % n
			for _, got := range [][2]float64{{near[i], nearDirected[i]}, {all[at], allDirected[at]}} {
				if math.Abs(got[0]-share) > 1e-12 || math.Abs(got[1]-directed) > 1e-10 {
					t.Errorf("%d rows, lag %d: %g, want %g and %g", n, lag, got, share, directed)
				}
			}
		}
	}
}
