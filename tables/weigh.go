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
//   - Weights that are all whole are frequencies: a row of weight k stands for k equal rows, so that whatever reads
//     Batch.Weights, Frequencies and Copies finds what it would find in the table with its rows written k times.
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

// Weights is how much each row of the batch counts in sums, nil for 1 each; none is 0.
func (b Batch) Weights() []float64 { return product(b.weights.frequencies(), b.weights.factors()) }

// Frequencies is how many observations each row stands for, nil for one each.
func (b Batch) Frequencies() []float64 { return b.weights.frequencies() }

// Factors is what the observations that a row stands for count each, of mean 1 over all observations: sampling weights times
// numbers of copies (see Distinct), nil for 1 each.
func (b Batch) Factors() []float64 { return b.weights.factors() }

// Copies is the weight of row i as a whole number, for what counts rows or draws some of them: a frequency itself, or what is
// not whole rounded such that sums from the first row on are.
func (b Batch) Copies(i int) int {
	if b.weights.copies == nil {
		return 1
	}
	return b.weights.copies[i]
}

// Count is the number of rows that the batch stands for, the sum of Copies.
func (b Batch) Count() int {
	if b.weights.copies == nil {
		return b.Rows
	}
	total := 0
	for _, c := range b.weights.copies {
		total += c
	}
	return total
}

// Number is the number of row i in the table that was read, from 0, rows of weight 0 included.
func (b Batch) Number(i int) int {
	if b.weights.numbers == nil {
		return b.Start + i
	}
	return b.weights.numbers[i]
}

// rowWeights are what a Batch knows of rows with weights, one element a row each.
type rowWeights struct {
	whole   bool
	weights []float64 // frequencies where whole, else sampling weights; nil: 1 each
	times   []float64 // how often each row was in the table, over the mean; nil: equally often
	copies  []int     // nil if there are no weights and no times
	numbers []int     // nil if no rows are left out and there is nothing else
}

func (w rowWeights) frequencies() []float64 {
	if w.whole {
		return w.weights
	}
	return nil
}

func (w rowWeights) factors() []float64 {
	if w.whole {
		return w.times
	}
	return product(w.weights, w.times)
}

// product multiplies weights of rows, of which nil are ones.
func product(a, b []float64) []float64 {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	out := make([]float64, len(a))
	for i, v := range a {
		out[i] = v * b[i]
	}
	return out
}

// timesOf is how often row i of a batch was in the table, over the mean.
func timesOf(b Batch, i int) float64 {
	if b.weights.times == nil {
		return 1
	}
	return b.weights.times[i]
}

func (w *rowWeights) add(o rowWeights, lo, hi int) {
	w.weights = appendRange(w.weights, o.weights, lo, hi)
	w.times = appendRange(w.times, o.times, lo, hi)
	w.copies = appendRange(w.copies, o.copies, lo, hi)
	w.numbers = appendRange(w.numbers, o.numbers, lo, hi)
	w.whole = o.whole
}

// appendRange appends elements lo to hi of src, if there are any.
func appendRange[T any](dst, src []T, lo, hi int) []T {
	if src == nil {
		return dst
	}
	return append(dst, src[lo:hi]...)
}

func (w rowWeights) slice(lo, hi int) rowWeights {
	w.weights, w.times, w.copies, w.numbers = cut(w.weights, lo, hi), cut(w.times, lo, hi), cut(w.copies, lo, hi), cut(w.numbers, lo, hi)
	return w
}

func cut[T any](s []T, lo, hi int) []T {
	if s == nil {
		return nil
	}
	return s[lo:hi]
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
	f.Rows, f.Weighed = w.rows, true
	return f
}

// read returns the weights of a batch of src.
func (w *weighted) read(b Batch) []float64 {
	weights := make([]float64, b.Rows)
	w.sel.NumericTo(weights, b, 0)
	return weights
}

// A copier rounds weights to whole numbers of copies.
type copier struct{ before float64 }

func (c *copier) copies(weight float64) int {
	after := c.before + weight
	n := math.Round(after) - math.Round(c.before)
	c.before = after
	return int(n)
}

// CopiesOf rounds weights, of at least 0 and not all 0, as Weigh and Batch.Copies do.
func CopiesOf(weights []float64) []int {
	rows, total, whole := 0, 0.0, true
	for _, w := range weights {
		whole = whole && w == math.Trunc(w)
		if w > 0 {
			rows++
			total += w
		}
	}
	mean := 1.0
	if !whole {
		mean = total / float64(rows)
	}
	var c copier
	out := make([]int, len(weights))
	for i, w := range weights {
		out[i] = c.copies(w / mean)
	}
	return out
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

// regrouped yields the rows that a pass keeps, BlockRows at a time. pass calls its argument with each batch, the rows of it that are
// kept and what is known of these, until that returns false.
func regrouped(ctx context.Context, columns []Column, pass func(ctx context.Context, use func(b Batch, kept []int, weights rowWeights) bool) error) iter.Seq2[Batch, error] {
	return func(yield func(Batch, error) bool) {
		g := newLoader(columns, 2*BlockRows)
		start := 0
		emit := func(n int) bool {
			all := g.table().batch(0, g.rows)
			b := g.table().batch(0, n)
			b.Start = start
			start += n
			g = newLoader(columns, 2*BlockRows) // what was yielded is the caller's
			g.add(all, n, all.Rows)
			return yield(b, nil)
		}
		stopped := false
		err := pass(ctx, func(b Batch, kept []int, weights rowWeights) bool {
			g.addRows(b, kept, weights)
			for g.rows >= BlockRows && !stopped {
				stopped = !emit(BlockRows)
			}
			return !stopped
		})
		switch {
		case stopped:
		case err != nil:
			yield(Batch{}, err)
		case g.rows > 0:
			emit(g.rows)
		}
	}
}

// addRows adds the given rows of a batch with other weights.
func (l *loader) addRows(b Batch, rows []int, weights rowWeights) {
	b.weights = rowWeights{}
	for lo := 0; lo < len(rows); { // by runs
		hi := lo + 1
		for hi < len(rows) && rows[hi] == rows[hi-1]+1 {
			hi++
		}
		l.add(b, rows[lo], rows[hi-1]+1)
		lo = hi
	}
	l.weights.add(weights, 0, len(rows))
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
