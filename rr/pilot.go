package rr

import (
	"context"

	"mediant/moments"
)

// WeighByPrecision returns the problem in which the rows of S_X are weighed, in the fit of f, by an estimate of 1/Var(h(U)|X), as
// generalised least squares does. Where f can be E[h(U)|X] that is the same f with less noise; elsewhere f is best at other X.
// Methods that read rows, regressors of one's own among them, have no such weights. The f and h of the estimate are 2Step-RR with
// penalties that the folds choose; a problem without folds is summed anew by folds for it. It makes two passes over S_X.
func WeighByPrecision(ctx context.Context, p *Problem) (*Problem, error) {
	split, err := p.split(ctx)
	if err != nil {
		return nil, err
	}
	n, err := newNumbers(ctx, split, Auto, footprint.preparing)
	if err != nil {
		return nil, err
	}
	coarse, at, err := n.coarse(ctx, Auto)
	if err != nil {
		return nil, err
	}
	weighed, err := weighPrecision(ctx, split, coarse.fits[at], n.judge.h)
	if err != nil || split == p {
		return weighed, err
	}
	sum := weighed.fit.sum
	return p.fittedFrom(&fitSums{folds: []*moments.Pair{sum}, sum: sum, times: weighed.fit.times}), nil
}

// ReserveForPrecision returns the setup with the memory set aside that WeighByPrecision takes.
func ReserveForPrecision(s Setup) Setup {
	return s.reserving(footprint.weighingByPrecision)
}
