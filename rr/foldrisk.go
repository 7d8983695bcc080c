package rr

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"mediant/moments"
)

// foldRisk returns, for each output, the uncoupled risk of form 1 of f, from the sums of the
// held-out folds alone:
//
//	R = mean_SX (f-h)² + mean_SY [ (y-h)² + 2 (h-r)(y-h) ]
//
// (docs/theory.md). f is a function of phi, h and r are functions of psi; each has one function a fold,
// fitted on the other folds. xu are pairs (phi, psi), uy pairs (psi, y). f and r may have the outputs of
// many models, side by side; those of h are then repeated. It costs 2k(p²+q²) flops a fold and so suits a
// search over many f; standard errors need rows.
func foldRisk(xu, uy splits, f, h, r []affine) []float64 {
	risk, _ := foldRisks(xu, uy, f, h, r)
	return risk
}

// foldRisks also returns the risk on each fold alone, NaN for a fold without rows in a table.
func foldRisks(xu, uy splits, f, h, r []affine) (risk []float64, byFold [][]float64) {
	x := xu.means(func(k int, held *moments.Pair) []float64 {
		d := gap(f[k], h[k])
		return held.Inner(d, d)
	})
	y := uy.means(func(k int, held *moments.Pair) []float64 {
		e := h[k].residual(len(h[k].intercept)) // h - y
		v := held.Inner(h[k].minus(r[k]).form(), e)
		floats.Scale(-2, v)
		addRepeated(v, held.Inner(e, e))
		return v
	})
	outputs := len(f[0].intercept)
	for k := range f {
		one := make([]float64, outputs)
		for j := range one {
			one[j] = math.NaN()
			if x.of[k] != nil && y.of[k] != nil {
				one[j] = x.of[k][j] + y.of[k][j]
			}
		}
		byFold = append(byFold, one)
	}
	return floats.AddTo(x.mean, x.mean, y.mean), byFold
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

// foldMeans are values of each held-out fold, nil for one without weight, and their weighted mean.
type foldMeans struct {
	of   [][]float64
	mean []float64
}

// means takes the values of each held-out fold together.
func (s splits) means(of func(k int, held *moments.Pair) []float64) foldMeans {
	m := foldMeans{of: make([][]float64, len(s.held))}
	eachFold(len(s.held), func(k int) {
		if s.held[k].Weight() > 0 {
			m.of[k] = of(k, s.held[k])
		}
	})
	total := s.weight()
	for k, v := range m.of {
		if v == nil {
			continue
		}
		if m.mean == nil {
			m.mean = make([]float64, len(v))
		}
		floats.AddScaled(m.mean, s.held[k].Weight()/total, v)
	}
	return m
}

// addRepeated adds copies of v to dst.
func addRepeated(dst, v []float64) {
	for lo := 0; lo < len(dst); lo += len(v) {
		floats.Add(dst[lo:lo+len(v)], v)
	}
}
