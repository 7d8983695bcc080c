package kernels

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestQuantiles: the share of draws below the quantile p is p to 5 standard errors, by chance 6e-7 for each of 15.
func TestQuantiles(t *testing.T) {
	const draws = 20000
	for _, mixture := range []interface {
		ScaleMixture
		Quantile(p float64) float64
	}{studentT{1, .5}, studentT{3, .5}, studentT{4.2, 2}, rootGamma{.7, 2}, rootGamma{3, 1}} {
		for _, p := range []float64{.1, .5, .95} {
			rnd, below, at := rand.New(rand.NewPCG(1, 2)), 0.0, mixture.Quantile(p)
			for range draws {
				if mixture.Draw(rnd) < at {
					below++
				}
			}
			if off := math.Abs(below/draws - p); off > 5*math.Sqrt(p*(1-p)/draws) {
				t.Errorf("%+v: a share of %g is below the quantile %g", mixture, below/draws, p)
			}
		}
	}
}

// TestQuantilesByHand: chi² of one degree of freedom has the upper quantile 3.841459 at 0.05, of three
// 7.814728, to the digits of printed tables.
func TestQuantilesByHand(t *testing.T) {
	for freedom, chi2 := range map[float64]float64{1: 3.841459, 3: 7.814728} {
		got, want := (studentT{freedom, 2}).Quantile(.05), 2*math.Sqrt(freedom/chi2)
		if math.Abs(got-want) > 1e-6 {
			t.Errorf("%g degrees of freedom: %g, want %g", freedom, got, want)
		}
	}
	if got := constant(3).Quantile(.2); got != 3 {
		t.Errorf("the quantile of a constant 3 is %g", got)
	}
}

// TestQuantilesAreFinite at both ends of what quasi-Monte-Carlo points can be, and in order: NaN or infinity would be a
// frequency.
func TestQuantilesAreFinite(t *testing.T) {
	for _, freedom := range []float64{1, 3, 5, 9.4, 400} {
		last := 0.0
		for _, p := range []float64{0x1p-53, 1e-9, 1e-3, .5, .999, 1 - 1e-9, 1 - 0x1p-53} {
			got := studentT{freedom, 1}.Quantile(p)
			if !(got > last) || math.IsInf(got, 1) {
				t.Errorf("%g degrees of freedom: quantile %g is %g, after %g", freedom, p, got, last)
			}
			last = got
		}
	}
}
