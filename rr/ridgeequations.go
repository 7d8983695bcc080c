package rr

import (
	"context"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"

	"mediant/encode"
	"mediant/features"
	fast "mediant/internal/blas"
	"mediant/internal/rowops"
	"mediant/kernels"
	"mediant/problem"
	"mediant/solvers"
)

// ridgeEquations are the normal equations of ridge regression on one table, known by passes over it: (A + lambda I) w = b for features, where Nyström features are passed over as sections and whitened in the coefficients, and (A + lambda K_ZZ) w = b for
// sections.
type ridgeEquations struct {
	normal    *problem.NormalEquations
	lambda    []float64          // by column
	whitened  *features.Nystrom  // whose sections the passes have; nil if they have features
	sections  *features.Sections // with K_ZZ in the penalty; nil for other maps
	inverse   func(dst, r *mat.Dense, lambda []float64)
	landmarks mat.Matrix
	gram      mat.Dense // a block of K_ZZ
}

var _ solvers.Equations = (*ridgeEquations)(nil)

// A tableSide is the left side of a regression.
type tableSide struct {
	table   int
	purpose string // of random choices
	encoder *encode.Encoder
	of      features.Map
}

// side is what passes have on the left: sections of Nyström features that are not held, which would take p² flops a row each time.
func (t tableSide) side(held bool) (side features.Mapped, whitened *features.Nystrom) {
	if n, ok := t.of.(*features.Nystrom); ok && !held {
		raw, _ := n.Fold(mat.NewDense(rankOf(n), 1, nil))
		return features.Mapped{Encoder: t.encoder, Map: raw}, n
	}
	return features.Mapped{Encoder: t.encoder, Map: t.of}, nil
}

func rankOf(m features.Map) int {
	_, p := m.Dims()
	return p
}

// newRidgeEquations reads the table for its right sides, and a sample of it for the preconditioner.
func newRidgeEquations(ctx context.Context, m *problem.Mapped, of tableSide, right encode.Side, bySet bool, lambda float64, sample int, room float64) (*ridgeEquations, error) {
	e := new(ridgeEquations)
	e.sections, _ = of.of.(*features.Sections)
	var side features.Mapped
	var err error
	fits := 8*float64(m.TableRows()[of.table])*float64(rankOf(of.of)) <= room
	if !fits {
		room = 0
	}
	side, e.whitened = of.side(fits)
	if e.normal, err = m.NormalEquations(ctx, of.table, side, right, bySet, room); err != nil {
		return nil, err
	}
	_, columns := e.normal.Cross.Dims()
	e.lambda = make([]float64, columns)
	for c := range e.lambda {
		e.lambda[c] = lambda
	}
	if e.whitened != nil {
		e.whitened.Whiten(e.normal.Cross)
	}
	setup, counts := m.Setup(), m.Counts()
	rows, err := encode.Sample(ctx, of.encoder, counts[of.table:of.table+1], sample, setup.Seed, of.purpose+"/preconditioner", m.Sources()[of.table])
	if err != nil {
		return nil, problem.TableError(of.table, err)
	}
	if e.sections != nil {
		return e, e.preconditionSections(ctx, rows, setup)
	}
	var sampled mat.Dense
	of.of.MapTo(&sampled, rows)
	e.inverse = solvers.NewSampledInverse(&sampled, !setup.NoIntercept).ApplyTo
	return e, nil
}

