package main

import (
	"context"
	"fmt"
	"io"
	"math"

	"github.com/spf13/cobra"

	"mediant/experiments"
	"mediant/problem"
)

// newPrivacyStudy is the study of docs/privacy.md.
func newPrivacyStudy() *cobra.Command {
	return newSection("privacy", "What noise for privacy costs, whether intervals contain it, and an audit of it, as Markdown", 20, studyPrivacy)
}

// Sizes of the study.
var (
	privacyRows      = []int{10000, 100000, 1000000}
	privacyTestRows  = 100000
	privacyCoverRows = 4000
	privacyDraws     = 10000
)

// privacyStudy is of n rows with noise of epsilon, +Inf for none. The number of features is a function of both.
func privacyStudy(n int, epsilon float64) experiments.PrivateStudy {
	features := 16
	switch size := float64(n) * epsilon; {
	case size >= 1e6:
		features = 64
	case size >= 1e5:
		features = 32
	}
	return experiments.PrivateStudy{
		Distribution: experiments.Synthetic{D: 2, Noise: .1}, Rows: n, TestRows: privacyTestRows, PublicRows: 1000, Features: features, Multiple: .7, Blocks: 1,
		Epsilon: epsilon, Delta: 1e-7, Clip: []problem.Range{{Lo: -.5, Hi: 4.5}}, Seed: 1,
	}
}

func studyPrivacy(ctx context.Context, draws int, w io.Writer, show func(int)) error {
	fmt.Fprintf(w, privacyRisk, draws)
	epsilons := []float64{.5, 1, 2, 4, 8, math.Inf(1)}
	for i, n := range privacyRows {
		fmt.Fprintf(w, "| %d |", n)
		for _, epsilon := range epsilons {
			show(0)
			s := privacyStudy(n, epsilon)
			s.Repetitions = max(2, draws>>i)
			r, err := s.Run(ctx)
			if err != nil {
				return err
			}
			fmt.Fprintf(w, " %.4f (%.4f) |", r.MSE, r.SE)
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintf(w, privacyCovered, 10*draws, privacyCoverRows)
	for _, blocks := range []int{1, 4} {
		for _, epsilon := range []float64{1, 4} {
			show(0)
			s := privacyStudy(privacyCoverRows, epsilon)
			s.Blocks, s.Repetitions = blocks, 10*draws
			r, err := s.Run(ctx)
			if err != nil {
				return err
			}
			fmt.Fprintf(w, "| %d | %g | %.4f | %.4f | %.4f | %.4f | %.1f %% |\n", 5*blocks, epsilon, r.MSE, r.MeanMSE, r.MeanSE, r.SD, 100*r.Covered)
		}
	}
	fmt.Fprintf(w, privacyAudit, privacyDraws)
	for _, a := range []experiments.Audit{{Epsilon: .5, Delta: .05}, {Epsilon: 1, Delta: .05}, {Epsilon: 1, Delta: .01}, {Epsilon: 2, Delta: .01}, {Epsilon: 4, Delta: .001}} {
		show(0)
		a.Draws = privacyDraws
		r, err := a.Run(ctx)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "| %g | %g | %.4f | %.2f | %.2f |\n", a.Epsilon, a.Delta, r.Distance, r.Bound, r.Half)
	}
	return nil
}

const privacyRisk = `## Measured

Made by ` + "`mediant study privacy --draws %[1]d`" + `. The noise is from crypto/rand, so that another run has other digits within the errors.

**Mean squared error** on coupled rows, with its standard error over repetitions. The synthetic distribution of docs/coverage.md with d = 2 and noise variance 0.1, n = m rows; the least error is 0.206, that of a
constant 0.319. Both tables have noise, delta = 1e-7, Y is clipped to -0.5:4.5. Gaussian features, 0.7 times the median bandwidth, in a plan of 1,000 other rows with 5 folds of 1 block; 16 features a
side, 32 from n epsilon = 1e5 on and 64 from 1e6 on; penalties and w chosen from the sums. %[1]d repetitions for the fewest rows, and half as many for ten times the rows.

| n = m | epsilon 0.5 | 1 | 2 | 4 | 8 | no noise |
|---|---|---|---|---|---|---|
`

const privacyCovered = `
**Intervals of the risk**: how often they contain the mean error of the models of the folds in %d repetitions, with n = m = %d rows and the features above. "Error" is that of the final model, "estimate" and "se" are means of the
estimated risk and of its standard error, "sd" is the standard deviation of estimate - truth.

| blocks | epsilon | error | estimate | se | sd | contain it |
|---|---|---|---|---|---|---|
`

const privacyAudit = `
**Audit**: %d draws of the sums of each of two neighbouring tables of 60 rows of (U, Y), whose sums are as far apart as rows can make them ("distance", of the sensitivity), by all of the code. The tables are distinguished by the
likelihood ratio. "At least" is a lower confidence bound, of 97.5 %%, of epsilon at this delta: log((P(hit) - delta)/P(false alarm)) by the bounds of Clopper and Pearson, at a threshold that a fifth of the
draws chose. It must not exceed epsilon; with half of the noise it has to.

| epsilon | delta | distance | at least | with half of the noise |
|---|---|---|---|---|
`
