package encode

import (
	"slices"

	"gonum.org/v1/gonum/mat"

	"mediant/internal/parallel"
	"mediant/internal/rowops"
	"mediant/tables"
)

// Rows returns the encoded rows of the batch: a new *CSR if the encoder is Sparse, else the first rows of memory, which is
// enlarged if needed.
func (b *Binding) Rows(memory *mat.Dense, batch tables.Batch) (mat.Matrix, Counts) {
	if b.encoder.Sparse() {
		return b.sparse(batch)
	}
	rows := rowops.First(memory, batch.Rows, b.encoder.width)
	return rows, b.EncodeTo(rows, batch)
}

// sparse encodes columns that are neither free text nor sparse rows as EncodeTo does, and keeps their nonzeros.
func (b *Binding) sparse(batch tables.Batch) (*rowops.CSR, Counts) {
	dense, counts := b.others(batch)
	blocks := make([]*rowops.CSR, (batch.Rows+rowops.BlockRows-1)/rowops.BlockRows)
	parallel.Blocks(batch.Rows, rowops.BlockRows, func(lo, hi int) {
		out := &rowops.Builder{Cols: b.encoder.width}
		var memory tallies
		for i := lo; i < hi; i++ {
			b.appendRow(out, dense, batch, i, &memory)
			if i == lo { // other rows will be about as long
				out.Columns, out.Values = slices.Grow(out.Columns, len(out.Columns)*(hi-lo)), slices.Grow(out.Values, len(out.Values)*(hi-lo))
			}
		}
		blocks[lo/rowops.BlockRows] = out.CSR()
	})
	return rowops.Stack(blocks), counts
}

// others encodes the columns that are not sparse of themselves, nil for those that are.
func (b *Binding) others(batch tables.Batch) ([]*mat.Dense, Counts) {
	var counts Counts
	dense := make([]*mat.Dense, len(b.encoder.columns))
	for i := range b.encoder.columns {
		c := &b.encoder.columns[i]
		if c.text != nil || c.width() == 0 {
			continue
		}
		if c.kind == tables.Vector {
			_, place := b.columns.Place(i)
			counts.Beyond = b.count(counts.Beyond, i, beyond(batch.Sparse[place], 0, batch.Rows, c.places))
			continue
		}
		dense[i] = mat.NewDense(batch.Rows, c.width(), nil)
		b.encodeColumn(&counts, dense[i].RawMatrix(), i, batch, 0)
	}
	return dense, counts
}

// beyond is the number of values of the rows from lo to hi whose places are not below places.
func beyond(rows tables.SparseRows, lo, hi, places int) int {
	n := 0
	for i := lo; i < hi; i++ {
		for k := rows.Start[i+1] - 1; k >= rows.Start[i] && rows.Columns[k] >= places; k-- { // they ascend
			n++
		}
	}
	return n
}

// appendRow appends row i of the batch to out.
func (b *Binding) appendRow(out *rowops.Builder, dense []*mat.Dense, batch tables.Batch, i int, memory *tallies) {
	at := 0
	for k := range b.encoder.columns {
		c := &b.encoder.columns[k]
		switch {
		case c.text != nil:
			_, place := b.columns.Place(k)
			out.Columns, out.Values = c.text.appendRow(out.Columns, out.Values, batch.Text[place][i], at, memory)
		case c.places > 0:
			_, place := b.columns.Place(k)
			out.Columns, out.Values = c.appendVector(out.Columns, out.Values, batch.Sparse[place], i, at, b.encoder.standardize)
		case dense[k] != nil:
			for j, v := range dense[k].RawRowView(i) {
				if v != 0 {
					out.Columns, out.Values = append(out.Columns, at+j), append(out.Values, v)
				}
			}
		}
		at += c.width()
	}
	out.EndRow()
}
