package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"mediant/check"
	"mediant/internal/garbage"
)

// checkCommand are the flags of check.
type checkCommand struct {
	twoTableFlags
	treatment string
	memory    memoryFlag
	seed      uint64
	all, json bool
}

func newCheck() *cobra.Command {
	var f checkCommand
	cmd := &cobra.Command{
		Use:   "check --xu A.csv --uy B.csv",
		Short: "Check two tables for faults that would make a result wrong",
		Long: `Check a table of (X, U) and a table of (U, Y) for faults that would make a result wrong, as fit, effect
and evaluate do before they begin. Each finding has a code and says what was found, what it does to the
result, and which flag or edit resolves it. An error makes the result meaningless and ends fit; a
warning makes it doubtful; a note reports a decision. --accept turns known findings into notes.
docs/check.md has all codes. The exit status is 1 if there is an error.`,
		Example: `  mediant check --xu A.csv --uy B.csv
  mediant check --xu A.csv --uy B.csv --accept missing-marker:income --json`,
		Args: arguments(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return f.run(cmd.Context(), cmd.OutOrStdout())
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	f.registerTables(flags, `file of X and U in any format, "-" for standard input, or parts of it (comma list, globs)`, true)
	registerCluster(flags, &f.cluster, &f.roles)
	flags.StringVar(&f.treatment, "treatment", "", "check the tables for effect, with this column of the first one as the treatment (or COLUMN=LEVEL)")
	inGroup(flags, checkGroup)
	f.checkFlags.register(flags)
	f.registerCopies(flags)
	flags.BoolVar(&f.all, "all", false, "list all findings, not only the gravest of each column")
	inGroup(flags, outputGroup)
	f.memory.register(flags)
	flags.Uint64Var(&f.seed, "seed", 0, "seed of all random choices")
	flags.BoolVar(&f.json, "json", false, "print the profiles of all columns and the findings as JSON")
	mostUsed(flags, "xu", "uy", "x", "u", "y", "ignore", "treatment", "accept", "all", "json")
	inGroup(flags, generalGroup)
	return cmd
}

func (f *checkCommand) run(ctx context.Context, stdout io.Writer) error {
	if err := f.checkGiven(); err != nil {
		return err
	}
	if err := f.readFlags.check(); err != nil {
		return err
	}
	if err := tryStdout(stdout); err != nil {
		return err
	}
	limit, err := f.memory.limit()
	if err != nil {
		return err
	}
	defer keepWithin(limit)()
	defer garbage.Most()()
	f.readFlags.memory, f.readFlags.stream, f.readFlags.lenient = limit, true, true
	two, err := f.openClustered(ctx)
	if err != nil {
		return err
	}
	defer two.close()
	treatment, _ := levelOf(f.treatment, two.xu)
	opt := check.Options{Roles: f.roles, Treatment: treatment, Explicit: two.text, Seed: f.seed}
	if treatment != "" { // of which X are the covariates
		opt.Adjusted = (&adjustFlags{x: f.roles.X}).columns(two.xu)
	}
	report, err := f.checkFlags.tables(ctx, two.xu, two.uy, opt)
	if err != nil {
		return err
	}
	if f.json {
		err = writeJSON(stdout, report)
	} else {
		err = f.describe(stdout, report)
	}
	if err != nil {
		return err
	}
	return report.Refusal()
}

// describeProfiles writes the columns of both tables with their roles and kinds for people.
func describeProfiles(xu, uy string, r *check.Report) string {
	var b strings.Builder
	for _, t := range []struct {
		file string
		of   check.TableProfile
		role []string
	}{{xu, r.XU, []string{"X", "U"}}, {uy, r.UY, []string{"U", "Y"}}} {
		fmt.Fprintf(&b, "%s: %s\n", oneLine(t.file), count(t.of.Rows, "row"))
		table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
		fmt.Fprintln(table, "  column\trole\tkind\tmissing\tdistinct\tvalues")
		for _, p := range t.of.Columns {
			fmt.Fprintf(table, "  %s\t%s\t%s\t%d\t%d\t%s\n", oneLine(p.Name), roleOf(r, p.Name), p.Kind, p.Missing, p.Distinct, oneLine(valuesOf(p)))
		}
		table.Flush()
	}
	return b.String()
}

// describe writes a report for people: the columns, and what was found.
func (f *checkCommand) describe(w io.Writer, r *check.Report) error {
	var b strings.Builder
	b.WriteString(describeProfiles(f.xu, f.uy, r))
	findings := r.Findings
	if f.all {
		for _, finding := range findings {
			fmt.Fprintf(&b, "%s (%s): %s\n", finding.Severity, finding.Code, oneLine(finding.String()))
		}
	} else {
		for _, line := range check.Lines(findings) {
			fmt.Fprintln(&b, oneLine(line))
		}
	}
	if len(findings) == 0 {
		fmt.Fprintln(&b, "nothing was found that would make a result wrong")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// roleOf is the role of a column, "-" if it has none.
func roleOf(r *check.Report, name string) string {
	if r.Roles != nil {
		switch {
		case slices.Contains(r.Roles.X, name):
			return "X"
		case slices.Contains(r.Roles.U, name):
			return "U"
		case slices.Contains(r.Roles.Y, name):
			return "Y"
		}
	}
	return "-"
}

// valuesOf sums a column up: the range and the median of numbers, the most frequent levels.
func valuesOf(p *check.Profile) string {
	if n := p.Numbers; n != nil {
		return fmt.Sprintf("%s to %s, median %s", formatNumber(n.Min), formatNumber(n.Max), formatNumber(n.Quantiles[len(n.Quantiles)/2]))
	}
	var parts []string
	for _, l := range p.Levels[:min(len(p.Levels), 3)] {
		parts = append(parts, fmt.Sprintf("%.20s (%d)", l.Level, l.Rows))
	}
	return strings.Join(parts, ", ")
}
