package rr

import (
	"math"
	"math/rand/v2"
	"testing"

	"mediant/moments"
)

// TestQuantiles are those of printed tables of Student's t.
func TestQuantiles(t *testing.T) {
	for freedom, want := range map[float64]float64{1: 12.7062, 2: 4.3027, 5: 2.5706, 10: 2.2281, 30: 2.0423, 1e5: 1.9600, 1e9: z95} {
		if got := quantile95(freedom); math.Abs(got-want) > 5e-5 {
			t.Errorf("%g degrees of freedom: %g, want %g", freedom, got, want)
		}
	}
}

// TestSumFreedom: equal variances add their degrees of freedom, one of next to nothing leaves those of the other, and there is at least one.
func TestSumFreedom(t *testing.T) {
	for _, c := range []struct {
		a, b meanVariance
		want float64
	}{
		{meanVariance{2, 10}, meanVariance{2, 10}, 20},
		{meanVariance{2, 10}, meanVariance{1e-9, 3}, 10},
		{meanVariance{3, 4}, meanVariance{1, 8}, 16. / (9./4 + 1./8)},
		{meanVariance{0, 4}, meanVariance{0, 8}, 12},
		{meanVariance{1, .1}, meanVariance{1, .2}, 1},
	} {
		if got := sumFreedom(c.a, c.b); math.Abs(got-c.want) > 1e-6*c.want {
			t.Errorf("%v and %v: %g, want %g", c.a, c.b, got, c.want)
		}
	}
}

// TestFewSquaresHaveWideIntervals: the mean of the squares of a few normal errors lies within its interval in 92 to 98.5 % of 4,000 cases, where
// that of 1.96 standard errors has it in as few as 80 %; the standard error of either share is .6 % at most.
func TestFewSquaresHaveWideIntervals(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{12, 40, 400} {
		within, normal := 0., 0.
		const cases = 4000
		for range cases {
			s := newSpread(1)
			for range n {
				e := rnd.NormFloat64()
				s.add(moments.Weights{}, 0, e*e)
			}
			v := s.errorVariance([]float64{1})
			r := newRiskEstimate(s.mean[0], math.Sqrt(v.variance), sumFreedom(v))
			if r.Lo <= 1 && 1 <= r.Hi {
				within += 1. / cases
			}
			if math.Abs(r.MSE-1) <= z95*r.SE {
				normal += 1. / cases
			}
		}
		t.Logf("n = %d: %.3f, with 1.96 %.3f", n, within, normal)
		if within < .92 || within > .985 || n == 12 && normal > .87 {
			t.Errorf("n = %d: covered in %.3f, with 1.96 in %.3f", n, within, normal)
		}
	}
}
