package search

import (
	"context"

	"mediant/crossfit"
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
	weighed, err := n.weighEach(ctx, coarse.fitsAt(at))
	if err != nil || split == p {
		return weighed, err
	}
	return p.WithFitWeightsOf(weighed), nil
}

// weighEach weighs the rows by precision about f and the h of the risk, for each unit of the outputs by itself.
func (n *hyperparameters) weighEach(ctx context.Context, f []crossfit.Affine) (*problem.Problem, error) {
	if len(n.units) == 1 {
		return rr.WeighPrecision(ctx, n.p, f, n.comparison.h)
	}
	each := make([]*problem.Problem, len(n.units))
	for u := range each {
		var err error
		if each[u], err = rr.WeighPrecision(ctx, n.p.Only([]int{u}), outputOf(f, u), outputOf(n.comparison.h, u)); err != nil {
			return nil, err
		}
	}
	return n.p.WithFitWeightsOfEach(each), nil
}

// ReserveForPrecision returns the setup with memory set aside for WeighByPrecision.
func ReserveForPrecision(s problem.Setup) problem.Setup {
	return s.Reserving(weighingByPrecision)
}
