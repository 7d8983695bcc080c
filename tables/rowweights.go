package tables

import (
	"math"
)

// Weights returns the weight of each row in sums, frequency times factor; nil for 1 each. None is 0, except those of Reweigh.
func (b Batch) Weights() []float64 { return product(b.weights.frequencies(), b.weights.factors()) }

// Frequencies returns the number of observations that each row stands for; nil for one each.
func (b Batch) Frequencies() []float64 { return b.weights.frequencies() }

// Factors returns the weight of each observation that a row stands for, with mean 1 over all observations: the sampling weight times the number of
// copies (copies.Distinct); nil for 1 each.
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

// Clusters returns the number of the cluster of each row (Clusters.Mark); nil if each row is one of its own.
func (b Batch) Clusters() []int32 { return b.weights.clusters }

// Number returns the index of row i in the original table, from 0, rows of weight 0 included.
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
	numbers []int     // nil if no rows are left out and there is nothing else but clusters
	// clusters are numbers of clusters; nil: each row is one of its own.
	clusters []int32
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

// known reports whether there is anything to know.
func (w rowWeights) known() bool { return w.numbers != nil || w.clusters != nil }

func (w *rowWeights) add(o rowWeights, lo, hi int) {
	w.weights = appendRange(w.weights, o.weights, lo, hi)
	w.times = appendRange(w.times, o.times, lo, hi)
	w.copies = appendRange(w.copies, o.copies, lo, hi)
	w.numbers = appendRange(w.numbers, o.numbers, lo, hi)
	w.clusters = appendRange(w.clusters, o.clusters, lo, hi)
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
	w.clusters = cut(w.clusters, lo, hi)
	return w
}

func cut[T any](s []T, lo, hi int) []T {
	if s == nil {
		return nil
	}
	return s[lo:hi]
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
