package tables

import (
	"context"
	"fmt"
	"iter"
	"slices"
)

// Keep returns the rows of src for whose numbers, from 0 in the order of a pass, keep is true: rows of them, at least one. Frequencies
// stay as they are, and what the observations count each is divided by its mean over those that are left. A Table gives a Table. It costs two passes
// where rows have such factors or src is a Table, and none elsewhere. The error is one of src, or says that it has another number of such rows.
func Keep(ctx context.Context, src Source, rows int, keep func(row int) bool) (Source, error) {
	guard := NewGuard("", src)
	s := &subset{guard: guard, rows: rows, left: keep}
	if Weighed(src) {
		if err := s.scale(ctx); err != nil {
			return nil, err
		}
	}
	return s.table(ctx)
}

// A subset is a Source of some rows of another.
type subset struct {
	guard *Guard
	rows  int                // that are kept
	left  func(row int) bool // reports whether a row of the guard is kept
	// times is how often each row of the guard was in the table before, nil if all were equally often.
	times func(row int) int
	held  int64   // bytes that left and times hold on to
	mean  float64 // that factors are divided by, 0 for 1
}

func (s *subset) Columns() []Column { return s.guard.Columns() }

func (s *subset) bytes() int64 { return s.held }

// factor is what each observation of row i of a batch counts, before the mean is 1.
func (s *subset) factor(b Batch, i int) float64 {
	f := 1.0
	if own := b.weights.factors(); own != nil {
		f = own[i]
	}
	if s.times != nil {
		f *= float64(s.times(b.Start + i))
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
		if s.times == nil && b.Factors() == nil {
			return nil
		}
		frequencies := b.Frequencies()
		for i := range b.Rows {
			if !s.left(b.Start + i) {
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
			if s.left(b.Start + i) {
				kept = append(kept, i)
			}
		}
		rows += len(kept)
		if !use(b, kept, s.weights(&c, b, kept)) {
			return nil
		}
	}
	if rows != s.rows {
		return fmt.Errorf("tables: %d rows are to be kept, %d were at first: did the table change?", rows, s.rows)
	}
	return nil
}

// weights are those of some rows of a batch.
func (s *subset) weights(c *copier, b Batch, kept []int) rowWeights {
	w := rowWeights{whole: b.weights.whole}
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
		if b.weights.times != nil || s.times != nil {
			own := timesOf(b, i)
			if s.times != nil {
				own *= float64(s.times(b.Start + i))
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
	l := newLoader(t.columns, s.rows)
	err := s.pass(ctx, func(b Batch, kept []int, weights rowWeights) bool {
		l.addRows(b, kept, weights)
		return true
	})
	if err != nil {
		return nil, err
	}
	short := l.table()
	short.places = t.places
	return short, nil
}

// A rowSet is a set of numbers of rows.
type rowSet []uint64

func (r *rowSet) add(row int) {
	for len(*r) <= row/64 {
		*r = append(*r, 0)
	}
	(*r)[row/64] |= 1 << (row % 64)
}

func (r rowSet) has(row int) bool { return row/64 < len(r) && r[row/64]&(1<<(row%64)) != 0 }

// rowCounts are numbers of rows, ascending, with a count each; other rows have 1.
type rowCounts struct {
	rows   []int
	counts []int32
}

func (r rowCounts) of(row int) int {
	if k, found := slices.BinarySearch(r.rows, row); found {
		return int(r.counts[k])
	}
	return 1
}