// preconditionSections whitens sections by a factor of K_ZZ in float32, after which a sample of rows tells what it does of features.
func (e *ridgeEquations) preconditionSections(ctx context.Context, rows mat.Matrix, setup problem.Setup) error {
	e.landmarks = e.sections.Landmarks()
	kernel := e.sections.Kernel()
	m, _ := e.landmarks.Dims()
	diagonal := make([]float64, m)
	kernel.DiagTo(diagonal, e.landmarks)
	half, err := solvers.NewHalfCholesky(ctx, diagonal, func(dst *mat.Dense, lo, hi int) {
		kernel.GramTo(dst, kernels.Span(e.landmarks, lo, m), kernels.Span(e.landmarks, lo, hi))
	})
	if err != nil {
		return err
	}
	n, _ := rows.Dims()
	sampled := mat.NewDense(n, m, nil)
	memory := make([]float64, m*min(n, problem.SectionRows))
	for lo := 0; lo < n; lo += problem.SectionRows {
		if err := ctx.Err(); err != nil {
			return err
		}
		hi := min(lo+problem.SectionRows, n)
		block := mat.NewDense(m, hi-lo, memory[:m*(hi-lo)])
		kernel.GramTo(block, e.landmarks, kernels.Span(rows, lo, hi))
		half.Solve(false, block)
		sampled.Slice(lo, hi, 0, m).(*mat.Dense).Copy(block.T())
	}
	inverse := solvers.NewSampledInverse(sampled, !setup.NoIntercept)
	e.inverse = func(dst, r *mat.Dense, lambda []float64) {
		whitened := mat.DenseCopyOf(r)
		half.Solve(false, whitened)
		inverse.ApplyTo(dst, whitened, lambda)
		half.Solve(true, dst)
	}
	return nil
}

// MultiplyTo implements solvers.Equations.
func (e *ridgeEquations) MultiplyTo(ctx context.Context, dst, v *mat.Dense) error {
	raw := v
	if e.whitened != nil {
		_, raw = e.whitened.Fold(v)
	}
	if err := e.normal.MultiplyTo(ctx, dst, raw); err != nil {
		return err
	}
	if e.whitened != nil {
		e.whitened.Whiten(dst)
	}
	if e.sections != nil {
		return e.addGram(ctx, dst, v)
	}
	for i := range v.RawMatrix().Rows {
		e.addPenalty(dst.RawRowView(i), v.RawRowView(i))
	}
	return nil
}

func (e *ridgeEquations) addPenalty(to, v []float64) {
	for c, lambda := range e.lambda {
		to[c] += lambda * v[c]
	}
}

// addGram adds lambda K_ZZ v, in m²/2 kernels: a block of rows right of the diagonal serves for the columns below it as well.
func (e *ridgeEquations) addGram(ctx context.Context, dst, v *mat.Dense) error {
	m, k := v.Dims()
	var product mat.Dense
	for lo := 0; lo < m; lo += problem.SectionRows {
		if err := ctx.Err(); err != nil {
			return err
		}
		hi := min(lo+problem.SectionRows, m)
		block := rowops.First(&e.gram, hi-lo, m-lo)
		e.sections.Kernel().GramTo(block, kernels.Span(e.landmarks, lo, hi), kernels.Span(e.landmarks, lo, m))
		product.Reset()
		fast.MulTo(&product, blas.NoTrans, block, blas.NoTrans, v.Slice(lo, m, 0, k).(*mat.Dense))
		for i := lo; i < hi; i++ {
			e.addPenalty(dst.RawRowView(i), product.RawRowView(i-lo))
		}
		if hi == m {
			break
		}
		product.Reset()
		fast.MulTo(&product, blas.Trans, block.Slice(0, hi-lo, hi-lo, m-lo).(*mat.Dense), blas.NoTrans, v.Slice(lo, hi, 0, k).(*mat.Dense))
		for i := hi; i < m; i++ {
			e.addPenalty(dst.RawRowView(i), product.RawRowView(i-hi))
		}
	}
	return nil
}

// PreconditionTo implements solvers.Equations.
func (e *ridgeEquations) PreconditionTo(dst, r *mat.Dense) { e.inverse(dst, r, e.lambda) }

// solve returns the coefficients and intercepts of all training sets.
func (e *ridgeEquations) solve(ctx context.Context, c solvers.Conjugate) (coef *mat.Dense, intercept []float64, how solvers.Convergence, err error) {
	p, columns := e.normal.Cross.Dims()
	coef = mat.NewDense(p, columns, nil)
	if how, err = c.Solve(ctx, e, coef, e.normal.Cross, e.normal.Deviations); err != nil {
		return nil, nil, how, err
	}
	raw := coef
	if e.whitened != nil {
		_, raw = e.whitened.Fold(coef)
	}
	return coef, e.normal.Intercept(raw), how, nil
}
