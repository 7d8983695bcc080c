package features

import (
	"context"
	"errors"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"mediant/kernels"
	"mediant/tables"
)

// CheckRows returns the *kernels.RowError of the first entry of x that m cannot take, such as a negative one
// for features of a chi-squared kernel; MapTo panics with it. For other maps it costs nothing. A map of another package
// that is made of such a map may have a method CheckRows of its own.
func CheckRows(m Map, x mat.Matrix) error {
	switch m := m.(type) {
	case *Concat:
		for _, part := range m.parts {
			if err := CheckRows(part, x); err != nil {
				return err
			}
		}
	case *Columns:
		return m.checkRows(x)
	case interface{ CheckRows(x mat.Matrix) error }:
		return m.CheckRows(x)
	case interface{ Kernel() kernels.Kernel }:
		return kernels.CheckRows(m.Kernel(), x)
	}
	return nil
}

// CheckRows is the function of this name for the rows of a batch of src that the encoder encoded. The error says where the row is
// and which column of the encoder it is.
func (e *Encoder) CheckRows(m Map, x mat.Matrix, src tables.Source, batch tables.Batch) error {
	err := CheckRows(m, x)
	var entry *kernels.RowError
	if !errors.As(err, &entry) {
		return err
	}
	return e.entryError(entry, tables.Where(src, batch.Number(entry.Row)))
}

// entryError names the place and the column of an encoded entry that a kernel cannot take.
func (e *Encoder) entryError(entry *kernels.RowError, place string) error {
	return &entryError{fmt.Sprintf("features: %s: column %q is %.4g once encoded; %s; encoders centre numbers at 0, but not text",
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
				return e.entryError(entry, tables.Where(src, batch.Number(i)))
			}
		}
	}
	return nil
}
