package encode

import (
	"context"
	"errors"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"mediant/kernels"
	"mediant/tables"
)

// EntryError returns an error that is or wraps a *kernels.RowError, of rows that the encoder encoded from a batch of src, as
// one that names the row's place in the table and the encoder's column. Other errors are returned as they are.
func (e *Encoder) EntryError(err error, src tables.Source, batch tables.Batch) error {
	var entry *kernels.RowError
	if !errors.As(err, &entry) {
		return err
	}
	return e.entryError(entry, tables.FactsOf(src).Where(batch.Number(entry.Row)))
}

// entryError names the place and the column of an encoded entry that a kernel cannot take.
func (e *Encoder) entryError(entry *kernels.RowError, place string) error {
	return &entryError{fmt.Sprintf("encode: %s: column %q is %.4g once encoded; %s; encoders centre numbers at 0, but not text",
		place, e.Names()[entry.Column], entry.Value, entry.Want), entry}
}

type entryError struct {
	text  string
	entry *kernels.RowError
}

func (e *entryError) Error() string { return e.text }

func (e *entryError) Unwrap() error { return e.entry }

// Locate finds the first row of src that the encoder encodes to the entry of a *kernels.RowError among rows of a
// sample, and returns an error that names its place and column. Without such an error in err, or such a row, it returns nil.
func (e *Encoder) Locate(ctx context.Context, err error, src tables.Source) error {
	var entry *kernels.RowError
	if !errors.As(err, &entry) {
		return nil
	}
	binding, err := e.Bind(src.Columns())
	if err != nil {
		return err
	}
	var memory mat.Dense
	for batch, err := range tables.NewGuard("", src).Batches(ctx) {
		if err != nil {
			return err
		}
		rows, _ := binding.Rows(&memory, batch)
		for i := range batch.Rows {
			if rows.At(i, entry.Column) == entry.Value {
				return e.entryError(entry, tables.FactsOf(src).Where(batch.Number(i)))
			}
		}
	}
	return nil
}
