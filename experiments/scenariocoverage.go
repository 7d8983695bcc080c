package experiments

import (
	"context"

	"mediant/internal/parallel"
	"mediant/risk"
)

// A ScenarioCoverage study is a Coverage study of a scenario, with all settings chosen from the two tables in each repetition.
type ScenarioCoverage struct {
	Scenario              Scenario
	TestRows, Repetitions int
	Seed                  uint64
	// Choose is SelectedModel if it is nil.
	Choose chooser
}

// irreducibleRows are the draws behind the risk of the best prediction, whose standard error is then below 0.3 % of it.
const irreducibleRows = 1_000_000

// Run runs all repetitions, as many at a time as there are processors. Results do not depend on that. A truth is the excess on rows of X, of which
// E[Y|X] is known, and the risk of the best prediction, so that the noise of Y is not in it.
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
	least := c.Scenario.Irreducible(irreducibleRows, c.Seed)
	all := make([]repetition, c.Repetitions)
	parallel.Blocks(c.Repetitions, 1, func(lo, _ int) {
		all[lo] = repeat(ctx, c.Scenario, [2]int{c.Scenario.RowsXU, c.Scenario.RowsUY}, c.Choose, risk.SameDistribution, truth, c.Seed+1+uint64(lo))
		all[lo].truth += least
		all[lo].final += least
	})
	for _, r := range all {
		if r.err != nil {
			return nil, r.err
		}
	}
	out := summarise(all)
	out.Scenario, out.Model, out.Form = c.Scenario.Name, "selected", risk.SameDistribution
	return out, nil
}
