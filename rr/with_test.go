package rr_test

import (
	"context"

	"mediant"
	"mediant/inference"
	"mediant/internal/fittest"
	"mediant/problem"
	"mediant/rr"
	"mediant/search"
	"mediant/tables"
)

// fitterOf is m, a search as a Fitter, or the method m with the default setup.
func fitterOf(m any) fittest.Fitter {
	if s, ok := m.(search.Search); ok {
		return searching{s}
	}
	return fittest.Of(m)
}

// withErrors is a method with its setup and the standard errors that are estimated after the fit.
type withErrors struct {
	setup  problem.Setup
	method rr.Method
	kind   inference.Covariance
}

// Fit implements fittest.Fitter.
func (w withErrors) Fit(ctx context.Context, xu, uy tables.Source) (*mediant.Model, error) {
	p, err := problem.Prepare(ctx, inference.Reserve(w.setup, w.kind), xu, uy)
	if err != nil {
		return nil, err
	}
	m, err := w.method.Fit(ctx, p)
	if err != nil {
		return nil, err
	}
	se, err := inference.Estimate(ctx, p, m, w.kind)
	if err != nil {
		return nil, err
	}
	r := &mediant.Model{Model: m}
	r.SetErrors(se)
	return r, nil
}

// recorded is a model as a record, for results of a fit.
func recorded(m *rr.Model, err error) (*mediant.Model, error) { return &mediant.Model{Model: m}, err }

// addErrors gives a record standard errors from the problem that it was fitted to.
func addErrors(p *problem.Problem, m *mediant.Model, kind inference.Covariance) error {
	se, err := inference.Estimate(context.Background(), p, m.Model, kind)
	m.SetErrors(se)
	return err
}

// withPrecision is a method with its setup, fitted with rows weighted by precision, and with standard errors of a kind if there is one.
type withPrecision struct {
	setup  problem.Setup
	method rr.Method
	kinds  []inference.Covariance
}

// Fit implements fittest.Fitter.
func (w withPrecision) Fit(ctx context.Context, xu, uy tables.Source) (*mediant.Model, error) {
	p, err := problem.Prepare(ctx, search.ReserveForPrecision(w.setup), xu, uy)
	if err != nil {
		return nil, err
	}
	if p, err = search.WeighByPrecision(ctx, p); err != nil {
		return nil, err
	}
	m, err := w.method.Fit(ctx, p)
	if err != nil {
		return nil, err
	}
	r := &mediant.Model{Model: m}
	for _, kind := range w.kinds {
		if err := addErrors(p, r, kind); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// searching is a search as a fittest.Fitter.
type searching struct{ search search.Search }

// Fit implements fittest.Fitter.
func (s searching) Fit(ctx context.Context, xu, uy tables.Source) (*mediant.Model, error) {
	return fitSearch(ctx, s.search, xu, uy)
}

// fitSearch chooses and fits.
func fitSearch(ctx context.Context, s search.Search, xu, uy tables.Source) (*mediant.Model, error) {
	c, err := s.Choose(ctx, xu, uy)
	if err != nil {
		return nil, err
	}
	return mediant.FitChoice(ctx, c)
}
