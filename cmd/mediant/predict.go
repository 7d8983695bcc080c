package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/mat"

	"mediant"
	"mediant/baselines"
	"mediant/check"
	"mediant/encode"
	"mediant/internal/outfile"
	"mediant/mlp"
	"mediant/rr"
	"mediant/tables"
	"mediant/tables/csv"
)

func newPredict() *cobra.Command {
	var read readFlags
	var out string
	var opt predictOptions
	var memory memoryFlag
	var known checkFlags
	var quiet bool
	cmd := &cobra.Command{
		Use:   "predict MODEL TABLE.csv",
		Short: "Predict Y for the rows of a table",
		Long: `Predict Y for the rows of a table that has the columns of X, in any order; other
columns are ignored. The output has one column per output, named as in Y; for classes
the label, and with --scores one column per class named "Y=label". Input columns are
not repeated; rows keep their order. Without -o the predictions go to standard output.

With --se, of a model fitted with --se, one more column per output, named "Y se", has
the standard error of the prediction about its own mean, from both tables: 1.96 of them
either side make a 95 % interval for what the fit would give on average over new tables.
Neither its bias nor the noise of Y is in it.

The table is compared with what the model learned from before anything is written: values out of the
training range, levels that training did not have, missing values where there were none are warnings, and
a column in another unit ends the run with status 1, unless --accept later-unit. docs/check.md has more.`,
		Example: `  mediant predict model.mediant new.csv -o out.csv
  mediant predict model.mediant - < new.csv`,
		Args: arguments("the model file", "the table"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := read.check(); err != nil {
				return err
			}
			_, err := known.acceptances()
			if err != nil {
				return err
			}
			if out != "" {
				err = checkOutput(out, append(strings.Split(args[1], ","), args...)...)
			} else {
				err = tryStdout(cmd.OutOrStdout())
			}
			if err != nil {
				return err
			}
			limit, err := memory.limit()
			if err != nil {
				return err
			}
			defer keepWithin(limit)()
			read.memory, read.keepRows = limit, true
			model, err := loadModel(args[0], limit)
			if err != nil {
				return memoryHint(err)
			}
			read.model = model.Reading
			if opt.scores && model.Y.Classes() == nil {
				return usagef("--scores is for classes, and %s predicts numbers", args[0])
			}
			if opt.errors && model.SE == nil {
				return fmt.Errorf("%s: the model keeps no standard errors: fit it with --se", args[0])
			}
			src, close, err := read.open(cmd.Context(), args[1], model.X.Columns())
			if err != nil {
				return err
			}
			defer close()
			if err := read.checkNames(src); err != nil {
				return err
			}
			found, err := known.later(cmd.Context(), model, src, tables.Roles{X: model.Roles.X}, check.Later)
			if err != nil {
				return memoryHint(fmt.Errorf("%s: %w", args[1], err))
			}
			if !quiet {
				writeLater(cmd.ErrOrStderr(), found)
			}
			if err := check.Refused(found); err != nil {
				return fmt.Errorf("%s: %w", args[1], err)
			}
			write := func(w io.Writer) error { return predict(cmd.Context(), model, src, opt, w) }
			if out == "" {
				err = write(cmd.OutOrStdout())
			} else {
				err = outfile.Write(out, write)
			}
			return memoryHint(err)
		},
	}
	cmd.Flags().StringVarP(&out, "output", "o", "", "CSV file to write (default: standard output)")
	cmd.Flags().BoolVar(&opt.scores, "scores", false, "for classes, add one column per class")
	cmd.Flags().BoolVar(&opt.errors, "se", false, "add one column of standard errors per output")
	cmd.Flags().BoolVar(&quiet, "quiet", false, "print no warnings")
	read.register(cmd.Flags())
	known.register(cmd.Flags())
	memory.register(cmd.Flags())
	return cmd
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

// predict writes the predictions for src as CSV, a block at a time.
func predict(ctx context.Context, m *mediant.Model, src tables.Source, opt predictOptions, w io.Writer) error {
	out, err := csv.NewWriter(w, opt.columns(m.Y))
	if err != nil {
		return err
	}
	blocks := m.Predict
	if opt.errors {
		blocks = m.PredictErrors
	}
	for block, err := range blocks(ctx, src) {
		if err != nil {
			return err
		}
		if err := out.Write(opt.batch(m, block)); err != nil {
			return err
		}
	}
	return nil
}

// predictOptions say what to write of a prediction.
type predictOptions struct{ scores, errors bool }

// columns are the label of a classification, the outputs of a regression or, if asked for, of a
// classification, and the standard errors, if asked for.
func (o predictOptions) columns(y *encode.Targets) []tables.Column {
	var columns []tables.Column
	number := func(suffix string) {
		for _, name := range y.Names() {
			columns = append(columns, tables.Column{Name: name + suffix, Kind: tables.Numeric})
		}
	}
	if y.Classes() != nil {
		columns = append(columns, tables.Column{Name: y.Columns()[0].Name, Kind: tables.Text})
	}
	if y.Classes() == nil || o.scores {
		number("")
	}
	if o.errors {
		number(" se")
	}
	return columns
}

// batch has the columns of one block of predictions.
func (o predictOptions) batch(m *mediant.Model, block rr.Block) tables.Batch {
	n, _ := block.Values.Dims()
	b := tables.Batch{Start: block.Start, Rows: n, Num: mat.DenseCopyOf(block.Values)}
	switch {
	case o.errors && (m.Y.Classes() == nil || o.scores):
		b.Num.Reset()
		b.Num.Augment(block.Values, block.Errors)
	case o.errors:
		b.Num = mat.DenseCopyOf(block.Errors)
	}
	if m.Y.Classes() == nil {
		return b
	}
	labels := make([]string, n)
	for i := range labels {
		labels[i] = m.Label(block.Values.RawRowView(i))
	}
	b.Text = [][]string{labels}
	return b
}
