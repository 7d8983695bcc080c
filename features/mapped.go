package features

import (
	"gonum.org/v1/gonum/mat"

	"mediant/encode"
	"mediant/internal/rowops"
	"mediant/moments"
	"mediant/tables"
)

// Mapped, of which both must be set, is the Side of a Map of encoded rows.
type Mapped struct {
	Encoder *encode.Encoder
	Map     Map
}

var _ encode.Side = Mapped{}

// ID identifies encoder and map together.
func (m Mapped) ID() moments.ID {
	encoder, id := m.Encoder.ID(), m.Map.ID()
	return moments.NewID([]byte("mapped"), encoder[:], id[:])
}

// Open implements Side.
func (m Mapped) Open(src tables.Source) (encode.SideReader, error) {
	r, err := m.Encoder.Open(src)
	if err != nil {
		return nil, err
	}
	return &mappedReader{encoded: r, of: m, src: src}, nil
}

// A mappedReader maps what the encoder's reader reads. Sparse rows stay sparse up to the map.
type mappedReader struct {
	encoded encode.SideReader
	of      Mapped
	src     tables.Source

	chosen, mapped mat.Dense
}

// Read implements SideReader. The error names the entry that the map cannot take.
func (r *mappedReader) Read(batch tables.Batch) (mat.Matrix, []int, error) {
	rows, usable, err := r.encoded.Read(batch)
	if err == nil {
		err = CheckEncoded(r.of.Map, r.of.Encoder, rows, r.src, batch)
	}
	return rows, usable, err
}

// Finish implements SideReader.
func (r *mappedReader) Finish(rows mat.Matrix, keep []int) *mat.Dense {
	return r.finish(r.of.Map, rows, keep)
}

// FinishFold implements encode.FoldReader.
func (r *mappedReader) FinishFold(rows mat.Matrix, keep []int, fold int) *mat.Dense {
	m := r.of.Map
	if b, ok := m.(ByFold); ok {
		m = b.OfFold(fold)
	}
	return r.finish(m, rows, keep)
}

func (r *mappedReader) finish(m Map, rows mat.Matrix, keep []int) *mat.Dense {
	if keep != nil {
		rows = rowops.Choose(&r.chosen, rows, keep)
	}
	n, _ := rows.Dims()
	_, p := m.Dims()
	out := rowops.First(&r.mapped, n, p)
	m.MapTo(out, rows)
	return out
}
