package mlp

import (
	"context"
	"fmt"

	"mediant/rr"
	"mediant/tables"
)

// Joint is Joint-RR by two networks trained together: f and h minimise
//
//	1/W mean_SX |f(x) - h(u)|² + 1/(1-W) mean_SY |h(u) - y|²
//
// [Yamane21, Thm 1], every step on a batch of each table. An epoch deals out the larger table once;
// the other goes on as long. Auto means W = 1/2. The zero value is usable. For 2Step-RR give rr.TwoStep two
// Learners.
type Joint struct {
	rr.Setup
	W rr.Setting
	// Learner says how both networks are made and trained.
	Learner Learner
}

var _ rr.Solver = Joint{}

// Fit implements rr.Method. It holds all encoded rows in memory.
func (j Joint) Fit(ctx context.Context, xu, uy tables.Source) (*rr.Model, error) {
	e, err := rr.Encode(ctx, j.Setup, xu, uy)
	if err != nil {
		return nil, err
	}
	return j.solve(ctx, e)
}

// Solve implements rr.Solver; the rows of p are read again.
func (j Joint) Solve(ctx context.Context, p *rr.Problem) (*rr.Model, error) {
	e, err := p.Encode(ctx)
	if err != nil {
		return nil, err
	}
	return j.solve(ctx, e)
}

func (j Joint) solve(ctx context.Context, e *rr.Encoded) (*rr.Model, error) {
	l, w := j.Learner.filled(), j.W.Or(rr.DefaultW)
	if !(w > 0 && w < 1) {
		return nil, fmt.Errorf("mlp: w is %g, want a number between 0 and 1, both excluded", w)
	}
	for _, weights := range [][]float64{e.WeightsX, e.WeightsY} {
		if err := l.check(weights); err != nil {
			return nil, err
		}
	}
	s, y := l.scale(e.Y, e.WeightsY)
	_, inX := e.X.Dims()
	_, inU := e.UY.Dims()
	_, out := e.Y.Dims()
	f, h := l.trainee(inX, out, "f"), l.trainee(inU, out, "h")
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
	m := e.Model("joint")
	m.Params.W = &w
	m.F, m.H = f.network, h.network
	return m, nil
}

// A pair is f and h in training.
type pair struct {
	f, h   *trainee
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
	p.f.pull(h, shares, 1/p.w)
	p.h.pull(f, shares, 1/p.w)
	u, y, shares := p.uy.deal()
	p.h.outputs(u)
	p.h.pull(y.RawMatrix(), shares, 1/(1-p.w))
}
