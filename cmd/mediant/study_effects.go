package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/spf13/cobra"

	"mediant/experiments"
	"mediant/internal/progress"
)

// effectsFlags are those of study effects.
type effectsFlags struct {
	draws int
	only  []string
	seed  uint64
	out   string
	quiet bool
}

func newEffectsStudy() *cobra.Command {
	var f effectsFlags
	cmd := &cobra.Command{
		Use: "effects", Short: "How often intervals of effects hold them in designs of all kinds, as Markdown", Args: arguments(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkLeast(least{"draws", f.draws, 2}); err != nil {
				return err
			}
			return f.run(cmd.Context(), cmd.OutOrStdout())
		},
	}
	flags := cmd.Flags()
	flags.IntVar(&f.draws, "draws", 400, "number of draws of both tables in each scenario")
	flags.StringSliceVar(&f.only, "only", nil, "only these scenarios: "+strings.Join(experiments.EffectScenarioNames(), ", "))
	flags.Uint64Var(&f.seed, "seed", 1, "seed of the first draw, to which each further one adds 1")
	flags.StringVarP(&f.out, "output", "o", "", "Markdown file to write (default: standard output)")
	flags.BoolVar(&f.quiet, "quiet", false, "show no progress")
	return cmd
}

func (f *effectsFlags) run(ctx context.Context, stdout io.Writer) error {
	scenarios, err := experiments.EffectScenariosNamed(f.only)
	if err != nil {
		return usagef("--only: %v", err)
	}
	if err := tryStudy(stdout, f.out, false); err != nil {
		return err
	}
	var found []experiments.EffectSummary
	for i, s := range scenarios {
		all := int64(len(scenarios) * f.draws)
		within := progress.Step(ctx, "drawing and estimating", 0, len(scenarios))
		of, err := s.Run(within, f.draws, f.seed, func(d int) {
			progress.Report(ctx, "drawing and estimating", int64(i*f.draws+d), all)
		})
		if err != nil {
			return err
		}
		found = append(found, of...)
	}
	return writeText(stdout, f.out, f.markdown(scenarios, found))
}

// markdown is docs/effects.md.
func (f *effectsFlags) markdown(scenarios []experiments.EffectScenario, found []experiments.EffectSummary) string {
	var b strings.Builder
	fmt.Fprintf(&b, effectsHead, f.draws)
	for _, e := range found {
		fmt.Fprintf(&b, "| %s | %s |", e.Scenario, e.Estimate)
		for _, v := range []float64{e.Truth, e.Mean, e.SD, e.SE} {
			if math.IsNaN(v) {
				b.WriteString(" |")
				continue
			}
			fmt.Fprintf(&b, " %.3f |", v)
		}
		fmt.Fprintf(&b, " %.1f ± %.1f %% |\n", 100*e.Coverage, 100*e.CoverageErr)
	}
	b.WriteString("\n")
	for _, s := range scenarios {
		fmt.Fprintf(&b, "- **%s**: %s\n", s.Name, s.Definition)
	}
	return b.String()
}

const effectsHead = `# Effects and their intervals

Made by ` + "`mediant study effects --draws %d`" + `. Each draw has 1,000 rows of treatment and U and 1,000 of U and Y unless its scenario says otherwise, features of U up to squares, 5 folds, and penalties by cross-validation. The means are over all draws: of the
true effect, of the estimate, and of its standard error, beside the standard deviation of the estimates. Coverage is the share of 95 %% intervals that hold the true effect, ± its standard error.

| scenario | estimate | truth | mean estimate | standard deviation | mean standard error | coverage |
|---|---|---|---|---|---|---|
`
