package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mediant"
	"mediant/check"
	"mediant/distribution"
	"mediant/encode"
	"mediant/modelreport"
	"mediant/risk"
	"mediant/rr"
	"mediant/tables"
	"mediant/tables/copies"
)

// evaluateFlags are the flags of evaluate.
type evaluateFlags struct {
	read      readFlags
	xy        string
	uncoupled uncoupledFlags
	outside   outsideFlags
	json      bool
	memory    memoryFlag
	known     checkFlags
	report    reportFlag
}

const evaluateHelp = `With --xy, compare the predictions of a model with the Y of a table of coupled (X, Y) rows. MSE
is summed over outputs, R² is pooled over them. Rows without Y are left out and counted; copies
of rows count as one observation. An error far outside the interval that the fit estimated is a
warning. Of a model fitted with --distribution, the CRPS, the share of Y in prediction intervals and
the pinball loss of quantiles follow.

With --xu and --uy, tables that the model has not learned from, estimate its mean squared error
with an interval, as fit does: it is right if X says nothing more about the mean of Y once U is
known; the bracket holds without that. The CRPS and the coverage of prediction intervals of a model fitted with
--distribution are estimated likewise. Some sentences say whether to trust it. --xuy, a few coupled
rows of X, U and Y, tests the condition, which the two tables cannot.

With --xu, --uy and --predictions, estimate the error of any predictor, of whatever program, whose
predictions for the rows of --xu stand in columns of it, and with --against how it differs from that of a
model. Rows that the predictor has learned from make it too small: hold them out in folds.

--cluster COLUMN names clusters, such as schools, whose rows may depend on each other: errors are then from sums over clusters.

Tables are first checked as fit does, and compared with those that the model learned from (docs/check.md). Rows
that it learned from end the run with status 1, since an error that is estimated on them is too small, unless
--accept learned-rows is set. A column in another unit ends the run too.`

