package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"text/tabwriter"

	"mediant/effect"
)

// describeTrust writes what an effect depends on: the overlap of U, and the assumption that the treatment affects Y only through U.
func describeTrust(b *strings.Builder, r *effect.Result) {
	fmt.Fprintf(b, "overlap of U, and the weights r(U) that the %d rows of U and Y have in a comparison with the control\n", r.Rows.UY)
	table := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "  arm\trows\twithout overlap\teffective rows\tlargest weight")
	outputs := outputsOf(r)
	for i, a := range armsOfResult(r) {
		fmt.Fprintf(table, "  %s\t%d\t%s", oneLine(a.Level), a.Rows, formatPart(a.NoOverlap, a.Rows))
		if i == 0 {
			fmt.Fprintln(table, "\t\t")
			continue
		}
		w := r.Effects[(i-1)*outputs].Weights
		fmt.Fprintf(table, "\t%.0f\t%.2g %%\n", w.EffectiveRows, 100*w.Largest)
	}
	table.Flush()
	b.WriteString("if Y differs between the arms in equal U by c in the mean, the effect is larger by c than the estimate\n")
	for _, e := range r.Effects {
		v := e.Violation
		if v.ToZero == 0 {
			fmt.Fprintf(b, "  %s: the interval contains 0 as it is\n", effectOf(r, e))
			continue
		}
		c, sd := v.ToZero, ""
		if e.Value > 0 {
			c = -c
		}
		if v.ToZeroSD != nil {
			sd = fmt.Sprintf(", %s standard deviations of Y given U", formatNumber(*v.ToZeroSD))
		}
		fmt.Fprintf(b, "  %s: the interval touches 0 at c = %s%s\n", effectOf(r, e), formatNumber(c), sd)
	}
}

// armsOfResult are the arms, the control first.
func armsOfResult(r *effect.Result) []effect.Arm {
	if r.Arms != nil {
		return r.Arms
	}
	arms := []effect.Arm{{Level: "untreated", Rows: r.Control}, {Level: "treated", Rows: r.Treated}}
	if r.NoOverlap != nil {
		arms[0].NoOverlap, arms[1].NoOverlap = r.NoOverlap.Control, r.NoOverlap.Treated
	}
	return arms
}

// formatPart writes a number of rows, and which part of all they are.
func formatPart(rows, of int) string {
	if rows == 0 {
		return "0"
	}
	return fmt.Sprintf("%d (%s %%)", rows, formatShare(float64(rows)/float64(of)))
}

// compareCoupled reads the coupled rows and compares them with the estimate.
func (f *effectFlags) compareCoupled(ctx context.Context, e effect.Estimator, two *twoTables) (*effect.CoupledComparison, error) {
	src, closeCoupled, err := f.readFlags.open(ctx, f.portfolio.coupled, nil)
	if err != nil {
		return nil, err
	}
	defer closeCoupled()
	c, err := e.Coupled(ctx, src, two.xu, two.uy)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.portfolio.coupled, hinted(err))
	}
	return c, nil
}

// describeCoupled writes the effects in coupled rows, directly and through U.
func describeCoupled(b *strings.Builder, c *effect.CoupledComparison, treatment string) {
	fmt.Fprintf(b, "in %d coupled rows, with 95 %% intervals\n", c.Rows)
	table := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "  effect of "+oneLine(treatment)+"\tdirect\tthrough U\tdifference\tp\tshare through U")
	for _, e := range c.Effects {
		fmt.Fprintln(table, strings.Join([]string{"  " + comparedOf(e.Arm, e.Output), formatNumber(e.Direct.Value) + " (" + formatEnds(e.Direct) + ")", formatNumber(e.Surrogate.Value) + " (" + formatEnds(e.Surrogate) + ")",
			formatNumber(e.Difference.Value) + " (" + formatEnds(e.Difference) + ")", strconv.FormatFloat(e.P, 'g', 2, 64), throughU(e.Proportion)}, "\t"))
	}
	table.Flush()
	if c.Dropped > 0 {
		fmt.Fprintf(b, "left out of the coupled rows: %s without Y or treatment\n", count(c.Dropped, "row"))
	}
}

// throughU writes the share of an effect that runs through U.
func throughU(p effect.Proportion) string {
	if p.Value == nil || p.Range == nil {
		return "none: the direct effect may be 0"
	}
	return fmt.Sprintf("%.0f %% (%.0f to %.0f %%)", 100**p.Value, 100*p.Range.Lo, 100*p.Range.Hi)
}
