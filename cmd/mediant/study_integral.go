package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"mediant/experiments"
)

// newIntegral is the study of docs/integral.md.
func newIntegral() *cobra.Command {
	return newSection("integral", "The integral over the conditional density beside 2Step-RR, as Markdown", 6, studyIntegral)
}

// integralRows are the sizes of the study.
var integralRows = []int{250, 500, 1000, 2000, 4000}

func studyIntegral(ctx context.Context, draws int, w io.Writer, show func(int)) error {
	fmt.Fprintf(w, `# What the conditional density costs

Made by `+"`mediant study integral --draws %d`"+`. The paper's synthetic distribution (docs/coverage.md), noise variance 0.1, n = m, %d draws
of both tables. h, its features and all penalties are those that a search chose for 2Step-RR; results differ only in how
E[h(U)|X] comes from h and S_X. The excess is the mean of (f(X) - E[Y|X])².

| d | n | method | excess | standard error | fit, seconds | prediction, µs |
|---|---|---|---|---|---|---|
`, draws, draws)
	slopes := ""
	for _, d := range []int{1, 2} {
		var names []string
		excess := map[string][]float64{}
		for i, n := range integralRows {
			show(i)
			results, err := experiments.Synthetic{D: d, Noise: .1}.CompareRegressions(ctx, n, draws, 1)
			if err != nil {
				return err
			}
			names = nil
			for _, r := range results {
				names = append(names, r.Name)
				excess[r.Name] = append(excess[r.Name], r.Excess.Value)
				fmt.Fprintf(w, "| %d | %d | %s | %.5f | %.5f | %.3f | %.2f |\n", d, n, r.Name, r.Excess.Value, r.Excess.SE, r.FitSeconds, 1e6*r.PredictSeconds)
			}
		}
		for _, name := range names {
			slopes += fmt.Sprintf("| %d | %s | %.2f |\n", d, name, experiments.Slope(integralRows, excess[name]))
		}
	}
	_, err := fmt.Fprintf(w, integralFoot, slopes)
	return err
}

const integralFoot = `
Slope of log error, the root of the excess, against log n:

| d | method | slope |
|---|---|---|
%s
Least squares has a component for a quarter of the rows of (X, U), at least 200 (all rows, if there are fewer) and at
most 1,000, and Nadaraya-Watson one for every row: so many kernel values a prediction takes, while 2Step-RR takes
its features, whose number does not grow with n here. h was integrated over each component once, at the fit. For each x anew
it would take 8^d values of h for each component of least squares, one for each of Nadaraya-Watson, and each of those
values costs what a prediction of 2Step-RR does.
`
