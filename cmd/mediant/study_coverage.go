package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mediant/experiments"
	"mediant/internal/progress"
	"mediant/risk"
)

// coverageFlags are those of study coverage; their defaults are the study of docs/coverage.md.
type coverageFlags struct {
	repetitions, rows, test int
	seed                    uint64
	out, draws              string
	scenarios               []string
	rowsSet                 bool // else they are those of the scenarios
	synthetic               bool // the paper's distribution alone
	overlap, few, sums      bool
	json, quiet             bool
}

func newCoverage() *cobra.Command {
	var f coverageFlags
	cmd := &cobra.Command{
		Use:   "coverage",
		Short: "How often the intervals of the uncoupled risk contain the truth",
		Long: `Fit a fixed model, and one that the tables choose, to new draws of the paper's synthetic distribution
again and again, estimate the risk from the two tables, and compare it with the error on
coupled rows. Writes the table of docs/coverage.md. In full it takes most of an hour. --scenario does the same for
distributions of docs/tables.md, which --overlap and the others leave out: an hour each for 200 repetitions.`,
		Example: "  mediant study coverage -o docs/coverage.md\n  mediant study coverage --repetitions 20 --json\n  mediant study coverage --scenario steps --repetitions 200 -o steps.md",
		Args:    arguments(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkLeast(least{"repetitions", f.repetitions, 2}, least{"rows", f.rows, 10}, least{"test", f.test, 10}); err != nil {
				return err
			}
			if f.scenarios != nil {
				f.rowsSet = cmd.Flags().Changed("rows")
				return f.runScenarios(cmd.Context(), cmd.OutOrStdout())
			}
			return f.run(cmd.Context(), cmd.OutOrStdout())
		},
	}
	flags := cmd.Flags()
	flags.StringSliceVar(&f.scenarios, "scenario", nil, "only the part on these distributions of docs/tables.md: "+strings.Join(experiments.ScenarioNames(), ", ")+", or all")
	flags.IntVar(&f.repetitions, "repetitions", 400, "draws for each row of the table")
	flags.IntVar(&f.rows, "rows", 1000, "rows of each of the two tables")
	flags.IntVar(&f.test, "test", 100000, "coupled rows for the true error")
	flags.Uint64Var(&f.seed, "seed", 1, "seed of all random choices")
	flags.StringVarP(&f.out, "output", "o", "", "Markdown file to write (default: standard output)")
	flags.StringVar(&f.draws, "draws", "", "JSON Lines file that each draw is appended to, those of --overlap and --sums excepted; draws that it has are not repeated, so that a study can be interrupted and continued")
	flags.BoolVar(&f.synthetic, "synthetic", false, "only the part on the paper's synthetic distribution")
	flags.BoolVar(&f.overlap, "overlap", false, "only the part on rows without overlap")
	flags.BoolVar(&f.few, "few-rows", false, "only the part on tables of few rows")
	flags.BoolVar(&f.sums, "sums", false, "only the part on sums without rows")
	flags.BoolVar(&f.json, "json", false, "print the results as JSON")
	flags.BoolVar(&f.quiet, "quiet", false, "show no progress")
	return cmd
}

// try tries what the study will write.
func (f *coverageFlags) try(stdout io.Writer) error {
	if f.draws != "" {
		if err := checkOutput(f.draws); err != nil {
			return err
		}
	}
	return tryStudy(stdout, f.out, f.json)
}

// coverageNoise is the variance of the noise of Y in the study.
const coverageNoise = .1

// cases are the rows of the table: form 1 without shift, form 2 with one whose ratio of distributions of U lies
// between 0.6 and 2.7, and one with a ratio of up to 10.5, which is more than 1,000 rows bear.
func (f *coverageFlags) cases() []experiments.Coverage {
	var all []experiments.Coverage
	add := func(form risk.Form, d int, shift float64) {
		all = append(all, experiments.Coverage{
			Distribution: experiments.Synthetic{D: d, Noise: coverageNoise, Shift: shift},
			Rows:         f.rows, TestRows: f.test, Repetitions: f.repetitions, Seed: f.seed, Log: experiments.DrawLog(f.draws),
			Form: form, Choose: experiments.FixedModel, Model: "fixed",
		})
	}
	for _, d := range []int{2, 5, 10} {
		add(risk.SameDistribution, d, 0)
		last := &all[len(all)-1]
		last.Choose, last.Model, last.Repetitions = experiments.SelectedModel, "selected", max(2, f.repetitions/2)
	}
	for _, d := range []int{2, 5, 10} {
		add(risk.SameDistribution, d, 0)
	}
	for _, d := range []int{2, 5} {
		add(risk.SameDistribution, d, 0)
		last := &all[len(all)-1]
		last.Choose, last.Model = experiments.NystromModel, "Nyström"
	}
	for _, d := range []int{2, 5, 10} {
		add(risk.CovariateShift, d, 1)
	}
	add(risk.CovariateShift, 2, 2)
	return all
}

