package problem

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/mat"

	"mediant/crossfit"
	"mediant/moments"
)

// fitSums are S_X as f is fitted from it, with weights of its rows for that alone.
type fitSums struct {
	folds []*moments.CoMoments
	sum   *moments.CoMoments
	times func(phi *mat.Dense, w moments.Weights) moments.Weights // the weights of rows with features phi
}

// without is s without a fold, for training; nil for nil.
func (s *fitSums) without(fold int, sp crossfit.Splitter) (*fitSums, error) {
	if s == nil {
		return nil, nil
	}
	folds := moments.Without(s.folds, fold)
	sum, err := moments.Sum(folds...)
	if err != nil {
		return nil, err
	}
	return &fitSums{folds, sp.Training(sum), s.times}, nil
}

// WithFitWeights returns the problem in which the fit of f weights the rows of S_X: times returns w multiplied by the weights
// of rows with features phi. h, the risk and the set of rows are unchanged. It costs a pass over S_X.
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

// WithFitWeightsOf returns p with the weights of the fit of f that o has. Both must have the same rows and maps; their folds
// may differ. The result has the weighted sums over all rows only, not by fold.
func (p *Problem) WithFitWeightsOf(o *Problem) *Problem {
	whole := func(f *fitSums) *fitSums {
		if f == nil {
			return nil
		}
		return &fitSums{[]*moments.CoMoments{f.sum}, f.sum, f.times}
	}
	own := *p
	own.fit, own.fitOf = whole(o.fit), slices.Clone(o.fitOf)
	for j, f := range own.fitOf {
		own.fitOf[j] = whole(f)
	}
	return complete(own)
}

func (p *Problem) fittedFrom(s *fitSums) *Problem {
	own := *p
	own.fit, own.fitOf = s, nil
	return complete(own)
}

// HasFitWeights reports whether the fit of f has weights of its own (WithFitWeights), for some output at least.
func (p *Problem) HasFitWeights() bool { return p.fit != nil || p.fitOf != nil }

// WithoutFitWeights returns the problem without the weights of WithFitWeights.
func (p *Problem) WithoutFitWeights() *Problem {
	if !p.HasFitWeights() {
		return p
	}
	return p.fittedFrom(nil)
}

// shared returns the sums of S_X with weights of the fit of f, nil where there are none. It panics if outputs have weights of their own (FitsEach): then there are sums for each (Only).
func (p *Problem) shared() *fitSums {
	if p.fitOf != nil {
		panic("problem: outputs have weights of their own in the fit of f")
	}
	return p.fit
}

// Fitting returns the moments of (phi, psi) over S_X from which f is fitted.
func (p *Problem) Fitting() *moments.CoMoments {
	if fit := p.shared(); fit != nil {
		return fit.sum
	}
	return p.xu
}

// FittingFolds returns the moments of Fitting of each fold.
func (p *Problem) FittingFolds() []*moments.CoMoments {
	if fit := p.shared(); fit != nil {
		return fit.folds
	}
	return p.foldsXU
}

// FitWeights returns the weights, in the fit of f, of rows of S_X with features phi and weights w.
func (p *Problem) FitWeights(phi *mat.Dense, w moments.Weights) moments.Weights {
	if fit := p.shared(); fit != nil {
		return fit.times(phi, w)
	}
	return w
}
