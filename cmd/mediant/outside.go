package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"mediant/check"
	"mediant/collect"
	"mediant/diagnose"
	"mediant/internal/names"
	"mediant/losses"
	"mediant/problem"
	"mediant/risk"
	"mediant/rr"
	"mediant/tables"
)

// outsideFlags are those of evaluate for predictions of another program, which stand in columns of a table.
type outsideFlags struct {
	predictions, u, y, ignore []string
	against, fold, loss       string
}

func (f *outsideFlags) register(flags *pflag.FlagSet) {
	columnsVar(flags, &f.predictions, "predictions", "columns of --xu with the predictions of any predictor, one per output of Y in their order, or one per class, in the order of label or with its names; no MODEL is needed then (comma list, globs)")
	flags.StringVar(&f.against, "against", "", "with --predictions: a model file to compare them with")
	flags.StringVar(&f.loss, "loss", "squared", "with --predictions: loss of which the risk is estimated besides the squared error: squared, log (predictions are probabilities of classes) or poisson (means of counts)")
	flags.StringVar(&f.fold, "fold", "", "with --predictions: column of --xu that says which rows were held out together")
	columnsVar(flags, &f.u, "u", "with --predictions: columns of U (default: those in both tables; comma list, globs)")
	columnsVar(flags, &f.y, "y", "with --predictions: columns of Y (default: the others of --uy; comma list, globs)")
	columnsVar(flags, &f.ignore, "ignore", "with --predictions: columns of either table to leave unused (comma list, globs)")
	inGroup(flags, columnGroup)
}

func (f *outsideFlags) given() bool { return len(f.predictions) > 0 }

// refuse says which flag has a meaning for predictions only.
func (f *outsideFlags) refuse(given func(flag string) bool) error {
	for _, flag := range []string{"against", "fold", "loss", "u", "y", "ignore"} {
		if given(flag) {
			return usagef("--%s has no meaning without --predictions", flag)
		}
	}
	return nil
}

// An outsideEvaluation is the result as JSON.
type outsideEvaluation struct {
	*risk.Comparison
	Diagnosis *diagnose.Diagnosis `json:"diagnosis,omitempty"`
	Collect   *collect.Advice     `json:"collect,omitempty"`
	Findings  []check.Finding     `json:"findings"`
}

// runOutside estimates the risk of predictions.
func (f *evaluateFlags) runOutside(ctx context.Context, limit int64, stdout, stderr io.Writer) error {
	if _, ok := losses.ByName(f.outside.loss); !ok {
		return usagef("--loss %q, want squared, log or poisson", f.outside.loss)
	}
	f.read.ignore = &f.outside.ignore
	both, err := f.read.openTwo(ctx, f.uncoupled.xu, f.uncoupled.uy)
	if err != nil {
		return err
	}
	defer both.close()
	if err := findCluster(f.uncoupled.cluster, &f.uncoupled.weights, both.xu.Columns(), both.uy.Columns()); err != nil {
		return err
	}
	of := risk.Predictions{}
	if of.Columns, err = f.outside.columns(both.xu.Columns()); err != nil {
		return fmt.Errorf("%s: %w", f.uncoupled.xu, err)
	}
	fold, err := f.heldOut(ctx, both.xu, stderr)
	if err != nil {
		return err
	}
	if of.Against, err = f.against(ctx, limit, both.xu, stderr); err != nil {
		return err
	}
	roles := f.uncoupled.weights
	roles.X, roles.U, roles.Y = of.Columns, f.outside.u, f.outside.y
	roles.Ignore = f.outside.ignore
	if fold != "" { // is no U where both tables have it
		roles.Ignore = append(slices.Clip(roles.Ignore), fold)
	}
	report, err := f.known.tables(ctx, both.xu, both.uy, check.Options{Roles: roles})
	if err != nil {
		return err
	}
	writeFindings(stderr, report.Findings)
	if err := check.Refused(report.Findings); err != nil {
		return err
	}
	roles.Ignore = append(roles.Ignore, report.LeftOut...)
	setup := problem.Setup{Roles: roles, Copies: f.known.copyRule(), AllRows: f.known.keepsAll(report.Findings), Memory: limit}
	c, err := risk.AssessPredictions(ctx, setup, both.xu, both.uy, of, risk.AssessOptions{Form: risk.Form(f.uncoupled.form), Loss: otherLoss(f.outside.loss)})
	if err != nil {
		return err
	}
	for _, line := range fewRows(c.Assessment) {
		fmt.Fprintln(stderr, "warning: "+oneLine(line))
	}
	warnFewClusters(stderr, c.Assessment.Clusters)
	advice, err := f.uncoupled.collect.advise(c.Assessment)
	if err != nil {
		return err
	}
	d, err := f.lookOutside(ctx, setup, of, c, both, advice, report, stderr)
	if err != nil {
		return err
	}
	if f.json {
		return writeJSON(stdout, outsideEvaluation{c, d, advice, report.Findings})
	}
	_, err = io.WriteString(stdout, describeAssessment(c.Assessment)+f.describeDifference(c)+describeDiagnosis(d)+f.uncoupled.collect.describe(advice))
	return err
}

