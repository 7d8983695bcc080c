package main

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/pflag"

	"mediant/check"
	"mediant/effect"
	"mediant/internal/outfile"
	"mediant/risk"
	"mediant/tables"
)

// portfolioFlags are those of several experiments in one first table, and of subgroups of one.
type portfolioFlags struct {
	experiment, truth, out, by, coupled string
	report                              reportFlag
}

func (f *portfolioFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&f.experiment, "experiment", "", "column of the first table that says which experiment a row is of: the effect in each, raw and shrunken")
	flags.StringVar(&f.truth, "truth", "", "file of known long-term effects of the experiments, with which the estimates are compared")
	flags.StringVar(&f.by, "by", "", "column of the first table, known before the treatment: also the effect in each of its levels, or quarters of its numbers")
	flags.StringVar(&f.coupled, "coupled", "", "file of rows with the treatment, U and Y: the direct effect beside the one through U")
	inGroup(flags, methodGroup)
	flags.StringVarP(&f.out, "output", "o", "", "file to write the effects of the experiments to, as CSV")
	f.report.register(flags)
	inGroup(flags, outputGroup)
}

// check looks at the flags before anything is read.
func (f *portfolioFlags) check(given func(flag string) bool, xu, uy string) error {
	if err := f.checkMeaning(given, xu, uy); err != nil {
		return err
	}
	inputs := slices.Concat(filesOf(xu), filesOf(uy), []string{f.truth, f.coupled})
	if f.out != "" {
		if err := checkOutput(f.out, inputs...); err != nil {
			return err
		}
	}
	return f.report.check(append(inputs, f.out)...)
}

// checkMeaning refuses flags that have no meaning together.
func (f *portfolioFlags) checkMeaning(given func(flag string) bool, xu, uy string) error {
	for _, flag := range []string{"experiment", "truth", "output"} {
		if !given(flag) {
			continue
		}
		switch {
		case f.experiment == "" && flag == "experiment":
			return usagef("--experiment is empty, must name a column of the first table")
		case f.experiment == "":
			return usagef("--%s goes with --experiment", flag)
		}
	}
	switch {
	case given("by") && f.by == "":
		return usagef("--by is empty, must name a column of the first table")
	case f.by != "" && f.experiment != "":
		return usagef("--by and --experiment divide the rows by different columns: give one of them")
	case given("coupled") && f.coupled == "":
		return usagef("--coupled is empty, must name a file")
	case f.coupled != "" && f.experiment != "":
		return usagef("--coupled does not go with --experiment")
	case f.coupled == "-" && (xu == "-" || uy == "-"):
		return usagef("only one of --xu, --uy and --coupled can be standard input")
	case f.by != "" && given("probability"):
		return usagef("--probability does not go with --by: within subgroups the shares of the arms are used")
	case f.experiment == "":
		return nil
	}
	for _, flag := range []string{"pairs", "probability"} {
		if given(flag) {
			return usagef("--%s does not go with --experiment: each arm is compared with the control, by the shares of the arms in its experiment", flag)
		}
	}
	if f.truth == "-" && (xu == "-" || uy == "-") {
		return usagef("only one of --xu, --uy and --truth can be standard input")
	}
	return nil
}

// checkedRoles are the roles by which tables are checked: the column of experiments is neither X nor U.
func (f *portfolioFlags) checkedRoles(roles tables.RoleOptions, xu tables.Source) tables.RoleOptions {
	if f.experiment != "" && slices.ContainsFunc(xu.Columns(), func(c tables.Column) bool { return c.Name == f.experiment }) {
		roles.Ignore = append(slices.Clip(roles.Ignore), f.experiment)
	}
	return roles
}

// suggestExperiments is a note if the first table seems to hold several experiments.
func suggestExperiments(xu tables.Source, treatment string) []string {
	for _, c := range xu.Columns() {
		if name := tables.CanonicalName(c.Name); strings.EqualFold(name, "experiment") && name != tables.CanonicalName(treatment) {
			return []string{fmt.Sprintf("the first table has a column %q: with --experiment %s the effect is estimated within each experiment; here all rows are one", c.Name, c.Name)}
		}
	}
	return nil
}

