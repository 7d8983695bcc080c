package mlp

import (
	"context"
	"fmt"

	"mediant/internal/bounds"
	"mediant/problem"
	"mediant/rr"
	"mediant/tables"
)

// Joint is Joint-RR by two networks trained together: f and h minimise
//
//	1/W mean_SX |f(x) - h(u)|² + 1/(1-W) mean_SY |h(u) - y|²
//
// [Yamane21, Thm 1], with a batch of each table in every step. An epoch uses each row of the larger table once; the smaller
// one is repeated. Auto means W = 1/2. The zero value is usable. For 2Step-RR set F and H of rr.TwoStep to Learners.
type Joint struct {
	W rr.Setting
	// Learner has the settings of both networks.
	Learner Learner
}

var _ rr.TableMethod = Joint{}

// FitTables implements rr.TableMethod. It holds all encoded rows in memory.
func (j Joint) FitTables(ctx context.Context, s problem.Setup, xu, uy tables.Source) (*rr.Model, error) {
	e, err := problem.ReadRows(ctx, s, xu, uy)
	if err != nil {
		return nil, err
	}
	return j.solve(ctx, e)
}

// Fit implements rr.Method; the rows of p are read again.
func (j Joint) Fit(ctx context.Context, p *problem.Problem) (*rr.Model, error) {
	if err := j.Validate(); err != nil {
		return nil, err
	}
	e, err := p.Rows(ctx)
	if err != nil {
		return nil, err
	}
	return j.solve(ctx, e)
}

// Validate returns an error that names the first field out of range.
func (j Joint) Validate() error {
	if w := j.W.Or(rr.DefaultW); !(w > 0 && w < 1) {
		return fmt.Errorf("mlp: Joint.W is %g, must be above 0 and below 1", w)
	}
	if j.Learner.Output == Softmax {
		return fmt.Errorf("mlp: Joint.Learner.Output is %v, whose cross-entropy is no bound of the kind that Joint minimises", Softmax)
	}
	return j.Learner.Validate()
}

func (j Joint) solve(ctx context.Context, e *problem.Rows) (*rr.Model, error) {
	l, w := j.Learner.filled(), j.W.Or(rr.DefaultW)
	n, inX := e.X.Dims()
	m, inU := e.UY.Dims()
	_, out := e.Y.Dims()
	l.Batch = min(l.Batch, max(n, m))
	if err := bounds.First(l.check(e.WeightsX, inX, out), l.check(e.WeightsY, inU, out)); err != nil {
		return nil, err
	}
	if err := e.CheckMemory(l.bytes(inX, out)+l.bytes(inU, out), "the networks"); err != nil {
		return nil, err
	}
	s, y := l.scale(e.Y, e.WeightsY)
	f, h := l.training(inX, out, "f"), l.training(inU, out, "h")
	p := pair{
		f: f, h: h, w: w,
		xu: newTable(e.X, e.UX, e.WeightsX, l.Batch, l.Seed, l.purpose("xu")),
		uy: newTable(e.UY, y, e.WeightsY, l.Batch, l.Seed, l.purpose("uy")),
	}
	if err := l.train(ctx, max(p.xu.batches.steps(), p.uy.batches.steps()), p.step, f.network, h.network); err != nil {
		return nil, err
	}
	s.restore(f.network)
	s.restore(h.network)
	model := rr.NewModelOfRows(e, "joint")
	model.Params.W = &w
	model.F, model.H = f.network, h.network
	return model, nil
}

// A pair is f and h in training.
type pair struct {
	f, h   *training
	w      float64
	xu, uy *table
}

func (p *pair) step() {
	p.gradients()
	p.f.step()
	p.h.step()
}

// gradients adds those of one batch of each table.
func (p *pair) gradients() {
	x, u, shares := p.xu.deal()
	f, h := p.f.outputs(x), p.h.outputs(u)
	p.f.addGradient(h, shares, 1/p.w)
	p.h.addGradient(f, shares, 1/p.w)
	u, y, shares := p.uy.deal()
	p.h.outputs(u)
	p.h.addGradient(y.RawMatrix(), shares, 1/(1-p.w))
}
