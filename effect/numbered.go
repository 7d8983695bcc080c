package effect

import (
	"slices"

	"gonum.org/v1/gonum/mat"

	"mediant/encode"
	"mediant/internal/rowops"
	"mediant/moments"
	"mediant/tables"
)

// numbered is a Side whose values a function of the number of a row (tables.Batch.Number) sets; it leaves out the rows of which that is false.
type numbered struct {
	name  string // which identifies the side
	width int
	of    func(number int, dst []float64) (used bool)
}

var _ encode.Side = numbered{}

// rowNumbers is the number of each row.
var rowNumbers = numbered{"row numbers", 1, func(number int, dst []float64) bool { dst[0] = float64(number); return true }}

// ID identifies the values.
func (s numbered) ID() moments.ID { return moments.NewID([]byte("numbered"), []byte(s.name)) }

// Open implements encode.Side.
func (s numbered) Open(tables.Source) (encode.SideReader, error) {
	return &numberedReader{numbered: s}, nil
}

type numberedReader struct {
	numbered
	values, chosen mat.Dense
}

// Read implements encode.SideReader.
func (r *numberedReader) Read(b tables.Batch) (mat.Matrix, []int, error) {
	rows, usable := rowops.First(&r.values, b.Rows, r.width), make([]int, 0, b.Rows)
	for i := range b.Rows {
		row := rows.RawRowView(i)
		clear(row)
		if r.of(b.Number(i), row) {
			usable = append(usable, i)
		}
	}
	return rows, slices.Clip(usable), nil
}

// Finish implements encode.SideReader.
func (r *numberedReader) Finish(rows mat.Matrix, keep []int) *mat.Dense {
	if keep != nil {
		rows = rowops.Choose(&r.chosen, rows, keep)
	}
	return rows.(*mat.Dense)
}
