package search

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"mediant/crossfit"
	"mediant/features"
	"mediant/internal/checkpoint"
	"mediant/internal/progress"
	"mediant/problem"
)

// chooseMaps runs stages 1 and 2, unless there is nothing to choose, and returns e with the maps at their final size.
func (s Search) chooseMaps(ctx context.Context, e *problem.Encoded, c *Choice) (*problem.Encoded, error) {
	phis, psis := s.candidates(e.Footprint())
	var best comparedMaps
	if len(phis) > 1 || len(psis) > 1 {
		var err error
		if best, err = checkpoint.Result(ctx, "maps", func(ctx context.Context) (comparedMaps, error) { return s.compareMaps(ctx, e, phis, psis) }); err != nil {
			return nil, err
		}
		c.Trials, c.optimism, c.Optimism = best.Trials, best.ByUnit, best.Optimism
	}
	return s.atFinalSize(e, phis[best.Phi], psis[best.Psi]), nil
}

// comparedMaps are the outcome of stages 1 and 2.
type comparedMaps struct {
	Phi, Psi int // of the candidates
	Trials   []Trial
	Optimism float64
	ByUnit   []float64 // of the optimism
}

// compareMaps runs stages 1 and 2 on few rows, and where these do not tell candidates apart on more.
func (s Search) compareMaps(ctx context.Context, e *problem.Encoded, phis, psis []features.Spec) (comparedMaps, error) {
	rows := e.TableRows()
	if few := min(fewRows, comparedRows); few < max(rows[0], rows[1]) {
		best, err := s.compareOn(ctx, e, few, phis, psis)
		if err != nil || decided(best.Trials) {
			return best, err
		}
	}
	return s.compareOn(ctx, e, comparedRows, phis, psis)
}

// decided reports whether no candidate that lost could still be better than the winner by a hundredth, within two standard errors.
func decided(trials []Trial) bool {
	least := map[string]float64{}
	for _, t := range trials {
		if t.Chosen {
			least[t.Stage] = *t.Risk
		}
	}
	for _, t := range trials {
		if t.Difference != nil && t.SE != nil && 2**t.SE-*t.Difference > .01*math.Abs(least[t.Stage]) {
			return false
		}
	}
	return true
}

// compareOn runs stages 1 and 2 on at most so many rows of each table.
func (s Search) compareOn(ctx context.Context, e *problem.Encoded, most int, phis, psis []features.Spec) (comparedMaps, error) {
	var best comparedMaps
	of, err := s.compared(ctx, e, most)
	if err != nil {
		return best, err
	}
	var c Choice
	psi, m, j, err := s.choosePsi(ctx, of, &c, psis)
	if err != nil {
		return best, err
	}
	phi, err := s.choosePhi(ctx, m, &c, j, phis)
	share := shareOf(e, most)
	floats.Scale(share, c.optimism)
	return comparedMaps{phi, psi, c.Trials, share * c.Optimism, c.optimism}, err
}

// comparedRows of each table are those with which maps are compared at most: as many tell apart maps whose difference matters, and a pass for each candidate over more of them would take most of the time of a fit. Often
// fewRows do.
var comparedRows, fewRows = 100_000, 20_000

// shareOf is the share of the table of fewer rows that so many rows of each are. A candidate that is the best of several on a part of the rows is so there by chance to some degree; the risk over all rows has this share of that.
func shareOf(e *problem.Encoded, rows int) float64 {
	all := e.TableRows()
	return min(1, float64(rows)/float64(min(all[0], all[1])))
}

// compared returns e with at most so many rows of each table, in memory if there is room.
func (s Search) compared(ctx context.Context, e *problem.Encoded, most int) (*problem.Encoded, error) {
	if rows := e.TableRows(); max(rows[0], rows[1]) <= most {
		return e, nil
	}
	some, err := e.Subset(ctx, most, "maps")
	if err != nil {
		return nil, err
	}
	return some.Loaded(ctx, s.stages)
}

// atFinalSize returns e with maps at their final size: no larger than memory allows, but at least the size of the search.
func (s Search) atFinalSize(e *problem.Encoded, phi, psi features.Spec) *problem.Encoded {
	sizeX, sizeU := finalSize(e.X(), phi), finalSize(e.U(), psi)
	for {
		e = e.With(sized(phi, sizeX, e.X().Width()), sized(psi, sizeU, e.U().Width()))
		if e.Footprint().Within(s.HyperparameterBytes, "") == nil || max(sizeX, sizeU) <= searchSize(e.X().Rows()) {
			return e
		}
		sizeX, sizeU = max(64, sizeX/2), max(64, sizeU/2)
	}
}

