package effect

import (
	"mediant/moments"
	"mediant/problem"
)

// estimating is the memory for an estimate of two arms.
func estimating(f problem.Footprint) float64 { return estimatingArms(f, 1, 1) }

// estimatingArms is the memory for so many columns of the treatment and comparisons of arms.
func estimatingArms(f problem.Footprint, columns, contrasts float64) float64 {
	f = f.OfU()
	folds := f.Folds()
	sums := 2 * folds * (moments.Bytes(columns, f.Q()) + f.CoMomentsUY())
	return max(f.Mapping(), f.Base()+sums+f.CrossValidation()+f.RieszWeights(contrasts))
}
