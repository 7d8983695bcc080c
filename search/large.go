package search

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/floats"

	"mediant/crossfit"
	"mediant/features"
	"mediant/internal/progress"
	"mediant/moments"
	"mediant/problem"
	"mediant/risk"
	"mediant/rr"
	"mediant/solvers"
)

// askedFeatures a side are those with which stage 3 asks a sample.
const askedFeatures = 512

var (
	// largeRows of both tables are those from which on stage 3 asks a sample.
	largeRows = 50_000
	// askedRows of each table are the sample.
	askedRows = 20_000
)

// inTurn reports whether stage 3 may find 2Step-RR by ridge regression, on so many rows that its sums alone are worth a search of their own.
func (s Search) inTurn(e *problem.Encoded) bool {
	rows := e.TableRows()
	return min(rows[0], rows[1]) >= largeRows && s.Penalty == solvers.Scaled && !s.JointOnly && s.W.Or(1) == 1 &&
		s.Precision != Always && s.Components != Always && !s.Shift && s.Reserve == nil && s.Assess.Form != risk.CovariateShift
}

// chooseInTurn is stages 3 and 4 for tables of many rows. A sample with fewer features tells whether w below 1, fits by components, weights by precision or a rival can win. If 2Step-RR does, lambda_h and then lambda_f are chosen
// by the squared error in the first fold, of h against Y and of f against the h of the other folds, from sums of S_X with h alone. Else it returns nil, and stage 3 has to look at all rows.
func (s Search) chooseInTurn(ctx context.Context, c Choice, e *problem.Encoded) (*Choice, error) {
	if s.W.IsAuto() || s.triesComponents(e.X().Rows()) || s.Rivals != nil {
		asked, err := s.ask(ctx, c, e)
		if err != nil {
			return nil, err
		}
		if asked.rival || slices.ContainsFunc(asked.tuned, func(t tuned) bool { return t.params.W != 1 || t.components || t.precision }) {
			return nil, nil
		}
		c = *asked
	}
	ctx = progress.Stage(ctx, "choosing penalties")
	m, err := e.Map(ctx)
	if err != nil {
		return nil, err
	}
	var lambdaF, lambdaH []float64
	p, err := rr.SumInTurn(ctx, m, func(p *problem.Problem) ([]float64, error) {
		uy, err := p.SplitUY(ctx)
		if err != nil {
			return nil, err
		}
		lambdaH, err = leastInFirst(ctx, p, uy.Train[0], uy.Held[0], s.LambdaH)
		return lambdaH, err
	}, func(p *problem.Problem) ([]float64, error) {
		rest, err := p.Without(0)
		if err != nil {
			return nil, err
		}
		lambdaF, err = leastInFirst(ctx, p, rest.XU(), p.HeldOut(0), s.LambdaF)
		return lambdaF, err
	})
	if err != nil {
		return nil, err
	}
	c.Problem, c.tuned = p, nil
	var methods []rr.Method
	for u := range unitsOf(e.Y()) {
		t := tuned{params: solvers.Params{W: 1, LambdaF: lambdaF[u], LambdaH: lambdaH[u]}}
		if unitsOf(e.Y()) == 1 {
			t.lambdaH = rr.Value(t.params.LambdaH)
		}
		c.tuned, methods = append(c.tuned, t), append(methods, withParams(t.params, false))
	}
	c.Method = methodOf(methods)
	return &c, nil
}

// asks reports whether stage 3 asks fewer features for w and for ways to fit f, since with all of them each of these would take several times as long.
func (s Search) asks(f problem.Footprint) bool {
	_, fixed := s.Fixed()
	return max(f.X.Features, f.U.Features) > askedFeatures && !fixed && s.W.IsAuto() && s.Precision != Always && s.Components != Always
}

// settled asks fewer features for w, and for whether weights by precision and fits by components are of use. It returns the search of each unit with that w, which leaves out what was of none, and the choice with the trials.
func (s Search) settled(ctx context.Context, c Choice, e *problem.Encoded) ([][]Search, Choice, error) {
	alone := s
	alone.Rivals = nil
	asked, err := alone.ask(ctx, c, e)
	if err != nil {
		return nil, c, err
	}
	var each [][]Search
	for _, t := range asked.tuned {
		own := s.with(rr.Value(t.params.W))
		if !t.precision {
			own.Precision = Never
		}
		if !t.components {
			own.Components = Never
		}
		each = append(each, []Search{own})
	}
	c.Trials, c.Optimism, c.optimism = asked.Trials, asked.Optimism, asked.optimism
	return each, c, nil
}

