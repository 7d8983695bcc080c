// Package fittest fits methods together with their setup, for tests of packages that have methods.
package fittest

import (
	"context"

	"mediant"
	"mediant/problem"
	"mediant/rr"
	"mediant/tables"
)

// A Fitter fits to the tables of (X, U) and (U, Y): a search, or a method with its setup.
type Fitter interface {
	Fit(ctx context.Context, xu, uy tables.Source) (*mediant.Model, error)
}

// With is a method with its setup.
func With(setup problem.Setup, method rr.Method) Fitter { return pair{setup, method} }

// Of is m, or the method m with the default setup.
func Of(m any) Fitter {
	if f, ok := m.(Fitter); ok {
		return f
	}
	return With(problem.Setup{}, m.(rr.Method))
}

type pair struct {
	setup  problem.Setup
	method rr.Method
}

// Fit implements Fitter.
func (p pair) Fit(ctx context.Context, xu, uy tables.Source) (*mediant.Model, error) {
	m, err := rr.Fit(ctx, p.setup, p.method, xu, uy)
	if err != nil {
		return nil, err
	}
	return &mediant.Model{Model: m}, nil
}
