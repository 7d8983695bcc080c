package search

import (
	"context"

	"mediant/problem"
	"mediant/rr"
)

// WeighByPrecision returns the problem in which the fit of f weights the rows of S_X by an estimate of 1/Var(h(U)|X), as
// generalised least squares does. If the class of f contains E[h(U)|X] this leaves the mean of f unchanged and reduces its
// variance; otherwise it shifts where f fits best. Methods that read rows, such as a caller's regressors, do not use these
// weights. The estimate uses f and h of 2Step-RR with cross-validated penalties; a problem without folds is summed again by
// folds for it. It makes two passes over S_X.
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
	return p.WithFitWeightsOf(weighed), nil
}

// ReserveForPrecision returns the setup with memory set aside for WeighByPrecision.
func ReserveForPrecision(s problem.Setup) problem.Setup {
	return s.Reserving(weighingByPrecision)
}
