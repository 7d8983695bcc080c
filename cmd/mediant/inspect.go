package main

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"mediant"
	"mediant/check"
	"mediant/encode"
	"mediant/features"
	"mediant/metric"
	"mediant/modelreport"
	"mediant/problem"
	"mediant/rr"
	"mediant/tables"
)

func newInspect() *cobra.Command {
	var asJSON bool
	var page reportFlag
	cmd := &cobra.Command{
		Use:   "inspect FILE",
		Short: "Show what a file of a model, a plan or sums holds",
		Args:  arguments("the model file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := page.check(args[0]); err != nil {
				return err
			}
			if err := tryStdout(cmd.OutOrStdout()); err != nil {
				return err
			}
			if begins := head(args[0]); !asJSON && (problem.IsPlan(begins) || problem.IsSums(begins)) {
				if page != "" {
					return usagef("--report has no meaning for a plan or sums")
				}
				return inspectSums(cmd.OutOrStdout(), args[0], problem.IsPlan(begins))
			}
			model, err := loadModel(args[0], 0)
			if err != nil {
				return err
			}
			if err := page.write(cmd.Context(), modelreport.Subject{Model: model}); err != nil {
				return err
			}
			if asJSON {
				text, err := model.Header()
				if err != nil {
					return err
				}
				_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s\n", text)
				return err
			}
			return describeModel(cmd.OutOrStdout(), model, "", "")
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the header of the file as JSON")
	page.register(cmd.Flags())
	return cmd
}

// inspectSums describes a file of a plan or of sums.
func inspectSums(w io.Writer, path string, isPlan bool) error {
	var b lines
	if isPlan {
		p, err := readPlan(path)
		if err != nil {
			return err
		}
		b.plan(p)
	} else {
		s, err := readSums(path)
		if err != nil {
			return named(path, err)
		}
		b.sums(s)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// describeModel writes a model for people: for fit, with more lines and a last one, or for inspect.
func describeModel(w io.Writer, m *mediant.Model, more, last string) error {
	var b lines
	b.hyperparameters(m)
	b.columns(m)
	b.predictors(m)
	if m.Assessment != nil {
		b.WriteString(describeAssessment(m.Assessment))
	}
	if m.Distribution != nil {
		b.WriteString(describeDistribution(m.Distribution.Assessment))
	}
	if last == "" {
		b.WriteString(describeLearned(m))
	}
	for _, note := range m.Notes {
		b.line("note", "%s", note)
	}
	b.WriteString(more)
	if last != "" { // fit has shown the warnings on stderr
		b.line("model", "%s", last)
	} else {
		for _, warning := range m.Warnings {
			b.line("warning", "%s", warning)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// lines are a description for people, a name and its text each.
type lines struct{ strings.Builder }

func (b *lines) line(name, format string, args ...any) {
	fmt.Fprintf(b, "%-10s%s\n", name, oneLine(fmt.Sprintf(format, args...)))
}

// hyperparameters describes the method.
func (b *lines) hyperparameters(m *mediant.Model) {
	b.line("method", "%s", m.Method)
	if p := m.Params; p.W != nil && m.Method == "joint" {
		b.line("w", "%g, penalty %s", *p.W, p.Penalty)
	}
	if m.Params.Precision {
		b.line("weights", "rows of X and U by the precision of h(U) given X")
	}
	if a := m.Params.Arithmetic; a != "" {
		b.line("sums", "in %s arithmetic", a)
	}
	for _, l := range []struct {
		name  string
		value *float64
	}{{"lambda_f", m.Params.LambdaF}, {"lambda_g", m.Params.LambdaG}, {"lambda_xu", m.Params.LambdaXU}, {"lambda_h", m.Params.LambdaH}} {
		if l.value != nil {
			b.line(l.name, "%g", *l.value)
		}
	}
	for j, p := range m.Params.Outputs {
		b.line("output", "%s: %s", m.Y.Names()[j], p)
	}
}

// columns describes what the model was fitted to.
func (b *lines) columns(m *mediant.Model) {
	b.line("rows", "%d of X and U, %d of U and Y", m.Rows.XU, m.Rows.UY)
	x, u, controls := instrumentRoles(m.Roles)
	b.line("X", "%s", listed(x))
	b.line("U", "%s", listed(u))
	if controls != nil {
		b.line("controls", "%s", listed(controls))
	}
	b.line("Y", "%s", listed(m.Roles.Y))
	if len(m.Reading.NA) > 0 {
		b.line("missing", "%s", listed(m.Reading.NA))
	}
	if len(m.Reading.Dates) > 0 {
		b.line("dates", "%s", listed(m.Reading.Dates))
	}
	if classes := m.Y.Classes(); classes != nil {
		b.line("classes", "%s", listed(classes))
	}
}

// instrumentRoles are X and U without the controls of an instrument, which are in both, and these.
func instrumentRoles(r tables.Roles) (x, u, controls []string) {
	for _, name := range r.X {
		if slices.Contains(r.U, name) {
			controls = append(controls, name)
		} else {
			x = append(x, name)
		}
	}
	return x, slices.DeleteFunc(slices.Clone(r.U), func(name string) bool { return slices.Contains(controls, name) }), controls
}

// predictors describes f and h, and the linear systems whose solutions they are.
func (b *lines) predictors(m *mediant.Model) {
	for _, f := range []struct {
		name string
		of   rr.Predictor
	}{{"f", m.F}, {"h", m.H}} {
		if f.of != nil {
			b.line(f.name, "%s", describePredictor(f.of))
		}
	}
	b.metric("X", m.F, m.X)
	b.metric("U", m.H, m.U)
	b.warp("X", m.F, m.X)
	b.warp("U", m.H, m.U)
	b.terms("X", m.F, m.X)
	b.terms("U", m.H, m.U)
	for _, name := range slices.Sorted(maps.Keys(m.Condition)) {
		c := m.Condition[name]
		if c.Number == nil {
			b.line("system "+name, "rank %d, singular to rounding", c.Rank)
		} else {
			b.line("system "+name, "rank %d, condition number %.2g", c.Rank, *c.Number)
		}
	}
	b.iterations(m)
}

// iterations describes how systems were solved by conjugate gradients.
func (b *lines) iterations(m *mediant.Model) {
	for _, name := range slices.Sorted(maps.Keys(m.Iterations)) {
		c := m.Iterations[name]
		how := "converged"
		switch {
		case c.Breakdown > 0:
			how = fmt.Sprintf("broke down at %d", c.Breakdown)
		case !c.Converged:
			how = "did not converge"
		}
		b.line("system "+name, "%d iterations of conjugate gradients, %s: predictions within %.1g of a standard deviation of Y, residual %.1g, preconditioned condition number %.2g", c.Iterations, how, c.Off, c.Residual, c.Condition)
	}
}

// metric describes the learned metric of a side, if it has one: shares of columns in the mean squared gradient, and the directions of a full metric.
func (b *lines) metric(side string, of rr.Predictor, by *encode.Encoder) {
	l := rr.LinearOf(of)
	if l == nil || features.MetricOf(l.Map) == nil {
		return
	}
	s, err := metric.Summarize(features.MetricOf(l.Map), by.Names())
	if err != nil {
		b.line("metric "+side, "%v", err)
		return
	}
	b.line("metric "+side, "%s", listed(shares(s.Columns)))
	for i, d := range s.Directions {
		b.line("", "direction %d, %.2g: %s", i+1, d.Share, d)
	}
}

// warp describes the warped columns of a side, if it has them: shares of columns in what splits explain.
func (b *lines) warp(side string, of rr.Predictor, by *encode.Encoder) {
	l := rr.LinearOf(of)
	if l == nil || features.WarpOf(l.Map) == nil {
		return
	}
	columns, err := metric.Shares(features.WarpOf(l.Map), by.Names())
	if err != nil {
		b.line("splits "+side, "%v", err)
		return
	}
	b.line("splits "+side, "%s", listed(shares(columns)))
}

// terms describes the polynomial of a side, if it has learned which monomials count: those with the largest coefficients, in units of the encoded columns.
func (b *lines) terms(side string, of rr.Predictor, by *encode.Encoder) {
	l := rr.LinearOf(of)
	if l == nil {
		return
	}
	columns, err := metric.Terms(l.Map, l.Coef, by.Names())
	if err != nil {
		b.line("terms "+side, "%v", err)
		return
	}
	if columns != nil {
		b.line("terms "+side, "%s", listed(shares(columns)))
	}
}

// shares are columns with their values.
func shares(columns []metric.Column) []string {
	var names []string
	for _, c := range columns {
		names = append(names, fmt.Sprintf("%s %.2g", c.Name, c.Value))
	}
	return names
}

// listedColumns is how many columns of a model inspect describes.
const listedColumns = 20

// describeLearned writes what a model keeps of the columns that it learned from, U of both tables together.
func describeLearned(m *mediant.Model) string {
	l := m.Learned
	if l == nil {
		return "learned   nothing is kept of the tables: later rows cannot be compared with them\n"
	}
	var b strings.Builder
	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "learned   column\trole\tkind\tmissing\tvalues")
	listed := 0
	x, u, controls := instrumentRoles(m.Roles)
	for _, role := range []struct {
		name  string
		names []string
		of    []*check.LearnedTable
	}{{"X", x, []*check.LearnedTable{&l.XU}}, {"U", u, []*check.LearnedTable{&l.XU, &l.UY}}, {"X, U", controls, []*check.LearnedTable{&l.XU, &l.UY}}, {"Y", m.Roles.Y, []*check.LearnedTable{&l.UY}}} {
		for _, name := range role.names {
			if listed++; listed > listedColumns {
				continue
			}
			var all []*check.Profile
			for _, t := range role.of {
				if p := t.Column(name); p != nil {
					all = append(all, p)
				}
			}
			if len(all) > 0 {
				kind, missing, values := describeColumns(all)
				fmt.Fprintf(table, "          %s\t%s\t%s\t%s\t%s\n", oneLine(name), role.name, kind, missing, values)
			}
		}
	}
	table.Flush()
	if listed > listedColumns {
		fmt.Fprintf(&b, "          ... (%d columns in all)\n", listed)
	}
	for _, t := range []struct {
		name string
		of   *check.Fingerprints
	}{{"X and U", l.XU.Fingerprints}, {"U and Y", l.UY.Fingerprints}} {
		fmt.Fprintf(&b, "          fingerprints of %d rows of %s (%.3g %% of the distinct ones), so that evaluate knows them again\n", t.of.Kept(), t.name, 100*t.of.Share())
	}
	return b.String()
}

// describeColumns sums up one column of one table or two: its kind, the share of missing values, and the range of numbers or the
// number of levels.
func describeColumns(all []*check.Profile) (kind, missing, values string) {
	kind, missing = string(all[0].Kind), "none"
	rows, without, levels := 0, 0, 0
	least, largest := math.Inf(1), math.Inf(-1)
	for _, p := range all {
		rows, without, levels = rows+p.Rows, without+p.Missing, max(levels, p.Distinct)
		if string(p.Kind) != kind {
			kind += " or " + string(p.Kind)
		}
		if p.Numbers != nil {
			least, largest = min(least, p.Numbers.Min), max(largest, p.Numbers.Max)
		}
	}
	if without > 0 {
		missing = fmt.Sprintf("%.3g %%", 100*float64(without)/float64(rows))
	}
	switch {
	case least <= largest:
		values = fmt.Sprintf("%s to %s", formatNumber(least), formatNumber(largest))
	case levels > 0:
		values = count(levels, "level")
	}
	return kind, missing, values
}

// listed lists at most a line's worth of names.
func listed(all []string) string {
	const most = 8
	text := strings.Join(all[:min(len(all), most)], ", ")
	if len(all) > most {
		text += fmt.Sprintf(", ... (%d in all)", len(all))
	}
	return text
}

func describePredictor(p rr.Predictor) string {
	switch p := p.(type) {
	case *rr.Linear:
		in, out := p.Map.Dims()
		return fmt.Sprintf("%s, %s -> %s -> %s", features.Describe(p.Map), count(in, "column"), count(out, "feature"), count(len(p.Intercept), "output"))
	case rr.Linked:
		return describePredictor(p.Linear) + ", means of the " + p.Loss.Name() + " loss"
	case rr.Chain:
		return describePredictor(p.First) + ", then " + describePredictor(p.Then)
	case fmt.Stringer:
		return p.String()
	}
	return fmt.Sprintf("%T", p)
}
