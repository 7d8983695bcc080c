package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"mediant"
	"mediant/check"
	"mediant/inference"
	"mediant/internal/garbage"
	"mediant/internal/outfile"
	"mediant/problem"
	"mediant/risk"
	"mediant/rr"
	"mediant/search"
	"mediant/tables"
)

// fitFlags are the flags of fit.
type fitFlags struct {
	twoTableFlags
	out                         string
	text                        textFlags
	method, phi, psi            string
	planFile                    string
	landmarks                   landmarkFlags
	size                        int
	bandwidthX, bandwidthU      float64
	lambda, lambdaF, lambdaH, w float64
	penalty, task, loss         string
	classes                     bool // of Y, not numbers; known once the tables are open
	memory                      memoryFlag
	checkpoint                  checkpointFlags
	noIntercept, noStandardize  bool
	se, shift                   bool
	precision, components       bool
	arithmetic, solver          string
	seed                        uint64
	json, quiet                 bool
	noRisk, noDiagnosis, dryRun bool
	form                        int
	collect                     collectFlags
	report                      reportFlag
	distribution                distributionFlags

	given func(flag string) bool
}

const fitHelp = `Fit a model to a table of (X, U) and a table of (U, Y).

Columns get their roles by name: U = columns that both tables have, X = columns only
in the first, Y = columns only in the second; --x, --u and --y override that. If Y is
one text column the model classifies, else it regresses. A text column of X or U with many
distinct values is free text: its words and character n-grams (n = 3 to 5) become hashed TF-IDF
(--word-ngrams, --char-ngrams, --hash-columns).

A file named .svm or .libsvm (or these with .gz) is in the format of libsvm. It has one column
of sparse rows, named as the file without its ending, and one of its labels, if they differ,
named "NAME label". Commas join the columns of files of the same rows: --xu x.svm,u.svm
--uy u.svm has X = x, U = u and Y = u label.

Rows of one cluster, such as a school, may depend on each other: --cluster COLUMN keeps each cluster in one fold, and the errors of the risk are then from sums over clusters.

Both tables are checked first, as the command check does: an error ends the run unless
--accept CODE is set. Identifiers and dates that no flag names are left out, copies of a row
count as one observation, and rows of the first table without overlap, whose U is outside the
support of U in the second table, are left out of fit and risk.

A setting that a flag sets is used exactly. The others are chosen from the two tables: the
features of U and lambda_h by cross-validation; those of X, lambda_f, w, whether f is fitted by
components and, unless --method says so, whether 2Step-RR, Joint-RR or the naive chain by the risk
below. Of several columns of Y each has its own w and penalties. --json lists all candidates. With
--method naive or cme there is no search: 512 Gaussian features a side at median bandwidths, lambda
1e-4; cme chooses its lambda_f.

The risk is the mean squared error of the method, estimated without coupled (X, Y) rows by
cross-fitting: each of 5 models is fitted on 4/5 of the rows and evaluated on the others. The
bias from choosing the best of several candidates is corrected. The risk is valid if
E[Y|U,X] = E[Y|U]: given U, X carries no further information about the mean of Y. The bracket
holds without this assumption. Under covariate shift, where the distribution of U differs between the tables, --shift weights the
rows of U and Y by the ratio of densities, so that fit, risk and bracket refer to the rows of X
and U. --form 2 estimates the risk without such weights (there is no bracket then). Its intervals
are not valid under large shifts: those of 95 % contained the truth in 131 of 200 draws, and in
94 to 97 % only where no U is more than 2.7 times as frequent in the one table as in the other
(docs/theory.md, section 15).

With --distribution the model also keeps the distribution of Y given X, for a Y that is one column of
numbers: P(Y <= t|X) at 50 quantiles t of Y. Its error (CRPS) and the share of Y in its prediction
intervals are estimated without coupled rows too, over all rows and by groups of them, and the level
of intervals is tuned by that estimate. This requires that Y is independent of X given U, in
distribution and not only in mean. Under covariate shift the share is still estimated for the rows
of X and U, by weights of the other rows; the CRPS is with --shift or --form 2 alone. Neither counts
rows of X and U that are left out because the other table lacks their U.

A diagnosis of a few sentences follows: whether U has the same distribution in both tables, how
well X predicts h(U), how well U predicts Y, which rows both tables share, and how large the
error may be if the assumption fails, which two tables cannot show.`

