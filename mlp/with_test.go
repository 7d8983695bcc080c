package mlp_test

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

// with is a method with its setup.
type with struct {
	setup  problem.Setup
	method rr.Method
}

// Fit implements fitter.
func (w with) Fit(ctx context.Context, xu, uy tables.Source) (*mediant.Model, error) {
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
	return with{method: m.(rr.Method)}
}
