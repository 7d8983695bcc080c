package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"mediant/moments"
	"mediant/problem"
	"mediant/tables"
)

// sumsFlags are the flags of sums.
type sumsFlags struct {
	twoTableFlags
	plan, out  string
	fewRows    bool
	discount   float64
	private    privateFlags
	given      func(flag string) bool
	memory     memoryFlag
	checkpoint checkpointFlags
	quiet      bool
}

func newSums() *cobra.Command {
	var f sumsFlags
	cmd := &cobra.Command{
		Use:   "sums --plan u.plan --uy B.csv -o part.sums",
		Short: "Sum the rows of a table for a plan, or merge such sums",
		Long: `Sum the products of features over the rows of a table, as a plan says, in one pass. fit takes the file
wherever it takes a table, and learns from it what it would learn from the rows: parties exchange sums
in place of rows, and a table that grows is summed day by day.

Files of sums are merged by naming them; their order does not matter. Sums of another plan, the
same rows twice, and damaged files are refused. "inspect FILE" shows what a file has.

Sums over few rows say much about each of them: fewer than 10 rows for each feature are refused without
--few-rows. With --epsilon the sums of --xu and --uy get noise for (epsilon, delta)-differential privacy of one row
that is replaced by another (docs/privacy.md).`,
		Example: `  mediant sums --plan u.plan --uy B.csv -o b.sums
  mediant sums monday.sums tuesday.sums -o week.sums
  mediant sums yesterday.sums --discount .97 --plan u.plan --uy today.csv -o today.sums
  mediant sums --plan u.plan --uy B.csv --epsilon 1 --delta 1e-7 --clip 0:10 -o b.sums
  mediant fit --xu A.csv --uy b.sums -o model.mediant`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			f.given = cmd.Flags().Changed
			return f.run(cmd.Context(), args, cmd.OutOrStdout())
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&f.plan, "plan", "", "plan file, for --xu and --uy")
	flags.StringVar(&f.xu, "xu", "", `file of X and U in any format, "-" for standard input, or parts of it (comma list, globs)`)
	flags.StringVar(&f.uy, "uy", "", "file of U and Y (likewise)")
	flags.StringVarP(&f.out, "output", "o", "", "sums file to write")
	flags.Float64Var(&f.discount, "discount", 1, "count the rows of each file this many times for each later one: files from the oldest to the newest, --xu and --uy last")
	flags.BoolVar(&f.fewRows, "few-rows", false, "sum fewer than 10 rows for each feature, too")
	f.private.register(flags)
	registerWeights(flags, &f.roles, "in the first table", "in the second table")
	f.readFlags.registerTwo(flags)
	inGroup(flags, readingGroup)
	f.memory.register(flags)
	f.checkpoint.register(flags)
	flags.BoolVar(&f.quiet, "quiet", false, "print nothing but errors")
	inGroup(flags, generalGroup)
	mostUsed(flags, "plan", "xu", "uy", "output", "discount", "few-rows", "epsilon", "delta", "clip")
	return cmd
}

func (f *sumsFlags) check(parts []string) error {
	switch {
	case f.out == "":
		return usagef("-o is missing")
	case f.xu == "" && f.uy == "" && len(parts) == 0:
		return usagef("--xu, --uy or files of sums are missing")
	case f.plan == "" && (f.xu != "" || f.uy != ""):
		return usagef("--plan is missing")
	case f.plan != "" && f.xu == "" && f.uy == "":
		return usagef("--plan has no meaning without --xu or --uy: sums have their plan")
	case f.xu == "-" && f.uy == "-":
		return usagef("only one of --xu and --uy can be standard input")
	case !(f.discount > 0 && f.discount <= 1):
		return usagef("--discount is %g, must be above 0 and at most 1", f.discount)
	case f.discount < 1 && (len(parts) == 0 || len(parts) == 1 && f.plan == ""):
		return usagef("--discount has no meaning without older sums")
	}
	if err := f.private.check(f, f.given); err != nil {
		return err
	}
	if err := f.readFlags.check(); err != nil {
		return err
	}
	inputs := f.inputs(parts)
	if err := f.checkpoint.check(inputs...); err != nil {
		return err
	}
	return checkOutput(f.out, inputs...)
}

// inputs are the files that are read.
func (f *sumsFlags) inputs(parts []string) []string {
	return slices.Concat([]string{f.plan}, filesOf(f.xu), filesOf(f.uy), parts)
}

func (f *sumsFlags) run(ctx context.Context, parts []string, stdout io.Writer) error {
	if err := f.check(parts); err != nil {
		return err
	}
	return f.checkpoint.within(ctx, f.inputs(parts), func(ctx context.Context) error { return f.runChecked(ctx, parts, stdout) })
}

