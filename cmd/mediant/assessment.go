package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mediant"
	"mediant/check"
	"mediant/encode"
	"mediant/losses"
	"mediant/modelreport"
	"mediant/problem"
	"mediant/risk"
	"mediant/tables"
)

// checkForm refuses a --form that there is not.
func checkForm(form int) error {
	if form != int(risk.SameDistribution) && form != int(risk.CovariateShift) {
		return usagef("--form is %d, must be 1 or 2", form)
	}
	return nil
}

// describeAssessment writes an assessment for people, a line each.
func describeAssessment(a *risk.Assessment) string {
	var b strings.Builder
	r := a.Risk
	switch {
	case r.Known == nil && r.Hi <= 0:
		b.WriteString("risk      no MSE can be estimated from these tables: the estimate and its whole 95 % interval are below 0; too few rows of the second table have U where the first has it, or few rows have most of the weight")
	case r.Known == nil:
		fmt.Fprintf(&b, "risk      the MSE cannot be estimated here: too few rows of the second table have U where the first has it, and the estimate is below 0; at most %s (95 %% interval), if E[Y|U,X] = E[Y|U]", formatNumber(r.Hi))
	default:
		fmt.Fprintf(&b, "risk      MSE %s, 95 %% interval %s to %s (RMSE %s), if E[Y|U,X] = E[Y|U]", formatNumber(r.MSE), formatNumber(r.Lo), formatNumber(r.Hi), formatNumber(math.Sqrt(r.MSE)))
	}
	if o := a.Overlap; o != nil {
		fmt.Fprintf(&b, "; of the %d of %d rows whose U the second table has", o.Rows, o.Of)
	}
	if r.Form == risk.CovariateShift {
		b.WriteString("; the distribution of U may differ")
	}
	if r.Optimism > 0 && (r.Known != nil || r.Hi > 0) {
		fmt.Fprintf(&b, "; %s of it for having chosen the best of many", formatNumber(r.Optimism))
	}
	if r.LearningCurve > 0 && (r.Known != nil || r.Hi > 0) {
		fmt.Fprintf(&b, "; %s less than models of folds, which have fewer rows", formatNumber(r.LearningCurve))
	}
	switch {
	case len(fewRows(a)) > 0:
		fmt.Fprintf(&b, "; rough: from %s of few rows", count(r.Folds, "fold"))
	case r.FewRows:
		b.WriteString("; few rows: the interval may be too narrow")
	}
	b.WriteString("\n")
	if o := a.Overlap; o != nil {
		fmt.Fprintf(&b, "all rows  MSE %s to %s, with sampling error %s to %s: of the other %d rows only the range of Y is known\n", formatNumber(o.All.Lo), formatNumber(o.All.Hi), formatNumber(o.All.Lower), formatNumber(o.All.Upper), o.Of-o.Rows)
		if o.Accuracy != nil {
			fmt.Fprintf(&b, "all rows  accuracy %s to %s, with sampling error %s to %s\n", formatNumber(o.Accuracy.Lo), formatNumber(o.Accuracy.Hi), formatNumber(o.Accuracy.Lower), formatNumber(o.Accuracy.Upper))
		}
	}
	if a.Bracket != nil {
		fmt.Fprintf(&b, "bracket   MSE %s to %s even if not%s; with sampling error %s to %s\n", formatNumber(a.Bracket.Lo), formatNumber(a.Bracket.Hi), overAll(a), formatNumber(a.Bracket.Lower), formatNumber(a.Bracket.Upper))
	}
	if a.Bracket != nil && a.Tight.Hi-a.Tight.Lo < a.Bracket.Hi-a.Bracket.Lo { // else it tells nothing more
		fmt.Fprintf(&b, "tighter   MSE %s to %s even if not%s; with sampling error %s to %s\n", formatNumber(a.Tight.Lo), formatNumber(a.Tight.Hi), overAll(a), formatNumber(a.Tight.Lower), formatNumber(a.Tight.Upper))
	}
	if l := a.Loss; l != nil {
		fmt.Fprintf(&b, "loss      %s %s, 95 %% interval %s to %s, likewise; that of a constant is %s", lossNames[l.Loss], formatNumber(l.Value), formatNumber(l.Lo), formatNumber(l.Hi), formatNumber(l.Constant))
		if l.Optimism > 0 {
			fmt.Fprintf(&b, "; %s of it for having chosen the best penalties", formatNumber(l.Optimism))
		}
		fmt.Fprintf(&b, "\nbracket   %s %s to %s even if not; with sampling error %s to %s\n", lossNames[l.Loss], formatNumber(l.Bracket.Lo), formatNumber(l.Bracket.Hi), formatNumber(l.Bracket.Lower), formatNumber(l.Bracket.Upper))
	}
	if a.Accuracy != nil {
		fmt.Fprintf(&b, "accuracy  %s, 95 %% interval %s to %s, likewise\n", formatNumber(a.Accuracy.Value), formatNumber(a.Accuracy.Lo), formatNumber(a.Accuracy.Hi))
	}
	b.WriteString(describeCalibration(a.Calibration))
	for _, note := range a.Notes {
		fmt.Fprintf(&b, "note      %s\n", oneLine(note))
	}
	return b.String()
}

