package rr

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"mediant/crossfit"
	"mediant/features"
	"mediant/moments"
	"mediant/problem"
	"mediant/solvers"
	"mediant/tables"
)

// TwoStep is 2Step-RR: h predicts Y from U on S_Y, then f predicts h(U) from X on S_X. It estimates E[Y|X], which a chain of
// a model of U given X and h does not unless h is linear or U is a function of X. Auto means lambdas of 1e-4. The zero value
// is usable: ridge regression on features in both steps, from moments alone.
type TwoStep struct {
	LambdaF, LambdaH Setting
	// F and H are the learners of the two steps; nil is ridge regression on the features of the Setup. If either is set all
	// encoded rows are held in memory.
	F, H Regressor
	// Components regresses each part of h, one for each group of columns of an additive psi and one in all for another psi, by itself, and only on those
	// groups of an additive phi on which it is found to depend (docs/theory.md, section 23), so that f has less noise. It is
	// an error for another phi and without intercepts.
	Components bool
}

var _ TableMethod = TwoStep{}

// FitTables implements TableMethod. It computes no sums of phi with psi where it can do without (Prepare), and none at all for
// learners F and H.
func (t TwoStep) FitTables(ctx context.Context, s problem.Setup, xu, uy tables.Source) (*Model, error) {
	if t.F != nil || t.H != nil {
		rows, err := problem.ReadRows(ctx, s, xu, uy)
		if err != nil {
			return nil, err
		}
		return t.solveRows(ctx, rows, nil)
	}
	p, _, err := t.Prepare(ctx, s, xu, uy)
	if err != nil {
		return nil, err
	}
	return t.Fit(ctx, p)
}

// Prepare is problem.Prepare for this method, which may need fewer sums: those of h(U) with phi in the place of those of psi with phi, unless it is fitted by components, rows are weighed for covariate shift, or
// something is reserved for after the fit. Such a problem is for this method alone, with these penalties of h, and for its risk. The method is t.
func (t TwoStep) Prepare(ctx context.Context, s problem.Setup, xu, uy tables.Source) (*problem.Problem, Method, error) {
	if !t.InTurn(s) {
		p, err := problem.Prepare(ctx, s, xu, uy)
		return p, t, err
	}
	e, err := problem.EncodeFor(ctx, s, xu, uy, problem.Footprint.PreparingInTurn, "")
	if err != nil {
		return nil, t, err
	}
	m, err := e.Map(ctx)
	if err != nil {
		return nil, t, err
	}
	set := func(lambda float64) Penalties {
		return func(p *problem.Problem) ([]float64, error) { return slices.Repeat([]float64{lambda}, p.Y().Len()), nil }
	}
	p, err := SumInTurn(ctx, m, set(t.params().LambdaH), set(t.params().LambdaF))
	return p, t, err
}

// InTurn reports whether a fit of tables with this setup makes no sums of phi with psi (SumInTurn).
func (t TwoStep) InTurn(s problem.Setup) bool {
	return t.F == nil && t.H == nil && !t.Components && !s.Shift && s.Reserve == nil
}

// Fit implements Method. Learners F and H read the rows of p again.
func (t TwoStep) Fit(ctx context.Context, p *problem.Problem) (*Model, error) {
	if err := t.Validate(); err != nil {
		return nil, err
	}
	if t.F != nil || t.H != nil {
		if p.HasFitWeights() {
			return nil, fmt.Errorf("rr: rows are weighted by precision for ridge regression on features only, not for other regressors")
		}
		rows, err := p.Rows(ctx)
		if err != nil {
			return nil, err
		}
		return t.solveRows(ctx, rows, &p.Mapped)
	}
	if p.FitsEach() {
		return byOutput(ctx, p, t)
	}
	if first := p.FirstStep(); first != nil {
		return t.fitSecond(ctx, p, first)
	}
	if t.Components {
		return solveComponents(p, t.params())
	}
	return solve(p, "2step", t.params())
}

// fitSecond fits f where h is fitted.
func (t TwoStep) fitSecond(ctx context.Context, p *problem.Problem, first *problem.FirstStep) (*Model, error) {
	params := t.params()
	if t.Components || slices.ContainsFunc(first.Lambdas, func(lambda float64) bool { return lambda != params.LambdaH }) {
		_, err := p.System() // the error of all other methods
		return nil, err
	}
	f, off, err := fitF(ctx, p, first, params.LambdaF)
	if err != nil {
		return nil, err
	}
	m := model(p, "2step", params)
	m.F, m.H = NewLinear(p.Phi(), f.Coef, f.Intercept), NewLinear(p.Psi(), first.H.Coef, first.H.Intercept)
	m.noteRefined(max(off, first.Off))
	m.NoteSystem("f", f.Cond, f.Rank, f.Coef)
	m.NoteSystem("h", first.H.Cond, first.H.Rank, first.H.Coef)
	return m, nil
}