// fewRows are the cases of small tables.
func (f *coverageFlags) fewRows() []experiments.Coverage {
	var all []experiments.Coverage
	for _, model := range []string{"selected", "fixed"} {
		for _, rows := range []int{12, 20, 40, 80, 160} {
			c := experiments.Coverage{
				Distribution: experiments.Synthetic{D: 2, Noise: coverageNoise}, Rows: rows, TestRows: max(10, f.test/10), Repetitions: f.repetitions, Seed: f.seed, Log: experiments.DrawLog(f.draws),
				Form: risk.SameDistribution, Choose: experiments.FixedModel, Model: model,
			}
			if model == "selected" {
				c.Choose, c.Repetitions = experiments.SelectedModel, max(2, f.repetitions/2)
			}
			all = append(all, c)
		}
	}
	return all
}

func (f *coverageFlags) fewRowsMarkdown(cases []experiments.Coverage, results []*experiments.CoverageResult) string {
	var b strings.Builder
	fmt.Fprintf(&b, coverageFewRows, f.repetitions, max(10, f.test/10))
	for i, r := range results {
		fmt.Fprintf(&b, "| %s | %d | %.4f | %.4f | %.1f %% | %.1f %% | %.1f %% | %.1f %% |\n", r.Model, cases[i].Rows, r.MeanTruth, r.MeanMSE, 100*r.Covered, 100*r.CoveredFinal, 100*r.BracketMoved, 100*r.TightMoved)
	}
	return b.String()
}

const coverageFewRows = `## Tables of few rows

Written by ` + "`mediant study coverage --few-rows`" + `. The distribution above with d = 2, n = m rows, the fixed and the selected model; %d repetitions for each line, half as many where models are
selected, truths on %d coupled rows. Brackets are moved outwards by their margins. Where the degrees of freedom of the interval (docs/theory.md, section 15) are
below 25, as they are below about 80 rows, ` + "`fit`" + ` says that the rows are few, and its JSON has ` + "`few_rows`" + `.

| model | n = m | mean truth | mean estimate | covered | final model covered | bracket | tighter |
|---|---|---|---|---|---|---|---|
`

// ofSums are the cases of sums without rows.
func (f *coverageFlags) ofSums() []experiments.Coverage {
	var all []experiments.Coverage
	for _, d := range []int{2, 5, 10} {
		for _, model := range []string{"fixed", "selected"} {
			choose := experiments.FixedSumsModel
			if model == "selected" {
				choose = experiments.SelectedSumsModel
			}
			all = append(all, experiments.Coverage{
				Distribution: experiments.Synthetic{D: d, Noise: coverageNoise}, Rows: f.rows, TestRows: f.test, Repetitions: max(2, f.repetitions/2), Seed: f.seed,
				Form: risk.SameDistribution, Choose: choose, Model: model,
			})
		}
	}
	return all
}

func (f *coverageFlags) sumsMarkdown(results []*experiments.CoverageResult) string {
	var b strings.Builder
	fmt.Fprintf(&b, coverageSums, f.rows, results[0].Repetitions, f.test)
	for _, r := range results {
		fmt.Fprintf(&b, "| %s | %d | %.4f | %.4f | %.4f | %.4f | %.1f %% | %.1f %% |\n", r.Model, r.Distribution.D, r.MeanTruth, r.MeanMSE, r.SD, r.MeanSE, 100*r.Covered, 100*r.CoveredFinal)
	}
	return b.String()
}

const coverageSums = `## Sums without rows

Written by ` + "`mediant study coverage --sums`" + `. The distribution above, n = m = %d: a plan of both tables, sums of each of them in 5 folds of 4 blocks, and a fit from these sums alone, whose standard error is that
between 20 blocks. The fixed model is the one above; the selected one has the features that ` + "`mediant plan`" + ` chooses from the rows, and penalties, w and the method from sums. %d repetitions for each line, truths on
%d coupled rows.

| model | d | mean truth | mean estimate | sd of error | mean se | covered | final model covered |
|---|---|---|---|---|---|---|---|
`