// ask is stages 3 and 4 on a sample with fewer features. Trials of the sample have a stage of their own, since penalties for fewer rows are others.
func (s Search) ask(ctx context.Context, c Choice, e *problem.Encoded) (*Choice, error) {
	some, err := e.Subset(ctx, askedRows, "hyperparameters")
	if err != nil {
		return nil, err
	}
	if some, err = some.Loaded(ctx, s.HyperparameterBytes); err != nil {
		return nil, err
	}
	m, err := some.With(shrunk(e.Setup().Phi, e.X().Width()), shrunk(e.Setup().Psi, e.U().Width())).Map(ctx)
	if err != nil {
		return nil, err
	}
	p, err := m.Sum(ctx)
	if err != nil {
		return nil, err
	}
	each, err := chooseHyperparameters(ctx, Choice{options: c.options}, p, s.each(unitsOf(p.Y()), []rr.Setting{s.W}))
	if err != nil {
		return nil, err
	}
	asked := each[0]
	for i := range asked.Trials {
		if asked.Trials[i].Stage == hyperparametersStage {
			asked.Trials[i].Stage = sampleStage
		}
	}
	asked.Trials = slices.Concat(c.Trials, asked.Trials)
	asked.assessment = nil
	share := shareOf(e, askedRows)
	asked.Optimism = c.Optimism + share*asked.Optimism
	floats.Scale(share, asked.optimism)
	if c.optimism != nil {
		floats.Add(asked.optimism, c.optimism)
	}
	return asked, nil
}

// shrunk is a map of at most askedFeatures; an additive one has two for each column at least, and one with landmarks of the caller all of them.
func shrunk(s features.Spec, columns int) features.Spec {
	switch {
	case s.LandmarkRows != nil:
	case s.Kind == features.AdditiveFeatures:
		s.Size = min(s.Size, max(askedFeatures, s.AdditiveSize(columns)))
	default:
		s.Size = min(s.Size, askedFeatures)
	}
	return s
}

// leastInFirst returns, for each output, the penalty of least squared error of its unit in the first fold, with the moments of the others and of that fold, or the one that is set.
func leastInFirst(ctx context.Context, p *problem.Problem, train, held *moments.CoMoments, set rr.Setting) ([]float64, error) {
	outputs := p.Y().Len()
	if !set.IsAuto() {
		return slices.Repeat([]float64{set.Or(0)}, outputs), nil
	}
	u, err := p.Units(p.FoldsUY())
	if err != nil {
		return nil, err
	}
	splits := crossfit.Splits{Train: []*moments.CoMoments{train}, Held: []*moments.CoMoments{held}}
	best, err := crossfit.Descend(searchLambdas, func(some []float64) ([][]float64, error) {
		c, err := crossfit.CrossValidate(ctx, splits, u, some, !p.Setup().NoIntercept)
		return c.Risk, err
	})
	if err != nil {
		return nil, err
	}
	lambdas := make([]float64, outputs)
	for j := range lambdas {
		at := best[min(j, len(best)-1)] // of one unit for all
		if at < 0 {
			return nil, errNoPenalty
		}
		lambdas[j] = searchLambdas[at]
	}
	return lambdas, nil
}

// settlingFlops is TuningFlops where fewer features are asked first.
func (s Search) settlingFlops(f problem.Footprint) float64 {
	asking, settled := s, s.with(rr.Value(searchWs[len(searchWs)-1]))
	asking.Rivals, settled.Precision, settled.Components = nil, Never, Never
	return asking.TuningFlops(asked(f)) + settled.TuningFlops(f)
}

// asked is f with the rows and features that stage 3 asks.
func asked(f problem.Footprint) problem.Footprint {
	f = f.With(shrunk(f.Setup.Phi, f.X.In), shrunk(f.Setup.Psi, f.U.In))
	for t := range f.Rows {
		f.Rows[t] = min(f.Rows[t], askedRows)
	}
	return f
}

// inTurnFlops is TuningFlops where the sums of S_X are those with h alone.
func (s Search) inTurnFlops(f problem.Footprint) float64 {
	w := work{f: f}
	penalties := float64(len(searchLambdas))/w.folds() + 1
	return s.TuningFlops(asked(f)) + w.sumsInTurn() + w.factors(penalties, w.p()) + w.factors(penalties, w.q()) + w.assessingInTurn()
}
