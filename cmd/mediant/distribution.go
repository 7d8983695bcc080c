package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"mediant"
	"mediant/distribution"
	"mediant/internal/predictions"
	"mediant/problem"
	"mediant/risk"
	"mediant/search"
	"mediant/tables"
)

// distributionFlags are those of fit for the distribution of Y.
type distributionFlags struct {
	fit bool
	by  string
}

func (f *distributionFlags) register(flags *pflag.FlagSet) {
	flags.BoolVar(&f.fit, "distribution", false, "also fit the distribution of Y given X, for predict --interval, --quantiles and --draws, and estimate the coverage of its intervals and its CRPS (Y a number, independent of X given U)")
	registerCoverageBy(flags, &f.by)
}

// registerCoverageBy registers the groups of the coverage.
func registerCoverageBy(flags *pflag.FlagSet, by *string) {
	flags.StringVar(by, "coverage-by", "", "with a distribution: column of X by which coverage is reported, thirds of a number or levels of text (default: thirds of the predicted mean)")
}

// check refuses flags that have no meaning together.
func (f *distributionFlags) check(noRisk bool) error {
	switch {
	case !f.fit && f.by != "":
		return usagef("--coverage-by has no meaning without --distribution")
	case f.fit && noRisk:
		return usagef("--no-risk has no meaning with --distribution, whose intervals are tuned by an estimate")
	}
	return nil
}

// checkColumns refuses a Y that has no distribution function, and columns by which rows cannot be grouped, before anything is fitted.
func (f *distributionFlags) checkColumns(xu, uy tables.Source, opt tables.RoleOptions) error {
	if !f.fit {
		return nil
	}
	roles, err := tables.AssignRoles(xu.Columns(), uy.Columns(), opt)
	if err != nil {
		return err
	}
	if len(roles.Y) != 1 {
		return fmt.Errorf("--distribution is for one column of numbers, and Y is %d columns: %s", len(roles.Y), strings.Join(roles.Y, ", "))
	}
	for _, c := range uy.Columns() {
		if c.Name == roles.Y[0] && c.Kind != tables.Numeric {
			return fmt.Errorf("--distribution is for one column of numbers, and Y, %q, is classes", c.Name)
		}
	}
	if f.by != "" && !slices.Contains(roles.X, f.by) {
		return fmt.Errorf("--coverage-by is column %q, which is no column of X", f.by)
	}
	for _, c := range xu.Columns() {
		if c.Name == f.by && c.Kind == tables.Vector {
			return fmt.Errorf("--coverage-by is column %q, which is sparse rows: want numbers or labels", f.by)
		}
	}
	return nil
}

// add fits the distribution, if it is asked for.
func (f *distributionFlags) add(ctx context.Context, m *mediant.Model, c *search.Choice, form int) error {
	if !f.fit {
		return nil
	}
	d, err := distribution.Fit(ctx, c.Problem, distribution.Options{Assess: distribution.AssessOptions{By: f.by, Form: risk.Form(form)}})
	if err != nil {
		return err
	}
	m.SetDistribution(d)
	return nil
}

// describeDistribution writes an assessment of a distribution for people, a line each.
func describeDistribution(a *distribution.Assessment) string {
	if a == nil {
		return ""
	}
	var b lines
	c := a.CRPS
	of, ofThese, overAll := "", "", ""
	if o := a.Overlap; o != nil {
		ofThese = ", of these rows"
		of, overAll = fmt.Sprintf("; of the %d of %d rows whose U the second table has", o.Rows, o.Of), fmt.Sprintf(", over all %d rows", o.Of)
	}
	if c.Form == risk.CovariateShift {
		of += "; the distribution of U may differ"
	}
	b.line("CRPS", "%s, if Y is independent of X given U; that of the distribution of Y alone is %s%s", describeCRPS(c), formatNumber(c.Constant), of)
	if c.Bracket != nil {
		b.line("bracket", "CRPS %s to %s even if not%s; with sampling error %s to %s", formatNumber(c.Bracket.Lo), formatNumber(c.Bracket.Hi), overAll, formatNumber(c.Bracket.Lower), formatNumber(c.Bracket.Upper))
	}
	_, tuned := a.Tune(a.Level)
	b.line("intervals", "%s of Y are in intervals of the nominal level %s (95 %% interval %s to %s), likewise%s; predict --interval %g writes them", percent(tuned.Value), percent(a.Nominal), percent(tuned.Lo), percent(tuned.Hi), ofThese, a.Level)
	for _, l := range a.Levels {
		if l.Nominal == a.Level {
			b.line("", "%s are in those of the nominal level %s (%s to %s)", percent(l.Coverage.Value), percent(l.Nominal), percent(l.Coverage.Lo), percent(l.Coverage.Hi))
		}
	}
	for _, g := range a.Groups {
		if g.Coverage != nil {
			b.line("coverage", "%s (%s to %s): %s", percent(g.Coverage.Value), percent(g.Coverage.Lo), percent(g.Coverage.Hi), g.Name)
		}
	}
	return b.String()
}

// describeCRPS writes an estimate, or why there is none.
func describeCRPS(c distribution.CRPS) string {
	if c.Value < 0 {
		return fmt.Sprintf("cannot be estimated here: too few rows of the second table have U where the first has it, or few rows have most of the weight, and the estimate is below 0; at most %s (95 %% interval)", formatNumber(max(c.Hi, 0)))
	}
	return fmt.Sprintf("%s, 95 %% interval %s to %s", formatNumber(c.Value), formatNumber(c.Lo), formatNumber(c.Hi))
}