// choosePsi is stage 1. It returns which spec is the best, and the problem with its psi.
func (s Search) choosePsi(ctx context.Context, e *problem.Encoded, c *Choice, specs []features.Spec) (int, *problem.Mapped, *comparison, error) {
	rows, err := e.SampleU(ctx)
	if err != nil {
		return 0, nil, nil, err
	}
	var leaders leaderboard
	var chosen *comparison
	var with *problem.Mapped
	var indices []int // of the specs of trials
	var last finalists
	learned := metrics{}
	try := func(add func(Trial, error) bool, i int, name string, j *comparison, err error) bool {
		t := Trial{Stage: "psi", Name: name}
		if err == nil {
			t.LambdaH = j.lambdaH()
			t.byUnit = j.noise()
			t.byFold = j.curve.Totals(t.byUnit)
			risk := j.curve.Total(j.curve.Least())
			t.Risk = &risk
		}
		indices = append(indices, i)
		return add(t, err)
	}
	type fitted struct {
		m *problem.Mapped
		j *comparison
	}
	var withMetric [learnedKinds]fitted
	var tried round
	for step, i := range order(specs) {
		spec := specs[i]
		if tried.skips(spec, specs) {
			continue
		}
		m, j, err := s.tryPsi(progress.Step(ctx, "choosing features of U", step, len(specs)), e, spec, rows, learned)
		if ctx.Err() != nil {
			return 0, nil, nil, ctx.Err()
		}
		if err == nil && spec.LearnsMetric() {
			risk := j.curve.Total(j.curve.Least())
			if last.add(i, spec, Trial{Risk: &risk}) {
				withMetric[kindOf(spec)] = fitted{m, j}
			}
			continue
		}
		add := leaders.add
		if hasPartner(spec, specs) {
			add = leaders.addFinalist
		}
		if try(add, i, candidateName(spec), j, err) {
			chosen, with = j, m
		}
		tried.record(spec, leaders.trials[len(leaders.trials)-1].Risk)
	}
	for kind, f := range last.of {
		if f == nil {
			continue
		}
		j, err := withMetric[kind].j, error(nil)
		if byFold(e) {
			j, err = s.psiByFold(ctx, e, specs[f.spec], rows, j.curve.Units)
		}
		if ctx.Err() != nil {
			return 0, nil, nil, ctx.Err()
		}
		if try(leaders.addFinalist, f.spec, candidateName(specs[f.spec]), j, err) {
			chosen, with = withMetric[kind].j, withMetric[kind].m
		}
	}
	if chosen == nil {
		return 0, nil, nil, fmt.Errorf("search: no candidate for psi can be fitted: %s", leaders.trials[0].Error)
	}
	c.Trials = append(c.Trials, leaders.close()...)
	return indices[leaders.winner], with, chosen, nil
}

func (s Search) tryPsi(ctx context.Context, e *problem.Encoded, spec features.Spec, rows mat.Matrix, learned metrics) (*problem.Mapped, *comparison, error) {
	spec = sized(spec, s.comparedSize(e.U()), e.U().Width())
	if err := e.Footprint().With(e.Setup().Phi, spec).Within(tryingPsi, ""); err != nil {
		return nil, nil, err
	}
	with, err := learned.learned(spec, func(s features.Spec) (features.Spec, error) { return e.LearnPsi(ctx, s) })
	if err != nil {
		return nil, nil, err
	}
	psi, _, err := with.FitContext(ctx, rows, e.Setup().Seed, "psi")
	if err != nil {
		return nil, nil, e.LocatedU(ctx, err)
	}
	m, err := e.With(e.Setup().Phi, spec).WithMaps(ctx, nil, psi)
	if err != nil {
		return nil, nil, err
	}
	folds, _, err := m.CoMomentsUY(ctx, m.Y())
	if err != nil {
		return nil, nil, err
	}
	j, err := comparisonOf(ctx, m, folds, s.LambdaH, tryingPhi)
	return m, j, err
}

