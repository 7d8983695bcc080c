package crossfit

import (
	"context"

	"mediant/internal/parallel"
	"mediant/moments"
)

// Splits holds, for one table and each fold, the moments of the other folds and of the fold itself.
// The other folds are summed, which keeps the digits that a subtraction from the total would lose.
type Splits struct{ Train, Held []*moments.CoMoments }

// Split sums the other folds of each fold, without the landmarks that are rows of that fold alone, and with the Floor of their noise.
func (sp Splitter) Split(ctx context.Context, folds []*moments.CoMoments) (Splits, error) {
	s := Splits{Held: make([]*moments.CoMoments, len(folds)), Train: make([]*moments.CoMoments, len(folds))}
	sums, err := moments.Others(folds)
	if err != nil {
		return s, err
	}
	err = EachFold(ctx, len(folds), func(k int) error {
		noise := sp.NoiseOf(folds[k])
		s.Train[k], s.Held[k] = noise.Solvable(sp.Training(sums[k], sp.Fold(k)), len(folds)-1), noise.Pessimistic(folds[k])
		return nil
	})
	return s, err
}

// EachFold calls do for each fold, several at a time, until ctx is done, and returns the first error in the order of the
// folds. The order in which they run does not change results.
func EachFold(ctx context.Context, folds int, do func(k int) error) error {
	errs := make([]error, folds)
	parallel.Blocks(folds, 1, func(k, _ int) {
		if errs[k] = ctx.Err(); errs[k] == nil {
			errs[k] = do(k)
		}
	})
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// Weight returns the total weight of all folds.
func (s Splits) Weight() float64 {
	total := 0.0
	for _, h := range s.Held {
		total += h.Weight()
	}
	return total
}

// MeanRight returns the mean of the right side over all folds.
func (s Splits) MeanRight() []float64 {
	return s.Means(func(_ int, held *moments.CoMoments) []float64 { return held.MeanB() }).Mean
}

// SplitOrWhole is Split, except that a single fold is both the training set and held out.
func (sp Splitter) SplitOrWhole(ctx context.Context, folds []*moments.CoMoments) (Splits, error) {
	if len(folds) == 1 {
		return Splits{Train: []*moments.CoMoments{sp.NoiseOf(folds[0]).Solvable(folds[0], 1)}, Held: folds}, nil
	}
	return sp.Split(ctx, folds)
}
