package tables

import (
	"context"
	"fmt"
	"iter"
	"math"
)

// Weigh returns the rows of src with the weights in its numeric column of the given name; those of weight 0 are left out
// of every pass.
//
//   - Weights that are all whole numbers are frequencies: a row of weight k stands for k equal rows, and Batch.Weights, Frequencies and Copies give
//     the same results as a table with the row written k times.
//   - Others are sampling weights, of which the ratios count alone: they are divided by their mean, and each row is one
//     observation.
//
// An empty name is src itself; a Table gives a Table. It costs one pass. The error says where the row (Where) is of a
// weight that is missing, negative or not finite, or says that all weights are 0 or that there is no such column of
// numbers.
func Weigh(ctx context.Context, src Source, name string) (Source, error) {
	if name == "" {
		return src, nil
	}
	sel, err := Select(src.Columns(), []Column{{Name: name, Kind: Numeric}})
	if err != nil {
		return nil, err
	}
	w := &weighted{guard: NewGuard("", src), sel: sel, whole: true, mean: 1}
	total, observed, dropped := 0.0, 0.0, false
	for b, err := range w.guard.Batches(ctx) {
		if err != nil {
			return nil, err
		}
		for i, v := range w.read(b) {
			if err := checkWeight(v); err != nil {
				return nil, fmt.Errorf("tables: %s: weight %q is %w", FactsOf(src).Where(b.Number(i)), name, err)
			}
			dropped = dropped || v == 0
			w.whole = w.whole && v == math.Trunc(v)
			if v > 0 {
				w.rows++
				total += v
				observed += v * timesOf(b, i)
			}
		}
	}
	switch {
	case w.rows == 0:
		return nil, fmt.Errorf("tables: nothing to learn from: the weight %q is 0 in every row", name)
	case !(total <= maxCount):
		return nil, fmt.Errorf("tables: the weights %q sum to %g rows, more than can be counted; divide them by a constant", name, total)
	}
	if !w.whole {
		w.mean = observed / float64(w.rows)
	} else {
		w.times = observed / total
	}
	if t, ok := unguarded(src).(*Table); ok {
		return w.table(ctx, t, dropped)
	}
	return w, nil
}

// maxCount is where float64 no longer holds every whole number.
const maxCount = 1 << 53

func checkWeight(v float64) error {
	switch {
	case math.IsNaN(v):
		return fmt.Errorf("missing")
	case v < 0 || math.IsInf(v, 0):
		return fmt.Errorf("%g, must be finite and at least 0", v)
	}
	return nil
}

// weighted is a Source with weights whose batches are read anew in each pass.
type weighted struct {
	guard *Guard
	sel   *Selection
	rows  int     // of weight above 0
	whole bool    // all weights are
	mean  float64 // that weights are divided by, 1 if they are whole
	times float64 // that numbers of copies are divided by where weights are whole
}

func (w *weighted) Columns() []Column { return w.guard.Columns() }

func (w *weighted) Facts() Facts {
	f := w.guard.Facts()
	f.Rows, f.Weighted = w.rows, true
	return f
}

// read returns the weights of a batch of src.
func (w *weighted) read(b Batch) []float64 {
	weights := make([]float64, b.Rows)
	w.sel.NumericTo(weights, b, 0)
	return weights
}

// weigh calls use with each batch of src, its rows of weight above 0 and what is known of these, until it returns
// false. Other rows than in the first pass are an error.
func (w *weighted) weigh(ctx context.Context, use func(b Batch, kept []int, weights rowWeights) bool) error {
	var c copier
	rows := 0
	for b, err := range w.guard.Batches(ctx) {
		if err != nil {
			return err
		}
		var kept []int
		known := rowWeights{whole: w.whole}
		for i, v := range w.read(b) {
			if v > 0 {
				v /= w.mean
				kept = append(kept, i)
				known.weights = append(known.weights, v)
				if b.weights.times != nil {
					own := b.weights.times[i]
					if w.whole {
						own /= w.times
					}
					known.times = append(known.times, own)
					v *= own
				}
				known.copies = append(known.copies, c.copies(v))
				known.numbers = append(known.numbers, b.Number(i))
			}
		}
		known.clusters = pickClusters(b.weights.clusters, kept)
		rows += len(kept)
		if !use(b, kept, known) {
			return nil
		}
	}
	if rows != w.rows {
		return fmt.Errorf("tables: %d rows have a weight above 0, %d had in the first pass: did the table change?", rows, w.rows)
	}
	return nil
}

// Batches yields the rows of weight above 0, BlockRows at a time.
func (w *weighted) Batches(ctx context.Context) iter.Seq2[Batch, error] {
	return regrouped(ctx, w.Columns(), w.weigh)
}

// table is the whole in memory: t with weights, of which only the rows that are left out make a copy.
func (w *weighted) table(ctx context.Context, t *Table, dropped bool) (*Table, error) {
	var l *loader
	var all rowWeights
	if dropped {
		l = newLoader(t.columns, w.rows)
	}
	err := w.weigh(ctx, func(b Batch, kept []int, weights rowWeights) bool {
		if dropped {
			l.addRows(b, kept, weights)
		} else {
			all.add(weights, 0, len(kept))
		}
		return true
	})
	if err != nil {
		return nil, err
	}
	if dropped {
		short := l.table()
		short.file = t.file
		return short, nil
	}
	weighed := *t
	weighed.weights = all
	return &weighed, nil
}
