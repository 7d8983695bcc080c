package rr

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"mediant/features"
	"mediant/solvers"
	"mediant/tables"
)

// TwoStep is 2Step-RR: h predicts Y from U on S_Y, then f predicts h(U) from X on S_X. It estimates
// E[Y|X] where chaining a model of U given X with h does not. Auto means lambdas of 1e-4. The zero
// value is usable: ridge regression on features in both steps, from moments alone.
type TwoStep struct {
	Setup
	LambdaF, LambdaH Setting
	// F and H are the learners of the two steps; nil is ridge regression on the features of Setup.
	// If either is given all encoded rows are held in memory.
	F, H Regressor
}

var _ Solver = TwoStep{}

// Fit implements Method.
func (t TwoStep) Fit(ctx context.Context, xu, uy tables.Source) (*Model, error) {
	if err := t.params().Check(); err != nil {
		return nil, err
	}
	if t.F != nil || t.H != nil {
		p := &Problem{Setup: t.Setup, sourceXU: xu, sourceUY: uy}
		if err := p.encode(ctx); err != nil {
			return nil, err
		}
		return t.solveRows(ctx, p)
	}
	p, err := Prepare(ctx, t.Setup, xu, uy)
	if err != nil {
		return nil, err
	}
	return t.Solve(ctx, p)
}

// Solve implements Solver; only p's Setup counts. Regressors of one's own read the rows of p again.
func (t TwoStep) Solve(ctx context.Context, p *Problem) (*Model, error) {
	if t.F != nil || t.H != nil {
		return t.solveRows(ctx, p)
	}
	return p.withErrors(ctx, "2step", t.params())
}

func (t TwoStep) params() solvers.Params {
	return solvers.Params{W: 1, LambdaF: t.LambdaF.Or(DefaultLambda), LambdaH: t.LambdaH.Or(DefaultLambda)}
}

// solveRows fits with at least one regressor that is not the default.
func (t TwoStep) solveRows(ctx context.Context, p *Problem) (*Model, error) {
	f, h := t.F, t.H
	setup := p.Setup
	if setup.Shift {
		return nil, fmt.Errorf("rr: rows are weighed by the ratio of the laws of U for ridge regression on features only, not for other regressors")
	}
	if f == nil {
		f = Ridge{Spec: setup.Phi, Lambda: t.LambdaF, NoIntercept: setup.NoIntercept, Seed: setup.Seed, Purpose: "phi"}
	}
	if h == nil {
		h = Ridge{Spec: setup.Psi, Lambda: t.LambdaH, NoIntercept: setup.NoIntercept, Seed: setup.Seed, Purpose: "psi"}
	}
	m := p.Model("2step")
	u, y, wy, dropped, err := features.Matrices(ctx, p.sourceUY, p.U, p.Y, p.pass(setup.Roles.WeightsUY))
	if err != nil {
		return nil, fmt.Errorf("table of U and Y: %w", err)
	}
	m.Rows.Dropped = dropped
	if m.H, err = h.Fit(ctx, u, y, wy); err != nil {
		return nil, fmt.Errorf("rr: first step: %w", err)
	}
	m.Rows.UY, _ = u.Dims()
	x, u, wx, _, err := features.Matrices(ctx, p.sourceXU, p.X, p.U, p.pass(setup.Roles.WeightsXU))
	if err != nil {
		return nil, fmt.Errorf("table of X and U: %w", err)
	}
	m.Rows.XU, _ = x.Dims()
	var target mat.Dense
	m.H.PredictTo(&target, u)
	if m.F, err = f.Fit(ctx, x, &target, wx); err != nil {
		return nil, fmt.Errorf("rr: second step: %w", err)
	}
	return m, nil
}

// Ridge is the Regressor coef'phi(x) + intercept with
//
//	mean |coef'phi(x) + intercept - y|² + Lambda |coef|²
//
// least; phi is fitted from Spec on the rows at hand. Auto means a Lambda of 1e-4. The zero value is
// usable.
type Ridge struct {
	Spec        features.Spec
	Lambda      Setting
	NoIntercept bool
	// Seed and Purpose name the random stream of the features.
	Seed    uint64
	Purpose string
}

var _ Regressor = Ridge{}

// Fit implements Regressor.
func (r Ridge) Fit(ctx context.Context, x, y *mat.Dense, weights []float64) (Predictor, error) {
	lambda := r.Lambda.Or(DefaultLambda)
	if !(lambda >= 0) || math.IsInf(lambda, 1) {
		return nil, fmt.Errorf("rr: ridge: lambda is %g, must be finite and at least 0", lambda)
	}
	phi, _, err := r.Spec.Fit(features.SampleRows(x, sampleRows, r.Seed, r.Purpose), r.Seed, r.Purpose)
	if err != nil {
		return nil, err
	}
	pair, err := features.AccumulateRows(ctx, phi, x, y, weights)
	if err != nil {
		return nil, err
	}
	l, err := solvers.Ridge(pair, lambda, !r.NoIntercept)
	if err != nil {
		return nil, err
	}
	return NewLinear(phi, l.Coef, l.Intercept), nil
}
