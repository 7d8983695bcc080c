package mlp_test

import (
	"context"

	"mediant/rr"
	"mediant/tables"
)

// A fitter fits to two tables: a search, or a method with its setup.
type fitter interface {
	Fit(ctx context.Context, xu, uy tables.Source) (*rr.Model, error)
}

// with is a method with its setup.
type with struct {
	setup  rr.Setup
	method rr.Method
}

// Fit implements fitter.
func (w with) Fit(ctx context.Context, xu, uy tables.Source) (*rr.Model, error) {
	return rr.Fit(ctx, w.setup, w.method, xu, uy)
}

// fitterOf is m, or the method m with the default setup.
func fitterOf(m any) fitter {
	if f, ok := m.(fitter); ok {
		return f
	}
	return with{method: m.(rr.Method)}
}
