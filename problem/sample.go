package problem

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"mediant/internal/draw"
	"mediant/internal/rowops"
	"mediant/tables"
)

// SampleTable returns a uniform sample without replacement of n of the total observations of a table, in memory and in their order, or src itself if
// total <= n. A row of frequency k is k observations. It costs one pass. The error is that of src, or reports that src has fewer rows than total.
func SampleTable(ctx context.Context, src tables.Source, total, n int, seed uint64, purpose string) (tables.Source, error) {
	if total <= n {
		return src, nil
	}
	return tables.Pick(ctx, src, draw.Indices(total, n, seed, purpose))
}

// SampleRows returns n rows of x, a uniform sample without replacement in their order, or x itself if
// it has no more than n. With weights, one for each row, at least 0 and not all 0, a row counts as the number of copies that tables.CopiesOf gives
// for its weight.
func SampleRows(x *mat.Dense, weights []float64, n int, seed uint64, purpose string) *mat.Dense {
	total, _ := x.Dims()
	if weights == nil {
		if total <= n {
			return x
		}
		return rowops.Pick(x, draw.Indices(total, n, seed, purpose)).(*mat.Dense)
	}
	copies := tables.CopiesOf(weights)
	total = 0
	for _, c := range copies {
		total += c
	}
	picked := draw.Indices(total, n, seed, purpose)
	rows := picked[:0]
	taken, before := 0, 0
	for i, c := range copies {
		before += c
		for ; taken < len(picked) && picked[taken] < before; taken++ {
			rows = append(rows, i)
		}
	}
	return rowops.Pick(x, rows).(*mat.Dense)
}

// Sampled returns a copy with at most n rows of each table, in memory, which keep the folds and, but for a common factor, the weights that
// they have in e: a uniform sample without replacement, in their order. It costs one pass over a table of more rows, two or three if its rows have weights.
func (e *Encoded) Sampled(ctx context.Context, n int, purpose string) (*Encoded, error) {
	own, err := e.Subset(ctx, n, purpose)
	if err != nil {
		return nil, err
	}
	for t := range own.sources {
		if own.sources[t] == e.sources[t] {
			continue
		}
		if own.sources[t], err = tables.Load(ctx, own.sources[t]); err != nil {
			return nil, TableError(t, err)
		}
	}
	return own, nil
}

// Subset is Sampled with rows that are picked from the table in each pass, and held in memory only where all of the table is. What a table of more rows holds is taken off the memory limit.
func (e *Encoded) Subset(ctx context.Context, n int, purpose string) (*Encoded, error) {
	if err := e.NeedsRows("a sample of rows"); err != nil {
		return nil, err
	}
	own := *e
	var folds [2][]int // of the sampled rows of each table
	for t, src := range e.sources {
		rows := draw.Indices(e.stored[t], n, e.setup.Seed, fmt.Sprintf("%s %d", purpose, t))
		opt := e.pass(t)
		assign := opt.assigner()
		for _, row := range rows {
			fold := 0
			if assign.folds > 1 {
				fold = assign.fold(row)
			}
			folds[t] = append(folds[t], fold)
		}
		if len(rows) == e.stored[t] {
			continue
		}
		kept, err := tables.Keep(ctx, src, len(rows), func(row int) bool {
			_, found := slices.BinarySearch(rows, row)
			return found
		})
		if err != nil {
			return nil, TableError(t, err)
		}
		own.sources[t], own.stored[t], own.counts[t] = kept, len(rows), len(rows)
		if own.setup.Memory > 0 {
			own.setup.Memory = max(1, own.setup.Memory-tables.FactsOf(src).Held)
		}
		if !tables.FactsOf(kept).Weighted {
			continue
		}
		own.counts[t] = 0
		for b, err := range tables.NewGuard("", kept).Batches(ctx) {
			if err != nil {
				return nil, TableError(t, err)
			}
			own.counts[t] += b.Count()
		}
	}
	own.setup.Fold = func(table, row int) int { return folds[table][row] }
	return &own, nil
}
