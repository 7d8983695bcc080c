package check

import (
	"slices"

	"mediant/tables"
)

const (
	// runRows consecutive rows are a run.
	runRows = 256
	// mostRuns of them are kept, all rows of most tables, fewestRuns of very many columns, and otherwise as many as have runCells cells.
	mostRuns, fewestRuns, runCells = 32, 2, 1 << 22
)

// rowRuns keeps runs of consecutive rows that are spread evenly over a table, in its order: all of them, every second, every fourth and so
// on, so that at least half of the most that may be kept are.
type rowRuns struct {
	most  int // 0: none are kept
	every int
	rows  int // seen
	kept  [][]sampledRow
}

func newRowRuns(columns int) rowRuns {
	return rowRuns{most: max(fewestRuns, min(mostRuns, runCells/runRows/max(1, columns))), every: 1}
}

func (r *rowRuns) add(b tables.Batch) {
	if r.most == 0 {
		return
	}
	for i := range b.Rows {
		run := r.rows / runRows
		first := r.rows%runRows == 0
		r.rows++
		if run%r.every != 0 {
			continue
		}
		if first && len(r.kept) == r.most {
			r.thin()
			if run%r.every != 0 {
				continue
			}
		}
		if first {
			r.kept = append(r.kept, nil)
		}
		r.kept[len(r.kept)-1] = append(r.kept[len(r.kept)-1], rowOf(b, i))
	}
}

// thin leaves out every second run.
func (r *rowRuns) thin() {
	n := 0
	for i := 0; i < len(r.kept); i += 2 {
		r.kept[n] = r.kept[i]
		n++
	}
	clear(r.kept[n:])
	r.kept, r.every = r.kept[:n], 2*r.every
}

// all are the rows of all runs, in the order of the table.
func (r *rowRuns) all() []sampledRow { return slices.Concat(r.kept...) }
