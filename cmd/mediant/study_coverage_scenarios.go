package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"mediant/experiments"
	"mediant/internal/progress"
)

const coverageScenarios = `## Distributions of docs/tables.md

Written by ` + "`mediant study coverage --scenario %s --repetitions %d%s`" + `. All that ` + "`mediant fit`" + ` chooses, anew in each repetition. The risk and the truth are those of the model of all rows; the truth is the risk of the best prediction and the excess of the model on %d rows of X,
whose E[Y|X] is known, so that the noise of Y is not in it. "Width" is the mean half width of the interval in %% of the truth, "excess" that
of the models in %% of the variance of E[Y|X], as in docs/tables.md, with the standard error of its mean. Seed %d.

| distribution | n | m | mean truth | mean estimate | ratio | sd of error | mean se | width | covered | excess |
|---|---|---|---|---|---|---|---|---|---|---|
`

// runScenarios is the part of the study on distributions of docs/tables.md.
func (f *coverageFlags) runScenarios(ctx context.Context, stdout io.Writer) error {
	if err := f.try(stdout); err != nil {
		return err
	}
	names := f.scenarios
	if slices.Equal(names, []string{"all"}) {
		names = experiments.ScenarioNames()
	}
	var scenarios []experiments.Scenario
	for _, name := range names {
		s, err := experiments.ScenarioNamed(name)
		if err != nil {
			return usagef("--scenario: %v", err)
		}
		if f.rowsSet {
			s.RowsXU, s.RowsUY = f.rows, f.rows
		}
		scenarios = append(scenarios, s)
	}
	var results []*experiments.CoverageResult
	var b strings.Builder
	draws := ""
	if f.draws != "" {
		draws = " --draws " + f.draws
	}
	fmt.Fprintf(&b, coverageScenarios, strings.Join(f.scenarios, ","), f.repetitions, draws, f.test, f.seed)
	for i, s := range scenarios {
		r, err := experiments.ScenarioCoverage{Scenario: s, TestRows: f.test, Repetitions: f.repetitions, Seed: f.seed, Log: experiments.DrawLog(f.draws)}.Run(progress.Step(ctx, "studying "+s.Name, i, len(scenarios)))
		if err != nil {
			return err
		}
		results = append(results, r)
		b.WriteString(scenarioLine(s, r))
	}
	b.WriteString(overScenarios(results))
	if f.json {
		if err := writeJSON(stdout, results); err != nil || f.out == "" {
			return err
		}
	}
	return writeText(stdout, f.out, b.String())
}

// overScenarios is a sentence on all draws together.
func overScenarios(results []*experiments.CoverageResult) string {
	draws, covered := 0., 0.
	for _, r := range results {
		draws += float64(r.Repetitions)
		covered += r.Covered * float64(r.Repetitions)
	}
	points := func(draws float64) float64 { return 100 * math.Sqrt(.95*.05/draws) }
	return fmt.Sprintf("\nOf all %.0f draws together %.1f %% of the intervals contain the truth. A share of 95 %% of so many has a standard error of %.1f points, of the %d draws of a line one of %.1f.\n",
		draws, 100*covered/draws, points(draws), results[0].Repetitions, points(float64(results[0].Repetitions)))
}

func scenarioLine(s experiments.Scenario, r *experiments.CoverageResult) string {
	return fmt.Sprintf("| %s | %d | %d | %.4g | %.4g | %.3f | %.3g | %.3g | %.0f %% | %.1f %% | %.1f ± %.1f |\n", s.Name, s.RowsXU, s.RowsUY, r.MeanTruth, r.MeanMSE, r.MeanMSE/r.MeanTruth, r.SD, r.MeanSE,
		100*r.MeanHalfWidth/r.MeanTruth, 100*r.Covered, 100*r.Excess.Value, 100*r.Excess.SE)
}
