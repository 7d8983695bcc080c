package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mediant"
	"mediant/baselines"
	"mediant/check"
	"mediant/internal/outfile"
	"mediant/internal/predictions"
	"mediant/mlp"
	"mediant/tables"
	"mediant/tables/formats"
)

// predictFlags are the flags of predict.
type predictFlags struct {
	read   readFlags
	out    string
	as     predictions.Options
	memory memoryFlag
	known  checkFlags
	quiet  bool
	append bool
	ignore []string
	of     ofDistributionFlags
}

func newPredict() *cobra.Command {
	var f predictFlags
	cmd := &cobra.Command{
		Use:   "predict MODEL TABLE.csv",
		Short: "Predict Y for the rows of a table",
		Long: `Predict Y for the rows of a table that has the columns of X, in any order; other
columns are ignored. The output has one column per output, named as in Y. For classes it has the
label, and the probability of each class in a column named "Y=label"; those of a row sum to 1. Models
fitted by squared error have raw scores in their place, which --scores adds. Rows keep their order; the
columns of the table stand in front with --append. Without -o the predictions go to standard output.

With --se, of a model fitted with --se, one more column per output, named "Y se", has
the standard error of the prediction about its own mean, from both tables: plus and minus 1.96 of
them is a 95 % interval for the average prediction over new tables. It contains neither the bias nor
the noise of Y.
` + distributionHelp + `
The table is compared with those that the model learned from before anything is written. Values out of the
training range, levels that training did not have, and missing values where there were none are warnings;
a column in another unit ends the run with status 1, unless --accept later-unit is set. docs/check.md has more.`,
		Example: `  mediant predict model.mediant new.csv -o out.csv
  mediant predict model.mediant new.csv --interval .9 --quantiles .5 -o out.csv
  mediant predict model.mediant - < new.csv`,
		Args: arguments("the model file", "the table"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.of.check(cmd.Flags().Changed); err != nil {
				return err
			}
			return f.run(cmd.Context(), args[0], args[1], cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f.register(cmd.Flags())
	flags := cmd.Flags()
	flags.BoolVar(&f.as.Scores, "scores", false, "for classes, add the raw scores of a model by squared error, one column per class")
	flags.BoolVar(&f.as.LabelOnly, "label-only", false, "for classes, leave out the probabilities")
	flags.BoolVar(&f.as.Errors, "se", false, "add one column of standard errors per output")
	f.of.register(flags)
	mostUsed(flags, "output", "append", "interval", "quantiles", "draws", "label-only", "scores", "se", "quiet")
	return cmd
}

// register registers the flags of commands that write a row for each row of a table.
func (f *predictFlags) register(flags *pflag.FlagSet) {
	flags.StringVarP(&f.out, "output", "o", "", "file to write: .parquet, .arrow, .npy or .jsonl, any other is CSV (default: CSV on standard output)")
	flags.BoolVar(&f.append, "append", false, "write the columns of the table too, in front")
	columnsVar(flags, &f.ignore, "ignore", "with --append: columns of the table to leave out, such as nested ones (comma list, globs)")
	flags.BoolVar(&f.quiet, "quiet", false, "print no warnings")
	inGroup(flags, outputGroup)
	f.read.register(flags)
	f.known.register(flags)
	f.memory.register(flags)
}

func (f *predictFlags) run(ctx context.Context, model, table string, stdout, stderr io.Writer) error {
	if err := f.check(model, table, stdout); err != nil {
		return err
	}
	limit, err := f.memory.limit()
	if err != nil {
		return err
	}
	defer keepWithin(limit)()
	f.read.memory, f.read.keepRows = limit, true
	m, err := f.load(model, limit, stderr)
	if err != nil {
		return err
	}
	f.read.model = m.Reading
	by, roles := m.X, tables.Roles{X: m.Roles.X}
	if f.as.FromU {
		by, roles = m.U, tables.Roles{U: m.Roles.U}
	}
	src, close, err := f.read.open(ctx, table, by.Columns())
	if err != nil {
		return err
	}
	defer close()
	if err := f.read.checkNames(src); err != nil {
		return err
	}
	if err := f.compare(ctx, m, src, roles, stderr); err != nil {
		return memoryHint(fmt.Errorf("%s: %w", table, err))
	}
	columns, front := f.as.Columns(m), tables.Source(nil)
	if f.append {
		var closeFront func() error
		if front, closeFront, err = f.front(ctx, table, slices.Concat(m.X.Columns(), m.U.Columns())); err != nil {
			return err
		}
		defer closeFront()
		if columns, err = appended(front.Columns(), columns); err != nil {
			return fmt.Errorf("%s: %w", table, err)
		}
	}
	write := func(w io.Writer) error {
		out, err := formats.NewWriter(f.out, w, columns)
		if err != nil {
			return err
		}
		if front != nil {
			out = appendTo(ctx, front, out)
		}
		return f.as.Write(ctx, m, src, out)
	}
	if f.out == "" {
		return memoryHint(write(stdout))
	}
	return memoryHint(outfile.Write(f.out, write))
}

// compare says how the rows differ from those that the model learned from.
func (f *predictFlags) compare(ctx context.Context, m *mediant.Model, src tables.Source, roles tables.Roles, stderr io.Writer) error {
	found, err := f.known.later(ctx, m, src, roles, check.Later)
	if err != nil {
		return err
	}
	if !f.quiet {
		writeLater(stderr, found)
	}
	return check.Refused(found)
}

// load loads a model that has what is to be written, and says on stderr what the intervals are.
func (f *predictFlags) load(model string, limit int64, stderr io.Writer) (*mediant.Model, error) {
	m, err := loadModel(model, limit)
	if err != nil {
		return nil, memoryHint(err)
	}
	if err := f.as.Check(m); errors.Is(err, predictions.ErrNoClasses) {
		return nil, usagef("--%s is for classes, and %s predicts numbers", map[bool]string{true: "scores", false: "label-only"}[f.as.Scores], model)
	} else if err != nil {
		return nil, fmt.Errorf("%s: %w", model, err)
	}
	if f.quiet {
		stderr = io.Discard
	}
	f.as.Distribution, err = f.of.options(model, m, stderr)
	return m, err
}

// check refuses flags, and outputs that cannot be written, before anything is read.
func (f *predictFlags) check(model, table string, stdout io.Writer) error {
	if err := f.read.check(); err != nil {
		return err
	}
	if _, err := f.known.acceptances(); err != nil {
		return err
	}
	if len(f.ignore) > 0 && !f.append {
		return usagef("--ignore has no meaning without --append")
	}
	if f.append && table == "-" {
		return usagef("--append reads the table twice, and standard input can be read only once")
	}
	if f.out == "" {
		return tryStdout(stdout)
	}
	if err := formats.CheckEnding(f.out); err != nil {
		return usagef("-o %s", strings.TrimPrefix(err.Error(), "tables: "))
	}
	return checkOutput(f.out, append(filesOf(table), model)...)
}

// loadModel reads a model file that is to be used within a limit, 0 for none.
func loadModel(path string, limit int64) (*mediant.Model, error) {
	if err := modelFits(path, limit); err != nil {
		return nil, err
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	m, err := mediant.Load(file, mlp.Format(), baselines.Format())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	m.Memory = limit
	return m, nil
}
