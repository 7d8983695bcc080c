package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/mat"

	"mediant/features"
	"mediant/rr"
	"mediant/tables"
)

func newPredict() *cobra.Command {
	var read readFlags
	var out string
	var scores, quiet bool
	cmd := &cobra.Command{
		Use:   "predict MODEL TABLE.csv",
		Short: "Predict Y for the rows of a table",
		Long: `Predict Y for the rows of a table that has the columns of X, in any order; other
columns are ignored. The output has one column per output, named as in Y; for classes
the label, and with --scores one column per class named "Y=label". Input columns are
not repeated; rows keep their order. Without -o the predictions go to standard output.`,
		Example: `  mediant predict model.mediant new.csv -o out.csv
  mediant predict model.mediant - < new.csv`,
		Args: arguments("the model file", "the table"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if _, err := read.options(nil); err != nil {
				return err
			}
			if out != "" {
				if err := checkOutput(out, args...); err != nil {
					return err
				}
			}
			model, err := loadModel(args[0])
			if err != nil {
				return err
			}
			if scores && model.Y.Classes() == nil {
				return usagef("--scores is for classes, and %s predicts numbers", args[0])
			}
			src, close, err := read.open(cmd.Context(), args[1], model.X.Columns())
			if err != nil {
				return err
			}
			defer close()
			if _, err := model.X.Bind(src.Columns()); err != nil { // before the header is written
				return fmt.Errorf("%s: %w", args[1], err)
			}
			var counts features.Counts
			write := func(w io.Writer) error {
				counts, err = predict(cmd.Context(), model, src, scores, w)
				return err
			}
			if out == "" {
				err = write(cmd.OutOrStdout())
			} else {
				err = tables.WriteFile(out, write)
			}
			if err != nil {
				return err
			}
			if !quiet {
				for _, line := range model.X.Warnings(counts) {
					fmt.Fprintln(cmd.ErrOrStderr(), "warning: "+oneLine(line))
				}
			}
			return nil
		},
	}
	cmd.Flags().StringVarP(&out, "output", "o", "", "CSV file to write (default: standard output)")
	cmd.Flags().BoolVar(&scores, "scores", false, "for classes, add one column per class")
	cmd.Flags().BoolVar(&quiet, "quiet", false, "print no warnings")
	read.register(cmd.Flags())
	return cmd
}

// loadModel reads a model file.
func loadModel(path string) (*rr.Model, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	m, err := rr.Load(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return m, nil
}

// predict writes the predictions for src as CSV, a block at a time.
func predict(ctx context.Context, m *rr.Model, src tables.Source, scores bool, w io.Writer) (features.Counts, error) {
	var counts features.Counts
	var columns []tables.Column
	classes := m.Y.Classes() != nil
	if classes {
		columns = append(columns, tables.Column{Name: m.Y.Columns()[0].Name, Kind: tables.Text})
	}
	if !classes || scores {
		for _, name := range m.Y.Names() {
			columns = append(columns, tables.Column{Name: name, Kind: tables.Numeric})
		}
	}
	out, err := tables.NewCSVWriter(w, columns)
	if err != nil {
		return counts, err
	}
	for block, err := range m.Predict(ctx, src) {
		if err != nil {
			return counts, err
		}
		counts.Add(block.Counts)
		if err := out.Write(outputBatch(m, block, classes)); err != nil {
			return counts, err
		}
	}
	return counts, nil
}

func outputBatch(m *rr.Model, block rr.Block, classes bool) tables.Batch {
	n, _ := block.Values.Dims()
	b := tables.Batch{Start: block.Start, Rows: n, Num: mat.DenseCopyOf(block.Values)}
	if !classes {
		return b
	}
	labels := make([]string, n)
	for i := range labels {
		labels[i] = m.Label(block.Values.RawRowView(i))
	}
	b.Text = [][]string{labels}
	return b
}