// columns are those of the predictions in the order of the flag, which is that of the outputs; those of a glob are in the order of the table.
func (f *outsideFlags) columns(all []tables.Column) (columns []string, err error) {
	for _, pattern := range names.Resolve(tables.ColumnNames(all), f.predictions) {
		hit, err := tables.MatchNames(all, []string{pattern})
		if err != nil {
			return nil, err
		}
		for _, name := range hit {
			if !slices.Contains(columns, name) {
				columns = append(columns, name)
			}
		}
	}
	return columns, nil
}

// against loads the model to compare predictions with, nil if there is none, and compares the rows with those that it learned from: it has not held those out, and would
// seem the better one.
func (f *evaluateFlags) against(ctx context.Context, limit int64, xu tables.Source, stderr io.Writer) (*rr.Model, error) {
	if f.outside.against == "" {
		return nil, nil
	}
	m, err := loadModel(f.outside.against, limit)
	if err != nil {
		return nil, err
	}
	found, err := f.known.later(ctx, m, xu, tables.Roles{X: m.Roles.X, U: m.Roles.U}, check.XU)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.uncoupled.xu, err)
	}
	writeLater(stderr, found)
	return m.Model, check.Refused(found)
}

// heldOut looks at the column that says which rows were held out together, or says what it means that there is none.
func (f *evaluateFlags) heldOut(ctx context.Context, xu tables.Source, stderr io.Writer) (fold string, err error) {
	if f.outside.fold == "" {
		fmt.Fprintln(stderr, "note: predictions of rows that the predictor has learned from make the risk too small; if it has held them out in folds, --fold COLUMN says so")
		return "", nil
	}
	name, err := tables.MatchNames(xu.Columns(), []string{f.outside.fold})
	if err != nil {
		return "", fmt.Errorf("%s: --fold: %w", f.uncoupled.xu, err)
	}
	if len(name) > 1 {
		return "", fmt.Errorf("%s: --fold: %d columns match %q, want one", f.uncoupled.xu, len(name), f.outside.fold)
	}
	column := slices.IndexFunc(xu.Columns(), func(c tables.Column) bool { return c.Name == name[0] })
	selection, err := tables.Select(xu.Columns(), xu.Columns()[column:column+1])
	if err != nil {
		return "", fmt.Errorf("%s: --fold: %w", f.uncoupled.xu, err)
	}
	kind, place := selection.Place(0)
	folds := map[string]bool{}
	for b, err := range tables.NewGuard("", xu).Batches(ctx) {
		if err != nil {
			return "", err
		}
		for i := range b.Rows {
			cell := ""
			if kind == tables.Text {
				cell = strings.Clone(b.Text[place][i])
			} else if v := b.Num.At(i, place); !math.IsNaN(v) {
				cell = strconv.FormatFloat(v, 'g', -1, 64)
			}
			if cell == "" {
				return "", fmt.Errorf("%s: --fold: %s has no value of column %q", f.uncoupled.xu, tables.FactsOf(xu).Where(b.Start+i), name[0])
			}
			folds[cell] = true
		}
	}
	if len(folds) < 2 {
		return "", fmt.Errorf("%s: --fold %q has one value, want at least two: the predictions of each are made without its rows", f.uncoupled.xu, name[0])
	}
	return name[0], nil
}

// describeDifference says how predictions compare with a model.
func (f *evaluateFlags) describeDifference(c *risk.Comparison) string {
	line := func(name string, of float64, d *risk.Interval) string {
		verdict := "no clear difference"
		switch {
		case d.Hi < 0:
			verdict = "the predictions are better"
		case d.Lo > 0:
			verdict = "the model is better"
		}
		return fmt.Sprintf("against   %s %s of %s; difference %s, 95 %% interval %s to %s: %s\n", name, formatNumber(of), f.outside.against, formatNumber(d.Value), formatNumber(d.Lo), formatNumber(d.Hi), verdict)
	}
	if c.Difference == nil {
		return ""
	}
	text := line("MSE", c.Against.Risk.MSE, c.Difference)
	if c.LossDifference != nil {
		text += line(lossNames[c.Against.Loss.Loss], c.Against.Loss.Value, c.LossDifference)
	}
	return text
}
