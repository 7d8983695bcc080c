package problem

import (
	"mediant/internal/draw"
	"mediant/tables"
)

// A foldAssigner gives each row its fold.
type foldAssigner struct {
	folds    int
	seed     uint64
	fixed    func(row int) int // of rows without clusters; nil: drawn
	clusters []int             // the places of clusters in a random order; nil: rows have none
	run      int               // the run that order belongs to, plus 1
	order    []int             // folds of the rows of that run
}

// assigner returns what assigns folds in one pass.
func (o PassOptions) assigner() foldAssigner {
	return foldAssigner{folds: max(1, o.Folds), seed: o.Seed, fixed: o.Fold, clusters: o.Clusters}
}

// split sorts the given rows of a batch into folds.
func (f *foldAssigner) split(b tables.Batch, rows []int) [][]int {
	if f.folds == 1 {
		return [][]int{rows}
	}
	out := make([][]int, f.folds)
	for _, i := range rows {
		fold := f.of(b, i)
		out[fold] = append(out[fold], i)
	}
	return out
}

// of is the fold of row i of a batch.
func (f *foldAssigner) of(b tables.Batch, i int) int {
	if clusters := b.Clusters(); clusters != nil && f.clusters != nil {
		return f.clusters[clusters[i]] % f.folds
	}
	return f.fold(b.Start + i)
}

// fold is the fold of a row that is in no cluster, by its number.
func (f *foldAssigner) fold(row int) int {
	if f.fixed != nil {
		return f.fixed(row)
	}
	if run := row/f.folds + 1; run != f.run {
		f.run, f.order = run, draw.Rand(f.seed, "folds", run-1).Perm(f.folds)
	}
	return f.order[row%f.folds]
}
