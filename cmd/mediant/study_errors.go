package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"mediant/effect"
	"mediant/experiments"
	"mediant/features"
	"mediant/internal/progress"
	"mediant/problem"
	"mediant/rr"
)

// newErrors and newEffectStudy are the studies of docs/standard-errors.md, a section each.
func newErrors() *cobra.Command {
	return newSection("se", "How often intervals of f(x) hold the mean of f(x), as Markdown", 400, studyErrors)
}

func newEffectStudy() *cobra.Command {
	return newSection("effect", "How often intervals of the effect hold it, as Markdown", 400, studyEffect)
}

func newSection(name, short string, draws int, run func(ctx context.Context, draws int, stdout io.Writer, show func(int)) error) *cobra.Command {
	var quiet bool
	cmd := &cobra.Command{
		Use: name, Short: short, Args: arguments(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if draws < 2 {
				return usagef("--draws is %d, must be at least 2", draws)
			}
			if err := tryStdout(cmd.OutOrStdout()); err != nil {
				return err
			}
			ctx := cmd.Context()
			within := progress.Step(ctx, "drawing and fitting", 0, draws)
			return run(within, draws, cmd.OutOrStdout(), func(d int) { progress.Report(ctx, "drawing and fitting", int64(d), int64(draws)) })
		},
	}
	cmd.Flags().IntVar(&draws, "draws", draws, "number of draws of both tables")
	cmd.Flags().BoolVar(&quiet, "quiet", false, "show no progress")
	return cmd
}

func studyErrors(ctx context.Context, draws int, w io.Writer, show func(int)) error {
	const rows, size, points = 1000, 300, 50
	fmt.Fprintf(w, `## Standard errors of f

Made by `+"`mediant study se --draws %[1]d`"+`. The synthetic distribution in d dimensions, noise variance 0.1, n = m = %[2]d, %[3]d Gaussian
features a side of bandwidth b and orthogonal frequencies, maps and penalties fixed; 95 %% intervals for the mean of fhat(x) at %[4]d points, %[1]d
draws. "Freedom" is the effective degrees of freedom of f and of h. "Held" is the share of intervals that hold the mean
over all draws, with the least and the most of any point; "ratio" is the root mean square standard error over the
standard deviation of fhat(x). "Corrected" is what the command reports.

| d | b | freedom | w | corrected held | least, most | ratio | jackknife held | least, most | ratio | plain held | least, most | ratio |
|---|---|---|---|---|---|---|---|---|---|---|---|---|
`, draws, rows, size, points)
	for _, c := range []struct {
		d         int
		bandwidth float64
	}{{2, .5}, {5, 1.5}} {
		s := experiments.ErrorStudy{Distribution: experiments.Synthetic{D: c.d, Noise: .1}, Rows: rows, Features: size, Bandwidth: c.bandwidth, Points: points, Draws: draws}
		found, err := s.Run(ctx, []float64{20, 160}, []float64{1, .5}, show)
		if err != nil {
			return err
		}
		for _, f := range found {
			fmt.Fprintf(w, "| %d | %g | %g | %g |", c.d, c.bandwidth, f.Freedom, f.W)
			for _, k := range []struct{ Held, Least, Most, Ratio float64 }{f.Corrected, f.Jackknife, f.Sandwich} {
				fmt.Fprintf(w, " %.1f %% | %.1f %%, %.1f %% | %.3f |", 100*k.Held, 100*k.Least, 100*k.Most, k.Ratio)
			}
			fmt.Fprintln(w)
		}
	}
	return nil
}

func studyEffect(ctx context.Context, draws int, w io.Writer, show func(int)) error {
	const boots, resamples = 20, 200
	distribution := experiments.Surrogate{Share: .4, Level: 20}
	fmt.Fprintf(w, `## Effect of a treatment through surrogates

Made by `+"`mediant study effect --draws %d`"+`. 500 rows of treatment and U, 800 of U and Y, in which U is spread otherwise; true effect %g about
a mean of Y of %g; 5 folds, penalties by cross-validation in each draw. "Bootstrap" is the standard error of %d
resamples of the rows of both tables over ours, root mean square over %d draws.

| features of U | p | held | mean estimate | standard deviation | standard error | bootstrap |
|---|---|---|---|---|---|---|
`, draws, experiments.Effect, distribution.Level, resamples, min(boots, draws))
	quadratic := features.Spec{Kind: features.PolynomialFeatures, Degree: 2}
	for _, c := range []struct {
		name, p string
		method  effect.Estimator
	}{
		{"quadratic", "share", effect.Estimator{Setup: problem.Setup{Psi: quadratic}}},
		{"quadratic", "known", effect.Estimator{Setup: problem.Setup{Psi: quadratic}, Probability: rr.Value(distribution.Share)}},
		{"64 Gaussian", "share", effect.Estimator{Setup: problem.Setup{Psi: features.Spec{Size: 64, Orthogonal: true}}}},
	} {
		c.method.Treatment = "t"
		s := experiments.EffectStudy{Distribution: distribution, RowsXU: 500, RowsUY: 800, Draws: draws, Boots: min(boots, draws), Resamples: resamples, Method: c.method}
		found, err := s.Run(ctx, show)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "| %s | %s | %.1f %% | %.3f | %.3f | %.3f | %.2f |\n", c.name, c.p, 100*found.Held, found.Mean, found.SD, found.SE, found.Bootstrap)
	}
	return nil
}
