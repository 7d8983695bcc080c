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
	"mediant/risk"
	"mediant/rr"
	"mediant/tables"
)

type effectFlags struct {
	twoTableFlags
	treatment, control, psi string
	pairs                   bool
	completeU               completeRows
	memory                  memoryFlag
	probability, lambda, mu float64
	size, folds             int
	bandwidth               float64
	seed                    uint64
	json                    bool
	portfolio               portfolioFlags
	adjust                  adjustFlags
	replicates              replicateFlags

	given func(flag string) bool
}

func newEffect() *cobra.Command {
	var f effectFlags
	cmd := &cobra.Command{
		Use:   "effect --xu A.csv --uy B.csv --treatment COL",
		Short: "Estimate the long-term effect of a treatment through U",
		Long: `Estimate the mean effect on Y of a randomised treatment from a study that observed
short-term outcomes U but not Y. The first table has the treatment and U, the second U and Y. U = columns that both tables have, Y = columns only in the second; --u
and --y override that. Other columns of the first table are not used unless --x or --propensity names them.

The estimate is right if the treatment was drawn independently of everything else, if it
changes Y only through U, and if E[Y|U] is the same in both tables. The two tables
cannot show whether that holds. The distribution of U may differ between the tables where they overlap.
For rows without overlap a note names the columns of U and the arm, and bounds the effect,
with Y of such rows anywhere in its range.

The treatment is a column of 0 and 1, or of two or more levels. Yes, true, treated and treatment mean treated, as opposed to
no, false, control and placebo; for other levels --treatment COLUMN=LEVEL names the treated one, or --control LEVEL the other. Rows without it are left out.

Of more than two arms each is compared with --control, which is not needed if a single level is text that means untreated. --pairs
compares all pairs. Beside the interval of each effect stands its joint one: those of all effects hold all of them together in 95 % of samples.

Where U is missing the output says in how many rows of each table. A missing value is a value to learn from, but what the treatment does to
the true value is lost: if such a U carries a part of the effect, the estimate is nearer to 0. The output has the estimate from the complete rows alone
beside it, and --complete-u takes that one. It is right if the rows with missing U are like the others of their arm. With --complete-u weight they need to be like the others of their arm with the same --x and the
same columns of U that are never missing.

--x names columns of the first table that were measured before the treatment. The estimate is adjusted for them by cross-fitted regressions in each
arm: of a randomised treatment they reduce the error, and bias nothing. If the treatment was not randomised, --propensity estimate also estimates its probability given --x, by logistic
regression, and --propensity COLUMN takes it from a column. The estimate is right if, given these columns, the treatment is independent of what
each arm would have led to, and if either the probabilities or the regressions are. The output shows how far the arms overlap; rows in which an arm has a probability below --trim are
left out, and the effect is that of the others. With --by and --experiment each group is adjusted by its own rows.

If the first table holds several experiments, --experiment COLUMN estimates the effect in each, with E[Y|U] learned once, and shrinks the estimates towards their
mean (empirical Bayes). -o FILE writes them as CSV. --truth FILE compares them with known long-term effects: a table with the columns of the experiment, of the treatment if it has
more than two levels, and the known effect in "effect" or in a column named as Y, perhaps with its standard error in "se".

--by COLUMN adds the effect in each subgroup, with joint intervals and a test that all are equal: levels of text or of up to eight numbers, else quarters of the rows. The column
must be known before the treatment. It may be one of U or not.

--coupled FILE, a few rows of the treatment, U and Y, shows the direct effect in these rows beside the one through U, the share of it that runs through U, and a test that they are equal. It needs the columns of --x, --propensity and
--weights-xu too.

Rows of one cluster, such as a school, may depend on each other. --cluster COLUMN keeps each cluster in one fold, and standard errors
are then from sums over clusters. Clusters of the two tables with the same value are one; others are independent of each other.

--replicates COLUMNS takes standard errors from the replicate weights of a survey: the estimate is made anew with each column in the place of --weights-xu or --weights-uy, and the
variance is the sum of the squared differences times a factor that --replicate-method knows. The columns contain the weights, as public files have them. Folds, features and penalties stay. With
--cluster, where the file has one, a cluster stays in one fold as well.

By default each row is compared with its own arm. With --probability, the probability of
treatment that the design fixed, arms are weighted by it and not by their size, and the
interval is wider the farther the mean of Y is from 0. A probability that the share of the
treated contradicts is refused.`,
		Example: `  mediant effect --xu trial.csv --uy cohort.csv --treatment arm --y income --json
  mediant effect --xu trial.csv --uy cohort.csv --treatment dose --control placebo --pairs
  mediant effect --xu survey.csv --uy cohort.csv --treatment arm --weights-xu wt --replicates-xu repwt1-repwt80 --replicate-method brr
  mediant effect --xu trials.csv --uy cohort.csv --treatment arm --experiment experiment --truth known.csv -o effects.csv`,
		Args: func(cmd *cobra.Command, args []string) error { return f.completeU.arguments(cmd, args) },
		RunE: func(cmd *cobra.Command, _ []string) error {
			f.given = cmd.Flags().Changed
			return f.run(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	f.registerTables(flags, `file of the treatment and U in any format, "-" for standard input, or parts of it (comma list, globs)`, false)
	registerCluster(flags, &f.cluster, &f.roles)
	f.replicates.register(flags)
	flags.StringVar(&f.treatment, "treatment", "", "column of the first table, 1 where treated and else 0, or COLUMN=LEVEL: treated where it is LEVEL")
	flags.StringVar(&f.control, "control", "", "level of the treatment that is no treatment, with which the others are compared (default: 0 of 0 and 1, else a level such as no, control or placebo)")
	flags.BoolVar(&f.pairs, "pairs", false, "compare all pairs of arms, not each with the control")
	f.completeU.register(flags)
	flags.Float64Var(&f.probability, "probability", 0, "probability of treatment, if the design fixed it (default: the share of the treated)")
	f.adjust.register(flags)
	inGroup(flags, methodGroup)
	f.portfolio.register(flags)
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
	mostUsed(flags, "xu", "uy", "treatment", "control", "u", "y", "ignore", "probability", "seed", "json")
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
	if err := f.portfolio.check(f.given, f.xu, f.uy); err != nil {
		return err
	}
	if err := f.replicates.set(&e, f.given); err != nil {
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
	two, err := f.openClustered(ctx)
	if err != nil {
		return err
	}
	defer two.close()
	e.Roles.ClusterXU, e.Roles.ClusterUY = f.roles.ClusterXU, f.roles.ClusterUY
	if err := f.replicates.find(&e, two); err != nil {
		return err
	}
	e.Treatment, e.Treated = levelOf(f.treatment, two.xu)
	if e.Treated != "" && f.control != "" {
		return usagef("--treatment %s and --control %s both say which level is treated", f.treatment, f.control)
	}
	e.Control, e.Pairs, e.CompleteU, e.WeighU = f.control, f.pairs, f.completeU.isSet(), f.completeU == weighComplete
	f.adjust.set(&e, f.given("trim"))
	report, err := f.checkFlags.tables(ctx, two.xu, two.uy, check.Options{Roles: checkedRoles(e, f.portfolio.checkedRoles(f.roles, two.xu)), Treatment: e.Treatment, Probability: f.probability, Adjusted: f.adjust.columns(two.xu), Explicit: two.text, Seed: f.seed})
	if err != nil {
		return err
	}
	writeFindings(stderr, report.Findings)
	if err := report.Refusal(); err != nil {
		return err
	}
	e.Roles.Ignore = append(e.Roles.Ignore, report.LeftOut...)
	e.Copies = f.copyRule()
	if f.portfolio.experiment != "" {
		return f.runPortfolio(ctx, stdout, e, two, report.Findings)
	}
	result, err := e.Estimate(ctx, two.xu, two.uy)
	if err != nil {
		return hinted(err)
	}
	result.Notes = append(result.Notes, suggestExperiments(two.xu, e.Treatment)...)
	var subgroups *effect.Subgroups
	if by := f.portfolio.by; by != "" {
		if subgroups, err = e.Subgroups(ctx, two.xu, two.uy, by); err != nil {
			return hinted(err)
		}
	}
	var coupled *effect.CoupledComparison
	if f.portfolio.coupled != "" {
		if coupled, err = f.compareCoupled(ctx, e, two); err != nil {
			return err
		}
	}
	if f.portfolio.report != "" {
		if err := f.portfolio.report.writePage(effectPage{result: result, subgroups: subgroups, coupled: coupled, findings: report.Findings}.document()); err != nil {
			return fmt.Errorf("--report: %w", err)
		}
	}
	if result.Replicates == nil {
		warnFewClusters(stderr, result.Clusters)
	}
	if f.json {
		result.Notes = emptyNotNil(result.Notes)
		return writeJSON(stdout, struct {
			*effect.Result
			Subgroups *effect.Subgroups         `json:"subgroups,omitempty"`
			Coupled   *effect.CoupledComparison `json:"coupled,omitempty"`
			Findings  []check.Finding           `json:"findings"`
		}{result, subgroups, coupled, report.Findings})
	}
	if err := describeEffect(stdout, result); err != nil {
		return err
	}
	var b strings.Builder
	if subgroups != nil {
		describeSubgroups(&b, subgroups)
	}
	if coupled != nil {
		describeCoupled(&b, coupled, result.Treatment)
	}
	_, err = io.WriteString(stdout, b.String())
	return err
}

// effect checks the flags.
func (f *effectFlags) effect() (e effect.Estimator, err error) {
	if err := f.checkGiven(); err != nil {
		return e, err
	}
	switch {
	case f.treatment == "":
		return e, usagef("--treatment is missing")
	case f.folds < 1:
		return e, usagef("--folds is %d, must be at least 1", f.folds)
	case f.given("control") && f.control == "":
		return e, usagef("--control is empty, must be a level of the treatment")
	case f.given("probability") && !(f.probability > 0 && f.probability < 1):
		return e, usagef("--probability is %g, must lie between 0 and 1", f.probability)
	}
	if err := cmp.Or(f.adjust.check(f.given, f.completeU == weighComplete), checkPenalty("lambda-h", f.lambda), checkPenalty("mu", f.mu)); err != nil {
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
		of := effectOf(r, e)
		if bounds := e.Bounds; bounds != nil && (e.Value < bounds.Lower || e.Value > bounds.Upper) {
			fmt.Fprintf(&b, "%s: not known, since the second table lacks the U of some rows; within the bounds below\n", of)
			continue
		}
		joint := ""
		if e.Joint != nil {
			joint = fmt.Sprintf(", joint interval %s to %s", formatNumber(e.Joint.Lo), formatNumber(e.Joint.Hi))
		}
		fmt.Fprintf(&b, "%s: %s%s\n", of, formatInterval(e.Interval), joint)
	}
	if r.Arms != nil {
		fmt.Fprintf(&b, "joint intervals hold all %d effects together in 95 %% of samples\n", len(r.Effects))
	}
	outputs := outputsOf(r)
	for _, e := range r.Effects[:outputs] {
		if e.Explained != nil {
			fmt.Fprintf(&b, "U explains %s %% of the variance of %s\n", formatShare(*e.Explained), oneLine(e.Output))
		}
	}
	if r.Arm != "" {
		fmt.Fprintf(&b, "treated: %s is %s\n", oneLine(r.Treatment), oneLine(r.Arm))
	}
	rows, lacking := fmt.Sprintf("%d treated and %d untreated rows", r.Treated, r.Control), ""
	if o := r.NoOverlap; o != nil {
		lacking = fmt.Sprintf("%d treated and %d untreated rows", o.Treated, o.Control)
	}
	if r.Arms != nil {
		rows = "rows by arm: " + rowsOfArms(r.Arms, func(a effect.Arm) int { return a.Rows })
		lacking = rowsOfArms(r.Arms, func(a effect.Arm) int { return a.NoOverlap }) + " rows"
		fmt.Fprintf(&b, "control: %s is %s\n", oneLine(r.Treatment), oneLine(r.Arms[0].Level))
	}
	fmt.Fprintf(&b, "%s; %d rows of U and Y; U: %s\n", rows, r.Rows.UY, oneLine(listed(r.U)))
	describeMissing(&b, r)
	describeAdjusted(&b, r.X, r.Propensity, r.Arms != nil)
	if r.NoOverlap != nil {
		fmt.Fprintf(&b, "without overlap: %s have a U that the second table lacks\n", lacking)
		for _, e := range r.Effects {
			fmt.Fprintf(&b, "bounds of the %s: %s to %s, with sampling error %s to %s, if Y of these rows is within its range in the second table\n", boundsOf(r, e),
				formatNumber(e.Bounds.Lo), formatNumber(e.Bounds.Hi), formatNumber(e.Bounds.Lower), formatNumber(e.Bounds.Upper))
		}
	}
	for _, d := range []struct {
		rows int
		what string
	}{{r.DroppedXU, "treatment"}, {r.Rows.Dropped, allOfY(outputs)}} {
		if d.rows > 0 {
			fmt.Fprintf(&b, "left out: %s without %s\n", count(d.rows, "row"), d.what)
		}
	}
	describeTrust(&b, r)
	for _, note := range r.Notes {
		fmt.Fprintf(&b, "note: %s\n", oneLine(note))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// outputsOf is the number of columns of Y.
func outputsOf(r *effect.Result) int {
	n := 0
	for n < len(r.Effects) && r.Effects[n].Arm == r.Effects[0].Arm && r.Effects[n].Against == r.Effects[0].Against {
		n++
	}
	return n
}

// effectOf names an effect.
func effectOf(r *effect.Result, e effect.Estimate) string {
	if e.Arm == "" {
		return fmt.Sprintf("effect of %s on %s", oneLine(r.Treatment), oneLine(e.Output))
	}
	return fmt.Sprintf("effect of %s %s against %s on %s", oneLine(r.Treatment), oneLine(e.Arm), oneLine(e.Against), oneLine(e.Output))
}

// boundsOf names an effect for its bounds, of two arms without the treatment.
func boundsOf(r *effect.Result, e effect.Estimate) string {
	if e.Arm == "" {
		return "effect on " + oneLine(e.Output)
	}
	return effectOf(r, e)
}

// formatInterval writes an estimate with its standard error and interval.
func formatInterval(i risk.Interval) string {
	return fmt.Sprintf("%s, standard error %s, 95 %% interval %s to %s", formatNumber(i.Value), formatNumber(i.SE), formatNumber(i.Lo), formatNumber(i.Hi))
}

// rowsOfArms counts rows by arm.
func rowsOfArms(arms []effect.Arm, rows func(effect.Arm) int) string {
	var parts []string
	for _, a := range arms {
		parts = append(parts, fmt.Sprintf("%s %d", oneLine(a.Level), rows(a)))
	}
	return strings.Join(parts, ", ")
}

// mostMissing is how many columns of U are listed with the share of missing cells.
const mostMissing = 8

// describeMissing says how much of U is missing, and what that does.
func describeMissing(b *strings.Builder, r *effect.Result) {
	m := r.Missing
	if m == nil {
		return
	}
	columns := slices.Clone(m.Columns)
	slices.SortStableFunc(columns, func(a, b effect.MissingColumn) int { return b.XU + b.UY - a.XU - a.UY })
	var parts []string
	for _, c := range columns[:min(len(columns), mostMissing)] {
		parts = append(parts, fmt.Sprintf("%s in %s %% and %s %%", oneLine(c.Column), formatShare(float64(c.XU)/float64(m.XU.Of)), formatShare(float64(c.UY)/float64(m.UY.Of))))
	}
	if more := len(columns) - len(parts); more > 0 {
		parts = append(parts, fmt.Sprintf("and %d more columns", more))
	}
	fmt.Fprintf(b, "missing U, in rows of the first and of the second table: %s; any of them in %d of %d and %d of %d rows\n", strings.Join(parts, ", "), m.XU.Rows, m.XU.Of, m.UY.Rows, m.UY.Of)
	switch {
	case m.Weights != nil:
		describeWeights(b, m.Weights)
		return
	case m.LeftOut:
		b.WriteString("these rows are left out: the estimate is right if in each arm they are like the others\n")
		return
	case m.Complete == nil:
		fmt.Fprintf(b, "what the treatment does to a missing U is lost: the estimate is nearer to 0 than the effect if such a U carries a part of it; the complete rows alone give no estimate: %s\n", oneLine(m.NoComplete))
		return
	}
	b.WriteString("what the treatment does to a missing U is lost: the estimate is nearer to 0 than the effect if such a U carries a part of it; by the complete rows alone (--complete-u)\n")
	for _, e := range m.Complete {
		fmt.Fprintf(b, "  %s: %s\n", effectOf(r, e), formatInterval(e.Interval))
	}
}