// describeCalibration says how far probabilities are from how often they are right, if that is known.
func describeCalibration(c *losses.Calibration) string {
	if c == nil {
		return ""
	}
	return fmt.Sprintf("ECE       %s, the expected calibration error; were all probabilities right, sampling would make it %s\n", formatNumber(c.Error), formatNumber(c.ByChance))
}

// calibrationTable has a line for each bin of probabilities.
func calibrationTable(c *losses.Calibration, y *encode.Targets) string {
	if c == nil {
		return ""
	}
	of := "the predicted class"
	if y.Len() == 2 {
		of = fmt.Sprintf("%q", y.Class(1))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\nprobability of %s, and how often it is right\n", oneLine(of))
	fmt.Fprintf(&b, "  %-12s %7s %7s  %s\n", "from, to", "rows", "mean", "right (95 % interval)")
	for _, bin := range c.Bins {
		fmt.Fprintf(&b, "  %-12s %6.1f%% %7.3f  %.3f (%.3f to %.3f)\n", fmt.Sprintf("%.1f, %.1f", bin.Lo, bin.Hi), 100*bin.Share, bin.Mean, bin.Right, bin.RightLo, bin.RightHi)
	}
	return b.String()
}

// lossNames are what losses are called in results.
var lossNames = map[string]string{losses.Log{}.Name(): "log loss", losses.Poisson{}.Name(): "Poisson loss (half the deviance)"}

// lossOf is the loss of a model other than squared error, which form 1 of the risk has; nil if there is none.
func lossOf(m *mediant.Model, form int) losses.Loss {
	if l := m.Loss(); l != nil && form == int(risk.SameDistribution) {
		return l
	}
	return nil
}

// overAll says that brackets are of more rows than the risk.
func overAll(a *risk.Assessment) string {
	if a.Overlap == nil {
		return ""
	}
	return fmt.Sprintf(", over all %d rows", a.Overlap.Of)
}

// uncoupledFlags are those of evaluate for tables without one pair (X, Y).
type uncoupledFlags struct {
	xu, uy  string
	xuy     string             // coupled rows, for the test of conditional mean independence
	weights tables.RoleOptions // and clusters
	cluster string             // in whichever table has it
	form    int
	collect collectFlags
	by      string // a column of X
}

func (f *uncoupledFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.xu, "xu", "", "file with the columns of X and U, new rows")
	flags.StringVar(&f.uy, "uy", "", "file with the columns of U and Y, new rows")
	flags.StringVar(&f.xuy, "xuy", "", "with --xu and --uy: file with the columns of X, U and Y, other rows, to test conditional mean independence, which the risk assumes")
	registerWeights(flags, &f.weights, "of --xu", "of --uy")
	inGroup(flags, columnGroup)
	registerCluster(flags, &f.cluster, &f.weights)
	flags.IntVar(&f.form, "form", 1, "form of the risk: 1, one distribution of U in both tables, or 2, which may differ, without a valid interval where they do")
	registerCoverageBy(flags, &f.by)
	f.collect.register(flags)
	inGroup(flags, riskGroup)
}

