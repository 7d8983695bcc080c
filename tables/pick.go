package tables

import (
	"context"
	"fmt"
)

// Pick reads rows of src into memory, in one pass. rows are ascending indices, from 0, of the observations of src: a row of frequency k has k
// indices (see Weigh), and the table has one row for each index. A row with a sampling weight or copies appears once, with the number of its indices
// in rows as its weight. The error is one of src, or reports an index out of range or that rows is empty.
func Pick(ctx context.Context, src Source, rows []int) (*Table, error) {
	l := newLoader(src.Columns(), len(rows))
	taken, before := 0, 0
	for b, err := range NewGuard("", src).Batches(ctx) {
		if err != nil {
			return nil, err
		}
		plain := b
		plain.weights = rowWeights{}
		plain.weights.clusters = b.weights.clusters
		sampled := b.Factors() != nil
		for i := range b.Rows {
			times := 0
			before += b.Copies(i)
			for ; taken < len(rows) && rows[taken] < before; taken++ {
				times++
			}
			if sampled && times > 0 {
				bare := plain
				bare.weights = rowWeights{}
				l.add(bare, i, i+1)
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
		return nil, fmt.Errorf("tables: pick: the table has %d of the %d rows asked for, want all of them and at least one", taken, len(rows))
	}
	return l.table(), nil
}

// picked is the weight of row i of a batch with factors, of which rows has several indices.
func picked(b Batch, i, times int) rowWeights {
	w := rowWeights{weights: []float64{float64(times)}, copies: []int{times}, numbers: []int{b.Number(i)}, clusters: pickClusters(b.weights.clusters, []int{i})}
	if f := b.Frequencies(); f != nil {
		observations := min(f[i], float64(times))
		w.whole, w.weights, w.times = true, []float64{observations}, []float64{float64(times) / observations}
	}
	return w
}
