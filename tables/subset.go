package tables

import (
	"context"
	"fmt"
	"iter"
)

// Keep returns the rows of src for whose numbers, from 0 in the order of a pass, keep is true: rows of them, at least one. Frequencies
// stay as they are, and what the observations count each is divided by its mean over those that are left. A Table gives a Table. It costs two passes
// where rows have such factors or src is a Table, and none elsewhere. The error is one of src, or says that it has another number of such rows.
func Keep(ctx context.Context, src Source, rows int, keep func(row int) bool) (Source, error) {
	return Subset{Rows: rows, Keep: keep}.of(ctx, src, FactsOf(src).Weighted)
}

// A Subset says which rows of a source are left where one row may stand for several.
type Subset struct {
	// Rows is how many are left, at least one.
	Rows int
	// Keep reports whether a row is left, by its number, from 0 in the order of a pass.
	Keep func(row int) bool
	// Times is how many rows each row that is left stands for, nil for one each. It becomes a factor of the row (Batch.Factors), and the
	// factors, with those that rows have already, are divided by their mean over all observations.
	Times func(row int) int
	// Held is the bytes that Keep and Times hold on to, for FactsOf.
	Held int64
}

// Of returns the rows of src that are left. A Table gives a Table. The error is one of src, or says that it has another number of such rows.
func (s Subset) Of(ctx context.Context, src Source) (Source, error) {
	return s.of(ctx, src, s.Times != nil)
}

func (s Subset) of(ctx context.Context, src Source, scale bool) (Source, error) {
	left := &subset{Subset: s, guard: NewGuard("", src)}
	if scale {
		if err := left.scale(ctx); err != nil {
			return nil, err
		}
	}
	return left.table(ctx)
}

// A subset is a Source of some rows of another.
type subset struct {
	Subset
	guard *Guard
	mean  float64 // that factors are divided by, 0 for 1
}

func (s *subset) Columns() []Column { return s.guard.Columns() }

func (s *subset) Facts() Facts {
	f := s.guard.Facts()
	f.Rows, f.Held, f.Weighted = s.Rows, f.Held+s.Held, f.Weighted || s.Times != nil
	return f
}

// factor is what each observation of row i of a batch counts, before the mean is 1.
func (s *subset) factor(b Batch, i int) float64 {
	f := 1.0
	if own := b.weights.factors(); own != nil {
		f = own[i]
	}
	if s.Times != nil {
		f *= float64(s.Times(b.Start + i))
	}
	return f
}

// scale finds the mean of factors.
func (s *subset) scale(ctx context.Context) error {
	total, observations := 0.0, 0.0
	for b, err := range s.guard.Batches(ctx) {
		if err != nil {
			return err
		}
		if s.Times == nil && b.Factors() == nil {
			return nil
		}
		frequencies := b.Frequencies()
		for i := range b.Rows {
			if !s.Keep(b.Start + i) {
				continue
			}
			own := 1.0
			if frequencies != nil {
				own = frequencies[i]
			}
			total += own * s.factor(b, i)
			observations += own
		}
	}
	if observations > 0 {
		s.mean = total / observations
	}
	return nil
}

// pass is one over the rows that are kept; see regrouped.
func (s *subset) pass(ctx context.Context, use func(b Batch, kept []int, weights rowWeights) bool) error {
	var c copier
	rows := 0
	for b, err := range s.guard.Batches(ctx) {
		if err != nil {
			return err
		}
		var kept []int
		for i := range b.Rows {
			if s.Keep(b.Start + i) {
				kept = append(kept, i)
			}
		}
		rows += len(kept)
		if !use(b, kept, s.weights(&c, b, kept)) {
			return nil
		}
	}
	if rows != s.Rows {
		return fmt.Errorf("tables: %d rows are to be kept, %d were at first: did the table change?", rows, s.Rows)
	}
	return nil
}

// weights are those of some rows of a batch.
func (s *subset) weights(c *copier, b Batch, kept []int) rowWeights {
	w := rowWeights{whole: b.weights.whole, clusters: pickClusters(b.weights.clusters, kept)}
	mean := s.mean
	if mean == 0 {
		mean = 1
	}
	for _, i := range kept {
		weight := 1.0
		if b.weights.weights != nil {
			own := b.weights.weights[i]
			if !w.whole { // the factors are product of both, and one takes the mean
				own /= mean
			}
			w.weights = append(w.weights, own)
			weight *= own
		}
		if b.weights.times != nil || s.Times != nil {
			own := timesOf(b, i)
			if s.Times != nil {
				own *= float64(s.Times(b.Start + i))
			}
			if w.whole || b.weights.weights == nil {
				own /= mean
			}
			w.times = append(w.times, own)
			weight *= own
		}
		if w.weights != nil || w.times != nil {
			w.copies = append(w.copies, c.copies(weight))
		}
		w.numbers = append(w.numbers, b.Number(i))
	}
	return w
}

// Batches yields the rows that are kept, BlockRows at a time.
func (s *subset) Batches(ctx context.Context) iter.Seq2[Batch, error] {
	return regrouped(ctx, s.Columns(), s.pass)
}

// table returns the subset of a Table as a Table, and others as they are.
func (s *subset) table(ctx context.Context) (Source, error) {
	t, ok := unguarded(s.guard).(*Table)
	if !ok {
		return s, nil
	}
	l := newLoader(t.columns, s.Rows)
	err := s.pass(ctx, func(b Batch, kept []int, weights rowWeights) bool {
		l.addRows(b, kept, weights)
		return true
	})
	if err != nil {
		return nil, err
	}
	short := l.table()
	short.file = t.file
	return short, nil
}
