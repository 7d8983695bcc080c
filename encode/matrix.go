package encode

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"mediant/tables"
)

// Table returns rows of numbers as a table of the encoder's columns, in the order of Columns (NaN: missing), or, for an encoder of one column of sparse
// rows, of its places. x is not copied where it need not be. Another number of columns panics. The error says that there are no rows, or names a value
// that is not finite.
func (e *Encoder) Table(x mat.Matrix) (tables.Source, error) {
	columns := e.Columns()
	if len(columns) == 1 && columns[0].Kind == tables.Vector {
		_, byRows := x.(mat.RowNonZeroDoer)
		if _, sparse := x.(mat.NonZeroDoer); !sparse && !byRows {
			x = CSROf(x)
		}
		return tables.FromSparse(columns[0].Name, x)
	}
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.Name
	}
	return tables.FromMatrix(names, x)
}

// EncodeMatrix returns the encoded rows of a matrix, whose columns are those of Table: a *CSR if the encoder is Sparse, else a *mat.Dense. They are
// the input of predictors such as rr.Model.F and inference.Errors. Counts has the missing values in columns that had none in training. The error is
// that of Table, or reports that a column of the encoder is text.
func (e *Encoder) EncodeMatrix(x mat.Matrix) (mat.Matrix, Counts, error) {
	src, err := e.Table(x)
	if err != nil {
		return nil, Counts{}, err
	}
	rows, _ := x.Dims()
	return e.EncodeAll(context.Background(), src, rows)
}
