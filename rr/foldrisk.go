package rr

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"mediant/internal/parallel"
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

// foldMeans are values of each held-out fold, nil for one without weight, and their weighted mean.
type foldMeans struct {
	of   [][]float64
	mean []float64
}

// means takes the values of each held-out fold together.
func (s splits) means(of func(k int, held *moments.Pair) []float64) foldMeans {
	m := foldMeans{of: make([][]float64, len(s.held))}
	parallel.Blocks(len(s.held), 1, func(k, _ int) {
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
