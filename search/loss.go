package search

import (
	"context"
	"fmt"
	"strings"

	"gonum.org/v1/gonum/stat"

	"mediant/crossfit"
	"mediant/internal/progress"
	"mediant/losses"
	"mediant/problem"
	"mediant/risk"
	"mediant/rr"
	"mediant/solvers"
)

// otherLoss is the loss that is set, nil for squared error and where none is set.
func (s Search) otherLoss() losses.Canonical {
	if _, squared := s.Loss.(losses.Squared); squared {
		return nil
	}
	return s.Loss
}

// mostProbabilities is the number of classes up to which a loss that is not set is the log loss, whose fits take 4 n p k flops a pass.
const mostProbabilities = 100

// WithLoss is the search with the loss that it takes for so many classes, 0 for numbers, where none is set.
func (s Search) WithLoss(classes int) Search {
	if s.Loss == nil && classes > 0 && classes <= mostProbabilities && !s.onlySquared() {
		s.Loss = losses.Log{}
	}
	return s
}

// onlySquared reports whether something that is set is for squared error alone: w below 1, weights by precision, a fit by components, covariate shift, no penalty.
func (s Search) onlySquared() bool {
	free := func(lambda rr.Setting) bool { return lambda.Or(1) == 0 }
	return s.JointOnly || s.W.Or(1) != 1 || s.Penalty == solvers.Paper || s.Precision == Always || s.Components == Always || s.Shift || s.Assess.Form == risk.CovariateShift ||
		free(s.LambdaF) || free(s.LambdaH)
}

// bySquares is the search by squared error that finds the features for another loss: its penalties are not those of the loss.
func (s Search) bySquares() Search {
	if s.otherLoss() != nil {
		s.Precision, s.Components, s.Rivals, s.W, s.JointOnly, s.LambdaF, s.LambdaH, s.Loss = Never, Never, nil, rr.Value(1), false, rr.Auto, rr.Auto, nil
	}
	return s
}

// generalise replaces the method of a choice, made by squared error, by 2Step-RR for s.Loss with the same features: lambda_h by the cross-validated loss on S_Y, then lambda_f by
// the uncoupled risk in that loss. Without a Loss it does nothing. A loss that was not set and has no fit is given up, with a note.
func (s Search) generalise(ctx context.Context, c *Choice, set bool) error {
	if s.otherLoss() == nil {
		return nil
	}
	err := s.chooseByLoss(ctx, c)
	if err == nil || set || ctx.Err() != nil {
		return err
	}
	c.Notes = append(c.Notes, fmt.Sprintf("classes are fitted by squared error, without probabilities: %s", strings.TrimPrefix(err.Error(), "search: ")))
	return nil
}

// chooseByLoss chooses the penalties.
func (s Search) chooseByLoss(ctx context.Context, c *Choice) error {
	ctx = progress.Stage(ctx, "choosing penalties of the loss")
	h, trials, err := s.chooseLossH(ctx, c.Problem)
	if err != nil {
		return err
	}
	s.Assess.Loss, s.Assess.H = s.Loss, h
	lambdaH := h.Lambda.Or(0)
	var leaders leaderboard
	var best *risk.Assessment
	var chosen foldFits
	var of *risk.CrossFit // the best
	grid := s.LambdaF.Grid(risk.LossLambdas)
	for i, lambda := range grid {
		t := Trial{Stage: "loss", Name: "2step, " + s.Loss.Name(), W: 1, LambdaF: lambda, LambdaH: lambdaH}
		method := rr.Generalized{Loss: s.Loss, LambdaF: rr.Value(lambda), LambdaH: h.Lambda}
		fits := foldFits{method: method, h: h.Of}
		own, a, err := fits.assess(progress.Step(ctx, "choosing penalties of the loss", i, len(grid)), c.Problem, s.Assess)
		if done := ctx.Err(); done != nil {
			return done
		}
		if err == nil {
			t.scoredLoss(a.Loss.Value, a.Loss.ByFold())
		}
		if leaders.add(t, err) {
			best, chosen, of = a, fits, own
		}
	}
	if !leaders.any {
		return fmt.Errorf("search: no penalty gives a fit in the loss %s: %s", s.Loss.Name(), leaders.trials[0].Error)
	}
	if _, classes := s.Loss.(losses.Log); classes {
		t, err := of.Temperature(ctx)
		if err != nil {
			return err
		}
		if t != 1 {
			chosen.method.Temperature = t
			c.Notes = append(c.Notes, fmt.Sprintf("probabilities f became f^%.3g, of sum 1, which has the least log loss", t))
			if of, best, err = chosen.assess(ctx, c.Problem, s.Assess); err != nil {
				return err
			}
		}
	}
	if err := of.Calibrate(ctx, best); err != nil {
		return err
	}
	c.Method = chosen.method
	own := leaders.close()
	best.Loss = best.Loss.Plus(optimismOf(own))
	c.Trials = append(append(c.Trials, trials...), own...)
	c.tuned, c.assessment, c.options = nil, best, s.Assess
	return nil
}

// foldFits fits f in one fold after the other, with the h of the fold, once; later fitters have the same f but for the temperature.
type foldFits struct {
	method rr.Generalized
	h      []rr.Linked
	f      []rr.Linked // without temperature
}

// assess estimates the risk, without the calibration.
func (fits *foldFits) assess(ctx context.Context, p *problem.Problem, opt risk.AssessOptions) (*risk.CrossFit, *risk.Assessment, error) {
	c, err := risk.NewCrossFit(ctx, p, fits.fitter(), opt)
	if err != nil {
		return nil, nil, err
	}
	a, err := c.Assess(ctx)
	return c, a, err
}

func (fits *foldFits) fitter() risk.FoldFitter {
	fold := -1
	plain := fits.method
	plain.Temperature = 0
	return func(ctx context.Context, train *problem.Problem) (rr.Predictor, error) {
		if fold++; fold == len(fits.f) {
			f, err := plain.FitF(ctx, train, fits.h[fold])
			if err != nil {
				return nil, err
			}
			fits.f = append(fits.f, f)
		}
		return fits.f[fold].Tempered(fits.method.Temperature), nil
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
func (s Search) chooseLossH(ctx context.Context, p *problem.Problem) (*risk.FoldH, []Trial, error) {
	var leaders leaderboard
	var best *risk.FoldH
	grid := s.LambdaH.Grid(risk.LossLambdas)
	for _, lambda := range grid {
		t := Trial{Stage: "loss", Name: "h, " + s.Loss.Name(), LambdaH: lambda}
		of, byFold, err := risk.FitFoldH(ctx, p, s.Loss, lambda)
		if done := ctx.Err(); done != nil {
			return nil, nil, done
		}
		if err == nil {
			t.scoredLoss(stat.Mean(byFold, nil), byFold)
		}
		if leaders.add(t, err) {
			best = &risk.FoldH{Lambda: rr.Value(lambda), Of: of}
		}
	}
	if !leaders.any {
		return nil, nil, fmt.Errorf("search: no penalty gives a fit of h in the loss %s: %s", s.Loss.Name(), leaders.trials[0].Error)
	}
	trials := leaders.close()
	if len(grid) == 1 {
		trials = nil
	}
	return best, trials, nil
}
