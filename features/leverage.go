package features

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"mediant/internal/blas"
	"mediant/kernels"
)

// byLeverage picks m rows one by one without replacement, with probability proportional to approximate ridge
// leverage scores
//
//	l_i(lambda) = [K (K + lambda I)⁻¹]_ii
//
// [Alaoui and Mahoney, Fast randomized kernel ridge regression with statistical guarantees, NIPS 2015]. The
// approximation is theirs, by the Nyström features phi of m pilot landmarks, here uniform ones, and what the pilot leaves out,
// r_i = k(x_i, x_i) - phi_i'phi_i, counts by r_i/lambda, as in [Musco and Musco, Recursive sampling for the
// Nyström method, NIPS 2017], of which this is one step:
//
//	l_i ≈ min(1, phi_i'(Phi'Phi + lambda I)⁻¹ phi_i + r_i/lambda)
//
// Without the last term they are never above the exact scores, since t/(t + lambda) is operator monotone, and all together
// at most m below; with it they are near on both sides.
//
// lambda is what the pilot leaves of the trace over m, their choice for m landmarks with the pilot's residual in the
// place of the best one's. It costs as much as randomly pivoted Cholesky, 2 n m² flops and 8 n m bytes. Where the pilot leaves nothing
// every row is in its span and the pilot itself is picked. It returns nothing if the kernel is zero on the pilot.
func byLeverage(k kernels.Kernel, x mat.Matrix, m int, rnd *rand.Rand) []int {
	n, _ := x.Dims()
	pilot := rnd.Perm(n)[:m]
	features, err := NewNystrom(k, pickRows(x, pilot))
	if err != nil {
		return nil
	}
	scores := leverages(k, x, features, m)
	if scores == nil {
		return pilot
	}
	return withoutReplacement(scores, m, rnd)
}

// leverages returns the approximate scores of the rows of x by a pilot's features, or nil if the pilot leaves
// nothing of m landmarks' trace but rounding.
func leverages(k kernels.Kernel, x mat.Matrix, pilot Map, m int) []float64 {
	n, _ := x.Dims()
	var features mat.Dense
	pilot.MapTo(&features, x)
	phi := features.RawMatrix()
	residual, trace := make([]float64, n), 0.0
	k.DiagTo(residual, x)
	for i, own := range residual {
		trace += own
		residual[i] = math.Max(0, own-floats.Dot(row(phi, i), row(phi, i)))
	}
	left := floats.Sum(residual)
	if !(left > residualCutoff(m)*trace) {
		return nil
	}
	return ridgeScores(phi, residual, left/float64(m))
}

// ridgeScores replaces residuals by scores, and the rows of phi on the way.
func ridgeScores(phi blas64.General, residual []float64, lambda float64) []float64 {
	whitenRidge(phi, lambda)
	for i, r := range residual {
		residual[i] = math.Min(1, r/lambda+floats.Dot(row(phi, i), row(phi, i)))
	}
	return residual
}

// whitenRidge replaces each row phi_i by L⁻¹ phi_i, LL' = Phi'Phi + lambda I, whose squared length is
// phi_i'(Phi'Phi + lambda I)⁻¹ phi_i.
func whitenRidge(phi blas64.General, lambda float64) {
	gram := general(phi.Cols, phi.Cols)
	blas.Syrk(1, phi, gram)
	for j := range gram.Rows {
		row(gram, j)[j] += lambda
	}
	if !blas.Cholesky(gram) {
		// lambda is at least some roundings of the trace, which bounds the largest eigenvalue.
		panic("features: leverage: a matrix with a ridge is not positive definite")
	}
	blas.SolveRight(phi, gram)
}

// withoutReplacement draws at most m indices one by one, each with probability proportional to its weight among those
// that are left: they are those of the smallest exponential variables of rate weight, in ascending order [Efraimidis and
// Spirakis, Weighted random sampling with a reservoir, Information Processing Letters 97, 2006]. Weights
// of 0 are never drawn.
func withoutReplacement(weights []float64, m int, rnd *rand.Rand) []int {
	times, order := make([]float64, len(weights)), make([]int, 0, len(weights))
	for i, w := range weights {
		times[i] = rnd.ExpFloat64() / w
		if w > 0 {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Or(cmp.Compare(times[i], times[j]), i-j) })
	return order[:min(m, len(order))]
}
