package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"mediant/experiments"
)

// newPayoff is the study of docs/when-it-pays.md.
func newPayoff() *cobra.Command {
	return newSection("payoff", "Where the naive chain is as good as 2Step-RR and where not, as Markdown", 20, studyPayoff)
}

// payoffRows is the number of rows of each table.
var payoffRows = 1000

// payoffCases go from a linear h to a curved one, and from much noise between X and U to little.
var payoffCases = []experiments.Curved{
	{D: 5, Curve: 0, Spread: 1, Noise: .1},
	{D: 5, Curve: .02, Spread: 1, Noise: .1},
	{D: 5, Curve: .1, Spread: 1, Noise: .1},
	{D: 5, Curve: .3, Spread: 1, Noise: .1},
	{D: 5, Curve: 1, Spread: 1, Noise: .1},
	{D: 5, Curve: 1, Spread: .2, Noise: .1},
}

func studyPayoff(ctx context.Context, draws int, w io.Writer, show func(int)) error {
	fmt.Fprintf(w, payoffHead, draws, payoffCases[0].D, payoffCases[0].Noise, payoffRows)
	for _, distribution := range payoffCases {
		p, err := distribution.Payoff(ctx, payoffRows, draws, 1, show)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "| %g | %g | %.4f | %.4f ± %.4f | %.4f ± %.4f | %+.4f ± %.4f |\n", distribution.Curve, distribution.Spread, distribution.Gap()*distribution.Gap(),
			p.Naive.Value, p.Naive.SE, p.TwoStep.Value, p.TwoStep.SE, p.Difference.Value, p.Difference.SE)
	}
	_, err := io.WriteString(w, payoffFoot)
	return err
}

const payoffHead = `# When the method pays

Made by ` + "`mediant study payoff --draws %d`" + `. X uniform on [-1, 1]^%d, U_j = X_j³ + s uniform[-1/2, 1/2],
Y = Σ U_j + c |U|² + noise of variance %g; n = m = %d. Conditional mean independence holds. Both methods have the features,
bandwidths and penalties that a search chose for 2Step-RR from the two tables. The excess is the mean of (f(X) - E[Y|X])²,
± its standard error over draws; the difference, naive less 2Step-RR, is taken draw by draw. The naive chain's limit is what its
excess comes to with any number of rows, (c d s²/12)².

| c | s | limit of naive | excess, naive | 2Step-RR | difference |
|---|---|---|---|---|---|
`

const payoffFoot = `
The chain puts h(E[U|x]) in the place of E[h(U)|x]. To second order they differ by half of Σ ∂²h/∂u_i∂u_j Cov(U_i, U_j|x)
(docs/theory.md, section 9.6), so that there is nothing to gain where h is linear, c = 0, or where X determines U, s = 0. There the chain is the simpler method: its E[U|x] can be inspected, and serves any other Y. 2Step-RR and Joint-RR pay where h is curved over the range of U that one x leaves open, and the square of that difference is not small beside the error of estimation, the excess of 2Step-RR above. More rows
bring that excess down and leave the chain's limit where it is, so that with any curvature the method pays once there are enough rows, the more the smaller the curvature. Classes and other Y that level off or jump are curved wherever
U leaves them open. Whether it pays on two tables at hand need not be guessed: the search of ` + "`mediant fit`" + ` has the
naive chain among its rivals and lists its uncoupled risk, and ` + "`mediant fit --method naive`" + ` gives it with its interval.
`