func (f *uncoupledFlags) given() bool { return f.xu != "" || f.uy != "" || f.xuy != "" }

func (f *uncoupledFlags) check() error {
	switch {
	case f.xu == "":
		return usagef("--xu is missing: without it nothing is known of f")
	case f.uy == "":
		return usagef("--uy is missing: without it nothing is known of Y")
	case f.xu == "-" && f.uy == "-", f.xuy == "-" && (f.xu == "-" || f.uy == "-"):
		return usagef("only one of --xu, --uy and --xuy can be standard input")
	}
	return checkForm(f.form)
}

// refuse says which flag has a meaning for tables without one pair only.
func (f *uncoupledFlags) refuse(given func(flag string) bool) error {
	for _, flag := range slices.Concat([]string{"weights-xu", "weights-uy", "cluster-xu", "cluster-uy", "form", "coverage-by"}, collectNames, dialectFlags) {
		if given(flag) {
			return usagef("--%s has no meaning with --xy, but with --xu and --uy", flag)
		}
	}
	return nil
}

// openWeighted opens a table with the columns of a model, its column of weights, if there is one, and of clusters, as text.
func openWeighted(ctx context.Context, read *readFlags, path, weights string, clusters []string, written dialect, columns ...tables.Column) (tables.Source, func() error, error) {
	if weights != "" {
		columns = append(columns, tables.Column{Name: weights, Kind: tables.Numeric})
	}
	for _, name := range clusters {
		if name != "" && !slices.ContainsFunc(columns, func(c tables.Column) bool { return c.Name == name }) {
			columns = append(columns, tables.Column{Name: name, Kind: tables.Text})
		}
	}
	return read.of(written).open(ctx, path, columns)
}

// run estimates the risk of a saved model on new tables.
func (f *uncoupledFlags) run(ctx context.Context, read *readFlags, known *checkFlags, model *mediant.Model, page reportFlag, asJSON bool, stdout, stderr io.Writer) error {
	xu, closeXU, err := openWeighted(ctx, read, f.xu, f.weights.WeightsXU, []string{f.cluster, f.weights.ClusterXU}, read.ofXU, slices.Concat(model.X.Columns(), model.U.Columns())...)
	if err != nil {
		return err
	}
	defer closeXU()
	uy, closeUY, err := openWeighted(ctx, read, f.uy, f.weights.WeightsUY, []string{f.cluster, f.weights.ClusterUY}, read.ofUY, slices.Concat(model.U.Columns(), model.Y.Columns())...)
	if err != nil {
		return err
	}
	defer closeUY()
	if err := findCluster(f.cluster, &f.weights, xu.Columns(), uy.Columns()); err != nil {
		return err
	}
	if f.xuy == "" { // else once that is open
		if err := read.checkNames(xu, uy); err != nil {
			return err
		}
	}
	unknown, err := model.Y.Unknown(ctx, uy)
	if err == nil {
		err = model.Y.UnknownError(unknown)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", f.uy, err)
	}
	loss := lossOf(model, f.form)
	if unknown != nil { // labels without a probability
		loss = nil
	}
	found, checked, err := f.look(ctx, known, model, xu, uy)
	if err != nil {
		return err
	}
	writeLater(stderr, found)
	if err := check.Refused(found); err != nil {
		return err
	}
	opt := risk.AssessOptions{Form: risk.Form(f.form), Copies: known.copyRule(), AllRows: known.keepsAll(found), Loss: loss}
	a, of, err := f.assess(ctx, model, xu, uy, opt)
	if err != nil {
		return err
	}
	d, err := f.diagnose(ctx, read, model, a, xu, uy)
	if err != nil {
		return err
	}
	advice, err := f.collect.advise(a)
	if err != nil {
		return err
	}
	f.warn(stderr, a, unknown)
	warnFewClusters(stderr, a.Clusters)
	if err := page.write(ctx, modelreport.Subject{Model: model, XU: xu, UY: uy, Weights: f.weights, Checked: checked, Findings: found, Assessment: a, Distribution: of, Diagnosis: d, Collect: advice}); err != nil {
		return err
	}
	if asJSON {
		return writeJSON(stdout, evaluation{Assessment: a, Distribution: of, Diagnosis: d, Collect: advice, Findings: found})
	}
	_, err = io.WriteString(stdout, describeAssessment(a)+describeDistribution(of)+describeDiagnosis(d)+f.collect.describe(advice)+calibrationTable(a.Calibration, model.Y))
	return err
}