// overlaps are the cases of rows whose U the second table lacks: spoilt at random, and by X, where U of the others has another distribution than that of
// S_Y, so that their risk is that of form 2.
func (f *coverageFlags) overlaps() []experiments.OverlapStudy {
	var all []experiments.OverlapStudy
	add := func(kind string, share float64, byX bool, form risk.Form) {
		all = append(all, experiments.OverlapStudy{
			Kind: kind, Share: share, ByX: byX, Rows: f.rows, TestRows: max(10, f.test/2), Repetitions: f.repetitions,
			Noise: coverageNoise, Seed: f.seed, Form: form,
		})
	}
	for _, kind := range []string{"numbers", "levels", "missing"} {
		for _, share := range []float64{0, .1, .3, .45, .6} {
			if share > 0 || kind == "numbers" {
				add(kind, share, false, risk.SameDistribution)
			}
		}
	}
	for _, kind := range []string{"numbers", "levels", "missing"} {
		add(kind, .3, true, risk.CovariateShift)
	}
	return all
}

func (f *coverageFlags) overlapMarkdown(results []*experiments.OverlapResult) string {
	var b strings.Builder
	fmt.Fprintf(&b, coverageOverlap, f.rows, f.repetitions, max(10, f.test/2))
	b.WriteString("| spoilt | form | no risk | found | wrongly | mean truth | mean estimate | sd of error | mean se | covered | mean over all rows | all rows | bracket | tighter |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n")
	for _, r := range results {
		if r.Refused == 1 {
			fmt.Fprintf(&b, "| %s | %d | 100.0 %% | | | | | | | | | | | |\n", r.OverlapStudy, r.Form)
			continue
		}
		brackets := "| |"
		if r.Form == risk.SameDistribution {
			brackets = fmt.Sprintf("%.1f %% | %.1f %% |", 100*r.Bracket, 100*r.Tight)
		}
		fmt.Fprintf(&b, "| %s | %d | %.1f %% | %.1f %% | %.2f %% | %.4f | %.4f | %.4f | %.4f | %.1f %% | %.4f | %.1f %% | %s\n", r.OverlapStudy, r.Form, 100*r.Refused, 100*r.Found, 100*r.Wrong,
			r.MeanTruth, r.MeanMSE, r.SD, r.MeanSE, 100*r.Covered, r.MeanAll, 100*r.All, brackets)
	}
	return b.String()
}

const coverageOverlap = `## Rows without overlap

Written by ` + "`mediant study coverage --overlap`" + `. The distribution above with d = 2 and a column of three levels beside U, one of which adds 1/2 to Y, n = m = %d. Of a share of the
rows of X and U, U is spoilt: 6 is added to the first number, the level is one that the second table lacks, or the first number is missing; Y of these rows is 1 higher
than that of others, which the two tables do not show. Rows are spoilt at random, or (by X) with a probability in proportion to 1 + X_1, which changes the distribution of U of the others, so that form 2
is the one for them. The fixed model, 100 features a side; %d repetitions for each line, truths on %d coupled rows. The risk is that of
the rows with overlap, "covered" the share of its intervals that contain it; "wrongly" compares the rows that were found with the spoilt ones; the last columns are the shares of bounds over all
rows, with sampling error, that contain the MSE over all rows. Where more than half are without overlap there is no risk.

`

func (f *coverageFlags) run(ctx context.Context, stdout io.Writer) error {
	if err := f.try(stdout); err != nil {
		return err
	}
	start := time.Now()
	cases, few, sums, overlaps := f.parts()
	both := slices.Concat(cases, few, sums)
	var results []*experiments.CoverageResult
	for i, c := range both {
		r, err := c.Run(progress.Step(ctx, "studying cases", i, len(both)+len(overlaps)))
		if err != nil {
			return err
		}
		results = append(results, r)
	}
	var overlapping []*experiments.OverlapResult
	for i, s := range overlaps {
		r, err := s.Run(progress.Step(ctx, "studying cases", len(both)+i, len(both)+len(overlaps)))
		if err != nil {
			return err
		}
		overlapping = append(overlapping, r)
	}
	if f.json {
		out := []any{}
		for _, r := range results {
			out = append(out, r)
		}
		for _, r := range overlapping {
			out = append(out, r)
		}
		return writeJSON(stdout, out)
	}
	var parts []string
	if cases != nil {
		parts = append(parts, f.markdown(results[:len(cases)], time.Since(start)))
	}
	if few != nil {
		parts = append(parts, f.fewRowsMarkdown(few, results[len(cases):len(cases)+len(few)]))
	}
	if sums != nil {
		parts = append(parts, f.sumsMarkdown(results[len(cases)+len(few):]))
	}
	if overlaps != nil {
		parts = append(parts, f.overlapMarkdown(overlapping))
	}
	return writeText(stdout, f.out, strings.Join(parts, "\n"))
}

