package tables

import (
	"context"
	"fmt"
)

// Pick reads rows of src into memory, in one pass. They are given by ascending numbers, from 0, among the rows that
// src stands for: one of weight k has k numbers (see Weigh), and is there as often as it is asked for, as a row of its own. A row
// with a sampling weight or copies is there once, as no more observations than it stands for, with the weight of as often as it is
// asked for. The error is one of src, or says that it has not so many rows or that no row is asked for.
func Pick(ctx context.Context, src Source, rows []int) (*Table, error) {
	l := newLoader(src.Columns(), len(rows))
	taken, before := 0, 0
	for b, err := range NewGuard("", src).Batches(ctx) {
		if err != nil {
			return nil, err
		}
		plain := b
		plain.weights = rowWeights{}
		sampled := b.Factors() != nil
		for i := range b.Rows {
			times := 0
			before += b.Copies(i)
			for ; taken < len(rows) && rows[taken] < before; taken++ {
				times++
			}
			if sampled && times > 0 {
				l.add(plain, i, i+1)
				l.weights.add(picked(b, i, times), 0, 1)
				continue
			}
			for range times {
				l.add(plain, i, i+1)
			}
		}
		if taken == len(rows) {
			break
		}
	}
	if taken < len(rows) || taken == 0 {
		return nil, fmt.Errorf("tables: pick: %d of %d rows are there, wanted all and at least one", taken, len(rows))
	}
	return l.table(), nil
}

// picked is the weight of row i of a batch with factors that was asked for several times.
func picked(b Batch, i, times int) rowWeights {
	w := rowWeights{weights: []float64{float64(times)}, copies: []int{times}, numbers: []int{b.Number(i)}}
	if f := b.Frequencies(); f != nil {
		observations := min(f[i], float64(times))
		w.whole, w.weights, w.times = true, []float64{observations}, []float64{float64(times) / observations}
	}
	return w
}