// runPortfolio estimates, compares and writes the effects of all experiments.
func (f *effectFlags) runPortfolio(ctx context.Context, stdout io.Writer, e effect.Estimator, two *twoTables, findings []check.Finding) error {
	e.Roles.Ignore = slices.DeleteFunc(slices.Clone(e.Roles.Ignore), func(name string) bool { return name == f.portfolio.experiment })
	p, err := e.Portfolio(ctx, two.xu, two.uy, f.portfolio.experiment)
	if err != nil {
		return hinted(err)
	}
	if few := p.Clusters.Few(); few != "" && p.Replicates == nil {
		p.Notes = append(p.Notes, few)
	}
	var truths []effect.Truth
	if path := f.portfolio.truth; path != "" {
		src, closeTruth, err := f.readFlags.open(ctx, path, nil)
		if err != nil {
			return err
		}
		defer closeTruth()
		if truths, err = p.ReadTruths(ctx, src); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if err := p.Backtest(truths); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	if path := f.portfolio.out; path != "" {
		if err := outfile.Write(path, func(w io.Writer) error { return writePortfolio(w, p) }); err != nil {
			return err
		}
	}
	if f.portfolio.report != "" {
		if err := f.portfolio.report.writePage(effectPage{portfolio: p, findings: findings}.document()); err != nil {
			return fmt.Errorf("--report: %w", err)
		}
	}
	if f.json {
		p.Notes = emptyNotNil(p.Notes)
		return writeJSON(stdout, struct {
			*effect.Portfolio
			Findings []check.Finding `json:"findings"`
		}{p, findings})
	}
	return describePortfolio(stdout, p)
}

// writePortfolio writes a line for each effect, and one for each experiment or arm that is left out.
func writePortfolio(w io.Writer, p *effect.Portfolio) error {
	out := csv.NewWriter(w)
	header := []string{"experiment", "arm", "against", "y", "treated", "control", "estimate", "se", "lo", "hi", "joint_lo", "joint_hi", "shrunken", "shrunken_se", "shrunken_lo", "shrunken_hi", "left_out"}
	lines := [][]string{header}
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	for _, e := range p.Effects {
		line := []string{e.Group, e.Arm, e.Against, e.Output, strconv.Itoa(e.Treated), strconv.Itoa(e.Control), number(e.Value), number(e.SE), number(e.Lo), number(e.Hi), number(e.Joint.Lo), number(e.Joint.Hi), "", "", "", "", ""}
		if s := e.Shrunken; s != nil {
			copy(line[12:], []string{number(s.Value), number(s.SE), number(s.Lo), number(s.Hi)})
		}
		lines = append(lines, line)
	}
	for _, l := range p.LeftOut {
		line := make([]string, len(header))
		line[0], line[1], line[len(line)-1] = l.Group, l.Arm, l.Reason
		lines = append(lines, line)
	}
	return out.WriteAll(lines)
}

// describePortfolio writes the effects of the experiments for people.
func describePortfolio(w io.Writer, p *effect.Portfolio) error {
	var b strings.Builder
	arms := slices.ContainsFunc(p.Effects, func(e effect.ExperimentEffect) bool { return e.Arm != "" })
	for _, output := range portfolioOutputs(p) {
		fmt.Fprintf(&b, "effects of %s on %s by %s, with 95 %% intervals\n", oneLine(p.Treatment), oneLine(output), oneLine(p.Experiment))
		table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
		line := func(cells ...string) {
			if !arms {
				cells = slices.Delete(cells, 1, 2)
			}
			fmt.Fprintln(table, strings.Join(cells, "\t"))
		}
		line("  experiment", "arm", "treated", "control", "effect", "interval", "shrunken", "interval")
		for _, e := range p.Effects {
			if e.Output != output {
				continue
			}
			cells := []string{"  " + oneLine(e.Group), oneLine(e.Arm), strconv.Itoa(e.Treated), strconv.Itoa(e.Control), formatNumber(e.Value), formatEnds(e.Interval), "", ""}
			if bounds := e.Bounds; bounds != nil {
				cells[5] += " *"
			}
			if s := e.Shrunken; s != nil {
				cells[6], cells[7] = formatNumber(s.Value), formatEnds(*s)
			}
			line(cells...)
		}
		table.Flush()
		for _, s := range p.Shrinkages {
			if s.Output == output {
				fmt.Fprintf(&b, "mean effect: %s; standard deviation of effects %s; equal effects: Q %s, p %.2g\n", formatInterval(s.Mean), formatNumber(s.Tau), formatNumber(s.Q), s.P)
			}
		}
	}
	for _, e := range p.Effects {
		if e.Bounds != nil {
			describeBounds(&b, e.GroupEffect)
		}
	}
	describeLeftOut(&b, p.LeftOut, p.Unlabeled, p.Experiment)
	for _, t := range p.Backtests {
		describeBacktest(&b, t)
	}
	fmt.Fprintf(&b, "%d rows of treatment and U, %d of U and Y; U: %s\n", p.Rows.XU, p.Rows.UY, oneLine(listed(p.U)))
	describeAdjusted(&b, p.X, p.Propensity, arms)
	if m := p.Missing; m != nil {
		what := "what the treatment does to a missing U is lost, and --complete-u leaves these rows out"
		if m.LeftOut {
			what = "these rows are left out"
		}
		fmt.Fprintf(&b, "U is missing in %d of %d and %d of %d rows: %s\n", m.XU.Rows, m.XU.Of, m.UY.Rows, m.UY.Of, what)
	}
	for _, note := range p.Notes {
		fmt.Fprintf(&b, "note: %s\n", oneLine(note))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func portfolioOutputs(p *effect.Portfolio) (outputs []string) {
	for _, e := range p.Effects {
		if !slices.Contains(outputs, e.Output) {
			outputs = append(outputs, e.Output)
		}
	}
	return outputs
}

// formatEnds writes an interval.
func formatEnds(i risk.Interval) string {
	return fmt.Sprintf("%s to %s", formatNumber(i.Lo), formatNumber(i.Hi))
}

// backtestLines are what is said of a backtest.
var backtestLines = []struct {
	name   string
	of     func(s *effect.Score) effect.Measured
	format func(float64) string
}{
	{"truth in the 95 % interval", func(s *effect.Score) effect.Measured { return s.Coverage }, formatPercent},
	{"same sign", func(s *effect.Score) effect.Measured { return s.Signs }, formatPercent},
	{"significant and false", func(s *effect.Score) effect.Measured { return s.FalsePositives }, formatPercent},
	{"mean error", func(s *effect.Score) effect.Measured { return s.MeanError }, formatNumber},
	{"root mean squared error", func(s *effect.Score) effect.Measured { return s.RMSE }, formatNumber},
	{"correlation", func(s *effect.Score) effect.Measured { return s.Correlation }, formatNumber},
}

func formatPercent(share float64) string { return fmt.Sprintf("%.1f %%", 100*share) }

// describeBacktest compares estimates with known effects, each figure with its standard error.
func describeBacktest(b *strings.Builder, t effect.Backtest) {
	fmt.Fprintf(b, "against %d known effects on %s, with standard errors\n", t.Compared, oneLine(t.Output))
	table := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	header := "  \traw"
	if t.Shrunken != nil {
		header += "\tshrunken"
	}
	fmt.Fprintln(table, header)
	for _, line := range backtestLines {
		cells := []string{"  " + line.name}
		for _, s := range []*effect.Score{&t.Raw, t.Shrunken} {
			if s == nil {
				continue
			}
			cell := "none"
			if m := line.of(s); m.Value != nil {
				cell = line.format(*m.Value)
				if m.SE != nil {
					cell += " (" + line.format(*m.SE) + ")"
				}
			}
			cells = append(cells, cell)
		}
		fmt.Fprintln(table, strings.Join(cells, "\t"))
	}
	table.Flush()
	significant := fmt.Sprintf("significant: %d raw", t.Raw.Significant)
	if t.Shrunken != nil {
		significant += fmt.Sprintf(" and %d shrunken", t.Shrunken.Significant)
	}
	fmt.Fprintf(b, "%s; false are those whose known effect is 0, or of the other sign\n", significant)
	if t.Unknown > 0 {
		fmt.Fprintf(b, "%s without a known one\n", count(t.Unknown, "effect"))
	}
	if len(t.Unmatched) > 0 {
		fmt.Fprintf(b, "known effects without an estimate: %s\n", oneLine(listed(t.Unmatched)))
	}
}

// describeSubgroups writes the effects in subgroups for people.
func describeSubgroups(b *strings.Builder, s *effect.Subgroups) {
	fmt.Fprintf(b, "effects by %s, with 95 %% intervals of each and of all together\n", oneLine(s.By))
	table := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	several := slices.ContainsFunc(s.Effects, func(e effect.GroupEffect) bool { return e.Arm != "" || e.Output != s.Effects[0].Output })
	line := func(cells ...string) {
		if !several {
			cells = slices.Delete(cells, 1, 2)
		}
		fmt.Fprintln(table, strings.Join(cells, "\t"))
	}
	line("  "+oneLine(s.By), "effect of", "treated", "control", "effect", "interval", "joint interval")
	for _, e := range s.Effects {
		bounded := ""
		if e.Bounds != nil {
			bounded = " *"
		}
		line("  "+oneLine(e.Group), comparedOf(e.Arm, e.Output), strconv.Itoa(e.Treated), strconv.Itoa(e.Control), formatNumber(e.Value), formatEnds(e.Interval), fmt.Sprintf("%s to %s%s", formatNumber(e.Joint.Lo), formatNumber(e.Joint.Hi), bounded))
	}
	table.Flush()
	for _, t := range s.Tests {
		of := ""
		if several {
			of = " of " + comparedOf(t.Arm, t.Output)
		}
		fmt.Fprintf(b, "equal effects%s: chi-squared %s with %s of freedom, p %.2g\n", of, formatNumber(t.ChiSquared), count(t.Freedom, "degree"), t.P)
	}
	for _, e := range s.Effects {
		if e.Bounds != nil {
			describeBounds(b, e)
		}
	}
	describeLeftOut(b, s.LeftOut, s.Unlabeled, s.By)
}

// comparedOf names an arm, if there are several, and an output.
func comparedOf(arm, output string) string {
	if arm == "" {
		return oneLine(output)
	}
	return oneLine(arm) + " on " + oneLine(output)
}

// describeBounds writes the bounds of an effect whose group has rows without overlap.
func describeBounds(b *strings.Builder, e effect.GroupEffect) {
	fmt.Fprintf(b, "* %s, %s: %s without overlap; bounds %s to %s, with sampling error %s to %s\n", oneLine(e.Group), comparedOf(e.Arm, e.Output), count(e.NoOverlap, "row"),
		formatNumber(e.Bounds.Lo), formatNumber(e.Bounds.Hi), formatNumber(e.Bounds.Lower), formatNumber(e.Bounds.Upper))
}

// describeLeftOut writes which groups, arms of groups and rows have no part in the effects.
func describeLeftOut(b *strings.Builder, left []effect.GroupLeftOut, unlabeled int, column string) {
	for _, l := range left {
		arm := ""
		if l.Arm != "" {
			arm = ", arm " + oneLine(l.Arm)
		}
		fmt.Fprintf(b, "left out: %s%s, %s: %s\n", oneLine(l.Group), arm, count(l.Rows, "row"), oneLine(l.Reason))
	}
	if unlabeled > 0 {
		fmt.Fprintf(b, "left out: %s without %s or treatment\n", count(unlabeled, "row"), oneLine(column))
	}
}
