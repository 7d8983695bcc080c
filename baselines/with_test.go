package baselines_test

import (
	"context"

	"mediant"
	"mediant/problem"
	"mediant/rr"
	"mediant/tables"
)

// A fitter fits to two tables: a search, or a method with its setup.
type fitter interface {
	Fit(ctx context.Context, xu, uy tables.Source) (*mediant.Model, error)
}

// paired is a method with its setup.
type paired struct {
	setup  problem.Setup
	method rr.Method
}

// Fit implements fitter.
func (w paired) Fit(ctx context.Context, xu, uy tables.Source) (*mediant.Model, error) {
	m, err := rr.Fit(ctx, w.setup, w.method, xu, uy)
	if err != nil {
		return nil, err
	}
	return &mediant.Model{Model: m}, nil
}

// fitterOf is m, or the method m with the default setup.
func fitterOf(m any) fitter {
	if f, ok := m.(fitter); ok {
		return f
	}
	return paired{method: m.(rr.Method)}
}
