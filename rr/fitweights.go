package rr

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"mediant/encode"
	"mediant/moments"
)

// fitSums are S_X as f is fitted from it, with weights of its rows for that alone.
type fitSums struct {
	folds []*moments.Pair
	sum   *moments.Pair
	times func(phi *mat.Dense, w moments.Weights) moments.Weights // the weights of rows with features phi
}

// withFitWeights returns the problem in which f is fitted with the rows of S_X weighed by times, which multiplies weights of rows with
// features phi. All else stays: h, the risk, and which rows there are. It costs a pass over S_X.
func (p *Problem) withFitWeights(ctx context.Context, times func(phi *mat.Dense, w moments.Weights) moments.Weights) (*Problem, error) {
	folds := p.emptyXU(p.psi())
	err := p.walkXU(ctx, p.phi(), p.psi(), func(k int, phi, psi *mat.Dense, w moments.Weights) {
		folds[k].Add(phi, psi, times(phi, w).Products())
	})
	if err != nil {
		return nil, err
	}
	sum, err := moments.Sum(folds...)
	if err != nil {
		return nil, err
	}
	return p.fittedFrom(&fitSums{folds, sum, times}), nil
}

// fittedFrom is the problem whose f is fitted from these sums.
func (p *Problem) fittedFrom(s *fitSums) *Problem {
	own := *p
	own.fit, own.system = s, nil
	return &own
}

// emptyXU returns a pair (phi, right) for each fold, right being one unnamed column if nil.
func (p *Problem) emptyXU(right encode.Side) []*moments.Pair {
	var id moments.ID
	if right != nil {
		id = right.ID()
	}
	folds := make([]*moments.Pair, len(p.foldsXU))
	for k := range folds {
		folds[k] = moments.NewPair(p.phi().ID(), id)
	}
	return folds
}

// Unweighed returns the problem in which f is fitted without weights by precision.
func (p *Problem) Unweighed() *Problem {
	if p.fit == nil {
		return p
	}
	return p.fittedFrom(nil)
}

// fitting returns the moments of S_X that f is fitted from.
func (p *Problem) fitting() *moments.Pair {
	if p.fit != nil {
		return p.fit.sum
	}
	return p.xu
}

// fitWeights are the weights, in the fit of f, of rows of S_X with features phi and weights w.
func (p *Problem) fitWeights(phi *mat.Dense, w moments.Weights) moments.Weights {
	if p.fit != nil {
		return p.fit.times(phi, w)
	}
	return w
}
