package main

import (
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"mediant/effect"
	"mediant/rr"
	"mediant/tables"
)

// adjustFlags are those of covariates and propensities.
type adjustFlags struct {
	x          []string
	propensity string
	trim       float64
}

func (a *adjustFlags) register(flags *pflag.FlagSet) {
	columnsVar(flags, &a.x, "x", "columns of the first table, measured before the treatment, that adjust the estimate (comma list, globs)")
	flags.StringVar(&a.propensity, "propensity", "", `column of the first table with the probability of treatment of each row, of two arms; "estimate": the treatment is not randomised, and its probability is estimated from --x`)
	flags.Float64Var(&a.trim, "trim", effect.DefaultTrim, "least probability of an arm, of those of --propensity, that a row may have to be used")
}

// check returns an error if flags contradict each other.
func (a *adjustFlags) check(given func(flag string) bool, weighs bool) error {
	adjusts := len(a.x) > 0 || a.propensity != "" || weighs
	switch {
	case given("x") && strings.Trim(strings.Join(a.x, ""), ", ") == "":
		return usagef("--x is empty, must name columns of the first table")
	case given("propensity") && a.propensity == "":
		return usagef("--propensity is empty, must be a column of the first table, or %s", effect.EstimatePropensity)
	case a.propensity == effect.EstimatePropensity && len(a.x) == 0:
		return usagef("--propensity %s needs --x: the columns that decide on the treatment", effect.EstimatePropensity)
	case given("trim") && a.propensity == "":
		return usagef("--trim has no meaning without --propensity")
	case !(a.trim >= 0 && a.trim < .5):
		return usagef("--trim is %g, must be at least 0 and below 0.5", a.trim)
	case weighs && (given("by") || given("experiment") || given("coupled")):
		return usagef("--complete-u weight is of one effect, not those of --by, --experiment or --coupled")
	case given("probability") && adjusts:
		return usagef("--probability has no meaning with --x, --propensity or --complete-u weight")
	}
	return nil
}

// columns are the columns of the first table that may differ between the arms.
func (a *adjustFlags) columns(xu tables.Source) []string {
	all, err := tables.MatchNames(xu.Columns(), a.x)
	if err != nil {
		all = nil // which the estimate says
	}
	if a.propensity != "" && a.propensity != effect.EstimatePropensity {
		all = append(all, a.propensity)
	}
	return all
}

// set gives an estimator what the flags say, of which --trim may be left at its default.
func (a *adjustFlags) set(e *effect.Estimator, trims bool) {
	e.X, e.Propensity = a.x, a.propensity
	if trims {
		e.Trim = rr.Value(a.trim)
	}
}

// describeAdjusted says what the estimate is adjusted for, and how far the arms overlap; several says that there are more than two.
func describeAdjusted(b *strings.Builder, x []string, p *effect.Propensity, several bool) {
	if len(x) > 0 {
		fmt.Fprintf(b, "adjusted for %s: right only if these were measured before the treatment\n", oneLine(listed(x)))
	}
	if p == nil {
		return
	}
	from := "from column " + oneLine(p.From)
	if p.From == effect.EstimatePropensity {
		from = "estimated: right only if these columns hold all that decides both on the treatment and on the outcomes"
	}
	fmt.Fprintf(b, "propensity %s\n", from)
	arms := p.Arms
	if !several {
		arms = arms[1:]
	}
	for _, arm := range arms {
		name := "treatment"
		if several {
			name = oneLine(arm.Level)
		}
		fmt.Fprintf(b, "  probability of %s, quantiles 0, 5, 25, 50, 75, 95 and 100 %%: %s in its rows, %s in others\n", name, quantiles(arm.Own), quantiles(arm.Others))
	}
	var parts []string
	for _, arm := range p.Arms {
		parts = append(parts, fmt.Sprintf("%s %.0f of %d", oneLine(arm.Level), arm.Effective, arm.Rows-arm.Trimmed))
	}
	fmt.Fprintf(b, "  effective sample size by arm, of its rows: %s\n", strings.Join(parts, ", "))
	if p.Trimmed == 0 {
		fmt.Fprintf(b, "  no row has a probability below %g of an arm: none is left out, and the effect is that of all rows of the first table\n", p.Trim)
		return
	}
	fmt.Fprintf(b, "  left out: %s of %d (%s %%) with a probability below %g of an arm; the effect is that of the others\n", count(p.Trimmed, "row"), p.Of, formatShare(float64(p.Trimmed)/float64(p.Of)), p.Trim)
}

func quantiles(values []float64) string {
	parts := make([]string, len(values))
	for i, v := range values {
		parts[i] = fmt.Sprintf("%.3g", v)
	}
	return strings.Join(parts, ", ")
}
