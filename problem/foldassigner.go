package problem

import (
	"mediant/internal/draw"
)

// A foldAssigner gives each row its fold.
type foldAssigner struct {
	folds int
	seed  uint64
	fixed func(row int) int // nil: drawn
	run   int               // the run that order belongs to, plus 1
	order []int             // folds of the rows of that run
}

// split sorts the given rows of a batch that begins at row start into folds.
func (f *foldAssigner) split(start int, rows []int) [][]int {
	if f.folds == 1 {
		return [][]int{rows}
	}
	out := make([][]int, f.folds)
	for _, i := range rows {
		fold := f.fold(start + i)
		out[fold] = append(out[fold], i)
	}
	return out
}

func (f *foldAssigner) fold(row int) int {
	if f.fixed != nil {
		return f.fixed(row)
	}
	if run := row/f.folds + 1; run != f.run {
		f.run, f.order = run, draw.Rand(f.seed, "folds", run-1).Perm(f.folds)
	}
	return f.order[row%f.folds]
}
