package baselines_test

import (
	"context"

	"mediant/rr"
	"mediant/tables"
)

// A fitter fits to two tables: a search, or a method with its setup.
type fitter interface {
	Fit(ctx context.Context, xu, uy tables.Source) (*rr.Model, error)
}

// paired is a method with its setup.
type paired struct {
	setup  rr.Setup
	method rr.Method
}

// Fit implements fitter.
func (w paired) Fit(ctx context.Context, xu, uy tables.Source) (*rr.Model, error) {
	return rr.Fit(ctx, w.setup, w.method, xu, uy)
}

// fitterOf is m, or the method m with the default setup.
func fitterOf(m any) fitter {
	if f, ok := m.(fitter); ok {
		return f
	}
	return paired{method: m.(rr.Method)}
}
