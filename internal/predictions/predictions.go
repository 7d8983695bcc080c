// Package predictions writes the predictions of a model as columns of a table.
package predictions

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"mediant"
	"mediant/encode"
	"mediant/rr"
	"mediant/tables"
)

// Options say what to write of a prediction.
type Options struct {
	// Scores adds the outputs of a classification to its label, Errors the standard error of each output.
	Scores, Errors bool
	// FromU writes h(U) in place of f(X): all outputs and no label.
	FromU bool
}

// Columns are the label of a classification, the outputs of a regression or, if asked for, of a
// classification, and the standard errors, if asked for.
func (o Options) Columns(y *encode.Targets) []tables.Column {
	var columns []tables.Column
	number := func(suffix string) {
		for _, name := range y.Names() {
			columns = append(columns, tables.Column{Name: name + suffix, Kind: tables.Numeric})
		}
	}
	if y.Classes() != nil && !o.FromU {
		columns = append(columns, tables.Column{Name: y.Columns()[0].Name, Kind: tables.Text})
	}
	if y.Classes() == nil || o.Scores || o.FromU {
		number("")
	}
	if o.Errors {
		number(" se")
	}
	return columns
}

// Write writes the predictions for src, which has the columns of X, or of U, a block at a time, and closes out.
func (o Options) Write(ctx context.Context, m *mediant.Model, src tables.Source, out tables.Writer) error {
	blocks := m.Predict
	switch {
	case o.FromU:
		blocks = m.PredictFromU
	case o.Errors:
		blocks = m.PredictErrors
	}
	for block, err := range blocks(ctx, src) {
		if err != nil {
			return err
		}
		if err := out.Write(o.batch(m, block)); err != nil {
			return err
		}
	}
	return out.Close()
}

// batch has the columns of one block of predictions.
func (o Options) batch(m *mediant.Model, block rr.Block) tables.Batch {
	n, _ := block.Values.Dims()
	b := tables.Batch{Start: block.Start, Rows: n, Num: mat.DenseCopyOf(block.Values)}
	switch {
	case o.Errors && (m.Y.Classes() == nil || o.Scores):
		b.Num.Reset()
		b.Num.Augment(block.Values, block.Errors)
	case o.Errors:
		b.Num = mat.DenseCopyOf(block.Errors)
	}
	if m.Y.Classes() == nil || o.FromU {
		return b
	}
	labels := make([]string, n)
	for i := range labels {
		labels[i] = m.Label(block.Values.RawRowView(i))
	}
	b.Text = [][]string{labels}
	return b
}
