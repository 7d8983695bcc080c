package encode

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"mediant/internal/draw"
	"mediant/internal/rowops"
	"mediant/tables"
)

// Sample returns the encoded rows of n of the pooled rows of the sources, a uniform sample without replacement in their
// order, or all rows if there are no more than n. A row of weight k is k rows, of which several may be taken. counts are the
// numbers of rows of the sources (Encoder.SourceRows for those that the encoder was fitted on), so that one pass is enough.
// The sample depends on counts, seed and purpose (stream "purpose/sample") alone. Rows of a sparse encoder are a *CSR,
// others a *mat.Dense. It is an error if a source fails or has another number of rows than counts says. It panics if n < 1.
func Sample(ctx context.Context, e *Encoder, counts []int, n int, seed uint64, purpose string, sources ...tables.Source) (mat.Matrix, error) {
	if n < 1 {
		panic(mat.ErrZeroLength)
	}
	if len(sources) != len(counts) {
		return nil, fmt.Errorf("encode: sample: %d tables, want %d", len(sources), len(counts))
	}
	total := 0
	for _, c := range counts {
		total += c
	}
	picked := draw.Indices(total, n, seed, purpose)
	var sample gatherer
	if !e.Sparse() {
		sample.data = make([]float64, 0, len(picked)*e.width)
	}
	taken, before := 0, 0
	for s, src := range sources {
		end := before + counts[s]
		binding, err := e.Bind(src.Columns())
		if err != nil {
			return nil, err
		}
		var memory mat.Dense
		for batch, err := range tables.NewGuard("", src).Batches(ctx) {
			if err != nil {
				return nil, err
			}
			var own []int
			for i := range batch.Rows {
				before += batch.Copies(i)
				for ; taken < len(picked) && picked[taken] < before; taken++ {
					own = append(own, i)
				}
			}
			if before > end {
				return nil, changed(s, counts[s])
			}
			if own != nil {
				rows, _ := binding.Rows(&memory, batch)
				sample.add(rowops.Pick(rows, own))
			}
		}
		if before != end {
			return nil, changed(s, counts[s])
		}
	}
	return sample.matrix(e.width), nil
}

// EncodeRows returns the encoded rows of src with the given numbers, ascending from 0, whatever their weights: a *CSR if the
// encoder is Sparse, else a *mat.Dense. It costs one pass. It is an error if src fails or has too few rows, or if rows is
// empty.
func (e *Encoder) EncodeRows(ctx context.Context, src tables.Source, rows []int) (mat.Matrix, error) {
	binding, err := e.Bind(src.Columns())
	if err != nil {
		return nil, err
	}
	var all gatherer
	var memory mat.Dense
	taken := 0
	for batch, err := range tables.NewGuard("", src).Batches(ctx) {
		if err != nil {
			return nil, err
		}
		var own []int
		for ; taken < len(rows) && rows[taken] < batch.Start+batch.Rows; taken++ {
			own = append(own, rows[taken]-batch.Start)
		}
		if own != nil {
			encoded, _ := binding.Rows(&memory, batch)
			all.add(rowops.Pick(encoded, own))
		}
	}
	if taken < len(rows) || taken == 0 {
		return nil, fmt.Errorf("encode: %d of %d rows are there, wanted all and at least one", taken, len(rows))
	}
	return all.matrix(e.width), nil
}

// EncodeAll returns all encoded rows of a table in memory: a *CSR if the encoder is Sparse, else a *mat.Dense. It is an
// error if the table fails, lacks a column, or has no rows or more than most.
func (e *Encoder) EncodeAll(ctx context.Context, src tables.Source, most int) (mat.Matrix, Counts, error) {
	var all gatherer
	var counts Counts
	binding, err := e.Bind(src.Columns())
	if err != nil {
		return nil, counts, err
	}
	n := 0
	var memory mat.Dense
	for batch, err := range tables.NewGuard("", src).Batches(ctx) {
		if err != nil {
			return nil, counts, err
		}
		if n += batch.Rows; n > most {
			return nil, counts, fmt.Errorf("encode: more than %d rows", most)
		}
		rows, more := binding.Rows(&memory, batch)
		counts.Add(more)
		all.add(rows)
	}
	if n == 0 {
		return nil, counts, fmt.Errorf("encode: no rows")
	}
	return all.matrix(e.width), counts, nil
}

// A gatherer puts blocks of rows, all dense or all *CSR, one below the other.
type gatherer struct {
	data   []float64
	sparse []*rowops.CSR
}

func (g *gatherer) add(rows mat.Matrix) {
	if c, ok := rows.(*rowops.CSR); ok {
		g.sparse = append(g.sparse, c)
		return
	}
	g.data = rowops.Append(g.data, rows.(*mat.Dense))
}

func (g *gatherer) matrix(width int) mat.Matrix {
	if g.sparse != nil {
		return rowops.Stack(g.sparse)
	}
	return mat.NewDense(len(g.data)/width, width, g.data)
}

func changed(source, rows int) error {
	return fmt.Errorf("encode: sample: table %d has not the %d rows that it had before: did it change?", source+1, rows)
}
