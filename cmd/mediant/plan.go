package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mediant/features"
	"mediant/internal/outfile"
	"mediant/problem"
	"mediant/search"
	"mediant/tables"
)

// planFlags are the flags of plan, which are some of fit's and its own.
type planFlags struct {
	fit       fitFlags
	folds     int
	blocks    int
	allowRows bool
}

func newPlan() *cobra.Command {
	var f planFlags
	cmd := &cobra.Command{
		Use:   "plan --uy B.csv -o u.plan",
		Short: "Choose what parties agree on before each sums its own rows",
		Long: `Choose the encoders, feature maps and folds with which parties that do not share rows sum their own.
The command sums makes the sums, and fit takes them in place of tables.

The plan is made from one table or from both. Of --uy alone it has U and Y, and the features of U
are chosen by cross-validation; whoever has the rows of X and U chooses those of X in fit. Of
--xu alone it has X and U, with Gaussian features unless --phi and --psi say otherwise. With one
table, --u or --y (--x) says which columns are U. A part of the rows is enough: features are as
many as --features says, or follow from the number of rows.

A plan has names of columns, means and standard deviations, all levels of columns of text, and random
frequencies. It has no row: features with landmarks, which are rows, are refused without --allow-rows.`,
		Example: `  mediant plan --uy B.csv --y mood -o u.plan
  mediant plan --xu A.csv --uy B.csv --features 1024 -o both.plan`,
		Args: arguments(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			f.fit.given = cmd.Flags().Changed
			return f.run(cmd.Context(), cmd.OutOrStdout())
		},
	}
	f.register(cmd.Flags())
	return cmd
}

func (f *planFlags) register(flags *pflag.FlagSet) {
	flags.SortFlags = false
	f.fit.registerTables(flags, `file of X and U in any format, "-" for standard input, or parts of it (comma list, globs)`, true)
	flags.StringVarP(&f.fit.out, "output", "o", "", "plan file to write")
	inGroup(flags, outputGroup)
	f.fit.text.register(flags)
	f.fit.registerFeatures(flags)
	flags.BoolVar(&f.allowRows, "allow-rows", false, "allow features with landmarks, which are rows of the tables, in the plan")
	inGroup(flags, featureGroup)
	flags.BoolVar(&f.fit.noIntercept, "no-intercept", false, "fit without intercepts")
	flags.StringVar(&f.fit.task, "task", "auto", "auto, regress or classify")
	flags.IntVar(&f.folds, "folds", problem.DefaultFolds, "folds of the risk and of the choice of penalties")
	flags.IntVar(&f.blocks, "blocks", problem.DefaultBlocks, "blocks of each fold, whose sums are kept apart for the standard error of the risk")
	flags.Uint64Var(&f.fit.seed, "seed", 0, "seed of all random choices")
	inGroup(flags, methodGroup)
	f.fit.memory.register(flags)
	inGroup(flags, generalGroup)
	flags.BoolVar(&f.fit.quiet, "quiet", false, "print nothing but errors")
	inGroup(flags, outputGroup)
	mostUsed(flags, "xu", "uy", "output", "x", "u", "y", "features", "seed")
}

func (f *planFlags) run(ctx context.Context, stdout io.Writer) error {
	fit := &f.fit
	fit.form = 1
	switch {
	case fit.xu == "" && fit.uy == "":
		return usagef("--uy or --xu is missing")
	case fit.xu == "-" && fit.uy == "-":
		return usagef("only one of --xu and --uy can be standard input")
	case fit.out == "":
		return usagef("-o is missing")
	case f.folds < 2:
		return usagef("--folds is %d, must be at least 2", f.folds)
	case f.blocks < 1:
		return usagef("--blocks is %d, must be at least 1", f.blocks)
	}
	setup, err := fit.settings()
	if err != nil {
		return err
	}
	if err := fit.readFlags.check(); err != nil {
		return err
	}
	if err := checkOutput(fit.out, fit.inputs()...); err != nil {
		return err
	}
	defer keepWithin(setup.Memory)()
	fit.readFlags.memory = setup.Memory
	setup.Folds = f.folds
	sources, closeAll, err := fit.openEach(ctx)
	if err != nil {
		return err
	}
	defer closeAll()
	p, err := search.Search{Setup: setup}.Plan(ctx, sources[problem.TableXU], sources[problem.TableUY], f.allowRows)
	if errors.Is(err, search.ErrHoldsRows) {
		return fmt.Errorf("%w (--phi, --psi; or --allow-rows)", err)
	}
	if err != nil {
		return hinted(err)
	}
	p.Blocks, p.Reading = f.blocks, fit.readFlags.reading()
	if err := p.Validate(); err != nil {
		return usagef("--folds, --blocks: %w", err)
	}
	if err := writeTo(fit.out, p); err != nil || fit.quiet {
		return err
	}
	var b lines
	b.plan(p)
	b.line("plan", "written to %s", fit.out)
	_, err = io.WriteString(stdout, b.String())
	return err
}

// openEach opens the tables that are set; the other one is nil.
func (f *twoTableFlags) openEach(ctx context.Context) (sources [2]tables.Source, closeAll func(), err error) {
	var closers []func() error
	closeAll = func() {
		for _, c := range closers {
			c()
		}
	}
	var all []tables.Source
	for t, of := range []struct {
		path string
		as   dialect
	}{{f.xu, f.ofXU}, {f.uy, f.ofUY}} {
		if of.path == "" {
			continue
		}
		src, close, err := f.readFlags.of(of.as).open(ctx, of.path, nil)
		if err != nil {
			closeAll()
			return sources, nil, err
		}
		sources[t] = src
		closers, all = append(closers, close), append(all, src)
	}
	if err := f.checkNames(all...); err != nil {
		closeAll()
		return sources, nil, err
	}
	return sources, closeAll, nil
}

// writeTo writes a file of a plan or of sums.
func writeTo(path string, file io.WriterTo) error {
	return outfile.Write(path, func(w io.Writer) error {
		_, err := file.WriteTo(w)
		return err
	})
}

// readPlan reads a plan file.
func readPlan(path string) (problem.Plan, error) {
	file, err := os.Open(path)
	if err != nil {
		return problem.Plan{}, err
	}
	defer file.Close()
	p, err := problem.ReadPlan(file)
	if err != nil {
		return p, fmt.Errorf("%s: %w", path, err)
	}
	return p, nil
}

// plan describes a plan, and what whoever has it learns.
func (b *lines) plan(p problem.Plan) {
	if p.X != nil {
		_, width := p.Phi.Dims()
		b.line("X", "%s; %s: %s", listed(p.Roles.X), count(width, "feature"), features.Describe(p.Phi))
	} else {
		b.line("X", "not in the plan: whoever has rows of X and U chooses its features")
	}
	_, width := p.Psi.Dims()
	b.line("U", "%s; %s: %s", listed(p.Roles.U), count(width, "feature"), features.Describe(p.Psi))
	if p.Y != nil {
		b.line("Y", "%s", listed(p.Roles.Y))
	} else {
		b.line("Y", "not in the plan, which is for tables of X and U")
	}
	b.line("folds", "%d of %d blocks", max(1, p.Folds), p.Blocks)
	reveals := "names of columns, means and standard deviations, all levels of columns of text; no row"
	if p.HoldsRows() {
		reveals = "names of columns, means and standard deviations, all levels of columns of text, and ROWS, as landmarks of features"
	}
	b.line("reveals", "%s", reveals)
}
