package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mediant/check"
	"mediant/effect"
	"mediant/encode"
	"mediant/problem"
	"mediant/rr"
	"mediant/tables"
)

type effectFlags struct {
	twoTableFlags
	treatment, psi          string
	memory                  memoryFlag
	probability, lambda, mu float64
	size, folds             int
	bandwidth               float64
	seed                    uint64
	json                    bool

	given func(flag string) bool
}

func newEffect() *cobra.Command {
	var f effectFlags
	cmd := &cobra.Command{
		Use:   "effect --xu A.csv --uy B.csv --treatment COL",
		Short: "Estimate the long-term effect of a randomised treatment through U",
		Long: `Estimate the mean effect on Y of a randomised 0/1 treatment from a study that observed
short-term outcomes U but not Y. The first table has the treatment and U, the second U and Y. U = columns that both tables have, Y = columns only in the second; --u
and --y override that. Other columns of the first table are not used.

The estimate is right if the treatment was drawn independently of everything else, if it
changes Y only through U, and if E[Y|U] is the same in both tables. The two tables
cannot show whether that holds. The distribution of U may differ between the tables where they overlap.
For rows without overlap a note names the columns of U and the arm, and bounds the effect,
with Y of such rows anywhere in its range.

The treatment is a column of 0 and 1, or of two levels. Yes, true, treated and treatment mean treated, as opposed to
no, false, control and placebo; for other levels --treatment COLUMN=LEVEL names the treated one. Rows without it are left out.

By default each row is compared with its own arm. With --probability, the probability of
treatment that the design fixed, arms are weighted by it and not by their size, and the
interval is wider the farther the mean of Y is from 0. A probability that the share of the
treated contradicts is refused.`,
		Example: "  mediant effect --xu trial.csv --uy cohort.csv --treatment arm --y income --json",
		Args:    arguments(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			f.given = cmd.Flags().Changed
			return f.run(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	f.registerTables(flags, `file of the treatment and U in any format, "-" for standard input, or parts of it (comma list, globs)`, false)
	flags.StringVar(&f.treatment, "treatment", "", "column of the first table, 1 where treated and else 0, or COLUMN=LEVEL: treated where it is LEVEL")
	flags.Float64Var(&f.probability, "probability", 0, "probability of treatment, if the design fixed it (default: the share of the treated)")
	inGroup(flags, methodGroup)
	flags.StringVar(&f.psi, "psi", "auto", "features of U, as in fit")
	flags.IntVar(&f.size, "features", 0, "features of U, twice the frequencies (default 512)")
	flags.Float64Var(&f.bandwidth, "bandwidth-u", 0, "bandwidth of the kernel of U in encoded units (default: median rule)")
	inGroup(flags, featureGroup)
	flags.Float64Var(&f.lambda, "lambda-h", 0, "ridge penalty of E[Y|U] (default: by cross-validation)")
	flags.Float64Var(&f.mu, "mu", 0, "ridge penalty of the weights r(U) (default: by cross-validation)")
	flags.IntVar(&f.folds, "folds", 5, "folds of cross-fitting; 1 is none, and with 2 errors are too small where features are many")
	inGroup(flags, methodGroup)
	f.memory.register(flags)
	f.checkFlags.register(flags)
	f.registerCopies(flags)
	flags.Uint64Var(&f.seed, "seed", 0, "seed of all random choices")
	flags.BoolVar(&f.json, "json", false, "print the result as JSON")
	mostUsed(flags, "xu", "uy", "treatment", "u", "y", "ignore", "probability", "seed", "json")
	return cmd
}

func (f *effectFlags) run(ctx context.Context, stdout, stderr io.Writer) error {
	e, err := f.effect()
	if err != nil {
		return err
	}
	if err := f.check(); err != nil {
		return err
	}
	if err := tryStdout(stdout); err != nil {
		return err
	}
	if err := e.CheckMemory(f.of(f.ofXU).preview(f.xu), f.of(f.ofUY).preview(f.uy)); err != nil {
		return memoryHint(err)
	}
	defer keepWithin(e.Memory)()
	f.readFlags.memory = e.Memory
	two, err := f.openTwo(ctx, f.xu, f.uy)
	if err != nil {
		return err
	}
	defer two.close()
	e.Treatment, e.Treated = levelOf(f.treatment, two.xu)
	report, err := f.checkFlags.tables(ctx, two.xu, two.uy, check.Options{Roles: f.roles, Treatment: e.Treatment, Probability: f.probability, Explicit: two.text, Seed: f.seed})
	if err != nil {
		return err
	}
	writeFindings(stderr, report.Findings)
	if err := report.Refusal(); err != nil {
		return err
	}
	e.Roles.Ignore = append(e.Roles.Ignore, report.LeftOut...)
	e.Copies = f.copyRule()
	result, err := e.Estimate(ctx, two.xu, two.uy)
	if err != nil {
		return hinted(err)
	}
	if f.json {
		result.Notes = emptyNotNil(result.Notes)
		return writeJSON(stdout, struct {
			*effect.Result
			Findings []check.Finding `json:"findings"`
		}{result, report.Findings})
	}
	return describeEffect(stdout, result)
}

// effect checks the flags.
func (f *effectFlags) effect() (e effect.Estimator, err error) {
	for _, required := range []struct{ flag, value string }{{"--xu", f.xu}, {"--uy", f.uy}, {"--treatment", f.treatment}} {
		if required.value == "" {
			return e, usagef("%s is missing", required.flag)
		}
	}
	switch {
	case f.xu == "-" && f.uy == "-":
		return e, usagef("only one of --xu and --uy can be standard input")
	case f.folds < 1:
		return e, usagef("--folds is %d, must be at least 1", f.folds)
	case f.given("probability") && !(f.probability > 0 && f.probability < 1):
		return e, usagef("--probability is %g, must lie between 0 and 1", f.probability)
	}
	if err := cmp.Or(checkPenalty("lambda-h", f.lambda), checkPenalty("mu", f.mu)); err != nil {
		return e, err
	}
	specs := fitFlags{size: f.size, given: f.given}
	e.Setup = problem.Setup{Roles: f.roles, Task: encode.AutoTask, Folds: f.folds, Seed: f.seed}
	if e.Memory, err = f.memory.limit(); err != nil {
		return e, err
	}
	if e.Psi, err = specs.spec("psi", f.psi, "bandwidth-u", f.bandwidth); err != nil {
		return e, err
	}
	if f.given("features") && !e.Psi.HasSize() {
		return e, usagef("--features has no meaning with --psi %s, whose number of features is what it is", e.Psi)
	}
	for _, s := range []struct {
		flag  string
		value float64
		to    *rr.Setting
	}{{"probability", f.probability, &e.Probability}, {"lambda-h", f.lambda, &e.LambdaH}, {"mu", f.mu, &e.Mu}} {
		if f.given(s.flag) {
			*s.to = rr.Value(s.value)
		}
	}
	return e, nil
}

// levelOf splits COLUMN=LEVEL, unless a column has that name.
func levelOf(treatment string, xu tables.Source) (column, level string) {
	i := strings.LastIndex(treatment, "=")
	if i < 0 || slices.ContainsFunc(xu.Columns(), func(c tables.Column) bool { return tables.CanonicalName(c.Name) == tables.CanonicalName(treatment) }) {
		return treatment, ""
	}
	return treatment[:i], treatment[i+1:]
}

// allOfY is what a row that was left out is without.
func allOfY(columns int) string {
	if columns > 1 {
		return "all columns of Y"
	}
	return "Y"
}

// formatShare writes a share in per cent, and nothing below 0.
func formatShare(share float64) string { return fmt.Sprintf("%.3g", 100*max(share, 0)) }

// describeEffect writes an effect for people.
func describeEffect(w io.Writer, r *effect.Result) error {
	var b strings.Builder
	for _, e := range r.Effects {
		if bounds := e.Bounds; bounds != nil && (e.Value < bounds.Lower || e.Value > bounds.Upper) {
			fmt.Fprintf(&b, "effect of %s on %s: not known, since the second table lacks the U of some rows; within the bounds below\n", oneLine(r.Treatment), oneLine(e.Output))
			continue
		}
		fmt.Fprintf(&b, "effect of %s on %s: %s, standard error %s, 95 %% interval %s to %s\n", oneLine(r.Treatment), oneLine(e.Output),
			formatNumber(e.Value), formatNumber(e.SE), formatNumber(e.Lo), formatNumber(e.Hi))
	}
	for _, e := range r.Effects {
		if e.Explained != nil {
			fmt.Fprintf(&b, "U explains %s %% of the variance of %s\n", formatShare(*e.Explained), oneLine(e.Output))
		}
	}
	if r.Arm != "" {
		fmt.Fprintf(&b, "treated: %s is %s\n", oneLine(r.Treatment), oneLine(r.Arm))
	}
	fmt.Fprintf(&b, "%d treated and %d untreated rows; %d rows of U and Y; U: %s\n", r.Treated, r.Control, r.Rows.UY, oneLine(listed(r.U)))
	if o := r.NoOverlap; o != nil {
		fmt.Fprintf(&b, "without overlap: %d treated and %d untreated rows have a U that the second table lacks\n", o.Treated, o.Control)
		for _, e := range r.Effects {
			fmt.Fprintf(&b, "bounds of the effect on %s: %s to %s, with sampling error %s to %s, if Y of these rows is within its range in the second table\n", oneLine(e.Output),
				formatNumber(e.Bounds.Lo), formatNumber(e.Bounds.Hi), formatNumber(e.Bounds.Lower), formatNumber(e.Bounds.Upper))
		}
	}
	for _, d := range []struct {
		rows int
		what string
	}{{r.DroppedXU, "treatment"}, {r.Rows.Dropped, allOfY(len(r.Effects))}} {
		if d.rows > 0 {
			fmt.Fprintf(&b, "left out: %s without %s\n", count(d.rows, "row"), d.what)
		}
	}
	for _, note := range r.Notes {
		fmt.Fprintf(&b, "note: %s\n", oneLine(note))
	}
	_, err := io.WriteString(w, b.String())
	return err
}