func (t TwoStep) params() solvers.Params {
	return solvers.Params{W: 1, LambdaF: t.LambdaF.Or(DefaultLambda), LambdaH: t.LambdaH.Or(DefaultLambda)}
}

// solveRows fits with at least one regressor that is not the default. maps are those of the rows' problem; nil: none are fitted yet.
func (t TwoStep) solveRows(ctx context.Context, r *problem.Rows, maps *problem.Mapped) (*Model, error) {
	m, params := NewModelOfRows(r, "2step"), t.params()
	fit := func(name string, by func(context.Context) (*problem.Mapped, error), side func(*problem.Mapped) features.Mapped, lambda float64, x, y *mat.Dense, weights []float64) (Predictor, error) {
		p := maps
		if p == nil {
			var err error
			if p, err = by(ctx); err != nil {
				return nil, err
			}
			m.Notes = p.Notes()
		}
		return m.ridge(ctx, p.Splitter(), name, side(p), lambda, x, y, weights)
	}
	var err error
	if t.H != nil {
		m.H, err = Learn(ctx, "first step, h on S_Y", t.H, r.UY, r.Y, r.WeightsY)
	} else { // on the pooled rows, as without regressors
		m.H, err = fit("h", r.Encoded.MapU, (*problem.Mapped).SidePsi, params.LambdaH, r.UY, r.Y, r.WeightsY)
		m.Params.LambdaH = &params.LambdaH
	}
	if err != nil {
		return nil, err
	}
	target, err := Predictions("first step, h(U) on S_X", m.H, r.UX, m.Y.Len())
	if err != nil {
		return nil, err
	}
	if t.F != nil {
		m.F, err = Learn(ctx, "second step, f on S_X", t.F, r.X, target, r.WeightsX)
	} else {
		m.F, err = fit("f", r.Encoded.MapX, (*problem.Mapped).SidePhi, params.LambdaF, r.X, target, r.WeightsX)
		m.Params.LambdaF = &params.LambdaF
	}
	if err != nil {
		return nil, err
	}
	return m, nil
}

// ridge is one step by ridge regression on features, and records its system under the given name.
func (m *Model) ridge(ctx context.Context, sp crossfit.Splitter, name string, side features.Mapped, lambda float64, x, y *mat.Dense, weights []float64) (Predictor, error) {
	l, err := ridge(ctx, sp, side.ID(), side.Map, lambda, m.Params.Intercept, x, y, weights)
	if err != nil {
		return nil, err
	}
	m.NoteSystem(name, l.Cond, l.Rank, l.Coef)
	return NewLinear(side.Map, l.Coef, l.Intercept), nil
}

// ridge solves for the coefficients of phi(x); sp has the landmarks of phi under the given identity.
func ridge(ctx context.Context, sp crossfit.Splitter, id moments.ID, phi features.Map, lambda float64, intercept bool, x, y *mat.Dense, weights []float64) (*solvers.Linear, error) {
	pair, err := problem.AccumulateRows(ctx, phi, x, y, weights)
	if err != nil {
		return nil, err
	}
	return solvers.Ridge(sp.TrainingLeft(pair, id), lambda, intercept)
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
	// Seed and Purpose select the random stream of the features.
	Seed    uint64
	Purpose string
}

var _ Regressor = Ridge{}

// Fit implements Regressor.
func (r Ridge) Fit(ctx context.Context, x, y *mat.Dense, weights []float64) (Predictor, error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}
	phi, _, err := r.Spec.FitContext(ctx, problem.SampleRows(x, weights, problem.MapRows, r.Seed, r.Purpose), r.Seed, r.Purpose)
	if err != nil {
		return nil, err
	}
	l, err := ridge(ctx, crossfit.Splitter{}, phi.ID(), phi, r.Lambda.Or(DefaultLambda), !r.NoIntercept, x, y, weights)
	if err != nil {
		return nil, err
	}
	return NewLinear(phi, l.Coef, l.Intercept), nil
}
