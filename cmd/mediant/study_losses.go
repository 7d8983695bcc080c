package main

import (
	"fmt"
	"math"
	"strings"

	"github.com/spf13/cobra"

	"mediant/experiments"
	"mediant/internal/progress"
)

const lossesHead = `# Do the intervals of the uncoupled log loss cover?

Written by ` + "`mediant study losses -o docs/losses.md`" + `. The distribution of docs/coverage.md, in d dimensions, with Y in two classes: whether its number is above its mean. n = m = %d rows. The model is
` + "`rr.Generalized`" + ` by the log loss, lambda_f = lambda_h = 1e-4, 200 Fourier features a side of an additive Gaussian kernel; %d repetitions for each line, truths on %d coupled rows: the mean over the models of
the folds. The Brier score is the squared error of the probabilities, summed over both classes. A share of 95 %% has a standard error of %.1f points.

| d | loss | mean truth | mean estimate | sd of error | mean se | covered | bracket |
|---|---|---|---|---|---|---|---|
`

const lossesFoot = `
The bracket of the log loss, moved outwards by its standard errors, holds whether or not E[Y|U] = E[Y|U,X] (docs/theory.md, 9.13). Standard errors are those of the terms of rows; they do not contain the products of
errors of h and of the Riesz weights.
`

// newLossesStudy repeats the study of docs/losses.md.
func newLossesStudy() *cobra.Command {
	var repetitions, rows, test int
	var seed uint64
	var out string
	cmd := &cobra.Command{
		Use:     "losses",
		Short:   "How often the intervals of the uncoupled log loss contain the truth",
		Example: "  mediant study losses -o docs/losses.md",
		Args:    arguments(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkLeast(least{"repetitions", repetitions, 2}, least{"rows", rows, 20}, least{"test", test, 10}); err != nil {
				return err
			}
			if out != "" {
				if err := checkOutput(out); err != nil {
					return err
				}
			}
			var b strings.Builder
			fmt.Fprintf(&b, lossesHead, rows, repetitions, test, 100*math.Sqrt(.95*.05/float64(repetitions)))
			for i, d := range []int{2, 5, 10} {
				ctx := progress.Step(cmd.Context(), "studying cases", i, 3)
				r, err := experiments.LossCoverage{D: d, Rows: rows, TestRows: test, Repetitions: repetitions, Seed: seed}.Run(ctx)
				if err != nil {
					return err
				}
				for j, l := range r.Losses {
					bracket := ""
					if j == 0 {
						bracket = fmt.Sprintf("%.1f %%", 100*r.Bracket)
					}
					fmt.Fprintf(&b, "| %d | %s | %.4f | %.4f | %.4f | %.4f | %.1f %% | %s |\n", d, l.Loss, l.MeanTruth, l.Mean, l.SD, l.MeanSE, 100*l.Covered, bracket)
				}
			}
			return writeText(cmd.OutOrStdout(), out, b.String()+lossesFoot)
		},
	}
	flags := cmd.Flags()
	flags.IntVar(&repetitions, "repetitions", 200, "draws for each number of dimensions")
	flags.IntVar(&rows, "rows", 1000, "rows of each of the two tables")
	flags.IntVar(&test, "test", 200000, "coupled rows for the truth")
	flags.Uint64Var(&seed, "seed", 1, "seed of all random choices")
	flags.StringVarP(&out, "output", "o", "", "Markdown file to write (default: standard output)")
	return cmd
}
