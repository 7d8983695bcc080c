package problem

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"mediant/encode"
	"mediant/moments"
)

// FitSums are S_X as f is fitted from it, with weights of its rows for that alone.
type FitSums struct {
	Folds []*moments.CoMoments
	Sum   *moments.CoMoments
	Times func(phi *mat.Dense, w moments.Weights) moments.Weights // the weights of rows with features phi
}

// WithFitWeights returns the problem in which f is fitted with the rows of S_X weighed by times, which multiplies weights of rows with
// features phi. All else stays: h, the risk, and which rows there are. It costs a pass over S_X.
func (p *Problem) WithFitWeights(ctx context.Context, times func(phi *mat.Dense, w moments.Weights) moments.Weights) (*Problem, error) {
	folds := p.EmptyXU(p.SidePsi())
	err := p.WalkXU(ctx, p.SidePhi(), p.SidePsi(), func(k int, phi, psi *mat.Dense, w moments.Weights) {
		folds[k].Add(phi, psi, times(phi, w).Products())
	})
	if err != nil {
		return nil, err
	}
	sum, err := moments.Sum(folds...)
	if err != nil {
		return nil, err
	}
	return p.FittedFrom(&FitSums{folds, sum, times}), nil
}

// FittedFrom is the problem whose f is fitted from these sums.
func (p *Problem) FittedFrom(s *FitSums) *Problem {
	own := *p
	own.Fit, own.system = s, nil
	return &own
}

// EmptyXU returns a pair (phi, right) for each fold, right being one unnamed column if nil.
func (p *Problem) EmptyXU(right encode.Side) []*moments.CoMoments {
	var id moments.ID
	if right != nil {
		id = right.ID()
	}
	folds := make([]*moments.CoMoments, len(p.foldsXU))
	for k := range folds {
		folds[k] = moments.NewCoMoments(p.SidePhi().ID(), id)
	}
	return folds
}

// Unweighed returns the problem in which f is fitted without weights by precision.
func (p *Problem) Unweighed() *Problem {
	if p.Fit == nil {
		return p
	}
	return p.FittedFrom(nil)
}

// Fitting returns the moments of S_X that f is fitted from.
func (p *Problem) Fitting() *moments.CoMoments {
	if p.Fit != nil {
		return p.Fit.Sum
	}
	return p.xu
}

// FitWeights are the weights, in the fit of f, of rows of S_X with features phi and weights w.
func (p *Problem) FitWeights(phi *mat.Dense, w moments.Weights) moments.Weights {
	if p.Fit != nil {
		return p.Fit.Times(phi, w)
	}
	return w
}
