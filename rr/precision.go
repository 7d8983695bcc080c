package rr

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"mediant/crossfit"
	"mediant/moments"
	"mediant/problem"
	"mediant/solvers"
)

// A precision weighs the rows of S_X, in the fit of f and nowhere else, by
//
//	1 / max(v(x), floor),   v(x) ~ E[|f(x) - h(U)|² | X = x]
//
// as generalised least squares does where the target h(U) is noisier at some x than at others (Aitken
// 1935; Carroll, Ann. Statist. 10, 1982, for a v that is estimated). v is linear in phi.
type precision struct {
	v     crossfit.Affine
	floor float64
}

// precisionFloor bounds v from below, as a share of its mean, so that no row has more than 10 times the average weight and
// an estimate near or below 0 does no harm.
const precisionFloor = 0.1

// times multiplies weights of rows with features phi by the precision.
func (q *precision) times(phi *mat.Dense, w moments.Weights) moments.Weights {
	var v mat.Dense
	q.v.ApplyTo(&v, phi)
	out := make([]float64, v.RawMatrix().Rows)
	for i := range out {
		out[i] = q.floor / max(v.At(i, 0), q.floor)
	}
	return w.Times(out)
}

// WeighPrecision returns the problem in which the fit of f weights the rows of S_X by an estimate of the precision
// 1/Var(h(U)|X). f and h are the functions of each fold, fitted on the other folds, so that their residuals are held-out
// residuals. It makes two passes over S_X. search.WeighByPrecision chooses f and h itself.
func WeighPrecision(ctx context.Context, p *problem.Problem, f, h []crossfit.Affine) (*problem.Problem, error) {
	v, err := fitVariance(ctx, p, f, h)
	if err != nil {
		return nil, err
	}
	return p.WithFitWeights(ctx, v.times)
}

// fitVariance regresses the squared residuals |f - h|², summed over outputs in their units, on phi, with a cross-validated
// penalty.
func fitVariance(ctx context.Context, p *problem.Problem, f, h []crossfit.Affine) (*precision, error) {
	u, err := p.Units(p.FoldsUY())
	if err != nil {
		return nil, err
	}
	folds := p.EmptyXU(nil)
	var fx, hu mat.Dense
	err = p.WalkXU(ctx, p.SidePhi(), p.SidePsi(), func(k int, phi, psi *mat.Dense, w moments.Weights) {
		f[k].ApplyTo(&fx, phi)
		h[k].ApplyTo(&hu, psi)
		fx.Sub(&fx, &hu)
		n, _ := fx.Dims()
		squares := mat.NewDense(n, 1, nil)
		for i := range n {
			squares.Set(i, 0, u.Square(fx.RawRowView(i)))
		}
		folds[k].Add(phi, squares, w.Products())
	})
	if err != nil {
		return nil, err
	}
	s, err := p.Splitter().Split(ctx, folds)
	if err != nil {
		return nil, err
	}
	c, err := crossfit.CrossValidate(ctx, s, crossfit.Units{}, crossfit.Lambdas, true)
	if err != nil {
		return nil, err
	}
	at := c.Best()
	all, err := moments.Sum(folds...)
	if err != nil {
		return nil, err
	}
	mean := all.MeanB()[0]
	if at < 0 || !(mean > 0) {
		return nil, fmt.Errorf("rr: precision weights: f and h do not differ in any row")
	}
	v, err := solvers.Ridge(all, c.Lambdas[at], true)
	if err != nil {
		return nil, err
	}
	return &precision{crossfit.Affine{Coef: v.Coef, Intercept: v.Intercept}, precisionFloor * mean}, nil
}
