package columnar

import (
	"fmt"
	"math"

	"mediant/internal/names"
	"mediant/tables"
)

// Rows are what writers of a format take apart: batches of the given columns.
type Rows struct {
	Columns []tables.Column
	Written int // before the batch
	places  *tables.Selection
}

// NewRows refuses columns that no file can have.
func NewRows(columns []tables.Column) (Rows, error) {
	if err := names.Check(tables.ColumnNames(columns)); err != nil {
		return Rows{}, err
	}
	places, err := tables.Select(columns, columns)
	return Rows{Columns: columns, places: places}, err
}

// Cell is the cell of column i in row r of a batch: a number, or text.
func (w Rows) Cell(b tables.Batch, r, i int) (number float64, text string, err error) {
	kind, index := w.places.Place(i)
	if kind == tables.Text {
		return 0, b.Text[index][r], nil
	}
	raw := b.Num.RawMatrix()
	v := raw.Data[r*raw.Stride+index]
	if math.IsInf(v, 0) {
		return 0, "", fmt.Errorf("column %q: row %d (from 0) is %g, want a finite number", w.Columns[i].Name, w.Written+r, v)
	}
	return v, "", nil
}
