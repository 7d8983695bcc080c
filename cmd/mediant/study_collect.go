package main

import (
	"context"
	"fmt"
	"io"
	"math"

	"github.com/spf13/cobra"

	"mediant/experiments"
)

// newCollectStudy is the study of docs/collect.md.
func newCollectStudy() *cobra.Command {
	return newSection("collect", "Whether the forecasts of what to collect next come true, as Markdown", 200, studyCollect)
}

// collectRows are the numbers of rows of each table.
var collectRows = []int{500, 1000, 2000}

func studyCollect(ctx context.Context, draws int, w io.Writer, show func(int)) error {
	fmt.Fprintf(w, collectHead, draws)
	curved, synthetic := experiments.Curved{D: 3, Spread: 1, Noise: .3}, experiments.Synthetic{D: 2, Noise: .1}
	for _, of := range []struct {
		experiments.Collection
		fewer, sizes int // draws are divided by fewer, and the first sizes of collectRows are used
	}{
		{experiments.Collection{Model: "linear", Distribution: curved, Choose: experiments.LinearModel}, 1, 3},
		{experiments.Collection{Model: "kernel", Distribution: synthetic, Choose: experiments.KernelModel(100)}, 1, 3},
		{experiments.Collection{Model: "chosen", Distribution: synthetic, Choose: experiments.SearchedModel(24)}, 4, 2},
		{experiments.Collection{Model: "nearly interpolating", Distribution: synthetic, Choose: experiments.NystromModel}, 10, 1},
	} {
		c := of.Collection
		c.TestRows, c.Repetitions, c.Seed = 10000, max(2, draws/of.fewer), 1
		for _, c.Rows = range collectRows[:min(of.sizes, len(collectRows))] {
			show(0)
			r, err := c.Run(ctx)
			if err != nil {
				return err
			}
			fmt.Fprintf(w, "| %s | %d | %.0f %% | %.4f | %.4f |", r.Model, r.Rows, 100*r.ShareXU, r.SE, r.SD)
			for _, d := range []experiments.Doubling{r.XU, r.UY} {
				fmt.Fprintf(w, " %.3f | %.3f | %.1f %% | %.2f |", d.Predicted, d.SE, 100*d.Error(), d.SD)
			}
			fmt.Fprintln(w)
		}
	}
	_, err := fmt.Fprintf(w, collectFoot, draws, 136/math.Sqrt(float64(draws)))
	return err
}

const collectHead = `# Do the forecasts of what to collect next come true?

Made by ` + "`mediant study collect --draws %[1]d`" + `. The standard error of the risk with twice the rows of one table, as it is predicted from n = m rows of each (docs/theory.md, section 24),
beside that of fits to tables of twice the rows, all as ratios to the one of n = m rows, means over %[1]d draws of each. "sd" is the ratio of the standard deviations over draws of the
estimated risk less the true one of the models of the folds, on 10,000 coupled rows; it is half the distance between the percentiles 16 and 84, since with 500 rows one draw in some hundred is off
by ten standard deviations.

Linear: 2Step-RR with linear features; X uniform on [-1, 1]³, U_j = X_j³ + uniform[-1/2, 1/2], Y = Σ U_j + noise of variance 0.3. Kernel: 2Step-RR with 100 Fourier features a side of an
additive Gaussian kernel; the distribution of docs/coverage.md, d = 2. Both have the default penalties, 1e-4. Nearly interpolating: the Nyström model of docs/coverage.md on the same
distribution, 300 landmarks a side, penalties 1e-6; a tenth of the draws. Chosen: what the search of ` + "`fit`" + ` chooses anew in each draw, with 24 features a side, corrected for the choice of the best; a quarter of
the draws.

| model | n = m | from S_X | mean se | sd | twice S_X: predicted | se | off by | sd | twice S_Y: predicted | se | off by | sd |
|---|---|---|---|---|---|---|---|---|---|---|---|---|
`

const collectFoot = `
"From S_X" is the share of the rows of X and U in the mean variance. A ratio of two such standard deviations over %d draws has itself a relative standard error of %.0f %%. The
forecast takes the bias of f and h as it is, and their noise as their degrees of freedom say (docs/theory.md, section 24). With f and h as they are, the forecasts of the nearly interpolating fit, in which both have
half as many degrees of freedom as rows, would be 0.783 and 0.940, 30 and 37 %% off. The rate from tables of half the rows does not help: the standard error with 250 and 500 rows, the one with 500 and 500, and
their ratio in place of that of twice the rows would be (16 draws) 31 %% too low for S_X (with half of its rows this fit interpolates) and 15 %% too high for S_Y; the mean of both forecasts 5 %% too low and 27 %% too high.
`
