package tables

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"
)

// Pick reads the rows of src of the given numbers, ascending and distinct, into memory, in one pass.
// The error is one of src, or says that it has not so many rows or that no row is asked for.
func Pick(ctx context.Context, src Source, rows []int) (*Table, error) {
	l := newLoader(uncounted{src})
	taken := 0
	for b, err := range src.Batches(ctx) {
		if err != nil {
			return nil, err
		}
		for ; taken < len(rows) && rows[taken] < b.Start+b.Rows; taken++ {
			l.add(b.row(rows[taken] - b.Start))
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

// uncounted hides the number of rows of a Source, for which a loader would make room.
type uncounted struct{ Source }

// row is the batch of a single row.
func (b Batch) row(i int) Batch {
	one := Batch{Start: b.Start + i, Rows: 1}
	if b.Num != nil {
		_, c := b.Num.Dims()
		one.Num = mat.NewDense(1, c, b.Num.RawRowView(i))
	}
	for _, cells := range b.Text {
		one.Text = append(one.Text, cells[i:i+1])
	}
	return one
}
