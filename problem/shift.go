package problem

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"mediant/crossfit"
	"mediant/encode"
	"mediant/moments"
)

// weighShift gives the rows of S_Y, beside weights of their own, the ratio of the distribution of U in S_X to
// that in S_Y at their U,
//
//	omega(u) = gamma'(psi(u), 1),   gamma = (D + mu I)⁻¹ mean_SX (psi, 1)
//
// the least-squares fit of the ratio (uLSIF: Kanamori, Hido and Sugiyama, JMLR 10, 2009), cut at 0, with
// the mu that fits best on held-out folds. It sums S_Y anew, one more pass, and both tables once more if
// p has no folds.
func (p *Problem) weighShift(ctx context.Context) error {
	split, err := p.Split(ctx)
	if err != nil {
		return err
	}
	x, y := split.foldsXU, split.foldsUY
	ratio, err := fitRatio(ctx, split.Splitter(), x, y)
	if err != nil {
		return err
	}
	p.ratio = &ratio
	if p.foldsUY, _, err = p.PairsUY(ctx, p.Y); err != nil {
		return err
	}
	var weight, squares float64
	err = p.WalkUY(ctx, p.SidePsi(), p.Y, func(_ int, psi, _ *mat.Dense, w moments.Weights) {
		n, _ := psi.Dims()
		for i := range n {
			weight += w.Of(i)
			squares += w.Of(i) * w.FactorOf(i)
		}
	})
	if weight > 0 {
		p.Notes = append(p.Notes, fmt.Sprintf("rows of the table of U and Y are weighed by the ratio of the densities of U: their weights are worth %.0f equal ones", weight*weight/squares))
	}
	return err
}

// Split returns p, or if it has no folds one that is summed anew by folds. No fold is without rows.
func (p *Problem) Split(ctx context.Context) (*Problem, error) {
	s := p
	if len(p.foldsUY) < 2 {
		own := *p
		s = &own
		s.Setup.Folds = DefaultFolds
		s.LimitFolds()
		if err := s.FindAllLandmarks(ctx); err != nil {
			return nil, err
		}
		var err error
		if s.foldsXU, _, err = s.Pairs(ctx, TableXU, p.SidePhi(), p.SidePsi()); err != nil {
			return nil, err
		}
		if s.foldsUY, _, err = s.PairsUY(ctx, p.Y); err != nil {
			return nil, err
		}
	}
	for k := range s.foldsUY {
		if s.foldsXU[k].Weight() == 0 || s.foldsUY[k].Weight() == 0 {
			return nil, fmt.Errorf("problem: weights of rows: fold %d has no row of positive weight: too few rows", k+1)
		}
	}
	return s, nil
}

// fitRatio fits omega on all folds, at the mu that their cross-validation chooses. x are pairs (·, psi),
// y pairs (psi, ·).
func fitRatio(ctx context.Context, sp crossfit.Splitter, x, y []*moments.CoMoments) (crossfit.Affine, error) {
	xs, err := sp.SplitOrWhole(ctx, x)
	if err != nil {
		return crossfit.Affine{}, err
	}
	ys, err := sp.SplitOrWhole(ctx, y)
	if err != nil {
		return crossfit.Affine{}, err
	}
	train, held := make([]*mat.Dense, len(x)), make([]*mat.Dense, len(x))
	for k := range x {
		train[k], held[k] = crossfit.MeanWithBias(xs.Train[k]), crossfit.MeanWithBias(xs.Held[k])
	}
	_, mus, err := crossfit.Riesz{UY: ys, Mus: crossfit.Mus}.Weights(ctx, train, held)
	if err != nil {
		return crossfit.Affine{}, err
	}
	allX, err := moments.Sum(x...)
	if err != nil {
		return crossfit.Affine{}, err
	}
	allY, err := moments.Sum(y...)
	if err != nil {
		return crossfit.Affine{}, err
	}
	whole := crossfit.Riesz{UY: crossfit.Splits{Train: []*moments.CoMoments{allY}, Held: []*moments.CoMoments{allY}}, Mus: mus}
	ratio, err := whole.Solve(ctx, 0, crossfit.MeanWithBias(allX))
	if err != nil {
		return crossfit.Affine{}, err
	}
	return ratio[0], nil
}

// shifted multiplies weights of rows with features psi by the ratio.
func (p *Problem) shifted(psi *mat.Dense, w moments.Weights) moments.Weights {
	n, _ := psi.Dims()
	var omega mat.Dense
	p.ratio.ApplyTo(&omega, psi)
	out := make([]float64, n)
	for i := range out {
		out[i] = max(omega.At(i, 0), 0)
	}
	return w.Times(out)
}

// PairsUY sums (psi, right) over S_Y by the folds that are left, and counts rows without Y.
func (p *Problem) PairsUY(ctx context.Context, right encode.Side) ([]*moments.CoMoments, int, error) {
	if p.ratio == nil {
		return p.Pairs(ctx, TableUY, p.SidePsi(), right)
	}
	psi := p.SidePsi()
	folds := make([]*moments.CoMoments, len(p.Folds()))
	for k := range folds {
		folds[k] = moments.NewCoMoments(psi.ID(), right.ID())
	}
	err := p.WalkUY(ctx, psi, right, func(k int, a, b *mat.Dense, w moments.Weights) { folds[k].Add(a, b, w.Products()) })
	return folds, p.Dropped, err
}
