package search

import (
	"context"

	"mediant/moments"
	"mediant/problem"
	"mediant/rr"
)

// WeighByPrecision returns the problem in which the rows of S_X are weighed, in the fit of f, by an estimate of 1/Var(h(U)|X), as
// generalised least squares does. Where f can be E[h(U)|X] that is the same f with less noise; elsewhere f is best at other X.
// Methods that read rows, regressors of one's own among them, have no such weights. The f and h of the estimate are 2Step-RR with
// penalties that the folds choose; a problem without folds is summed anew by folds for it. It makes two passes over S_X.
func WeighByPrecision(ctx context.Context, p *problem.Problem) (*problem.Problem, error) {
	split, err := p.Split(ctx)
	if err != nil {
		return nil, err
	}
	n, err := newHyperparameters(ctx, split, rr.Auto, problem.Footprint.Preparing)
	if err != nil {
		return nil, err
	}
	coarse, at, err := n.coarse(ctx, rr.Auto)
	if err != nil {
		return nil, err
	}
	weighed, err := rr.WeighPrecision(ctx, split, coarse.fits[at], n.comparison.h)
	if err != nil || split == p {
		return weighed, err
	}
	sum := weighed.Fit.Sum
	return p.FittedFrom(&problem.FitSums{Folds: []*moments.CoMoments{sum}, Sum: sum, Times: weighed.Fit.Times}), nil
}

// ReserveForPrecision returns the setup with the memory set aside that WeighByPrecision takes.
func ReserveForPrecision(s problem.Setup) problem.Setup {
	return s.Reserving(weighingByPrecision)
}
