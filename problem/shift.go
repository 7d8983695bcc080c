package problem

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"mediant/crossfit"
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
	if p.foldsUY, _, err = p.CoMomentsUY(ctx, p.y); err != nil {
		return err
	}
	var weight, squares float64
	err = p.WalkUY(ctx, p.SidePsi(), p.y, func(_ int, psi, _ *mat.Dense, w moments.Weights) {
		n, _ := psi.Dims()
		for i := range n {
			weight += w.Of(i)
			squares += w.Of(i) * w.FactorOf(i)
		}
	})
	if weight > 0 {
		p.note(fmt.Sprintf("rows of the table of U and Y are weighted by the ratio of the densities of U: their effective sample size is %.0f", weight*weight/squares))
	}
	return err
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
func (m *Mapped) shifted(psi *mat.Dense, w moments.Weights) moments.Weights {
	n, _ := psi.Dims()
	var omega mat.Dense
	m.ratio.ApplyTo(&omega, psi)
	out := make([]float64, n)
	for i := range out {
		out[i] = max(omega.At(i, 0), 0)
	}
	return w.Times(out)
}
