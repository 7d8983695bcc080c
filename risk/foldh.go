package risk

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"mediant/glm"
	"mediant/losses"
	"mediant/moments"
	"mediant/problem"
	"mediant/rr"
)

// FoldH is the h of a risk in another loss than squared error: for each fold an estimate of E[Y|U] in that loss from the other folds. The product of its error and of that of the
// Riesz weights is the bias of the risk, so that an h of the model's own loss is better than a ridge regression.
type FoldH struct {
	// Lambda is the penalty; Auto means the one of least held-out loss among LossLambdas.
	Lambda rr.Setting
	// Of are the h of the folds; if there are none they are fitted and kept here.
	Of []rr.Linked
}

// LossLambdas are the penalties that are tried for another loss than squared error, on features of norm 1.
var LossLambdas = []float64{1e-6, 1e-5, 1e-4, 1e-3, 1e-2}

// FitFoldH fits the h of each fold of a problem that has rows, and returns the mean loss in the rows of each. It is an error if the outcomes are not those of the loss.
func FitFoldH(ctx context.Context, p *problem.Problem, l losses.Canonical, lambda float64) (of []rr.Linked, byFold []float64, err error) {
	if err := checkOutcomes(ctx, evidenceOf(p), l); err != nil {
		return nil, nil, err
	}
	return fitFoldH(ctx, evidenceOf(p), l, lambda)
}

func fitFoldH(ctx context.Context, p evidence, l losses.Canonical, lambda float64) (of []rr.Linked, byFold []float64, err error) {
	_, width := p.Psi().Dims()
	bytes := rr.KeptBytes(p.Setup(), p.Footprint())
	for k := range p.foldsUY {
		others := p.Splitter()
		others.Removed = append(slices.Clone(others.Removed), others.Fold(k))
		project := others.TrainingRows(p.SidePsi().ID())
		rows := func(ctx context.Context, do func(psi, y *mat.Dense, weights []float64)) error {
			return p.WalkUY(ctx, p.SidePsi(), p.Y(), func(fold int, psi, y *mat.Dense, w moments.Weights) {
				if fold != k {
					project(psi)
					do(psi, y, w.Products())
				}
			})
		}
		h, err := glm.Fit(ctx, glm.Kept(rows, bytes), width, p.Y().Len(), l, lambda, glm.Options{NoIntercept: p.Setup().NoIntercept})
		if err != nil {
			return nil, nil, fmt.Errorf("h without fold %d of %d: %w", k+1, len(p.foldsUY), err)
		}
		of = append(of, rr.Linked{Linear: rr.NewLinear(p.Psi(), h.Coef, h.Intercept), Loss: l})
	}
	byFold, err = heldOutLoss(ctx, p, of)
	return of, byFold, err
}

// heldOutLoss is the mean loss of the h of each fold in its rows.
func heldOutLoss(ctx context.Context, p evidence, of []rr.Linked) ([]float64, error) {
	sums, weights := make([]float64, len(of)), make([]float64, len(of))
	var h mat.Dense
	err := p.WalkUY(ctx, p.SidePsi(), p.Y(), func(k int, psi, y *mat.Dense, w moments.Weights) {
		of[k].MeansTo(&h, psi)
		n, _ := y.Dims()
		for i := range n {
			sums[k] += w.Of(i) * losses.Divergence(of[k].Loss, y.RawRowView(i), h.RawRowView(i))
			weights[k] += w.Of(i)
		}
	})
	if err != nil {
		return nil, err
	}
	for k := range sums {
		if sums[k] /= weights[k]; math.IsNaN(sums[k]) || math.IsInf(sums[k], 0) {
			return nil, fmt.Errorf("%w: the loss %s of fold %d is not finite", glm.ErrNotConverged, of[k].Loss.Name(), k+1)
		}
	}
	return sums, nil
}

// fit fills in the h of the folds, at the best of several penalties if none is set. Where none converges there are no h.
func (f *FoldH) fit(ctx context.Context, p evidence, l losses.Canonical) error {
	if len(f.Of) > 0 {
		return nil
	}
	if err := checkOutcomes(ctx, p, l); err != nil {
		return err
	}
	best := math.Inf(1)
	for _, lambda := range f.Lambda.Grid(LossLambdas) {
		of, byFold, err := fitFoldH(ctx, p, l, lambda)
		if done := ctx.Err(); done != nil {
			return done
		}
		if errors.Is(err, glm.ErrNotConverged) {
			continue
		}
		if err != nil {
			return err
		}
		if mean := stat.Mean(byFold, nil); mean < best {
			best, f.Of = mean, of
		}
	}
	return nil
}

// linkedH is the loss that h is fitted in, if the risk in it is estimated.
func (o AssessOptions) linkedH(p evidence) losses.Canonical {
	l, ok := o.Loss.(losses.Canonical)
	if _, squared := o.Loss.(losses.Squared); !ok || squared || p.blocks != nil {
		return nil
	}
	return l
}
