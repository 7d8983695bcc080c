// Package predictions writes the predictions of a model as columns of a table.
package predictions

import (
	"context"
	"errors"

	"gonum.org/v1/gonum/mat"

	"mediant"
	"mediant/encode"
	"mediant/rr"
	"mediant/tables"
)

// Options say what to write of a prediction.
type Options struct {
	// Scores adds the outputs of a classification to its label, which probabilities are added to anyway, unless LabelOnly is set. Errors adds the standard error of each output.
	Scores, LabelOnly, Errors bool
	// FromU writes h(U) in place of f(X): all outputs and no label.
	FromU bool
	// Distribution is for models that have one.
	Distribution OfDistribution
	// Counts, if not nil, gets the numbers of values that training had not prepared for.
	Counts *encode.Counts
}

// Columns are the label of a classification, the outputs, and the standard errors, where they are written.
func (o Options) Columns(m *mediant.Model) []tables.Column {
	var columns []tables.Column
	number := func(suffix string) {
		for _, name := range m.Y.Names() {
			columns = append(columns, tables.Column{Name: name + suffix, Kind: tables.Numeric})
		}
	}
	if m.Y.Classes() != nil && !o.FromU {
		columns = append(columns, tables.Column{Name: m.Y.Columns()[0].Name, Kind: tables.Text})
	}
	if o.outputs(m) {
		number("")
	}
	if o.Errors {
		number(" se")
	}
	if o.Distribution.any() {
		columns = append(columns, o.Distribution.columns(m.Y)...)
	}
	return columns
}

// ErrNoClasses reports that scores, or labels alone, are asked of a model that predicts numbers.
var ErrNoClasses = errors.New("the model predicts numbers")

// Check returns an error if a model lacks what is to be written.
func (o Options) Check(m *mediant.Model) error {
	switch {
	case (o.Scores || o.LabelOnly) && m.Y.Classes() == nil:
		return ErrNoClasses
	case o.Errors && m.SE == nil:
		return errors.New("the model keeps no standard errors: fit it with --se")
	case o.FromU && m.H == nil:
		return rr.ErrNoH
	case o.Distribution.any() && m.Distribution == nil:
		return errors.New("the model keeps no distribution of Y: fit it with --distribution")
	}
	return nil
}

// outputs reports whether the outputs are written.
func (o Options) outputs(m *mediant.Model) bool {
	return m.Y.Classes() == nil || o.FromU || o.Scores || m.Probabilities() && !o.LabelOnly
}

// Write writes the predictions for src, which has the columns of X, or of U, a block at a time, and closes out.
func (o Options) Write(ctx context.Context, m *mediant.Model, src tables.Source, out tables.Writer) error {
	blocks := m.PredictFromU(ctx, src)
	if !o.FromU {
		blocks = m.PredictWith(ctx, src, o.beside(m))
	}
	for block, err := range blocks {
		if err != nil {
			return err
		}
		if o.Counts != nil {
			o.Counts.Add(block.Counts)
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
	errors, ofDistribution := o.split(m, block)
	switch {
	case errors != nil && o.outputs(m):
		b.Num.Reset()
		b.Num.Augment(block.Values, errors)
	case errors != nil:
		b.Num = mat.DenseCopyOf(errors)
	}
	if ofDistribution != nil {
		before := b.Num
		b.Num = new(mat.Dense)
		b.Num.Augment(before, ofDistribution)
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
