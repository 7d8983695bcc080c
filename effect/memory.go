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

// replicating is the memory that standard errors from replicate weights take beside the estimate: the sums of one replicate, for so many columns of the treatment.
func replicating(f problem.Footprint, columns float64) float64 {
	f = f.OfU()
	return 2 * f.Folds() * (moments.Bytes(columns, f.Q()) + f.CoMomentsUY())
}
