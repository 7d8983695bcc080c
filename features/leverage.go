package features

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"mediant/internal/blas"
	"mediant/internal/rowops"
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
func byLeverage(ctx context.Context, k kernels.Kernel, x mat.Matrix, m int, rnd *rand.Rand) ([]int, error) {
	n, _ := x.Dims()
	pilot := rnd.Perm(n)[:m]
	features, err := newNystromOf(ctx, k, rowops.Pick(x, pilot))
	if err != nil {
		return nil, ctx.Err()
	}
	scores, err := leverages(ctx, k, x, features, m)
	if err != nil {
		return nil, err
	}
	if scores == nil {
		return pilot, nil
	}
	return withoutReplacement(scores, m, rnd), nil
}

// leverages returns the approximate scores of the rows of x by a pilot's features, or nil if the pilot leaves
// nothing of m landmarks' trace but rounding.
func leverages(ctx context.Context, k kernels.Kernel, x mat.Matrix, pilot Map, m int) ([]float64, error) {
	n, _ := x.Dims()
	phi, err := mapInParts(ctx, pilot, x)
	if err != nil {
		return nil, err
	}
	residual, trace := make([]float64, n), 0.0
	k.DiagTo(residual, x)
	for i, own := range residual {
		trace += own
		residual[i] = math.Max(0, own-floats.Dot(rowops.Row(phi, i), rowops.Row(phi, i)))
	}
	left := floats.Sum(residual)
	if !(left > residualCutoff(m)*trace) {
		return nil, nil
	}
	return ridgeScores(ctx, phi, residual, left/float64(m))
}

// ridgeScores replaces residuals by scores, and the rows of phi on the way.
func ridgeScores(ctx context.Context, phi blas64.General, residual []float64, lambda float64) ([]float64, error) {
	if err := whitenRidge(ctx, phi, lambda); err != nil {
		return nil, err
	}
	for i, r := range residual {
		residual[i] = math.Min(1, r/lambda+floats.Dot(rowops.Row(phi, i), rowops.Row(phi, i)))
	}
	return residual, nil
}

// whitenRidge replaces each row phi_i by L⁻¹ phi_i, LL' = Phi'Phi + lambda I, whose squared length is
// phi_i'(Phi'Phi + lambda I)⁻¹ phi_i.
func whitenRidge(ctx context.Context, phi blas64.General, lambda float64) error {
	gram := rowops.New(phi.Cols, phi.Cols)
	err := inParts(ctx, phi.Rows, func(lo, hi int) { blas.Syrk(1, rowops.Block(phi, lo, 0, hi-lo, phi.Cols), gram) })
	if err != nil {
		return err
	}
	for j := range gram.Rows {
		rowops.Row(gram, j)[j] += lambda
	}
	if !blas.Cholesky(gram) {
		// lambda is at least some roundings of the trace, which bounds the largest eigenvalue.
		panic("features: leverage: a matrix with a ridge is not positive definite")
	}
	return inParts(ctx, phi.Rows, func(lo, hi int) { blas.SolveRight(rowops.Block(phi, lo, 0, hi-lo, phi.Cols), gram) })
}

// partRows is the number of rows after which work on many of them looks at its context: at some thousand columns a part
// takes a tenth of a second or less.
const partRows = 1024

// inParts calls do for the parts of n rows in turn, until ctx is done.
func inParts(ctx context.Context, n int, do func(lo, hi int)) error {
	for lo := 0; lo < n; lo += partRows {
		if err := ctx.Err(); err != nil {
			return err
		}
		do(lo, min(lo+partRows, n))
	}
	return nil
}

// mapInParts returns the features of the rows of x.
func mapInParts(ctx context.Context, m Map, x mat.Matrix) (blas64.General, error) {
	n, _ := x.Dims()
	_, out := m.Dims()
	phi := rowops.New(n, out)
	err := inParts(ctx, n, func(lo, hi int) {
		m.MapTo(rowops.View(rowops.Block(phi, lo, 0, hi-lo, out)), rowRange(x, lo, hi))
	})
	return phi, err
}

// rowRange returns rows lo to hi of x, without copying dense ones.
func rowRange(x mat.Matrix, lo, hi int) mat.Matrix {
	if dense, ok := x.(*mat.Dense); ok {
		_, c := dense.Dims()
		return dense.Slice(lo, hi, 0, c)
	}
	rows := make([]int, hi-lo)
	for i := range rows {
		rows[i] = lo + i
	}
	return rowops.Pick(x, rows)
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
