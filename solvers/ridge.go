package solvers

import (
	"context"
	"errors"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"mediant/moments"
)

// A Linear holds the coefficients of x -> Intercept + Coef'a(x): Coef is p×k, Intercept k long.
type Linear struct {
	Coef      *mat.Dense
	Intercept []float64
	Cond      float64 // of the matrix solved, in the 1-norm
	Rank      int
}

var errNoRows = errors.New("solvers: ridge: no rows of positive weight")

// Ridge returns the minimum-norm minimiser of
//
//	mean |Coef'a + Intercept - b|² + lambda |Coef|²
//
// over the rows of m; the intercept is not penalised, and 0 if not wanted. It costs p³/3 + 2p²k flops. CoMoments without
// rows are an error; a negative lambda panics.
func Ridge(m *moments.CoMoments, lambda float64, intercept bool) (*Linear, error) {
	if m.Weight() == 0 {
		return nil, errNoRows
	}
	var l *Linear
	useFactor(len(m.MeanA()), func(dst *mat.SymDense) { m.LeftTo(dst, intercept) }, lambda, true, func(f *Factor) { l = RidgeWith(f, m, intercept) })
	return l, nil
}

// RidgePath is Ridge for each of several penalties, without condition numbers, which are 0. It checks ctx before each.
func RidgePath(ctx context.Context, m *moments.CoMoments, lambdas []float64, intercept bool) ([]*Linear, error) {
	if m.Weight() == 0 {
		return nil, errNoRows
	}
	path := make([]*Linear, len(lambdas))
	for i, lambda := range lambdas {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		UseFactor(len(m.MeanA()), func(dst *mat.SymDense) { m.LeftTo(dst, intercept) }, lambda, func(f *Factor) { path[i] = ridgeWith(f, m, intercept) })
	}
	return path, nil
}

// RidgeWith is Ridge with the factor of m's left moments, centred if there is an intercept, plus lambda I: one factor serves
// all co-moments with the same left rows.
func RidgeWith(f *Factor, m *moments.CoMoments, intercept bool) *Linear {
	l := ridgeWith(f, m, intercept)
	l.Cond = f.Cond()
	return l
}

func ridgeWith(f *Factor, m *moments.CoMoments, intercept bool) *Linear {
	_, k := m.Dims()
	l := &Linear{Coef: new(mat.Dense), Intercept: make([]float64, k), Rank: f.Rank()}
	m.CrossTo(l.Coef, intercept)
	f.SolveTo(l.Coef, l.Coef)
	if intercept {
		mean := m.MeanA()
		var v mat.VecDense
		v.MulVec(l.Coef.T(), mat.NewVecDense(len(mean), mean))
		floats.SubTo(l.Intercept, m.MeanB(), v.RawVector().Data)
	}
	return l
}
