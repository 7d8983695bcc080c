package crossfit

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"mediant/internal/parallel"
	"mediant/moments"
)

// FoldRisk returns, for each output, the uncoupled risk of form 1 of f, from the sums of the
// held-out folds alone:
//
//	R = mean_SX (f-h)² + mean_SY [ (y-h)² + 2 (h-r)(y-h) ]
//
// (docs/theory.md). f is a function of phi, h and r are functions of psi; each has one function a fold,
// fitted on the other folds. xu are co-moments of (phi, psi), uy of (psi, y). f and r may have the outputs of
// many models, side by side; those of h are then repeated. It costs 2k(p²+q²) flops a fold and so suits a
// search over many f; standard errors need rows.
func FoldRisk(xu, uy Splits, f, h, r []Affine) []float64 {
	risk, _ := FoldRisks(xu, uy, f, h, r)
	return risk
}

// FoldRisks is FoldRisk with the risk of each fold as well: byFold[k][j] is that of output j on fold k, NaN for a fold without
// rows in one of the tables.
func FoldRisks(xu, uy Splits, f, h, r []Affine) (risk []float64, byFold [][]float64) {
	x := xu.Means(func(k int, held *moments.CoMoments) []float64 {
		d := Gap(f[k], h[k])
		return held.Inner(d, d)
	})
	y := uy.Means(func(k int, held *moments.CoMoments) []float64 {
		e := h[k].Residual(len(h[k].Intercept)) // h - y
		v := held.Inner(h[k].Minus(r[k]).Form(), e)
		floats.Scale(-2, v)
		AddRepeated(v, held.Inner(e, e))
		return v
	})
	outputs := len(f[0].Intercept)
	for k := range f {
		one := make([]float64, outputs)
		for j := range one {
			one[j] = math.NaN()
			if x.Of[k] != nil && y.Of[k] != nil {
				one[j] = x.Of[k][j] + y.Of[k][j]
			}
		}
		byFold = append(byFold, one)
	}
	return floats.AddTo(x.Mean, x.Mean, y.Mean), byFold
}

// FoldMeans are a list of values for each held-out fold, nil for one without weight, and their weighted mean.
type FoldMeans struct {
	Of   [][]float64
	Mean []float64
}

// Means returns the values that of gives for each held-out fold, and their mean.
func (s Splits) Means(of func(k int, held *moments.CoMoments) []float64) FoldMeans {
	m := FoldMeans{Of: make([][]float64, len(s.Held))}
	parallel.Blocks(len(s.Held), 1, func(k, _ int) {
		if s.Held[k].Weight() > 0 {
			m.Of[k] = of(k, s.Held[k])
		}
	})
	total := s.Weight()
	for k, v := range m.Of {
		if v == nil {
			continue
		}
		if m.Mean == nil {
			m.Mean = make([]float64, len(v))
		}
		floats.AddScaled(m.Mean, s.Held[k].Weight()/total, v)
	}
	return m
}

// AddRepeated adds v to each run of len(v) elements of dst.
func AddRepeated(dst, v []float64) {
	for lo := 0; lo < len(dst); lo += len(v) {
		floats.Add(dst[lo:lo+len(v)], v)
	}
}

// A RiskByFold is the risk of one f: Risk over all folds, ByFold[k] on fold k, ByUnit[k][j] on fold k for unit j of the outputs (Units), OfUnit[j] over all folds, if it is known.
type RiskByFold struct {
	Risk   float64
	ByFold []float64
	ByUnit [][]float64
	OfUnit []float64
}

// Unit is the risk of one of several units by itself.
func (r RiskByFold) Unit(j int) RiskByFold {
	own := RiskByFold{Risk: r.OfUnit[j], OfUnit: r.OfUnit[j : j+1]}
	for _, fold := range r.ByUnit {
		own.ByFold, own.ByUnit = append(own.ByFold, fold[j]), append(own.ByUnit, fold[j:j+1])
	}
	return own
}
