package rr

import (
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"mediant/moments"
)

// foldRisk returns, for each output, the uncoupled risk of form 1 of f, from the sums of the
// held-out folds alone:
//
//	R = mean_SX (f-h)² + mean_SY [ (y-h)² + 2 (h-r)(y-h) ]
//
// (docs/theory.md). f is a function of phi, h and r are functions of psi; each has one function a fold,
// fitted on the other folds. xu are pairs (phi, psi), uy pairs (psi, y). It costs 2k(p+q)² flops a
// fold and so suits a search over many f; standard errors need rows.
func foldRisk(xu, uy splits, f, h, r []affine) []float64 {
	x := xu.means(func(k int, held *moments.Pair) []float64 {
		d := gap(f[k], h[k])
		return held.Inner(d, d)
	})
	y := uy.means(func(k int, held *moments.Pair) []float64 {
		e := h[k].residual(len(h[k].intercept)) // h - y
		v := held.Inner(e, e)
		floats.AddScaled(v, -2, held.Inner(h[k].minus(r[k]).form(), e))
		return v
	})
	return floats.AddTo(x, x, y)
}

// foldRiskShifted is foldRisk of form 2, for the population of S_X where the law of U is another one
// in S_Y:
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
	outputs := len(x)
	y := uy.means(func(k int, held *moments.Pair) []float64 {
		t := held.Inner(r[k].form(), h[k].residual(outputs)) // r (h - y)
		floats.Scale(2, t)
		return t
	})
	y2 := squares.means(func(k int, held *moments.Pair) []float64 {
		t := held.Inner(omega[k].repeated(outputs).form(), v[k].residual(outputs)) // omega (v - y²)
		floats.Scale(-1, t)
		return t
	})
	floats.Add(x, y)
	floats.Add(x, y2)
	return x
}

// means is the weighted mean over the folds of values of each held-out fold.
func (s splits) means(of func(k int, held *moments.Pair) []float64) []float64 {
	var sum []float64
	for k, h := range s.held {
		if h.Weight() == 0 {
			continue
		}
		v := of(k, h)
		if sum == nil {
			sum = make([]float64, len(v))
		}
		floats.AddScaled(sum, h.Weight()/s.weight(), v)
	}
	return sum
}

// repeated gives a function of one output k equal ones.
func (f affine) repeated(k int) affine {
	p, _ := f.coef.Dims()
	out := affine{mat.NewDense(p, k, nil), make([]float64, k)}
	for j := range k {
		out.coef.SetCol(j, mat.Col(nil, 0, f.coef))
		out.intercept[j] = f.intercept[0]
	}
	return out
}
