package inference

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	fast "mediant/internal/blas"
	"mediant/moments"
	"mediant/problem"
	"mediant/solvers"
)

// An interaction is, for one output, the part of the variance of f that neither table makes alone, and
// that the sandwiches of both tables count (docs/theory.md, section 16). The residual of a row of S_X holds
// noise of S_Y, t'd if d is what that noise does to beta; for w < 1 that of a row of S_Y holds noise of
// S_X, psi'd likewise. With the shares s, rows v and factors r of scores the interaction is
//
//	M_X Σ_X s² v v' t'Cov_Y(d)t / r² M_X' + M_Y Σ_Y s² v v' psi'Cov_X(d)psi / r² M_Y'
type interaction struct {
	x, y  *crossed
	tilts *scores // of S_X with t for v, from which Cov_X(d) is; nil at w = 1, where that is 0
}

// newInteractions takes Cov_Y(d) from the scores y of S_Y.
func newInteractions(ctx context.Context, p *problem.Problem, v *solvers.Influence, w float64, y []*scores) ([]*interaction, error) {
	all, tilts := make([]*interaction, len(y)), make([]*scores, len(y))
	if w < 1 {
		tilts = newScores(len(y), p.Fitting().Weight(), Corrected)
	}
	for j, s := range y {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		x := &crossed{noise: v.BetaCovarianceY(s.covariance()), total: p.Fitting().Weight(), pair: new(moments.CoMoments)}
		all[j] = &interaction{x: x, tilts: tilts[j]}
	}
	return all, nil
}

// addX adds rows of S_X for the given output.
func (a *interaction) addX(b *scoreBlock, output int) {
	a.x.add(b, &b.t)
	if a.tilts != nil {
		a.tilts.add(b, &b.t, output)
	}
}

// interactY makes one more pass over S_Y, for the noise of S_X in its residuals.
func interactY(ctx context.Context, p *problem.Problem, v *solvers.Influence, all []*interaction) error {
	for _, a := range all {
		if err := ctx.Err(); err != nil {
			return err
		}
		a.y = &crossed{noise: v.BetaCovarianceX(a.tilts.covariance()), total: p.UY().Weight(), pair: new(moments.CoMoments)}
	}
	var b scoreBlock
	return p.WalkUY(ctx, p.SidePsi(), p.Y(), func(_ int, psi, _ *mat.Dense, w moments.Weights) {
		b.resize(psi)
		v.RowsYTo(&b.rows, b.l, b.pen, psi)
		b.w = w
		n, q := psi.Dims()
		for _, a := range all {
			if ctx.Err() != nil {
				return // the pass ends with its error
			}
			a.y.add(&b, b.rows.Slice(0, n, 0, q).(*mat.Dense))
		}
	})
}

// covariance returns the interaction's covariance of (alpha, a).
func (a *interaction) covariance(v *solvers.Influence) *mat.SymDense {
	cov := v.CovarianceX(a.x.sum())
	if a.y != nil { // else 0, at w = 1
		cov.AddSym(cov, v.CovarianceY(a.y.sum()))
	}
	return cov
}

// crossed sums, over the rows of one table, s² v v' t'C t / r² for the covariance C of beta that the noise
// of the other table makes.
type crossed struct {
	noise *mat.SymDense
	total float64
	pair  *moments.CoMoments // of sqrt(t'C t) v / r, weighed by s²
}

// add adds the rows of a block, whose residuals move by t'd with beta.
func (c *crossed) add(b *scoreBlock, t *mat.Dense) {
	n, p := b.rows.Dims()
	var noisy mat.Dense
	fast.MulTo(&noisy, blas.NoTrans, t, blas.NoTrans, mat.DenseCopyOf(c.noise))
	z, squares := mat.NewDense(n, p, nil), make([]float64, n)
	for i := range n {
		share := b.w.FactorOf(i) / c.total
		// A leverage of 1, where left is 0, is an error of the scores. Rounding may leave a negative variance.
		variance := max(floats.Dot(noisy.RawRowView(i), t.RawRowView(i)), 0)
		if left := Corrected.left(share, b.l[i], b.pen[i]); left > 0 {
			floats.ScaleTo(z.RawRowView(i), math.Sqrt(variance)/left, b.rows.RawRowView(i))
		}
		squares[i] = b.w.FrequencyOf(i) * share * share
	}
	c.pair.Add(z, mat.NewDense(n, 1, nil), squares)
}

// sum returns the sum.
func (c *crossed) sum() *mat.SymDense {
	var sum mat.SymDense
	c.pair.LeftTo(&sum, false)
	sum.ScaleSym(c.pair.Weight(), &sum)
	return &sum
}
