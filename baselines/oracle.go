package baselines

import (
	"context"
	"fmt"
	"math"

	"mediant/problem"
	"mediant/rr"
	"mediant/solvers"
	"mediant/tables"
)

// Oracle is supervised ridge regression of Y on phi(X) from coupled rows. Its error is a benchmark for the other methods, which see no coupled rows. Pairs must be set. Its features are those of the other methods. Auto means a lambda of 1e-4.
type Oracle struct {
	// Pairs is a table with the columns of X and of Y.
	Pairs  tables.Source
	Lambda rr.Setting
}

var _ rr.Method = Oracle{}

// Fit implements rr.Method. It reads Pairs once.
func (o Oracle) Fit(ctx context.Context, p *problem.Problem) (*rr.Model, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	lambdaF := o.Lambda.Or(rr.DefaultLambda)
	if err := p.CheckMemory(sumBytes(p, p.Y().Len()), "the pairs of X and Y"); err != nil {
		return nil, err
	}
	pair, err := p.CoMomentsXY(ctx, o.Pairs)
	if err != nil {
		return nil, fmt.Errorf("table of X and Y: %w", err)
	}
	f, err := solvers.Ridge(pair, lambdaF, !p.Setup().NoIntercept)
	if err != nil {
		return nil, err
	}
	m := rr.NewModel(p, "oracle")
	m.Params.LambdaF = &lambdaF
	m.Rows.XY = int(math.Round(pair.Weight()))
	m.F = rr.NewLinear(p.Phi(), f.Coef, f.Intercept)
	m.NoteSystem("f", f.Cond, f.Rank, f.Coef)
	return m, nil
}
