package features

import (
	"gonum.org/v1/gonum/mat"

	"mediant/encode"
	"mediant/kernels"
	"mediant/tables"
)

// CheckRows returns the *kernels.RowError of the first entry of x that m cannot take, such as a negative one
// for features of a chi-squared kernel; MapTo panics with it. For other maps it costs nothing. A map of another package that contains such a map may
// have its own method CheckRows.
func CheckRows(m Map, x mat.Matrix) error {
	switch m := m.(type) {
	case interface{ CheckRows(x mat.Matrix) error }:
		return m.CheckRows(x)
	case interface{ Kernel() kernels.Kernel }:
		return kernels.CheckRows(m.Kernel(), x)
	}
	return nil
}

// CheckEncoded is CheckRows for the rows of a batch of src that an encoder encoded. The error says where the row is
// and which column of the encoder it is.
func CheckEncoded(m Map, e *encode.Encoder, x mat.Matrix, src tables.Source, batch tables.Batch) error {
	return e.EntryError(CheckRows(m, x), src, batch)
}
