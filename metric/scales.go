package metric

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"mediant/crossfit"
	"mediant/features"
	"mediant/moments"
	"mediant/solvers"
)

// LearnScales returns the scales s_j² of the features of a map, as a diagonal metric, for the regression of y (n×k) on the rows of x (n×d) with weights w (nil: 1): those of the adaptive ridge [Grandvalet, Least absolute
// shrinkage is equivalent to quadratic penalization, ICANN 1998]. With c_j the coefficients of feature j, of standard deviation d_j, in the ridge regression on the features times the scales of the round before,
//
//	s_j² = a_j / (d_j² Σ_i a_i),   a_j = d_j (Σ_c scale_c c_jc²)^½
//
// first with a_j = 1. The penalty of the features times s then comes to that of the lasso, or of several outputs to that of the group lasso (docs/theory.md, section 29). Features that do not vary have the scale 0; a function that does not vary gives the scales of the first
// round. Penalties are chosen as by Learn; Kernel, Full and Size of the options are not used. Each round costs n p² + 11 p³/3 flops for p features. Fewer than two rows are an error.
func LearnScales(ctx context.Context, of features.Map, x, y *mat.Dense, w []float64, o Options) (*features.Metric, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	n, _ := x.Dims()
	if err := o.checkRows(n, y); err != nil {
		return nil, err
	}
	var phi mat.Dense
	of.MapTo(&phi, x)
	_, p := phi.Dims()
	deviations, sizes := make([]float64, p), make([]float64, p)
	column := make([]float64, n)
	for j := range p {
		mean, variance := stat.PopMeanVariance(mat.Col(column, j, &phi), w)
		if crossfit.Varies(variance, mean) {
			deviations[j], sizes[j] = math.Sqrt(variance), 1
		}
	}
	squares := squaresOf(sizes, deviations)
	for range o.rounds() {
		m, err := features.NewDiagonalMetric(squares)
		if err != nil {
			return nil, err
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		var z mat.Dense
		m.MapTo(&z, &phi)
		coef, err := o.fit(ctx, features.NewLinear(p), &z, y, w)
		if err != nil {
			return nil, err
		}
		for j, d := range deviations {
			sizes[j] = 0
			for c, v := range coef.RawRowView(j) {
				v *= d * math.Sqrt(squares[j])
				sizes[j] += o.scale(c) * v * v
			}
			sizes[j] = math.Sqrt(sizes[j])
		}
		if floats.Sum(sizes) == 0 {
			return m, nil
		}
		squares = squaresOf(sizes, deviations)
	}
	return features.NewDiagonalMetric(squares)
}

// squaresOf are the s_j² of a round; 1 where no feature varies.
func squaresOf(sizes, deviations []float64) []float64 {
	sum := floats.Sum(sizes)
	if sum == 0 {
		return ones(len(sizes))
	}
	squares := make([]float64, len(sizes))
	for j, d := range deviations {
		if d > 0 {
			squares[j] = sizes[j] / (d * d * sum)
		}
	}
	return squares
}

// ScalesBytes returns the memory, in bytes, in which LearnScales works on n rows of p features and k outputs.
func ScalesBytes(n, p, k float64) float64 {
	return 8*(n*k+4*n*p) + 3*moments.Bytes(p, k) + solvers.RidgeBytes(p, k, float64(len(crossfit.Lambdas))) + 8*p*p
}

// ScalesFlops returns the number of floating-point operations of LearnScales on n rows of p features and k outputs.
func ScalesFlops(n, p, k float64) float64 {
	return defaultRounds * (n*p*(p+2*k) + float64(len(crossfit.Lambdas)+1)*p*p*p/3)
}
