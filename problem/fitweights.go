package problem

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"mediant/moments"
)

// fitSums are S_X as f is fitted from it, with weights of its rows for that alone.
type fitSums struct {
	folds []*moments.CoMoments
	sum   *moments.CoMoments
	times func(phi *mat.Dense, w moments.Weights) moments.Weights // the weights of rows with features phi
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
	return p.fittedFrom(&fitSums{folds, sum, times}), nil
}

// FittedLike returns p with f fitted from all rows with the weights of o, which has the same rows and maps, in other folds maybe. Its folds
// have no sums of their own for that.
func (p *Problem) FittedLike(o *Problem) *Problem {
	return p.fittedFrom(&fitSums{[]*moments.CoMoments{o.fit.sum}, o.fit.sum, o.fit.times})
}

func (p *Problem) fittedFrom(s *fitSums) *Problem {
	own := *p
	own.fit = s
	return complete(own)
}

// HasFitWeights reports whether f is fitted with weights of its own.
func (p *Problem) HasFitWeights() bool { return p.fit != nil }

// WithoutFitWeights returns the problem in which f is fitted without weights of its own.
func (p *Problem) WithoutFitWeights() *Problem {
	if p.fit == nil {
		return p
	}
	return p.fittedFrom(nil)
}

// Fitting returns the moments of S_X that f is fitted from.
func (p *Problem) Fitting() *moments.CoMoments {
	if p.fit != nil {
		return p.fit.sum
	}
	return p.xu
}

// FittingFolds are those of each fold.
func (p *Problem) FittingFolds() []*moments.CoMoments {
	if p.fit != nil {
		return p.fit.folds
	}
	return p.foldsXU
}

// FitWeights are the weights, in the fit of f, of rows of S_X with features phi and weights w.
func (p *Problem) FitWeights(phi *mat.Dense, w moments.Weights) moments.Weights {
	if p.fit != nil {
		return p.fit.times(phi, w)
	}
	return w
}