// runChecked is run once flags are checked.
func (f *sumsFlags) runChecked(ctx context.Context, parts []string, stdout io.Writer) error {
	limit, err := f.memory.limit()
	if err != nil {
		return err
	}
	defer keepWithin(limit)()
	f.readFlags.memory, f.readFlags.stream = limit, true
	if err := f.checkMemory(limit, parts); err != nil {
		return memoryHint(err)
	}
	var merged *problem.Sums
	for _, path := range parts {
		s, err := readSums(path)
		if err == nil {
			merged, err = addSums(merged, s, f.discount)
		}
		if err != nil {
			return named(path, err)
		}
	}
	if f.plan != "" {
		own, err := f.sum(ctx)
		if err != nil {
			return memoryHint(err)
		}
		if merged, err = addSums(merged, own, f.discount); err != nil {
			return err
		}
	}
	if err := writeTo(f.out, merged); err != nil || f.quiet {
		return err
	}
	var b lines
	b.sums(merged)
	b.line("sums", "written to %s", f.out)
	_, err = io.WriteString(stdout, b.String())
	return err
}

// sum sums the tables that are set.
func (f *sumsFlags) sum(ctx context.Context) (all *problem.Sums, err error) {
	p, err := readPlan(f.plan)
	if err != nil {
		return nil, err
	}
	f.readFlags.model = p.Reading
	for t, path := range []string{f.xu, f.uy} {
		if path == "" {
			continue
		}
		private, err := f.private.sum(ctx, p, t)
		if err != nil {
			return nil, err
		}
		s, err := f.sumTable(ctx, p, t, path, private)
		if err != nil {
			return nil, err
		}
		if err := p.FewRows(t, s.Runs[0].Rows); err != nil && private == nil && !f.fewRows {
			return nil, fmt.Errorf("%s: %w (--few-rows)", path, err)
		}
		if all, err = addSums(all, s, 1); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// sumTable sums a table; own, if not nil, does what the plan alone cannot.
func (f *twoTableFlags) sumTable(ctx context.Context, p problem.Plan, table int, path string, own func(src tables.Source) (*problem.Sums, error)) (*problem.Sums, error) {
	as, weights := f.ofXU, f.roles.WeightsXU
	if table == problem.TableUY {
		as, weights = f.ofUY, f.roles.WeightsUY
	}
	encoded := p.Columns(table)
	if weights != "" {
		encoded = append(encoded[:len(encoded):len(encoded)], tables.Column{Name: weights, Kind: tables.Numeric})
	}
	if table == problem.TableXU && p.X == nil { // X is any of the columns
		encoded = nil
	}
	src, close, err := f.readFlags.of(as).open(ctx, path, encoded)
	if err != nil {
		return nil, err
	}
	defer close()
	if weights != "" {
		if src, err = tables.Weigh(ctx, src, weights); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	sum := p.SumXU
	if table == problem.TableUY {
		sum = p.SumUY
	}
	if own != nil {
		sum = func(_ context.Context, src tables.Source) (*problem.Sums, error) { return own(src) }
	}
	s, err := sum(ctx, src)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return s, nil
}

// readSums reads a file of sums.
func readSums(path string) (*problem.Sums, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return problem.ReadSums(file)
}

// addSums adds newer sums to those before, nil for none, whose weights are multiplied by the discount.
func addSums(before, newer *problem.Sums, discount float64) (*problem.Sums, error) {
	if before == nil {
		return newer, nil
	}
	if discount < 1 {
		var err error
		if before, err = before.Discounted(discount); err != nil {
			return nil, err
		}
	}
	return problem.MergeSums(before, newer)
}

// named is an error that names its file, once.
func named(path string, err error) error {
	if errors.As(err, new(*os.PathError)) {
		return err
	}
	return fmt.Errorf("%s: %w", path, err)
}

// sums describes a file of sums, and what whoever has it learns.
func (b *lines) sums(s *problem.Sums) {
	b.plan(s.Plan)
	for t, side := range [][][]*moments.Total{s.XU, s.UY} {
		if side == nil {
			continue
		}
		rows, runs := 0, 0
		for _, run := range s.Runs {
			if run.Table == t {
				rows += run.Rows
				runs++
			}
		}
		b.line("sums", "of %s of %s, in %s", count(rows, "row"), []string{"X and U", "U and Y"}[t], count(runs, "run"))
	}
	for _, run := range s.Runs {
		discount := ""
		if factor := run.Factor(); factor < 1 {
			discount = fmt.Sprintf(", each counted %.3g times", factor)
		}
		b.line("run", "%s, %s of %s%s%s", run.ID, count(run.Rows, "row"), []string{"X and U", "U and Y"}[run.Table], discount, privacyOf(run))
	}
	if s.Dropped > 0 {
		b.line("left out", "%s of U and Y without Y", count(s.Dropped, "row"))
	}
	b.line("reveals", "%s", reveals(s))
}