func newEvaluate() *cobra.Command {
	var f evaluateFlags
	cmd := &cobra.Command{
		Use:   "evaluate MODEL --xy COUPLED.csv | [MODEL] --xu A.csv --uy B.csv [--predictions COLUMNS]",
		Short: "Compare a model's predictions with known Y, or estimate its risk without",
		Long:  evaluateHelp,
		Example: `  mediant evaluate model.mediant --xy coupled.csv --json
  mediant evaluate model.mediant --xu newA.csv --uy newB.csv
  mediant evaluate --xu A.csv --uy B.csv --predictions forest --fold fold --against model.mediant`,
		Args: func(cmd *cobra.Command, args []string) error {
			if f.outside.given() {
				return arguments()(cmd, args)
			}
			return arguments("the model file")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(cmd.Flags().Changed); err != nil {
				return err
			}
			if err := f.report.check(append(f.inputs(), args...)...); err != nil {
				return err
			}
			if f.outside.given() {
				args = []string{""}
			}
			return f.run(cmd.Context(), args[0], cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.xy, "xy", "", "file with the columns of X and Y")
	f.uncoupled.register(cmd)
	f.outside.register(flags)
	f.report.register(flags)
	flags.BoolVar(&f.json, "json", false, "print the result as JSON")
	inGroup(flags, outputGroup)
	f.read.registerTwo(flags)
	f.known.register(flags)
	f.known.registerCopies(flags)
	f.memory.register(flags)
	mostUsed(flags, "xy", "xu", "uy", "predictions", "against", "fold", "u", "y", "xuy", "json")
	return cmd
}

// check refuses flags that have no meaning together, before anything is read.
func (f *evaluateFlags) check(changed func(flag string) bool) error {
	if !f.outside.given() {
		if err := f.outside.refuse(changed); err != nil {
			return err
		}
	}
	if err := f.uncoupled.collect.check(changed, false, ""); err != nil {
		return err
	}
	switch {
	case f.outside.given() && (f.xy != "" || f.uncoupled.xuy != ""):
		return usagef("--predictions goes with --xu and --uy alone")
	case f.xy == "" && !f.uncoupled.given():
		return usagef("--xy is missing, or --xu and --uy")
	case f.xy != "" && f.uncoupled.given():
		return usagef("--xy and --xu or --uy are two different questions: ask one at a time")
	case f.uncoupled.given():
		if err := f.uncoupled.check(); err != nil {
			return err
		}
	default:
		if err := f.uncoupled.refuse(changed); err != nil {
			return err
		}
	}
	if err := f.known.checkCopies(); err != nil {
		return err
	}
	if err := f.read.check(); err != nil {
		return err
	}
	_, err := f.known.acceptances()
	return err
}

// inputs are the files that are read, but for the model.
func (f *evaluateFlags) inputs() []string {
	all := []string{f.outside.against}
	for _, path := range []string{f.xy, f.uncoupled.xu, f.uncoupled.uy, f.uncoupled.xuy} {
		all = append(all, filesOf(path)...)
	}
	return all
}

func (f *evaluateFlags) run(ctx context.Context, path string, stdout, stderr io.Writer) error {
	if err := tryStdout(stdout); err != nil {
		return err
	}
	limit, err := f.memory.limit()
	if err != nil {
		return err
	}
	defer keepWithin(limit)()
	f.read.memory = limit
	if f.outside.given() {
		return memoryHint(f.runOutside(ctx, limit, stdout, stderr))
	}
	model, err := loadModel(path, limit)
	if err != nil {
		return memoryHint(err)
	}
	f.read.model = model.Reading
	if f.uncoupled.given() {
		return memoryHint(f.uncoupled.run(ctx, &f.read, &f.known, model, f.report, f.json, stdout, stderr))
	}
	src, close, err := openCoupled(ctx, &f.read, f.xy, f.uncoupled.cluster, model)
	if err != nil {
		return err
	}
	defer close()
	if src, err = markCoupled(ctx, src, f.uncoupled.cluster, model); err != nil {
		return fmt.Errorf("%s: %w", f.xy, err)
	}
	if err := f.read.checkNames(src); err != nil {
		return err
	}
	score, found, err := f.score(ctx, model, src, stderr)
	if err != nil {
		return memoryHint(fmt.Errorf("%s: %w", f.xy, err))
	}
	if u := score.UnknownLabels; u != nil {
		fmt.Fprintln(stderr, "warning: "+oneLine(u.String()+"; they count as missed"))
	}
	printNotes(stderr, skipNotes(src))
	var of *distribution.Score
	if model.Distribution != nil {
		if of, err = distribution.Evaluate(ctx, model.Model, model.Distribution, src); err != nil {
			return memoryHint(fmt.Errorf("%s: %w", f.xy, err))
		}
	}
	if err := f.report.write(ctx, modelreport.Subject{Model: model, XY: src, Score: &score, DistributionScore: of, Findings: found}); err != nil {
		return err
	}
	if f.json {
		return writeJSON(stdout, struct {
			rr.Score
			Distribution *distribution.Score `json:"distribution,omitempty"`
			Findings     []check.Finding     `json:"findings"`
		}{score, of, found})
	}
	return describeScore(stdout, score, model.Y, describeDistributionScore(of))
}

// score compares the predictions of a model with coupled rows, unless something that was found in them refuses it.
func (f *evaluateFlags) score(ctx context.Context, model *mediant.Model, src tables.Source, stderr io.Writer) (score rr.Score, found []check.Finding, err error) {
	left := src
	var copied *check.Finding
	if rule := f.known.copyRule(); rule != copies.Keep {
		if left, copied, err = check.Copies(ctx, src, slices.Concat(model.Roles.X, model.Roles.Y, oneOf(f.uncoupled.cluster)), check.Later, rule); err != nil {
			return score, nil, err
		}
	}
	if found, err = f.known.later(ctx, model, src, tables.Roles{X: model.Roles.X, Y: model.Roles.Y}, check.Later); err != nil {
		return score, nil, err
	}
	if copied != nil {
		found = append(found, *copied)
	}
	writeLater(stderr, found)
	if err := check.Refused(found); err != nil {
		return score, nil, err
	}
	if score, err = model.Evaluate(ctx, left); err != nil {
		return score, nil, err
	}
	of, err := f.known.settle(scoreFindings(model.Assessment, score))
	if err != nil {
		return score, nil, err
	}
	writeLater(stderr, of)
	return score, append(found, of...), check.Refused(of)
}

// openCoupled opens a table of coupled rows. It may have U, which tells rows that the model learned from, but it need not be one that can be read.
func openCoupled(ctx context.Context, read *readFlags, path, cluster string, m *mediant.Model) (src tables.Source, close func() error, err error) {
	needed := slices.Concat(m.X.Columns(), m.Y.Columns())
	for _, name := range oneOf(cluster) {
		needed = append(needed, tables.Column{Name: name, Kind: tables.Text})
	}
	if path != "-" && m.U != nil {
		if src, close, err = read.open(ctx, path, slices.Concat(needed, m.U.Columns())); err == nil {
			return src, close, nil
		}
	}
	return read.open(ctx, path, needed)
}

// markCoupled gives coupled rows their clusters.
func markCoupled(ctx context.Context, src tables.Source, cluster string, m *mediant.Model) (tables.Source, error) {
	if cluster == "" {
		return src, nil
	}
	if slices.Contains(slices.Concat(m.Roles.X, m.Roles.Y), cluster) {
		return nil, fmt.Errorf("column %q cannot be clusters: it is one of X or Y", cluster)
	}
	var clusters tables.Clusters
	src, err := clusters.Mark(ctx, src, cluster)
	if err == nil && clusters.Len() < 2 {
		err = fmt.Errorf("all rows are in one cluster %q, must be in at least 2", cluster)
	}
	return src, err
}

// oneOf is a list of a name, empty if there is none.
func oneOf(name string) []string {
	if name == "" {
		return nil
	}
	return []string{name}
}

// scoreFindings are what is doubtful about a score, given what the fit estimated; a may be nil.
func scoreFindings(a *risk.Assessment, score rr.Score) []check.Finding {
	var found []check.Finding
	if score.Missing != nil {
		found = append(found, missingY(score))
	}
	if f := unexpectedError(a, score); f != nil {
		found = append(found, *f)
	}
	return found
}

// missingY is the finding that Y is missing where predictions are others.
func missingY(s rr.Score) check.Finding {
	m := s.Missing
	where := "higher"
	if m.Without < m.With {
		where = "lower"
	}
	return check.Finding{Code: check.LaterMissing, Severity: check.Warning, Table: check.Later, Columns: []string{m.Output}, Rows: s.Dropped, Of: s.Dropped + s.Rows,
		What: fmt.Sprintf("Y is missing in %d of %d rows, whose predictions of %q are %s: %s in the mean, and %s in the rows that have it (p = %.1g)", s.Dropped, s.Dropped+s.Rows, m.Output, where,
			formatNumber(m.Without), formatNumber(m.With), m.PValue),
		Effect: "the error is that of the rows that have Y, and of the others it may be another",
		Remedy: fmt.Sprintf("Y of all rows; --accept %s if only the rows that have it count", check.LaterMissing)}
}

// describeScore writes a score for people, and more lines.
func describeScore(w io.Writer, score rr.Score, y *encode.Targets, more string) error {
	var b strings.Builder
	fmt.Fprintf(&b, "rows      %d\nMSE       %s", score.Rows, formatNumber(score.MSE))
	if score.SE != nil {
		fmt.Fprintf(&b, ", standard error %s", formatNumber(*score.SE))
	}
	if score.Clusters > 0 {
		fmt.Fprintf(&b, " over %d clusters", score.Clusters)
	}
	fmt.Fprintf(&b, "\nRMSE      %s\n", formatNumber(score.RMSE))
	if score.R2 != nil {
		fmt.Fprintf(&b, "R²        %s\n", formatNumber(*score.R2))
	}
	if l := score.Loss; l != nil {
		fmt.Fprintf(&b, "loss      %s %s", lossNames[l.Loss], formatNumber(l.Value))
		if l.SE != nil {
			fmt.Fprintf(&b, ", standard error %s", formatNumber(*l.SE))
		}
		fmt.Fprintf(&b, "; that of a constant is %s\n", formatNumber(l.Constant))
	}
	if score.Accuracy != nil {
		fmt.Fprintf(&b, "accuracy  %s\n", formatNumber(*score.Accuracy))
	}
	if score.Dropped > 0 {
		fmt.Fprintf(&b, "left out  %d rows without %s\n", score.Dropped, allOfY(len(y.Columns())))
	}
	b.WriteString(describeCalibration(score.Calibration) + calibrationTable(score.Calibration, y))
	_, err := io.WriteString(w, b.String()+more)
	return err
}
