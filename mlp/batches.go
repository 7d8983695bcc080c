package mlp

import (
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"mediant/internal/draw"
)

// batches returns the rows of a table in random order, every row once before any is repeated.
type batches struct {
	rnd   *rand.Rand
	order []int
	next  int
	size  int
}

func newBatches(rows, size int, seed uint64, purpose string) *batches {
	return &batches{rnd: draw.Rand(seed, purpose+"/batches", 0), order: sequence(rows), next: rows, size: min(size, rows)}
}

func sequence(n int) []int {
	s := make([]int, n)
	for i := range s {
		s[i] = i
	}
	return s
}

// steps is the number of batches that deal out every row once.
func (b *batches) steps() int { return (len(b.order) + b.size - 1) / b.size }

// deal returns the rows of the next batch, the last before a new order having what is left.
func (b *batches) deal() []int {
	if b.next == len(b.order) {
		b.rnd.Shuffle(len(b.order), func(i, j int) { b.order[i], b.order[j] = b.order[j], b.order[i] })
		b.next = 0
	}
	lo := b.next
	b.next = min(lo+b.size, len(b.order))
	return b.order[lo:b.next]
}

// gather copies the given rows of m into the first rows of dst, and returns those.
func gather(dst, m *mat.Dense, rows []int) *mat.Dense {
	_, cols := m.Dims()
	dst = dst.Slice(0, len(rows), 0, cols).(*mat.Dense)
	for i, r := range rows {
		copy(dst.RawRowView(i), m.RawRowView(r))
	}
	return dst
}
