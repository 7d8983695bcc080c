package check

import (
	"container/heap"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"mediant/tables"
)

// A sampledRow is one row of a sample.
type sampledRow struct {
	priority uint64
	number   int
	num      []float64
	text     []string
	weight   float64
}

// rowSample keeps most rows, drawn uniformly: those of the least priorities, which are drawn in the order of the rows.
type rowSample struct {
	rnd  *rand.Rand
	heap rowHeap
	most int

	sorted []float64 // what values returned last, of the column at this place; nil once rows were added
	place  int
}

// newRowSample keeps so many rows, or fewer of very many columns.
func newRowSample(rows, columns int, rnd *rand.Rand) rowSample {
	return rowSample{rnd: rnd, most: min(rows, max(leastOf, sampleCells/max(1, columns)))}
}

// values are the sampled values of a column of numbers, by its place among those, ascending and without missing ones. They are not to be changed.
func (s *rowSample) values(place int) []float64 {
	if s.sorted != nil && s.place == place {
		return s.sorted
	}
	values := make([]float64, 0, len(s.heap))
	for _, row := range s.heap {
		if v := row.num[place]; !math.IsNaN(v) {
			values = append(values, v)
		}
	}
	slices.Sort(values)
	s.sorted, s.place = slices.Clip(values), place
	return s.sorted
}

// offer draws whether the next row is kept, and has it filled in then; the memory is that of a row that is kept no more.
func (s *rowSample) offer(fill func(row *sampledRow)) {
	priority := s.rnd.Uint64()
	s.sorted = nil
	switch {
	case len(s.heap) < s.most:
		row := sampledRow{priority: priority}
		fill(&row)
		heap.Push(&s.heap, row)
	case priority < s.heap[0].priority:
		s.heap[0].priority = priority
		fill(&s.heap[0])
		heap.Fix(&s.heap, 0)
	}
}

func (s *rowSample) add(b tables.Batch) {
	weights := b.Weights()
	for i := range b.Rows {
		s.offer(func(row *sampledRow) {
			row.fill(b, i)
			if weights != nil {
				row.weight = weights[i]
			}
		})
	}
}

// fill makes the row a copy of row i of a batch, of weight 1.
func (r *sampledRow) fill(b tables.Batch, i int) {
	r.number, r.weight = b.Number(i), 1
	if b.Num != nil {
		r.num = append(r.num[:0], b.Num.RawRowView(i)...)
	}
	r.text = r.text[:0]
	for _, cells := range b.Text {
		r.text = append(r.text, strings.Clone(cells[i]))
	}
}

// rowOf is a copy of row i of a batch, of weight 1.
func rowOf(b tables.Batch, i int) (row sampledRow) {
	row.fill(b, i)
	return row
}

// rowHeap has the greatest priority first.
type rowHeap []sampledRow

func (h rowHeap) Len() int { return len(h) }

func (h rowHeap) Less(i, j int) bool { return h[i].priority > h[j].priority }

func (h rowHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }

func (h *rowHeap) Push(x any) { *h = append(*h, x.(sampledRow)) }

// Pop is not needed: rows are replaced.
func (h *rowHeap) Pop() any { panic("check: rows of a sample are replaced") }
