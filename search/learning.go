package search

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"mediant/crossfit"
	"mediant/internal/progress"
	"mediant/problem"
	"mediant/risk"
	"mediant/rr"
)

const (
	// learningRows of a table are so many that models of folds are as good as that of all rows.
	learningRows = 20_000
	// learningRate is the power of the number of rows with which the excess of a risk falls: between 1, that of a fixed number of coefficients, and the 1/2 or so of rough functions. From 5 folds the correction is
	// .60, .64 and .68 of what one fold less costs for powers of 1, 3/4 and 1/2.
	learningRate = .75
)

// learningCurve estimates, for each unit of the outputs, by how much the risk of the model of all rows is below that of the models of folds, which have fewer: what it costs to take one more fold out of each of these, continued as a power of the number of rows
// (docs/theory.md, section 20). nil: it makes no difference, or is not estimated, as for methods that are not linear in the features, for form 2 and for sums with noise.
func (c *Choice) learningCurve(ctx context.Context, a *risk.Assessment) ([]float64, error) {
	p := c.Problem
	folds, rows := len(p.FoldsUY()), p.TableRows()
	if c.tuned == nil || c.rival || folds < 3 || p.FirstStep() != nil || p.HasNoise() || a.Risk.Form != risk.SameDistribution || max(rows[problem.TableXU], rows[problem.TableUY]) >= learningRows {
		return nil, nil
	}
	ctx = progress.Stage(ctx, "estimating the learning curve")
	fits := make([][]crossfit.Affine, 2) // with one fold taken out, and with two
	for k := range folds {
		without, err := p.Without(k)
		if err != nil {
			return nil, ctx.Err()
		}
		another, err := without.Without(k % (folds - 1))
		if err != nil {
			return nil, ctx.Err()
		}
		for i, q := range []*problem.Problem{without, another} {
			m, err := rr.FitWith(ctx, c.Method, q)
			if err != nil {
				return nil, ctx.Err()
			}
			l, ok := m.F.(*rr.Linear)
			if !ok {
				return nil, nil
			}
			f, ok := l.AffineIn(p.Phi())
			if !ok {
				return nil, nil
			}
			fits[i] = append(fits[i], f)
		}
	}
	lambdas := a.Risk.LambdasH // of the risk
	if lambdas == nil {
		lambdas = []float64{a.Risk.LambdaH}
	}
	j, err := comparisonOf(ctx, &p.Mapped, p.FoldsUY(), slices.Compact(slices.Sorted(slices.Values(lambdas))), problem.Footprint.Preparing)
	if err != nil {
		return nil, ctx.Err()
	}
	j.h = j.curve.FitsWith(lambdas)
	xu, err := p.Splitter().Split(ctx, p.FoldsXU())
	if err != nil {
		return nil, err
	}
	risks, err := j.compare(ctx, xu, fits)
	if err != nil {
		return nil, err
	}
	return continued(risks[0].ByUnit, risks[1].ByUnit, xu), nil
}

// continued are the gains with all rows, from the risks by fold and unit with one fold taken out and with two; nil where there is none.
func continued(one, two [][]float64, xu crossfit.Splits) []float64 {
	gain := make([]float64, len(one[0]))
	for k := range one {
		share := xu.Held[k].Weight() / xu.Weight()
		floats.AddScaled(gain, share, two[k])
		floats.AddScaled(gain, -share, one[k])
	}
	if floats.HasNaN(gain) {
		return nil
	}
	folds := float64(len(one))
	excess := func(out float64) float64 { return math.Pow(1-out/folds, -learningRate) }
	floats.Scale((excess(1)-1)/(excess(2)-excess(1)), gain)
	for u, v := range gain {
		gain[u] = max(v, 0)
	}
	return gain
}
