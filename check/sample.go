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
}

// newRowSample keeps so many rows, or fewer of very many columns.
func newRowSample(rows, columns int, rnd *rand.Rand) rowSample {
	return rowSample{rnd: rnd, most: min(rows, max(leastOf, sampleCells/max(1, columns)))}
}

// values are the sampled values of a column of numbers, by its place among those, ascending and without missing ones.
func (s *rowSample) values(place int) []float64 {
	var values []float64
	for _, row := range s.heap {
		if v := row.num[place]; !math.IsNaN(v) {
			values = append(values, v)
		}
	}
	slices.Sort(values)
	return values
}

func (s *rowSample) add(b tables.Batch) {
	weights := b.Weights()
	for i := range b.Rows {
		priority := s.rnd.Uint64()
		if len(s.heap) == s.most && priority >= s.heap[0].priority {
			continue
		}
		row := sampledRow{priority: priority, number: b.Number(i), weight: 1}
		if weights != nil {
			row.weight = weights[i]
		}
		if b.Num != nil {
			row.num = slices.Clone(b.Num.RawRowView(i))
		}
		for _, cells := range b.Text {
			row.text = append(row.text, strings.Clone(cells[i]))
		}
		heap.Push(&s.heap, row)
		if len(s.heap) > s.most {
			heap.Pop(&s.heap)
		}
	}
}

// rowHeap has the greatest priority first.
type rowHeap []sampledRow

func (h rowHeap) Len() int           { return len(h) }
func (h rowHeap) Less(i, j int) bool { return h[i].priority > h[j].priority }
func (h rowHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *rowHeap) Push(x any)        { *h = append(*h, x.(sampledRow)) }
func (h *rowHeap) Pop() any {
	old := *h
	last := old[len(old)-1]
	*h = old[:len(old)-1]
	return last
}
