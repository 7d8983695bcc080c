package effect

import (
	"mediant/moments"
	"mediant/problem"
)

// estimating is the memory for an estimate.
func estimating(f problem.Footprint) float64 {
	f = f.OfU()
	folds := f.Folds()
	sums := 2 * folds * (moments.Bytes(1, f.Q()) + f.CoMomentsUY())
	return max(f.Mapping(), f.Base()+sums+f.CrossValidation()+f.RieszWeights(1))
}
