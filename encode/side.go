package encode

import (
	"gonum.org/v1/gonum/mat"

	"mediant/internal/rowops"
	"mediant/moments"
	"mediant/tables"
)

// A Side computes one side, a or b, of a moments.CoMoments from the rows of a table: an *Encoder the encoded columns, features.Mapped their
// features, *Targets the outputs.
type Side interface {
	// ID identifies what the columns mean.
	ID() moments.ID
	// Open finds the columns that the side needs in a table. The error names those that are not there.
	Open(src tables.Source) (SideReader, error)
}

// A SideReader reads one side of a table, batch by batch. What it returns is valid until the next call.
type SideReader interface {
	// Read encodes the rows of a batch and returns the usable ones, in order; nil stands for all. The error names the row
	// and the column of an invalid value.
	Read(batch tables.Batch) (rows mat.Matrix, usable []int, err error)
	// Finish returns the columns of the side for the rows in keep, indices of rows that Read returned; nil for all.
	Finish(rows mat.Matrix, keep []int) *mat.Dense
}

// A FoldReader is a SideReader whose columns may depend on the fold of a row.
type FoldReader interface {
	SideReader
	// FinishFold is Finish for rows of one fold.
	FinishFold(rows mat.Matrix, keep []int, fold int) *mat.Dense
}

var (
	_ Side = (*Encoder)(nil)
	_ Side = (*Targets)(nil)
	_ Side = Squares{}
)

// ID identifies the encoded columns.
func (e *Encoder) ID() moments.ID { return moments.NewID([]byte("encoder"), e.Canonical()) }

// Open implements Side.
func (e *Encoder) Open(src tables.Source) (SideReader, error) {
	b, err := e.Bind(src.Columns())
	if err != nil {
		return nil, err
	}
	r := &columnReader{width: e.Width(), encode: func(dst *mat.Dense, batch tables.Batch) []int {
		b.EncodeTo(dst, batch)
		return nil
	}}
	if e.Sparse() {
		r.sparse = b
	}
	return r, nil
}

// Open implements Side.
func (t *Targets) Open(src tables.Source) (SideReader, error) { return t.open(src) }

func (t *Targets) open(src tables.Source) (*columnReader, error) {
	b, err := t.Bind(src.Columns())
	if err != nil {
		return nil, err
	}
	return &columnReader{width: t.Len(), encode: b.EncodeTo}, nil
}

// Squares is the Side of the squares of the outputs, for models of E[Y²|U]. Of must be set.
type Squares struct{ Of *Targets }

// ID identifies the squares of the outputs.
func (s Squares) ID() moments.ID {
	id := s.Of.ID()
	return moments.NewID([]byte("squares"), id[:])
}

// Open implements Side.
func (s Squares) Open(src tables.Source) (SideReader, error) {
	r, err := s.Of.open(src)
	if err != nil {
		return nil, err
	}
	encode := r.encode
	r.encode = func(dst *mat.Dense, batch tables.Batch) []int {
		usable := encode(dst, batch)
		dst.MulElem(dst, dst)
		return usable
	}
	return r, nil
}

// A columnReader is the SideReader of encoded columns and of outputs.
type columnReader struct {
	width int
	// encode writes all rows of a batch and returns the usable ones, in order; nil stands for all.
	encode func(dst *mat.Dense, batch tables.Batch) []int
	sparse *Binding // of an encoder whose rows are sparse, instead of encode

	encoded, chosen, dense mat.Dense
}

// Read implements SideReader.
func (r *columnReader) Read(batch tables.Batch) (mat.Matrix, []int, error) {
	if r.sparse != nil {
		rows, _ := r.sparse.sparse(batch)
		return rows, nil, nil
	}
	rows := rowops.First(&r.encoded, batch.Rows, r.width)
	return rows, r.encode(rows, batch), nil
}

// Finish implements SideReader.
func (r *columnReader) Finish(rows mat.Matrix, keep []int) *mat.Dense {
	if keep != nil {
		rows = rowops.Choose(&r.chosen, rows, keep)
	}
	if dense, ok := rows.(*mat.Dense); ok {
		return dense
	}
	n, _ := rows.Dims()
	out := rowops.First(&r.dense, n, r.width)
	rowops.DenseTo(out, rows)
	return out
}
