package inference

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"mediant/moments"
	"mediant/problem"
	"mediant/rr"
	"mediant/solvers"
)

// componentErrors estimates the standard errors of a fit by components, at the cost of one more regression for each set of
// groups that components keep. A residual is divided by the share of the noise that the regression of its part leaves in it.
// The interaction of the tables, which both sums count, is not subtracted, so that errors are slightly too large rather than
// too small.
func componentErrors(ctx context.Context, p *problem.Problem, params solvers.Params, kind Covariance) (*Errors, error) {
	by, _, err := rr.Componentwise(p)
	if err != nil {
		return nil, err
	}
	influence := by.Influence(params)
	x, err := componentScores(ctx, p, influence, kind)
	if err != nil {
		return nil, err
	}
	y, err := scoresY(ctx, p, influence.Influence, kind)
	if err != nil {
		return nil, err
	}
	spread := newSpread(p, influence.CentreF())
	for j := range x {
		if err := spread.add(ctx, x[j].covariance(), influence.CovarianceY(y[j].covariance()), nil); err != nil {
			return nil, err
		}
	}
	return &spread.Errors, nil
}

// componentScores sums the moves of the rows of S_X for each output.
func componentScores(ctx context.Context, p *problem.Problem, v *solvers.ComponentInfluence, kind Covariance) ([]*scores, error) {
	sums := newScores(len(v.InterceptF), p.Fitting().Weight(), kind)
	err := p.WalkXU(ctx, p.SidePhi(), p.SidePsi(), func(_ int, phi, psi *mat.Dense, w moments.Weights) {
		w = p.FitWeights(phi, w)
		n, width := phi.Dims()
		moves := make([]*mat.Dense, len(sums))
		for j := range moves {
			moves[j] = mat.NewDense(n, width+1, nil)
		}
		v.EachPart(phi, psi, func(rows, e *mat.Dense, l, pen []float64) {
			for j, s := range sums {
				if ctx.Err() != nil {
					return // the pass ends with its error
				}
				s.addPart(moves[j], rows, e.ColView(j), l, pen, w)
			}
		})
		for j, s := range sums {
			if ctx.Err() != nil {
				return
			}
			s.addMoves(moves[j], w)
		}
	})
	return checked(sums, "X and U", err)
}
