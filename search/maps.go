package search

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"mediant/encode"
	"mediant/features"
	"mediant/problem"
)

// chooseMaps runs stages 1 and 2, unless there is nothing to choose.
func (s Search) chooseMaps(ctx context.Context, c *Choice) error {
	p := c.Problem
	phis, psis := s.candidates(p.Footprint())
	phi, psi := phis[0], psis[0]
	if len(phis) > 1 || len(psis) > 1 {
		var j *comparison
		var err error
		if psi, j, err = s.choosePsi(ctx, c, psis); err != nil {
			return err
		}
		if phi, err = s.choosePhi(ctx, c, j, phis); err != nil {
			return err
		}
	}
	// No larger than memory allows, but at least the size of the search.
	sizeX, sizeU := finalSize(p.X), finalSize(p.U)
	for {
		p.Setup.Phi, p.Setup.Psi = sized(phi, sizeX, p.X.Width()), sized(psi, sizeU, p.U.Width())
		if p.Footprint().Within(s.hyperparameterBytes, "") == nil || max(sizeX, sizeU) <= searchSize(p.X.Rows()) {
			return nil
		}
		sizeX, sizeU = max(64, sizeX/2), max(64, sizeU/2)
	}
}

// choosePsi is stage 1. The problem is left with the chosen psi.
func (s Search) choosePsi(ctx context.Context, c *Choice, specs []features.Spec) (features.Spec, *comparison, error) {
	p := c.Problem
	rows, err := encode.Sample(ctx, p.U, p.U.SourceRows(), problem.MapRows, p.Setup.Seed, "psi", p.Sources[:]...)
	if err != nil {
		return features.Spec{}, nil, err
	}
	var leaders leaderboard
	var chosen *comparison
	var psi features.Map
	for _, spec := range specs {
		m, j, err := s.tryPsi(ctx, p, spec, rows)
		if ctx.Err() != nil {
			return spec, nil, ctx.Err()
		}
		t := Trial{Stage: "psi", Name: candidateName(spec)}
		if err == nil {
			t.LambdaH = j.lambdaH()
			t.byUnit = j.noise()
			t.byFold = j.curve.Totals(t.byUnit)
			risk := j.curve.Total(j.curve.Least())
			t.Risk = &risk
		}
		if leaders.add(t, err) {
			chosen, psi = j, m
		}
	}
	if chosen == nil {
		return features.Spec{}, nil, fmt.Errorf("search: no candidate for psi can be fitted: %s", leaders.trials[0].Error)
	}
	p.Psi, p.Setup.Psi = psi, sized(specs[leaders.winner], searchSize(p.U.Rows()), p.U.Width())
	c.Trials = append(c.Trials, leaders.close()...)
	return specs[leaders.winner], chosen, nil
}

func (s Search) tryPsi(ctx context.Context, p *problem.Problem, spec features.Spec, rows mat.Matrix) (features.Map, *comparison, error) {
	spec = sized(spec, searchSize(p.U.Rows()), p.U.Width())
	if err := p.Footprint().With(p.Setup.Phi, spec).Within(tryingPsi, ""); err != nil {
		return nil, nil, err
	}
	m, _, err := spec.FitContext(ctx, rows, p.Setup.Seed, "psi")
	if err != nil {
		return nil, nil, problem.Located(ctx, err, p.U, p.Sources[:]...)
	}
	side := features.Mapped{Encoder: p.U, Map: m}
	if err := p.FindLandmarks(ctx, side, problem.TableXU, problem.TableUY); err != nil {
		return nil, nil, err
	}
	folds, _, err := p.Pairs(ctx, problem.TableUY, side, p.Y)
	if err != nil {
		return nil, nil, err
	}
	j, err := comparisonOf(ctx, p, folds, s.LambdaH, tryingPhi)
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

// choosePhi is stage 2, with the psi of the problem.
func (s Search) choosePhi(ctx context.Context, c *Choice, j *comparison, specs []features.Spec) (features.Spec, error) {
	if len(specs) == 1 { // nothing to compare
		return specs[0], nil
	}
	p := c.Problem
	rows, err := encode.Sample(ctx, p.X, p.X.SourceRows(), problem.MapRows, p.Setup.Seed, "phi", p.Sources[problem.TableXU])
	if err != nil {
		return features.Spec{}, err
	}
	var leaders leaderboard
	for _, spec := range specs {
		t := Trial{Stage: "phi", Name: candidateName(spec)}
		err := s.tryPhi(ctx, p, j, spec, rows, &t)
		if ctx.Err() != nil {
			return spec, ctx.Err()
		}
		leaders.add(t, err)
	}
	if leaders.winner < 0 {
		return features.Spec{}, fmt.Errorf("search: no candidate for phi can be fitted: %s", leaders.trials[0].Error)
	}
	trials := leaders.close()
	c.Trials = append(c.Trials, trials...)
	c.addOptimism(trials)
	return specs[leaders.winner], nil
}

// tryPhi fits 2Step-RR with every lambda_f and the lambda_h of the risk.
func (s Search) tryPhi(ctx context.Context, p *problem.Problem, j *comparison, spec features.Spec, rows mat.Matrix, t *Trial) error {
	spec = sized(spec, searchSize(p.X.Rows()), p.X.Width())
	if err := p.Footprint().With(spec, p.Setup.Psi).Within(tryingPhi, ""); err != nil {
		return err
	}
	m, _, err := spec.FitContext(ctx, rows, p.Setup.Seed, "phi")
	if err != nil {
		return problem.Located(ctx, err, p.X, p.Sources[problem.TableXU])
	}
	side := features.Mapped{Encoder: p.X, Map: m}
	if err := p.FindLandmarks(ctx, side, problem.TableXU); err != nil {
		return err
	}
	folds, _, err := p.Pairs(ctx, problem.TableXU, side, p.SidePsi())
	if err != nil {
		return err
	}
	xu, err := p.Splitter().Split(ctx, folds)
	if err != nil {
		return err
	}
	tuning, err := j.tune(ctx, xu.Train, xu, grid{lambdaF: s.LambdaF.Grid(searchLambdas), lambdaH: []float64{j.lambdaH()}, w: []float64{1}}, !p.Setup.NoIntercept)
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
