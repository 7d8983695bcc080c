package encode

import (
	"context"
	"errors"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"mediant/kernels"
	"mediant/tables"
)

// EntryError turns a *kernels.RowError about rows of a batch of src into an error that names the row in the table and the
// encoder's column. Other errors are returned unchanged.
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

// Locate finds the first row of src whose encoding has the entry that a *kernels.RowError about a sample reports, and
// returns an error that names the row and its column. It returns nil if err has no such error, or no row has the entry.
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
