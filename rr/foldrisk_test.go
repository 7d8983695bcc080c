package rr

import (
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"mediant/moments"
)

// foldRiskShifted is the risk of form 2 from sums, which that from rows must equal: for the population of S_X where the
// law of U is another one in S_Y,
//
//	R = mean_SX (f² - 2fh + v) + mean_SY [ omega (y² - v) - 2r (y-h) ]
//
// v is the nuisance E[Y²|U], omega (one output) the ratio of the two laws of U, and squares are pairs
// (psi, y²).
func foldRiskShifted(xu, uy, squares splits, f, h, r, v, omega []affine) []float64 {
	x := xu.means(func(k int, held *moments.Pair) []float64 {
		ff := f[k].form()
		t := held.Inner(ff, ff)
		floats.AddScaled(t, -2, held.Inner(ff, h[k].rightForm()))
		return floats.AddTo(t, t, held.Mean(v[k].rightForm()))
	})
	outputs := len(h[0].intercept)
	y := uy.means(func(k int, held *moments.Pair) []float64 {
		t := held.Inner(r[k].form(), h[k].residual(outputs)) // r (h - y)
		floats.Scale(2, t)
		return t
	})
	y2 := squares.means(func(k int, held *moments.Pair) []float64 {
		t := held.Inner(omega[k].form(), v[k].residual(outputs)) // omega (v - y²)
		floats.Scale(-1, t)
		return t
	})
	floats.Add(x.mean, y.mean)
	return floats.AddTo(x.mean, x.mean, y2.mean)
}

// rightForm is h(right features) alone, of a pair whose right side h is a function of.
func (f affine) rightForm() moments.Form {
	var b mat.Dense
	b.Scale(-1, f.coef)
	return moments.Form{B: &b, Offset: f.intercept}
}
