package risk_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"mediant/collect"
	"mediant/features"
	"mediant/internal/fixture"
	"mediant/problem"
	"mediant/risk"
)

// TestVarianceOfEachTable: predictions are h(U) but for noise of variance a², and Y is a line in U but for noise of variance b². Where one of them has no
// noise all of the variance is from the other's table. Rows without overlap count as rows of the table.
func TestVarianceOfEachTable(t *testing.T) {
	const n, m, without = 300, 200, 20
	assessed := func(a, b float64) *risk.Assessment {
		rnd := rand.New(rand.NewPCG(1, 1))
		mine, u, v, y := make([]float64, n), make([]float64, n), make([]float64, m), make([]float64, m)
		for i := range u {
			u[i] = rnd.NormFloat64()
			if i < without {
				u[i] = 1000 + rnd.Float64()
			}
			mine[i] = 2*u[i] + a*rnd.NormFloat64()
		}
		for i := range v {
			v[i] = rnd.NormFloat64()
			y[i] = 2*v[i] + b*rnd.NormFloat64()
		}
		xu, uy := fixture.Table(t, "mine", mine, "u", u), fixture.Table(t, "u", v, "y", y)
		setup := problem.Setup{Psi: features.Spec{Kind: features.LinearFeatures}}
		c, err := risk.AssessPredictions(t.Context(), setup, xu, uy, risk.Predictions{Columns: []string{"mine"}}, risk.AssessOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if total, se := c.Risk.VarianceXU+c.Risk.VarianceUY, c.Risk.SE; math.Abs(total/(se*se)-1) > 1e-14 { // two sums and a root
			t.Errorf("the parts add up to %.17g, the square of the standard error is %.17g", total, se*se)
		}
		if got, want := c.Risk.Rows, (collect.Rows{XU: n, UY: m}); got != want {
			t.Errorf("rows %v, want %v", got, want)
		}
		return c.Assessment
	}
	// h is off by its least penalty, 1e-8, at most, and the terms of S_Y are of that size: their squares of 1e-16.
	if v := assessed(1, 0).Variance(); v.UY > 1e-15*v.XU {
		t.Errorf("Y without noise: %+v", v)
	}
	// h is off by some 1/sqrt(m), and the terms of S_X are the squares of that: 1/m² of those of S_Y, times at most 10.
	if v := assessed(0, 1).Variance(); v.XU > 10./(m*m)*v.UY {
		t.Errorf("predictions without noise: %+v", v)
	}
	// Both terms are squares of noise of variance 1, whose variance is 2, over the 280 and 200 rows; h and the Riesz weight add little. The variance of 280
	// such squares has a relative standard error of sqrt(14/280), 0.22, of 200 0.26: three of them.
	v := assessed(1, 1).Variance()
	if got := v.XU * (n - without) / 2; math.Abs(got-1) > .67 {
		t.Errorf("S_X: %g of what is expected", got)
	}
	if got := v.UY * m / 2; math.Abs(got-1) > .8 {
		t.Errorf("S_Y: %g of what is expected", got)
	}
}

// TestVarianceWithOptimism: what a choice adds is divided as the rest is, evenly where there is no rest.
func TestVarianceWithOptimism(t *testing.T) {
	var a risk.Assessment
	a.Risk.SE = 4
	if got, want := a.Variance(), (collect.Variance{XU: 8, UY: 8}); got != want {
		t.Errorf("no parts: %+v, want %+v", got, want)
	}
	a.Risk.VarianceXU, a.Risk.VarianceUY = 6, 2
	if got, want := a.Variance(), (collect.Variance{XU: 12, UY: 4}); got != want {
		t.Errorf("parts 6 and 2 of a variance of 16: %+v, want %+v", got, want)
	}
}
