package search

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"mediant/crossfit"
	"mediant/internal/progress"
	"mediant/losses"
	"mediant/moments"
	"mediant/problem"
	"mediant/risk"
	"mediant/rr"
)

// lossLambdas are the penalties that are tried for another loss than squared error, on features of norm 1.
var lossLambdas = []float64{1e-6, 1e-5, 1e-4, 1e-3, 1e-2}

// bySquares is the search by squared error that finds the features for another loss: its penalties are not those of the loss.
func (s Search) bySquares() Search {
	if s.Loss != nil {
		s.Precision, s.Components, s.Rivals, s.W, s.JointOnly, s.LambdaF, s.LambdaH, s.Loss = Never, Never, nil, rr.Value(1), false, rr.Auto, rr.Auto, nil
	}
	return s
}

// generalise replaces the method of a choice, made by squared error, by 2Step-RR for s.Loss with the same features: lambda_h by the cross-validated loss on S_Y, then lambda_f by
// the uncoupled risk in that loss. Without a Loss it does nothing.
func (s Search) generalise(ctx context.Context, c *Choice) error {
	if s.Loss == nil {
		return nil
	}
	ctx = progress.Stage(ctx, "choosing penalties of the loss")
	s.Assess.Loss = s.Loss
	lambdaH, trials, err := s.chooseLossH(ctx, c.Problem)
	if err != nil {
		return err
	}
	var leaders leaderboard
	var best *risk.Assessment
	var ofFolds []rr.Linked // the h of each fold, which lambda_f does not change
	grid := s.LambdaF.Grid(lossLambdas)
	for i, lambda := range grid {
		t := Trial{Stage: "loss", Name: "2step, " + s.Loss.Name(), W: 1, LambdaF: lambda, LambdaH: lambdaH}
		method := rr.Generalized{Loss: s.Loss, LambdaF: rr.Value(lambda), LambdaH: rr.Value(lambdaH)}
		a, err := risk.Assess(progress.Step(ctx, "choosing penalties of the loss", i, len(grid)), c.Problem, withH(method, &ofFolds), s.Assess)
		if done := ctx.Err(); done != nil {
			return done
		}
		if err == nil {
			t.scoredLoss(a.Loss.Value, a.Loss.ByFold())
		}
		if leaders.add(t, err) {
			best, c.Method = a, method
		}
	}
	if !leaders.any {
		return fmt.Errorf("search: no penalty gives a fit in the loss %s: %s", s.Loss.Name(), leaders.trials[0].Error)
	}
	own := leaders.close()
	best.Loss = best.Loss.Plus(optimismOf(own))
	c.Trials = append(append(c.Trials, trials...), own...)
	c.tuned, c.assessment, c.options = nil, best, s.Assess
	return nil
}

// withH fits f in one fold after the other, with h fitted in the first round and kept.
func withH(g rr.Generalized, ofFolds *[]rr.Linked) risk.FoldFitter {
	fold := -1
	return func(ctx context.Context, train *problem.Problem) (rr.Predictor, error) {
		if fold++; fold == len(*ofFolds) {
			h, err := g.FitH(ctx, train)
			if err != nil {
				return nil, err
			}
			*ofFolds = append(*ofFolds, h)
		}
		return g.FitF(ctx, train, (*ofFolds)[fold])
	}
}

// optimismOf is the optimism of trials whose risk is one number.
func optimismOf(trials []Trial) float64 {
	if o := optimism(trials); o != nil {
		return o[0]
	}
	return 0
}

// scoredLoss fills in a risk that is one number.
func (t *Trial) scoredLoss(value float64, byFold []float64) {
	v := &crossfit.RiskByFold{Risk: value, ByFold: byFold}
	for _, own := range byFold {
		v.ByUnit = append(v.ByUnit, []float64{own})
	}
	t.scored(v)
}

// chooseLossH cross-validates the first step.
func (s Search) chooseLossH(ctx context.Context, p *problem.Problem) (float64, []Trial, error) {
	var leaders leaderboard
	grid := s.LambdaH.Grid(lossLambdas)
	if len(grid) == 1 {
		return grid[0], nil, nil
	}
	for _, lambda := range grid {
		t := Trial{Stage: "loss", Name: "h, " + s.Loss.Name(), LambdaH: lambda}
		byFold, err := heldOutLoss(ctx, p, rr.Generalized{Loss: s.Loss, LambdaH: rr.Value(lambda)})
		if done := ctx.Err(); done != nil {
			return 0, nil, done
		}
		if err == nil {
			mean := 0.
			for _, v := range byFold {
				mean += v / float64(len(byFold))
			}
			t.scoredLoss(mean, byFold)
		}
		leaders.add(t, err)
	}
	if !leaders.any {
		return 0, nil, fmt.Errorf("search: no penalty gives a fit of h in the loss %s: %s", s.Loss.Name(), leaders.trials[0].Error)
	}
	trials := leaders.close()
	return trials[leaders.winner].LambdaH, trials, nil
}

// heldOutLoss is the mean loss of h in the rows of each fold of S_Y, fitted on the others.
func heldOutLoss(ctx context.Context, p *problem.Problem, g rr.Generalized) ([]float64, error) {
	folds := len(p.FoldsUY())
	fits := make([]rr.Linked, folds)
	for k := range fits {
		train, err := p.Without(k)
		if err != nil {
			return nil, err
		}
		if fits[k], err = g.FitH(ctx, train); err != nil {
			return nil, err
		}
	}
	sums, weights := make([]float64, folds), make([]float64, folds)
	var h mat.Dense
	err := p.WalkUY(ctx, p.SidePsi(), p.Y(), func(k int, psi, y *mat.Dense, w moments.Weights) {
		h.Reset()
		fits[k].MeansTo(&h, psi)
		n, _ := y.Dims()
		for i := range n {
			sums[k] += w.Of(i) * losses.Divergence(g.Loss, y.RawRowView(i), h.RawRowView(i))
			weights[k] += w.Of(i)
		}
	})
	if err != nil {
		return nil, err
	}
	for k := range sums {
		if sums[k] /= weights[k]; math.IsNaN(sums[k]) || math.IsInf(sums[k], 0) {
			return nil, fmt.Errorf("search: the loss %s of fold %d is not finite", g.Loss.Name(), k+1)
		}
	}
	return sums, nil
}
