package experiments

import (
	"context"
	"fmt"

	"mediant"
	"mediant/risk"
	"mediant/tables"
)

// A ScenarioCoverage study is a Coverage study of a scenario, with all settings chosen from the two tables in each repetition.
type ScenarioCoverage struct {
	Scenario              Scenario
	TestRows, Repetitions int
	Seed                  uint64
	Log                   DrawLog
	// Choose is SelectedModel if it is nil.
	Choose chooser
}

// varianceRows are the draws behind the risk of the best prediction, whose standard error is then below 0.3 % of it, and the variance of E[Y|X].
const varianceRows = 1_000_000

// Run runs all repetitions, as many at a time as there are processors. Results do not depend on that. The risk is the one that the command fit reports,
// which refers to the model of all rows, and so does the truth: the excess of this model on rows of X, of which E[Y|X] is known, and the risk of the best
// prediction, so that the noise of Y is not in it.
func (c ScenarioCoverage) Run(ctx context.Context) (*CoverageResult, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	if c.Choose == nil {
		c.Choose = SelectedModel
	}
	truth, err := c.Scenario.Truth(c.TestRows, c.Seed)
	if err != nil {
		return nil, err
	}
	least, explained := c.Scenario.Variances(varianceRows, c.Seed)
	study := fmt.Sprintf("%s, rows %d and %d, test rows %d", c.Scenario.Name, c.Scenario.RowsXU, c.Scenario.RowsUY, c.TestRows)
	all, err := c.Log.run(study, c.Repetitions, c.Seed, func(seed uint64) repetition { return c.repeat(ctx, truth, least, seed) })
	if err != nil {
		return nil, fmt.Errorf("experiments: %s: %w", c.Scenario.Name, err)
	}
	out := summarise(all)
	out.Scenario, out.Model, out.Form = c.Scenario.Name, "selected", risk.SameDistribution
	excess := make([]float64, len(all))
	for i, r := range all {
		excess[i] = (r.final - least) / explained
	}
	out.Excess = meanOf(excess)
	return out, nil
}

// repeat draws two tables, fits and measures.
func (c ScenarioCoverage) repeat(ctx context.Context, truth tables.Source, least float64, seed uint64) (r repetition) {
	if r.err = ctx.Err(); r.err != nil {
		return r
	}
	var xu, uy tables.Source
	if xu, r.err = c.Scenario.XU(c.Scenario.RowsXU, seed); r.err != nil {
		return r
	}
	if uy, r.err = c.Scenario.UY(c.Scenario.RowsUY, seed); r.err != nil {
		return r
	}
	choice, err := c.Choose(ctx, xu, uy, seed)
	if err != nil {
		return repetition{err: err}
	}
	m, err := mediant.FitChoice(ctx, choice)
	if err != nil {
		return repetition{err: err}
	}
	if m.Assessment == nil {
		return repetition{err: risk.ErrNoRisk}
	}
	score, err := m.Evaluate(ctx, truth)
	if err != nil {
		return repetition{err: err}
	}
	return repetition{a: m.Assessment, truth: least + score.MSE, final: least + score.MSE}
}
