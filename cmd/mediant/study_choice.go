package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"mediant/experiments"
)

// newChoice is the study of docs/choice.md.
func newChoice() *cobra.Command {
	return newSection("choice", "How good what two tables choose is, as Markdown", 40, studyChoice)
}

func studyChoice(ctx context.Context, draws int, w io.Writer, show func(int)) error {
	const rows, few, many = 1000, 500, 5000
	selections := max(2, draws/4)
	fmt.Fprintf(w, `# How good are settings chosen from two tables?

Made by `+"`mediant study choice --draws %d`"+`. The paper's synthetic distribution (docs/coverage.md). The excess is the mean of
(f(X) - E[Y|X])²: what is lost to the best prediction, whose own error no method can avoid.

## Nothing set explicitly

All that `+"`mediant fit`"+` chooses, n = m = %d, noise variance 0.1, %d draws of both tables.

| d | excess | standard error |
|---|---|---|
`, draws, rows, selections)
	for _, d := range []int{2, 5, 10, 20} {
		m, err := experiments.Synthetic{D: d, Noise: .1}.SelectionExcess(ctx, rows, selections, 1)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "| %d | %.4f | %.4f |\n", d, m.Value, m.SE)
	}
	fmt.Fprintf(w, `
## Where Joint-RR wins and where 2Step-RR does

d = 5, 200 Fourier features a side of an additive Gaussian kernel, penalties chosen by uncoupled risk for each w,
%d draws. "Chosen" takes w by the same risk among 1, 0.8, 0.5 and 0.3; "loss" is its mean excess above that of the
better of 1/2 and 1.

| noise variance | n | m | excess, w = 1/2 | w = 1 | chosen | loss |
|---|---|---|---|---|---|---|
`, draws)
	cell := 0
	for _, noise := range []float64{.1, 1, 10} {
		for _, size := range [][2]int{{few, many}, {rows, rows}, {many, few}} {
			show(cell)
			cell++
			c, err := experiments.Synthetic{D: 5, Noise: noise}.ChooseW(ctx, size[0], size[1], draws, 1)
			if err != nil {
				return err
			}
			fmt.Fprintf(w, "| %g | %d | %d | %.4f ± %.4f | %.4f ± %.4f | %.4f ± %.4f | %+.1f ± %.1f %% |\n", noise, size[0], size[1],
				c.Half.Value, c.Half.SE, c.One.Value, c.One.SE, c.ChosenW.Value, c.ChosenW.SE, 100*c.Loss, 100*c.SE)
		}
	}
	_, err := fmt.Fprint(w, `
With little noise in Y the second table determines h well, and the shrinkage of w < 1 adds only bias: 2Step-RR has the smaller error. With noise variance 10, forty times that of E[Y|U], w = 1/2 is as good where S_Y is smaller than S_X. The distribution favours 2Step-RR, which can be fitted by components of h (docs/theory.md, section 23) while Joint-RR cannot. The chosen w follows the better of the two.
`)
	return err
}
