package problem

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"mediant/internal/draw"
	"mediant/internal/rowops"
	"mediant/tables"
)

// SampleTable returns a uniform sample without replacement of n of the total observations of a table, in memory and in their order, or src itself if
// total <= n. A row of frequency k is k observations. It costs one pass. The error is that of src, or reports that src has fewer rows than total.
func SampleTable(ctx context.Context, src tables.Source, total, n int, seed uint64, purpose string) (tables.Source, error) {
	if total <= n {
		return src, nil
	}
	return tables.Pick(ctx, src, draw.Indices(total, n, seed, purpose))
}

// SampleRows returns n rows of x, a uniform sample without replacement in their order, or x itself if
// it has no more than n. With weights, one for each row, at least 0 and not all 0, a row counts as the number of copies that tables.CopiesOf gives
// for its weight.
func SampleRows(x *mat.Dense, weights []float64, n int, seed uint64, purpose string) *mat.Dense {
	total, _ := x.Dims()
	if weights == nil {
		if total <= n {
			return x
		}
		return rowops.Pick(x, draw.Indices(total, n, seed, purpose)).(*mat.Dense)
	}
	copies := tables.CopiesOf(weights)
	total = 0
	for _, c := range copies {
		total += c
	}
	picked := draw.Indices(total, n, seed, purpose)
	rows := picked[:0]
	taken, before := 0, 0
	for i, c := range copies {
		before += c
		for ; taken < len(picked) && picked[taken] < before; taken++ {
			rows = append(rows, i)
		}
	}
	return rowops.Pick(x, rows).(*mat.Dense)
}
