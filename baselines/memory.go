package baselines

import (
	"runtime"

	"mediant/moments"
	"mediant/problem"
	"mediant/solvers"
)

// sumBytes is the memory for the moments of phi and k more columns, by the folds of a problem and together, and for a ridge
// regression on them.
func sumBytes(p *problem.Problem, k int) float64 {
	features, _ := p.XU().Dims()
	pairs := float64(len(p.FoldsXU()) + 1)
	return pairs*moments.Bytes(float64(features), float64(k)) + solvers.RidgeBytes(float64(features), float64(k), 1)
}

// embeddingBytes is the memory for the choice of the penalty of a mean embedding, for one fold.
func embeddingBytes(p *problem.Problem) float64 {
	wide, q := p.XU().Dims()
	return moments.Bytes(float64(wide), float64(q)) + 8*float64(wide)*float64(wide+q+3*projections) + solvers.FactorBytes(float64(wide)) +
		moments.InnerBytes(float64(wide), float64(q), projections)
}

// leastSquaresBytes is the memory for least-squares density estimation with so many rows, columns and centres: distances to
// the centres, and for each bandwidth that is tried at a time kernels of them, and sums by folds.
func leastSquaresBytes(rows, columns, centres int) float64 {
	n, b := float64(rows), float64(min(centres, rows))
	tried := min(float64(len(densityX)), float64(runtime.GOMAXPROCS(0)))
	folds := densityFolds
	return 8 * (n*float64(columns) + 2*n*b + b*b + tried*(3*n*b+float64(3*folds+3)*b*b))
}

// watsonBytes is the memory for Nadaraya-Watson weights with so many rows of so many columns and outputs together.
func watsonBytes(rows, columns int) float64 {
	n := float64(rows)
	return 8 * (n*float64(columns) + float64(runtime.GOMAXPROCS(0))*(watsonRows+1)*n)
}
