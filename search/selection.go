package search

import (
	"context"
	"fmt"

	"mediant/features"
	"mediant/internal/progress"
)

// A selection compares the candidates of one side in the order of a round. T is what is kept of a candidate that may win.
type selection[T any] struct {
	stage, side string // psi of U, phi of X
	// try fits a candidate, with a metric of all rows where it has one, and scores it.
	try func(ctx context.Context, spec features.Spec) (T, Trial, error)
	// byFold scores a candidate again with metrics learned without each fold, where it may win; nil: that of try counts.
	byFold func(ctx context.Context, spec features.Spec, of T) (Trial, error)
}

// A finalist is the best of the candidates with one kind of metric, by risk with a metric of all rows.
type finalist[T any] struct {
	spec  int // of the candidates
	of    T
	trial Trial
}

// run returns what was kept of the winner, its index and the trials. It is an error if no candidate can be fitted.
func (c selection[T]) run(ctx context.Context, specs []features.Spec) (winner T, at int, trials []Trial, err error) {
	var leaders leaderboard
	var last [learnedKinds]*finalist[T]
	var tried round
	enter := func(i int, of T, t Trial, err error) {
		var better bool
		if leaders.any && yields(specs[at], specs[i], specs) {
			better = leaders.addRival(t, err, errorsAgainst(specs[i]))
		} else {
			better = leaders.add(t, err)
		}
		if better {
			winner, at = of, i
		}
	}
	for step, i := range order(specs) {
		spec := specs[i]
		if tried.skips(spec, specs) {
			continue
		}
		of, t, err := c.try(progress.Step(ctx, "choosing features of "+c.side, step, len(specs)), spec)
		if ctx.Err() != nil {
			return winner, 0, nil, ctx.Err()
		}
		if err == nil && spec.LearnsMetric() {
			tried.record(spec, t.Risk)
			if best := &last[kindOf(spec)]; *best == nil || *t.Risk < *(*best).trial.Risk {
				*best = &finalist[T]{i, of, t}
			}
			continue
		}
		enter(i, of, t, err)
		tried.record(spec, leaders.trials[len(leaders.trials)-1].Risk)
	}
	for _, f := range last {
		if f == nil {
			continue
		}
		t, err := f.trial, error(nil)
		// A risk that is too low and yet not the least needs no second look.
		if c.byFold != nil && (!leaders.any || *t.Risk < leaders.least()) {
			t, err = c.byFold(ctx, specs[f.spec], f.of)
		}
		if ctx.Err() != nil {
			return winner, 0, nil, ctx.Err()
		}
		enter(f.spec, f.of, t, err)
	}
	// A polynomial of few monomials is by far the simplest of the learned functions. Of columns with heavy tails its error in a fold may be so large that no difference exceeds a standard error.
	if f := last[adaptiveKind]; f != nil && !additive(specs[at]) && leaders.prefer(func(t Trial) bool { return t.Name == f.trial.Name }, matters) {
		winner, at = f.of, f.spec
	}
	if !leaders.any {
		return winner, 0, nil, fmt.Errorf("search: no candidate for %s can be fitted: %s", c.stage, leaders.trials[0].Error)
	}
	return winner, at, leaders.close(), nil
}

// errorsAgainst are the standard errors by which a rival has to be better: two for a polynomial in the place of an additive map, with which f cannot be fitted by components, which would show in the risk of f alone.
func errorsAgainst(rival features.Spec) float64 {
	if rival.Kind == features.AdaptiveFeatures {
		return 2
	}
	return 1
}

// yields reports whether the best so far gives way to a spec only if that is better by more than the standard error of the difference: to warped columns, which follow the noise of single
// rows most closely, always; an additive map, which may be fitted by components, also to landmarks and to other learned metrics.
func yields(best, spec features.Spec, specs []features.Spec) bool {
	if spec.Kind == features.WarpedFeatures {
		return true
	}
	return best.Kind == features.AdditiveFeatures && (spec.LearnsMetric() || hasPartner(spec, specs))
}
