package kernels

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mathext"
)

// TestMixtureQuantiles are the inverses of the distributions' distribution functions, to the 1e-8 at which the first term of the
// distribution function takes over, and with a margin for those functions' own errors.
func TestMixtureQuantiles(t *testing.T) {
	for _, p := range []float64{0x1p-33, 1e-6, 0.01, 0.3, 0.5, 0.9, 0.9999, 1 - 0x1p-33} {
		for _, shape := range []float64{0.1, 0.5, 1, 2.5, 30, 1000} {
			g := math.Pow(rootGamma{shape, 3}.Quantile(p)/3, 2) * shape
			if got := mathext.GammaIncReg(shape, g); math.Abs(got-p) > 1e-7*p {
				t.Errorf("gamma of shape %v: probability %v of the quantile of %v", shape, got, p)
			}
			q := studentT{2 * shape, 3}.Quantile(p)
			if math.IsInf(q, 0) || !(q > 0) {
				t.Errorf("t of %v degrees of freedom: the quantile of %v is %v", 2*shape, p, q)
			}
			half := shape / math.Pow(q/3, 2)
			if got := mathext.GammaIncRegComp(shape, half); math.Abs(got-p) > 1e-7*p {
				t.Errorf("t of %v degrees of freedom: probability %v of the quantile of %v", 2*shape, got, p)
			}
		}
	}
}

// TestMixtureDraws fall below the quartiles as often as they should: 10,000 draws, 5 standard errors of
// 0.0044, which fixed seeds pass or fail once and for all, by chance 6 times in 10 million each.
func TestMixtureDraws(t *testing.T) {
	type mixture interface {
		ScaleMixture
		Quantile(p float64) float64
	}
	for _, m := range []mixture{studentT{0.2, 1}, studentT{1, 2}, studentT{4, 1}, studentT{7.4, 3}, studentT{400, 1}, rootGamma{0.05, 1}, rootGamma{1, 2}, rootGamma{40, 1}} {
		const draws = 10000
		rnd := rand.New(rand.NewPCG(1, 2))
		quartiles := [3]float64{m.Quantile(0.25), m.Quantile(0.5), m.Quantile(0.75)}
		var below [3]int
		for range draws {
			s := m.Draw(rnd)
			for i, q := range quartiles {
				if s <= q {
					below[i]++
				}
			}
		}
		for i, count := range below {
			if off := float64(count)/draws - float64(i+1)/4; math.Abs(off) > 5*0.0044 {
				t.Errorf("%T %v: share below quartile %d is off by %g", m, m, i+1, off)
			}
		}
	}
}