// noise is the squared error of the h of the risk by fold and unit.
func (j *comparison) noise() [][]float64 {
	out := make([][]float64, len(j.h))
	for k, held := range j.uy.Held {
		outputs := make([]float64, len(j.h[k].Intercept))
		if held.Weight() > 0 {
			e := j.h[k].Residual(len(outputs))
			outputs = held.Inner(e, e)
		}
		out[k] = j.curve.Split(outputs)
	}
	return out
}

// choosePhi is stage 2, with the psi of the problem. It returns which spec is the best.
func (s Search) choosePhi(ctx context.Context, m *problem.Mapped, c *Choice, j *comparison, specs []features.Spec) (int, error) {
	if len(specs) == 1 { // nothing to compare
		return 0, nil
	}
	rows, err := m.SampleX(ctx)
	if err != nil {
		return 0, err
	}
	var leaders leaderboard
	var indices []int // of the specs of trials
	var last finalists
	learned := metrics{}
	var tried round
	for step, i := range order(specs) {
		spec := specs[i]
		if tried.skips(spec, specs) {
			continue
		}
		t := Trial{Stage: "phi", Name: candidateName(spec)}
		err := s.tryPhi(progress.Step(ctx, "choosing features of X", step, len(specs)), m, j, spec, rows, &t, learned)
		if ctx.Err() != nil {
			return 0, ctx.Err()
		}
		if err == nil && spec.LearnsMetric() {
			last.add(i, spec, t)
			continue
		}
		indices = append(indices, i)
		if hasPartner(spec, specs) {
			leaders.addFinalist(t, err)
		} else {
			leaders.add(t, err)
		}
		tried.record(spec, leaders.trials[len(leaders.trials)-1].Risk)
	}
	for _, f := range last.of {
		if f == nil {
			continue
		}
		t, err := f.trial, error(nil)
		if byFold(&m.Encoded) {
			t = Trial{Stage: "phi", Name: candidateName(specs[f.spec])}
			err = s.phiByFold(ctx, m, j, specs[f.spec], rows, &t)
		}
		if ctx.Err() != nil {
			return 0, ctx.Err()
		}
		indices = append(indices, f.spec)
		leaders.addFinalist(t, err)
	}
	if leaders.winner < 0 {
		return 0, fmt.Errorf("search: no candidate for phi can be fitted: %s", leaders.trials[0].Error)
	}
	trials := leaders.close()
	c.Trials = append(c.Trials, trials...)
	c.addOptimism(trials)
	return indices[leaders.winner], nil
}

// tryPhi fits 2Step-RR with every lambda_f and the comparison's lambda_h.
func (s Search) tryPhi(ctx context.Context, m *problem.Mapped, j *comparison, spec features.Spec, rows mat.Matrix, t *Trial, learned metrics) error {
	spec = sized(spec, s.comparedSize(m.X()), m.X().Width())
	if err := m.Footprint().With(spec, m.Setup().Psi).Within(tryingPhi, ""); err != nil {
		return err
	}
	spec, err := learned.learned(spec, func(s features.Spec) (features.Spec, error) { return m.LearnPhi(ctx, s, m.Psi(), j.function()) })
	if err != nil {
		return err
	}
	phi, _, err := spec.FitContext(ctx, rows, m.Setup().Seed, "phi")
	if err != nil {
		return m.LocatedX(ctx, err)
	}
	if m, err = m.WithPhi(ctx, phi); err != nil {
		return err
	}
	folds, _, err := m.CoMomentsByFold(ctx, problem.TableXU, m.SidePhi(), m.SidePsi())
	if err != nil {
		return err
	}
	xu, err := m.Splitter().Split(ctx, folds)
	if err != nil {
		return err
	}
	return s.scorePhi(ctx, m, j, xu, t)
}

// scorePhi fits 2Step-RR to sums of S_X by fold for tryPhi.
func (s Search) scorePhi(ctx context.Context, m *problem.Mapped, j *comparison, xu crossfit.Splits, t *Trial) error {
	tuning, err := j.tune(ctx, xu.Train, xu, grid{lambdaF: s.LambdaF.Grid(searchLambdas), lambdaH: []float64{j.lambdaH()}, w: []float64{1}}, !m.Setup().NoIntercept)
	if err != nil {
		return err
	}
	at := tuning.best()
	if at < 0 {
		return errNoPenalty
	}
	t.LambdaF, t.LambdaH = tuning.points[at].LambdaF, tuning.points[at].LambdaH
	t.scored(&tuning.verdicts[at])
	return nil
}