// parts are the cases of the parts of the study that are asked for; without a flag all are.
func (f *coverageFlags) parts() (cases, few, sums []experiments.Coverage, overlaps []experiments.OverlapStudy) {
	all := !f.synthetic && !f.overlap && !f.few && !f.sums
	if all || f.synthetic {
		cases = f.cases()
	}
	if all || f.few {
		few = f.fewRows()
	}
	if all || f.sums {
		sums = f.ofSums()
	}
	if all || f.overlap {
		overlaps = f.overlaps()
	}
	return cases, few, sums, overlaps
}

func (f *coverageFlags) markdown(results []*experiments.CoverageResult, took time.Duration) string {
	var b strings.Builder
	fmt.Fprintf(&b, coverageHead, f.rows, f.rows, coverageNoise, f.repetitions, f.test, f.seed, max(1, int(took.Minutes()+.5)))
	b.WriteString("| model | form | d | shift | mean truth | mean estimate | ratio | sd of error | mean se | covered | final model covered |\n|---|---|---|---|---|---|---|---|---|---|---|\n")
	for _, r := range results {
		fmt.Fprintf(&b, "| %s | %d | %d | %g | %.4f | %.4f | %.3f | %.4f | %.4f | %.1f %% | %.1f %% |\n", r.Model, r.Form, r.Distribution.D, r.Distribution.Shift,
			r.MeanTruth, r.MeanMSE, r.MeanMSE/r.MeanTruth, r.SD, r.MeanSE, 100*r.Covered, 100*r.CoveredFinal)
	}
	b.WriteString(coverageBrackets)
	for _, r := range results {
		if r.Form == risk.SameDistribution {
			fmt.Fprintf(&b, "| %s | %d | %.1f %% | %.1f %% | %.1f %% | %.1f %% |\n", r.Model, r.Distribution.D, 100*r.Bracket, 100*r.BracketMoved, 100*r.Tight, 100*r.TightMoved)
		}
	}
	b.WriteString(coverageFoot)
	return b.String()
}

const coverageHead = `# Do the intervals of the uncoupled risk cover?

Written by ` + "`mediant study coverage -o docs/coverage.md`" + `.

Distribution: the paper's synthetic one, under which conditional mean independence holds: X uniform on [-1, 1]^d,
U_j = X_j³ + uniform[-1/2, 1/2], Y = |U|² + noise. n = %d rows of (X, U), m = %d rows of (U, Y), noise
variance %g. The fixed model is Joint-RR, w = 1/2, penalty scaled, lambda_f = lambda_h = 1e-4, 200 Fourier
features a side of an additive Gaussian kernel, median bandwidths, cross-fitted over 5 folds. The selected
one is all that ` + "`mediant fit`" + ` chooses from two files alone, anew in each repetition: features, penalties, w and
the method, over 5 folds as well; its estimate is corrected for the choice of the best (docs/theory.md, section 20). The Nyström one is 2Step-RR with
lambdas of 1e-6 and Matérn-3/2 kernels at 300 landmarks a side, which are rows of the tables. Penalties of nuisances are chosen by cross-validation. %d repetitions for each line, half as many where models are selected. The truth is measured on
%d coupled rows, the same for all repetitions of a line: the mean over the fold models, which is what
the risk estimates; "final model" is the one fitted on all rows. Form 2 has S_Y drawn from another distribution: a
row is kept with probability 1/(1 + exp(-shift U_1)), and the risk is that of the population of S_X. The
ratio of the two distributions of U then lies between (1 + exp(-1.5 shift))/2 and (1 + exp(1.5 shift))/2: 0.61 to
2.7 for a shift of 1, 0.52 to 10.5 for a shift of 2. Seed %d; took %d minutes.

`

const coverageBrackets = `
A share of 95 % has a standard error of 1.1 points over 400 repetitions, 1.5 over 200, 2.2 over 100 and 3.1 over 50. Brackets of form 1 that contain
the truth, with their ends as estimated, and moved outwards by t standard errors:

| model | d | simple | moved | tighter | moved |
|---|---|---|---|---|---|
`

const coverageFoot = `
The line with a shift of 2 shows the limit of form 2: compare its mean standard error with the
standard deviation of the errors. Weights of up to 10.5 make the nuisances, the ratio itself among them,
uncertain, and the standard error accounts for their errors only to first order (docs/theory.md, section 15).
`
