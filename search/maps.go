package search

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"mediant/crossfit"
	"mediant/features"
	"mediant/internal/checkpoint"
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
	phi := phis[best.Phi]
	if best.Pairs != nil {
		phi = best.Pairs.spec(phi.Size)
	}
	return s.atFinalSize(e, phi, psis[best.Psi]), nil
}

// comparedMaps are the outcome of stages 1 and 2.
type comparedMaps struct {
	Phi, Psi int          // of the candidates
	Pairs    *pairsChoice // in the place of Phi, if not nil
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

// matters is the share of a risk from which on a difference matters.
const matters = .01

// decided reports whether no candidate that lost could still be better than the winner by a hundredth, within two standard errors.
func decided(trials []Trial) bool {
	least := map[string]float64{}
	for _, t := range trials {
		if t.Chosen {
			least[t.Stage] = *t.Risk
		}
	}
	for _, t := range trials {
		if t.Difference != nil && t.SE != nil && 2**t.SE-*t.Difference > matters*math.Abs(least[t.Stage]) {
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
	psi, with, err := s.choosePsi(ctx, of, &c, psis)
	if err != nil {
		return best, err
	}
	phi, pairs, err := s.choosePhi(ctx, with.m, &c, with.j, phis)
	share := shareOf(e, most)
	floats.Scale(share, c.optimism)
	return comparedMaps{phi, psi, pairs, c.Trials, share * c.Optimism, c.optimism}, err
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

// A fittedPsi is a problem with a psi, and the comparison of predictors that it allows.
type fittedPsi struct {
	m *problem.Mapped
	j *comparison
}

// choosePsi is stage 1. It returns which spec is the best, and the problem with its psi.
func (s Search) choosePsi(ctx context.Context, e *problem.Encoded, c *Choice, specs []features.Spec) (int, fittedPsi, error) {
	rows, err := e.SampleU(ctx)
	if err != nil {
		return 0, fittedPsi{}, err
	}
	learned := newLearnedMaps(rows, e.Setup().Seed, "psi")
	by := selection[fittedPsi]{stage: "psi", side: "U", try: func(ctx context.Context, spec features.Spec) (of fittedPsi, t Trial, err error) {
		of.m, of.j, err = s.tryPsi(ctx, e, spec, learned)
		return of, psiTrial(spec, of.j), err
	}}
	if byFold(e) {
		by.byFold = func(ctx context.Context, spec features.Spec, of fittedPsi) (Trial, error) {
			j, err := s.psiByFold(ctx, e, spec, rows, of.j.curve.Units)
			return psiTrial(spec, j), err
		}
	}
	chosen, at, trials, err := by.run(ctx, specs)
	c.Trials = append(c.Trials, trials...)
	return at, chosen, err
}

// psiTrial is the trial of a psi, by the cross-validated squared error of its h; without one it has its name alone.
func psiTrial(spec features.Spec, j *comparison) Trial {
	t := Trial{Stage: "psi", Name: candidateName(spec)}
	if j != nil {
		risk := j.curve.Total(j.curve.Least())
		t.LambdaH, t.byUnit, t.Risk = common(j.lambdasH), j.noise(), &risk
		t.byFold = j.curve.Totals(t.byUnit)
	}
	return t
}

func (s Search) tryPsi(ctx context.Context, e *problem.Encoded, spec features.Spec, learned learnedMaps) (*problem.Mapped, *comparison, error) {
	spec = sized(spec, s.comparedSize(e.U()), e.U().Width())
	if err := e.Footprint().With(e.Setup().Phi, spec).Within(tryingPsi, ""); err != nil {
		return nil, nil, err
	}
	psi, err := learned.fit(ctx, spec, func(s features.Spec) (features.Spec, error) { return e.LearnPsi(ctx, s) })
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
	j, err := comparisonOf(ctx, m, folds, s.LambdaH.Grid(searchLambdas), tryingPhi)
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

// choosePhi is stage 2, with the psi of the problem. It returns which spec is the best, or what is better than it.
func (s Search) choosePhi(ctx context.Context, m *problem.Mapped, c *Choice, j *comparison, specs []features.Spec) (int, *pairsChoice, error) {
	if len(specs) == 1 { // nothing to compare
		return 0, nil, nil
	}
	rows, err := m.SampleX(ctx)
	if err != nil {
		return 0, nil, err
	}
	learned := newLearnedMaps(rows, m.Setup().Seed, "phi")
	by := selection[struct{}]{stage: "phi", side: "X", try: func(ctx context.Context, spec features.Spec) (_ struct{}, t Trial, err error) {
		t = Trial{Stage: "phi", Name: candidateName(spec)}
		err = s.tryPhi(ctx, m, j, spec, &t, learned)
		return struct{}{}, t, err
	}}
	if byFold(&m.Encoded) {
		by.byFold = func(ctx context.Context, spec features.Spec, _ struct{}) (Trial, error) {
			t := Trial{Stage: "phi", Name: candidateName(spec)}
			err := s.phiByFold(ctx, m, j, spec, rows, &t)
			return t, err
		}
	}
	_, at, trials, err := by.run(ctx, specs)
	if err != nil {
		return 0, nil, err
	}
	pairs, trials, err := s.choosePairs(ctx, m, j, learned, specs, trials)
	if err != nil {
		return 0, nil, err
	}
	c.Trials = append(c.Trials, trials...)
	c.addOptimism(trials)
	return at, pairs, nil
}

// tryPhi fits 2Step-RR with every lambda_f and the comparison's lambda_h.
func (s Search) tryPhi(ctx context.Context, m *problem.Mapped, j *comparison, spec features.Spec, t *Trial, learned learnedMaps) error {
	spec = sized(spec, s.comparedSize(m.X()), m.X().Width())
	if err := m.Footprint().With(spec, m.Setup().Psi).Within(tryingPhi, ""); err != nil {
		return err
	}
	phi, err := learned.fit(ctx, spec, func(s features.Spec) (features.Spec, error) { return m.LearnPhi(ctx, s, m.Psi(), j.function()) })
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

// common is the value that all have, 0 if they differ.
func common(values []float64) float64 {
	if slices.Min(values) != slices.Max(values) {
		return 0
	}
	return values[0]
}

// scorePhi fits 2Step-RR to sums of S_X by fold for tryPhi.
func (s Search) scorePhi(ctx context.Context, m *problem.Mapped, j *comparison, xu crossfit.Splits, t *Trial) error {
	tuning, err := j.tuneEach(ctx, xu.Train, xu, j.coarseGrids(s.LambdaF), !m.Setup().NoIntercept)
	if err != nil {
		return err
	}
	at, err := tuning.bests()
	if err != nil {
		return err
	}
	lambdas := make([]float64, len(at))
	for u, i := range at {
		lambdas[u] = tuning.points[u][i].LambdaF
	}
	t.LambdaF, t.LambdaH = common(lambdas), common(j.lambdasH)
	v := tuning.verdictAt(at, j.curve.Units)
	t.scored(&v)
	return nil
}