func newFit() *cobra.Command {
	var f fitFlags
	cmd := &cobra.Command{
		Use:   "fit --xu A.csv --uy B.csv -o MODEL",
		Short: "Fit a model to a table of (X, U) and a table of (U, Y)",
		Long:  fitHelp,
		Example: `  mediant fit --xu A.csv --uy B.csv -o model.mediant
  mediant fit --xu A.csv --uy B.csv --y 'mood' --method 2step --lambda 1e-3 -o m.mediant
  mediant fit --xu A.csv.gz --uy B.csv.gz --phi nystrom:gaussian --features 1000 --json -o m.mediant`,
		Args: arguments(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			f.given = cmd.Flags().Changed
			return f.run(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f.register(cmd.Flags())
	return cmd
}

// inputs are the files that are read; libsvm files may stand side by side.
func (f *fitFlags) inputs() []string {
	all := []string{f.landmarks.x, f.landmarks.u, f.planFile}
	for _, table := range []string{f.xu, f.uy} {
		all = append(all, filesOf(table)...)
	}
	return all
}

func (f *fitFlags) run(ctx context.Context, stdout, stderr io.Writer) error {
	setup, err := f.setup()
	if err != nil {
		return err
	}
	if f.planFile != "" || ofSums(f.xu) || ofSums(f.uy) {
		return f.runSums(ctx, setup, stdout, stderr)
	}
	if err := f.checkBefore(setup, stdout); err != nil {
		return err
	}
	return f.checkpoint.within(ctx, f.inputs(), func(ctx context.Context) error { return f.runTables(ctx, setup, stdout, stderr) })
}

// runTables is run where both tables are rows.
func (f *fitFlags) runTables(ctx context.Context, setup problem.Setup, stdout, stderr io.Writer) error {
	defer keepWithin(setup.Memory)()
	f.readFlags.memory = setup.Memory
	var s summary
	start := time.Now()
	two, err := f.openClustered(ctx)
	if err != nil {
		return err
	}
	defer two.close()
	checked, err := f.look(ctx, two, &setup, &s, stderr)
	if err != nil {
		return err
	}
	closeLandmarks, err := f.openLandmarks(ctx, &setup, two.xu, two.uy)
	if err != nil {
		return err
	}
	defer closeLandmarks()
	if err := f.distribution.checkColumns(two.xu, two.uy, f.roles); err != nil {
		return err
	}
	plan, err := f.plan(setup)
	if err != nil {
		return err
	}
	if f.dryRun {
		return f.outline(ctx, plan, two, checked, start, stdout)
	}
	s.Seconds.Read = time.Since(start).Seconds()
	defer garbage.OfMatrices()()
	model, choice, err := f.fitAndSave(ctx, plan, two, &s)
	if err != nil {
		return err
	}
	if s.Collect, err = model.Collect(f.collect.costs); err != nil {
		return err
	}
	if err := f.writeReport(ctx, model, choice, checked, two, &s); err != nil {
		return err
	}
	s.Seconds.Total = time.Since(start).Seconds()
	s.describe(model, f.out)
	s.Report = string(f.report)
	return f.print(model, &s, stdout, stderr)
}

// print writes what was fitted, as the flags ask for.
func (f *fitFlags) print(model *mediant.Model, s *summary, stdout, stderr io.Writer) error {
	switch {
	case f.json:
		return writeJSON(stdout, s)
	case f.quiet:
		return nil
	}
	for _, w := range model.Warnings {
		fmt.Fprintln(stderr, "warning: "+oneLine(w))
	}
	return describeModel(stdout, model, describeDiagnosis(s.Diagnosis)+f.collect.describe(s.Collect), fmt.Sprintf("written to %s in %.2f s", f.out, s.Seconds.Total)+f.report.said())
}

// checkBefore refuses what can be refused before anything is read.
func (f *fitFlags) checkBefore(setup problem.Setup, stdout io.Writer) error {
	plan, err := f.plan(setup)
	if err != nil {
		return err
	}
	if err := f.check(); err != nil {
		return err
	}
	if err := f.distribution.check(f.noRisk); err != nil {
		return err
	}
	if err := f.collect.check(f.given, f.noRisk, "with --no-risk"); err != nil {
		return err
	}
	if err := f.checkpoint.check(f.inputs()...); err != nil {
		return err
	}
	if f.out != "" { // which a dry run does not need
		if err := checkOutput(f.out, f.inputs()...); err != nil {
			return err
		}
	}
	if err := f.report.check(append(f.inputs(), f.out)...); err != nil {
		return err
	}
	if f.json || !f.quiet {
		if err := tryStdout(stdout); err != nil {
			return err
		}
	}
	return memoryHint(plan.checkMemory(f.noRisk, f.of(f.ofXU).preview(f.xu), f.of(f.ofUY).preview(f.uy)))
}

// look checks the tables, ends the run if they refuse it, and puts what follows from them into the setup.
func (f *fitFlags) look(ctx context.Context, two *twoTables, setup *problem.Setup, s *summary, stderr io.Writer) (*check.Report, error) {
	report, err := f.checkFlags.tables(ctx, two.xu, two.uy, check.Options{Roles: f.roles, Explicit: append(slices.Clip(two.text), f.label(two).Name), Seed: f.seed})
	if err != nil {
		return nil, err
	}
	if !f.quiet {
		writeFindings(stderr, report.Findings)
	}
	if err := report.Refusal(); err != nil {
		return nil, err
	}
	s.Findings = report.Findings
	f.roles.Ignore = append(f.roles.Ignore, report.LeftOut...)
	setup.Roles = f.roles
	setup.Copies, setup.AllRows = f.copyRule(), f.keepsAll(report.Findings)
	if err := f.openLabels(ctx, two); err != nil {
		return nil, err
	}
	f.classes = f.outcome(two).Kind == tables.Text
	return report, nil
}

// fitAndSave writes the model before its risk is estimated, which must not cost the model, and again with it.
func (f *fitFlags) fitAndSave(ctx context.Context, p plan, two *twoTables, s *summary) (*mediant.Model, *search.Choice, error) {
	model, choice, err := f.fit(ctx, p, two.xu, two.uy, s)
	if err != nil {
		return nil, nil, hinted(err)
	}
	f.text.warn(model.Model, f.given)
	model.Reading = f.readFlags.reading()
	if err := ctx.Err(); err != nil { // solving does not stop half-way
		return nil, nil, err
	}
	if err := outfile.Write(f.out, model.Save); err != nil || f.noRisk {
		return model, choice, err
	}
	if err := f.assess(ctx, model, choice, two.xu, two.uy, s); err != nil {
		return nil, nil, fmt.Errorf("%w; %s is the model without its risk", hinted(err), f.out)
	}
	if err := f.distribution.add(ctx, model, choice, f.form); err != nil {
		return nil, nil, fmt.Errorf("%w; %s is the model without its distribution", hinted(err), f.out)
	}
	return model, choice, outfile.Write(f.out, model.Save)
}

// fitPlanned chooses the method, if no flag sets it, and fits it. The choice is nil where a fit without risk needs no problem.
func (f *fitFlags) fitPlanned(ctx context.Context, p plan, xu, uy tables.Source, s *summary) (model *mediant.Model, choice *search.Choice, err error) {
	clock := time.Now()
	if p.method != nil && f.noRisk && !f.se && !f.precision {
		m, err := rr.Fit(ctx, p.setup, p.method, xu, uy) // which may need fewer sums than a problem has
		s.Seconds.Fit = lap(&clock)
		return &mediant.Model{Model: m}, nil, err
	}
	if p.method == nil {
		choice, err = p.search.Choose(ctx, xu, uy)
		s.Seconds.Select = lap(&clock)
	} else {
		if !f.noRisk {
			p.setup.Folds = problem.DefaultFolds
		}
		choice, err = f.prepare(ctx, p, xu, uy)
	}
	if err != nil {
		return nil, nil, err
	}
	m, err := choice.Fit(ctx)
	if err != nil {
		return nil, nil, err
	}
	model = &mediant.Model{Model: m, Search: choice.Trials}
	if f.se {
		se, err := inference.Estimate(ctx, choice.Problem, m, inference.Corrected)
		if err != nil {
			return nil, nil, err
		}
		model.SetErrors(se)
	}
	s.Seconds.Fit = lap(&clock)
	return model, choice, nil
}

// prepare reads the tables for a method that is set.
func (f *fitFlags) prepare(ctx context.Context, p plan, xu, uy tables.Source) (*search.Choice, error) {
	opt := risk.AssessOptions{Form: risk.Form(f.form)}
	if !f.precision {
		return search.ChoiceOfTables(ctx, p.setup, p.method, opt, xu, uy)
	}
	problem, err := problem.Prepare(ctx, p.setup, xu, uy)
	if err != nil {
		return nil, err
	}
	if problem, err = search.WeighByPrecision(ctx, problem); err != nil {
		return nil, err
	}
	return search.ChoiceOf(problem, p.method, opt)
}
