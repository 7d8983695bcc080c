package risk

import (
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"mediant/crossfit"
	"mediant/moments"
)

// foldRiskShifted is the risk of form 2 from sums, which that from rows must equal: for the population of S_X where the
// distribution of U is another one in S_Y,
//
//	R = mean_SX (f² - 2fh + v) + mean_SY [ omega (y² - v) - 2r (y-h) ]
//
// v is the nuisance E[Y²|U], omega (one output) the ratio of the two distributions of U, and squares are pairs
// (psi, y²).
func foldRiskShifted(xu, uy, squares crossfit.Splits, f, h, r, v, omega []crossfit.Affine) []float64 {
	x := xu.Means(func(k int, held *moments.CoMoments) []float64 {
		ff := f[k].Form()
		t := held.Inner(ff, ff)
		floats.AddScaled(t, -2, held.Inner(ff, rightForm(h[k])))
		return floats.AddTo(t, t, held.Mean(rightForm(v[k])))
	})
	outputs := len(h[0].Intercept)
	y := uy.Means(func(k int, held *moments.CoMoments) []float64 {
		t := held.Inner(r[k].Form(), h[k].Residual(outputs)) // r (h - y)
		floats.Scale(2, t)
		return t
	})
	y2 := squares.Means(func(k int, held *moments.CoMoments) []float64 {
		t := held.Inner(omega[k].Form(), v[k].Residual(outputs)) // omega (v - y²)
		floats.Scale(-1, t)
		return t
	})
	floats.Add(x.Mean, y.Mean)
	return floats.AddTo(x.Mean, x.Mean, y2.Mean)
}

// rightForm is h(right features) alone, of a pair whose right side h is a function of.
func rightForm(f crossfit.Affine) moments.Form {
	var b mat.Dense
	b.Scale(-1, f.Coef)
	return moments.Form{B: &b, Offset: f.Intercept}
}
