package npy

import (
	"errors"
	"fmt"
	"io"

	"codeberg.org/sbinet/npyio/npy"
	"gonum.org/v1/gonum/mat"

	"mediant/tables"
	"mediant/tables/internal/columnar"
)

var _ tables.Writer = (*Writer)(nil)

// A Writer, made by NewWriter, writes columns of numbers as a matrix of float64, one column each. The rows are kept until Close, since an NPY file
// begins with their number.
type Writer struct {
	w    io.Writer
	rows columnar.Rows
	data []float64
}

// NewWriter writes to w. A column of text is an error.
func NewWriter(w io.Writer, columns []tables.Column) (*Writer, error) {
	rows, err := columnar.NewRows(columns)
	if err != nil {
		return nil, fmt.Errorf("npy: write: %w", err)
	}
	for _, c := range columns {
		if c.Kind != tables.Numeric {
			return nil, fmt.Errorf("npy: write: column %q is %s, and a matrix has numbers", c.Name, c.Kind)
		}
	}
	return &Writer{w: w, rows: rows}, nil
}

// Write implements tables.Writer.
func (w *Writer) Write(b tables.Batch) error {
	for r := range b.Rows {
		for i := range w.rows.Columns {
			v, _, err := w.rows.Cell(b, r, i)
			if err != nil {
				return fmt.Errorf("npy: write: %w", err)
			}
			w.data = append(w.data, v)
		}
	}
	w.rows.Written += b.Rows
	return nil
}

// Close writes the matrix.
func (w *Writer) Close() error {
	if w.rows.Written == 0 {
		return errors.New("npy: write: no rows")
	}
	if err := npy.Write(w.w, mat.NewDense(w.rows.Written, len(w.rows.Columns), w.data)); err != nil {
		return fmt.Errorf("npy: write: %w", err)
	}
	return nil
}
