package rr_test

import (
	"context"

	"mediant/rr"
	"mediant/tables"
)

// A fitter fits to two tables: a search, or a method with its setup.
type fitter interface {
	Fit(ctx context.Context, xu, uy tables.Source) (*rr.Record, error)
}

// with is a method with its setup.
type with struct {
	setup  rr.Setup
	method rr.Method
}

// Fit implements fitter.
func (w with) Fit(ctx context.Context, xu, uy tables.Source) (*rr.Record, error) {
	m, err := rr.Fit(ctx, w.setup, w.method, xu, uy)
	if err != nil {
		return nil, err
	}
	return &rr.Record{Model: m}, nil
}

// fitterOf is m, or the method m with the default setup.
func fitterOf(m any) fitter {
	if s, ok := m.(rr.Search); ok {
		return searching{s}
	}
	if f, ok := m.(fitter); ok {
		return f
	}
	return with{method: m.(rr.Method)}
}

// withErrors is a method with its setup and the standard errors that are estimated after the fit.
type withErrors struct {
	setup  rr.Setup
	method rr.Method
	kind   rr.Covariance
}

// Fit implements fitter.
func (w withErrors) Fit(ctx context.Context, xu, uy tables.Source) (*rr.Record, error) {
	p, err := rr.Prepare(ctx, rr.Reserve(w.setup, w.kind), xu, uy)
	if err != nil {
		return nil, err
	}
	m, err := w.method.Fit(ctx, p)
	if err != nil {
		return nil, err
	}
	se, err := p.StandardErrors(ctx, m, w.kind)
	if err != nil {
		return nil, err
	}
	r := &rr.Record{Model: m}
	r.SetErrors(se)
	return r, nil
}

// recorded is a model as a record, for results of a fit.
func recorded(m *rr.Model, err error) (*rr.Record, error) { return &rr.Record{Model: m}, err }

// addErrors gives a record standard errors from the problem that it was fitted to.
func addErrors(p *rr.Problem, m *rr.Record, kind rr.Covariance) error {
	se, err := p.StandardErrors(context.Background(), m.Model, kind)
	m.SetErrors(se)
	return err
}

// withPrecision is a method with its setup, fitted with rows weighed by precision, and with standard errors of a kind if there is one.
type withPrecision struct {
	setup  rr.Setup
	method rr.Method
	kinds  []rr.Covariance
}

// Fit implements fitter.
func (w withPrecision) Fit(ctx context.Context, xu, uy tables.Source) (*rr.Record, error) {
	p, err := rr.Prepare(ctx, rr.ReserveForPrecision(w.setup), xu, uy)
	if err != nil {
		return nil, err
	}
	if p, err = rr.WeighByPrecision(ctx, p); err != nil {
		return nil, err
	}
	m, err := w.method.Fit(ctx, p)
	if err != nil {
		return nil, err
	}
	r := &rr.Record{Model: m}
	for _, kind := range w.kinds {
		if err := addErrors(p, r, kind); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// searching is a search as a fitter.
type searching struct{ search rr.Search }

// Fit implements fitter.
func (s searching) Fit(ctx context.Context, xu, uy tables.Source) (*rr.Record, error) {
	return s.search.Fit(ctx, xu, uy)
}