// warn writes what makes a risk doubtful.
func (f *uncoupledFlags) warn(stderr io.Writer, a *risk.Assessment, unknown *encode.UnknownLabels) {
	lines := fewRows(a)
	if unknown != nil {
		lines = append(lines, fmt.Sprintf("%s: %s; they are taken as none of the classes", f.uy, unknown))
	}
	for _, line := range lines {
		fmt.Fprintln(stderr, "warning: "+oneLine(line))
	}
}

// fewRows warns of tables with fewer rows than folds.
func fewRows(a *risk.Assessment) []string {
	if a.Risk.Folds >= problem.DefaultFolds {
		return nil
	}
	return []string{fmt.Sprintf("a table has fewer than %d rows: the risk is from %d folds, and its interval means little", problem.DefaultFolds, a.Risk.Folds)}
}

// look compares the tables with what the model learned from, and looks at them as a fit does. The findings are of both; the report is of the second look.
func (f *uncoupledFlags) look(ctx context.Context, known *checkFlags, model *mediant.Model, xu, uy tables.Source) ([]check.Finding, *check.Report, error) {
	var all []check.Finding
	for _, t := range []struct {
		file  string
		src   tables.Source
		roles tables.Roles
		table check.Table
	}{
		{f.xu, xu, tables.Roles{X: model.Roles.X, U: model.Roles.U}, check.XU},
		{f.uy, uy, tables.Roles{U: model.Roles.U, Y: model.Roles.Y}, check.UY},
	} {
		found, err := known.later(ctx, model, t.src, t.roles, t.table)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", t.file, err)
		}
		for i := range found {
			found[i].What = t.file + ": " + found[i].What
		}
		all = append(all, found...)
	}
	roles := f.weights
	roles.X, roles.U, roles.Y = model.Roles.X, model.Roles.U, model.Roles.Y
	var text []string // which the fit has decided
	for _, c := range slices.Concat(model.X.Columns(), model.U.Columns(), model.Y.Columns()) {
		if c.Kind == tables.Text {
			text = append(text, c.Name)
		}
	}
	report, err := known.tables(ctx, xu, uy, check.Options{Roles: roles, Explicit: text, Seed: model.Seed})
	if err != nil {
		return nil, nil, err
	}
	for i := range report.Findings {
		if f := &report.Findings[i]; fitFlag.MatchString(f.Remedy) {
			f.Remedy = "in a fit: " + f.Remedy
		}
	}
	return check.Settle(append(all, report.Findings...), nil, false), report, nil
}

// fitFlag finds the flags of fit that remedies name and evaluate lacks, since the columns of a model are what they are.
var fitFlag = regexp.MustCompile(`--(ignore|text|shift|x|u|y)\b`)
