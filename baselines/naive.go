package baselines

import (
	"context"
	"fmt"

	"mediant/encode"
	"mediant/features"
	"mediant/kernels"
	"mediant/problem"
	"mediant/rr"
	"mediant/solvers"
	"mediant/tables"
)

// Naive chains two models: g predicts the encoded U from X on S_X, h predicts Y from U on S_Y, and
// f(x) = h(g(x)). It converges to h*(E[U|X]), which is E[Y|X] only where h* is linear or U a function
// of X; by Jensen's inequality it is too low for convex h* ([Yamane21, section 3]). Auto means
// lambdas of 1e-4. The zero value is usable.
type Naive struct {
	LambdaG, LambdaH rr.Setting
	// G and H are the learners of the two steps, both or neither; nil is ridge regression on the features of
	// the Setup.
	G, H rr.Regressor
}

var _ rr.Method = Naive{}

// FitTables implements rr.TableMethod.
func (n Naive) FitTables(ctx context.Context, s problem.Setup, xu, uy tables.Source) (*rr.Model, error) {
	if n.G != nil {
		e, err := problem.ReadRows(ctx, s, xu, uy)
		if err != nil {
			return nil, err
		}
		return n.learn(ctx, e)
	}
	p, err := problem.Prepare(ctx, s, xu, uy)
	if err != nil {
		return nil, err
	}
	return n.Fit(ctx, p)
}

// Fit implements rr.Method. It reads S_X once more, for the moments of phi and U.
func (n Naive) Fit(ctx context.Context, p *problem.Problem) (*rr.Model, error) {
	if err := n.Validate(); err != nil {
		return nil, err
	}
	if n.G != nil {
		e, err := p.Rows(ctx)
		if err != nil {
			return nil, err
		}
		return n.learn(ctx, e)
	}
	lambdaG, lambdaH := n.LambdaG.Or(rr.DefaultLambda), n.LambdaH.Or(rr.DefaultLambda)
	u, ofU, err := mediator(p)
	if err != nil {
		return nil, err
	}
	width := p.U().Width()
	if ofU != nil {
		width, _ = ofU.Dims()
	}
	if err := p.CheckMemory(sumBytes(p, width), fmt.Sprintf("the regression of %d columns of U", width)); err != nil {
		return nil, err
	}
	pair, err := p.CoMomentsXU(ctx, u)
	if err != nil {
		return nil, err
	}
	g, err := solvers.Ridge(pair, lambdaG, !p.Setup().NoIntercept)
	if err != nil {
		return nil, err
	}
	h, err := solvers.Ridge(p.UY(), lambdaH, !p.Setup().NoIntercept)
	if err != nil {
		return nil, err
	}
	m := rr.NewModel(p, "naive")
	m.Params.LambdaG, m.Params.LambdaH = &lambdaG, &lambdaH
	then := rr.NewLinear(p.Psi(), h.Coef, h.Intercept)
	m.F, m.H = rr.Chain{First: rr.NewLinear(p.Phi(), g.Coef, g.Intercept), Then: then}, then
	if ofU != nil {
		m.F = rr.Chain{First: rr.NewLinear(p.Phi(), g.Coef, g.Intercept), Then: rr.NewLinear(ofU, h.Coef, h.Intercept)}
	}
	m.NoteSystem("g", g.Cond, g.Rank, g.Coef)
	m.NoteSystem("h", h.Cond, h.Rank, h.Coef)
	return m, nil
}

// learn chains two learners.
func (n Naive) learn(ctx context.Context, e *problem.Rows) (*rr.Model, error) {
	g, err := rr.Learn(ctx, "naive: g on S_X", n.G, e.X, e.UX, e.WeightsX)
	if err != nil {
		return nil, err
	}
	h, err := rr.Learn(ctx, "naive: h on S_Y", n.H, e.UY, e.Y, e.WeightsY)
	if err != nil {
		return nil, err
	}
	m := rr.NewModelOfRows(e, "naive")
	m.F, m.H = rr.Chain{First: g, Then: h}, h
	return m, nil
}

// mediator is what g predicts: the encoded U, of which psi is a function, or, where that is hashed text and
// psi linear in it, psi itself, of which ofU is the identity; the mean of a linear function is that of the mean.
// Other features of hashed text are an error.
func mediator(p *problem.Problem) (u encode.Side, ofU features.Map, err error) {
	if !p.U().Sparse() {
		return p.U(), nil, nil
	}
	if n, ok := p.Psi().(*features.Nystrom); !ok || n.Kernel() != (kernels.Linear{}) {
		return nil, nil, fmt.Errorf("baselines: naive: U is hashed text of %d columns, whose mean is only predicted for a linear psi, not %s", p.U().Width(), features.Describe(p.Psi()))
	}
	_, q := p.Psi().Dims()
	return features.Mapped{Encoder: p.U(), Map: p.Psi()}, features.NewLinear(q), nil
}

// Rivals returns the methods with which a search compares 2Step-RR or Joint-RR: the naive chain with the penalties that were
// chosen for these.
func Rivals(chosen solvers.Params) []rr.Method {
	return []rr.Method{Naive{LambdaG: rr.Value(chosen.LambdaF), LambdaH: rr.Value(chosen.LambdaH)}}
}