// percent writes a share.
func percent(share float64) string { return fmt.Sprintf("%.1f %%", 100*share) }

// ofDistributionFlags are those of predict for the distribution of Y.
type ofDistributionFlags struct {
	quantiles []float64
	interval  float64
	draws     int
	seed      uint64
}

const distributionHelp = `
With --quantiles, --interval or --draws, of a model fitted with --distribution, more columns follow: "Y_q0.05" for
each quantile, "Y_lower" and "Y_upper" for the interval, "Y_draw1", ... for random draws of Y given X, of which
several make a multiple imputation. The nominal level of the interval is the one at which intervals contain the wanted
share of Y by the estimate of the fit, which standard error says. All of this requires that Y is independent of X given U. No
quantile is beyond the values of Y in training. Draws do not contain the error of the fit.
`

func (f *ofDistributionFlags) register(flags *pflag.FlagSet) {
	flags.Float64SliceVar(&f.quantiles, "quantiles", nil, "add quantiles of Y given X at these levels, such as .05,.5,.95")
	flags.Float64Var(&f.interval, "interval", 0, "add the ends of prediction intervals that contain this share of Y, such as .9, as estimated")
	flags.IntVar(&f.draws, "draws", 0, "add this number of random draws of Y given X")
	flags.Uint64Var(&f.seed, "seed", 0, "seed of the draws")
	inGroup(flags, outputGroup)
}

// check refuses levels and numbers out of range.
func (f *ofDistributionFlags) check(given func(string) bool) error {
	isLevel := func(p float64) bool { return p > 0 && p < 1 }
	for i, p := range f.quantiles {
		if !isLevel(p) {
			return usagef("--quantiles has %g, must be above 0 and below 1", p)
		}
		if slices.Contains(f.quantiles[:i], p) {
			return usagef("--quantiles has %g twice", p)
		}
	}
	switch {
	case given("interval") && !isLevel(f.interval):
		return usagef("--interval is %g, must be above 0 and below 1", f.interval)
	case f.draws < 0 || f.draws > predictions.MostDraws:
		return usagef("--draws is %d, must be at least 0 and at most %d", f.draws, predictions.MostDraws)
	case given("seed") && f.draws == 0:
		return usagef("--seed has no meaning without --draws")
	}
	return nil
}

// options says what to write of a model's distribution, and about the level of the interval on stderr.
func (f *ofDistributionFlags) options(path string, m *mediant.Model, stderr io.Writer) (predictions.OfDistribution, error) {
	o := predictions.OfDistribution{Quantiles: f.quantiles, Nominal: f.interval, Draws: f.draws, Seed: f.seed}
	if err := (predictions.Options{Distribution: o}).Check(m); err != nil {
		return o, fmt.Errorf("%s: %w", path, err)
	}
	if f.interval == 0 {
		return o, nil
	}
	var of *risk.Interval
	if o.Nominal, of = predictions.Tuned(m, f.interval); of == nil {
		fmt.Fprintf(stderr, "warning: the share of Y in intervals could not be estimated when %s was fitted: %s is the nominal level\n", path, percent(f.interval))
		return o, nil
	}
	fmt.Fprintf(stderr, "note: intervals have the nominal level %s, at which they contain an estimated %s of Y (standard error %s), if Y is independent of X given U\n", percent(o.Nominal), percent(of.Value), percent(of.SE))
	return o, nil
}

// describeDistributionScore writes how a distribution fares on coupled rows.
func describeDistributionScore(s *distribution.Score) string {
	if s == nil {
		return ""
	}
	var b lines
	b.line("CRPS", "%s, standard error %s; that of the distribution of Y alone is %s", formatNumber(s.CRPS), formatNumber(s.SE), formatNumber(s.Constant))
	for _, l := range s.Levels {
		b.line("coverage", "%s (standard error %s) of Y are in intervals of the nominal level %s%s", percent(l.Coverage), percent(l.SE), percent(l.Nominal), tunedTo(l.Tuned))
	}
	for _, p := range s.Pinball {
		b.line("pinball", "%s at the quantile %g", formatNumber(p.Loss), p.Level)
	}
	return b.String()
}

func tunedTo(level float64) string {
	if level == 0 {
		return ""
	}
	return ", which was tuned to " + percent(level)
}

// assess estimates the risk of a model on new tables, and the error of its distribution, nil without one.
func (f *uncoupledFlags) assess(ctx context.Context, m *mediant.Model, xu, uy tables.Source, opt risk.AssessOptions) (a *risk.Assessment, of *distribution.Assessment, err error) {
	if m.Distribution == nil && f.by != "" {
		return nil, nil, usagef("--coverage-by has no meaning for a model without a distribution")
	}
	if m.Distribution != nil {
		own := distribution.AssessOptions{By: f.by, Form: opt.Form, Copies: opt.Copies, AllRows: opt.AllRows}
		if of, err = distribution.Assess(ctx, m.Model, m.Distribution, xu, uy, f.weights, own); err != nil {
			return nil, nil, err
		}
	}
	a, err = risk.AssessModel(ctx, m.Model, xu, uy, f.weights, opt)
	return a, of, err
}

// addTo adds what a fit of the distribution takes to an outline.
func (f *distributionFlags) addTo(o *search.Outline, e *problem.Encoded) {
	if !f.fit {
		return
	}
	of := e.Footprint()
	of.X.Features, of.U.Features = o.Final[0], o.Final[1]
	bytes, flops := distribution.Outline(of)
	o.Bytes, o.Flops, o.Least, o.Most = max(o.Bytes, bytes), o.Flops+flops, o.Least+flops, o.Most+flops
}
