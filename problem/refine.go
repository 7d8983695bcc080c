package problem

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"mediant/encode"
	"mediant/features"
	fast "mediant/internal/blas"
	"mediant/internal/progress"
	"mediant/moments"
	"mediant/solvers"
)

const (
	// refinedTo is the distance to the solution of exact sums, in standard deviations of an output, at which refinement ends: less than the rounding errors of float32 features, and far less than any standard error.
	refinedTo = 1e-7
	// maxRefinements of a solution: each gains more than a digit, or there are no more to gain.
	maxRefinements = 6
)

// RidgeRefined is solvers.Ridge of right on the features of a table (TableXU: phi, TableUY: psi) from its sums, refined where these are in mixed arithmetic; off is the distance of predictions that is left, as refine estimates it, else 0.
func (m *Mapped) RidgeRefined(ctx context.Context, table int, right encode.Side, sums *moments.CoMoments, lambda float64) (l *solvers.Linear, off float64, err error) {
	if sums.Arithmetic() != moments.Mixed || sums.Weight() == 0 {
		l, err = solvers.Ridge(sums, lambda, !m.setup.NoIntercept)
		return l, 0, err
	}
	var left mat.SymDense
	sums.LeftTo(&left, !m.setup.NoIntercept)
	f := solvers.NewFactor(&left, lambda)
	return m.refine(ctx, table, right, sums, f, lambda, solvers.RidgeWith(f, sums, !m.setup.NoIntercept))
}

// refine improves l, ridge regression of right on the features of a table that was solved with the factor f and the penalty lambda from sums in mixed arithmetic, by iterative refinement: each step
// reads the table for residuals in float64. It ends where the predictions are within 1e-7 of those of exact sums, or no step improves them any more. off is the distance that is left: an estimate of the root mean square over the rows of the difference of predictions, of the output where it
// is largest in proportion to the output's standard deviation, and in units of that.
func (m *Mapped) refine(ctx context.Context, table int, right encode.Side, sums *moments.CoMoments, f *solvers.Factor, lambda float64, l *solvers.Linear) (refined *solvers.Linear, off float64, err error) {
	ctx = progress.Stage(ctx, "refining")
	contraction, likely := sums.MixedContraction(lambda)
	if contraction > .5 {
		contraction = min(.5, likely) // the second step shows what it is
	}
	before := math.Inf(1)
	for range maxRefinements {
		r, err := m.residuals(ctx, table, right, l)
		if err != nil {
			return nil, 0, err
		}
		next, moved := solvers.RefineWith(f, sums, lambda, !m.setup.NoIntercept, l, r)
		step := largest(moved, sums)
		if step >= before/2 { // what is left is of rounding in float64, or the sums are too inexact
			return l, step, nil
		}
		contraction = max(contraction, step/before)
		l, before, off = next, step, step*contraction/(1-contraction)
		if off <= refinedTo {
			break
		}
	}
	return l, off, nil
}

// largest is the largest of root mean squares of outputs, in standard deviations of the output.
func largest(moved []float64, sums *moments.CoMoments) float64 {
	var variances mat.SymDense
	sums.RightTo(&variances, true)
	most := 0.
	for j, v := range moved {
		if sd := math.Sqrt(variances.At(j, j)); sd > 0 {
			most = max(most, v/sd)
		}
	}
	return most
}

// residuals reads a table for those of l.
func (m *Mapped) residuals(ctx context.Context, table int, right encode.Side, l *solvers.Linear) (solvers.Residuals, error) {
	p, k := l.Coef.Dims()
	r := solvers.Residuals{Cross: mat.NewDense(p, k, nil), Mean: make([]float64, k)}
	weight := 0.
	var e, cross mat.Dense
	add := func(_ int, a, b *mat.Dense, w moments.Weights) {
		e.Reset()
		fast.MulTo(&e, blas.NoTrans, a, blas.NoTrans, l.Coef)
		for i := range a.RawMatrix().Rows {
			row := e.RawRowView(i)
			floats.Add(row, l.Intercept)
			floats.SubTo(row, b.RawRowView(i), row)
			floats.Scale(w.Of(i), row)
			floats.Add(r.Mean, row)
			weight += w.Of(i)
		}
		cross.Reset()
		fast.MulTo(&cross, blas.Trans, a, blas.NoTrans, &e)
		r.Cross.Add(r.Cross, &cross)
	}
	side := m.SidePsi()
	if table == TableXU {
		side = m.SidePhi()
	}
	if err := m.walkTable(ctx, table, side, right, add); err != nil {
		return r, err
	}
	r.Cross.Scale(1/weight, r.Cross)
	floats.Scale(1/weight, r.Mean)
	return r, nil
}

const (
	// With p features products of a row take p² operations, of which mixed arithmetic saves half the time, and a step of refinement some 2 p (d + 20) for d columns: from mixedFeatures on that is far less for a hundred columns. With fewer rows than mixedRows there is little time to save.
	mixedFeatures = 1024
	mixedRows     = 20_000
)

// MixedPays reports whether sums in mixed arithmetic with refinement take less time than sums in float64: both tables have many rows, and both maps so many features that products of them take far longer than the features themselves.
func (e *Encoded) MixedPays() bool {
	f := e.Footprint()
	return e.NeedsRows("") == nil && min(e.counts[0], e.counts[1]) >= mixedRows && min(f.X.Features, f.U.Features) >= mixedFeatures &&
		!f.Sparse.X && !f.Sparse.U && isCheap(f.Phi()) && isCheap(f.Psi())
}

// isCheap reports whether the features of a row take far fewer operations than their products.
func isCheap(s features.Spec) bool {
	return s.Kind == features.FourierFeatures || s.Kind == features.AdditiveFeatures
}

// WithArithmetic returns a copy whose sums are in this arithmetic.
func (m *Mapped) WithArithmetic(a moments.Arithmetic) *Mapped {
	own := *m
	own.setup.Arithmetic = a
	return &own
}
