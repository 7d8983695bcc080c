package solvers

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"mediant/internal/bounds"
)

// Conjugate are the settings of preconditioned conjugate gradients. The zero value is usable.
type Conjugate struct {
	// Tolerance is the distance of predictions to those of the exact solution, in standard deviations of the output, at which a column is done; 0 is 1e-7.
	Tolerance float64
	// MaxIterations bounds the products with the matrices; 0 is 200.
	MaxIterations int
}

const (
	// conjugateTolerance is far less than any standard error, and reached without the last digits of float64.
	conjugateTolerance = 1e-7
	// conjugateIterations reach the tolerance where the preconditioned condition number is at most 600 or so: the error falls by (sqrt(c)-1)/(sqrt(c)+1) with each.
	conjugateIterations = 200
)

// Validate returns an error that names the first field out of range.
func (c Conjugate) Validate() error {
	return bounds.First(
		bounds.Penalty("solvers: Conjugate.Tolerance", c.Tolerance),
		bounds.Count("solvers: Conjugate.MaxIterations", c.MaxIterations),
	)
}

// Equations are linear systems M_j x_j = b_j, one for each column, with positive semidefinite matrices that are known by their products.
type Equations interface {
	// MultiplyTo stores M_j v_j in the columns of dst, which has the shape of v.
	MultiplyTo(ctx context.Context, dst, v *mat.Dense) error
	// PreconditionTo stores P_j⁻¹ r_j, where P_j is positive definite and close to M_j.
	PreconditionTo(dst, r *mat.Dense)
}

// Convergence says how far conjugate gradients came.
type Convergence struct {
	// Iterations are the products with the matrices, checks of the residual included.
	Iterations int `json:"iterations"`
	// Off estimates the root mean square over the rows of the distance of predictions to those of the exact solution, in standard deviations of the output, for the column where it is largest: sqrt(r'M⁻¹r) by the residual r, which was
	// computed anew, and the least eigenvalue of P⁻¹M that was seen.
	Off float64 `json:"off"`
	// Residual is the largest |r|/|b|.
	Residual float64 `json:"residual"`
	// Condition is that of P⁻¹M, by the largest and least eigenvalues that were seen.
	Condition float64 `json:"condition"`
	// Breakdown is the number of the iteration at which rounding made a matrix indefinite or a number not finite, from 1; 0 if none did. The solution is that before it.
	Breakdown int `json:"breakdown,omitempty"`
	// Converged reports that Off is at most ten times the tolerance, which leaves room for rounding of the last residual.
	Converged bool `json:"converged"`
}

// Solve improves the columns of x, zeros or an approximation, to solutions of the equations with right sides b, by preconditioned conjugate gradients
// [Hestenes and Stiefel, 1952], each column by itself, so that one does not depend on which others there are. deviations are the standard deviations of the outputs: where M is the matrix of normal equations of ridge regression, sqrt(e'M e) bounds the
// root mean square of predictions of e. At the end the residual is computed anew; if it is worse than thought, iterations begin again from there, as long as that gains. It needs four matrices of the shape of b. The error is that of MultiplyTo.
func (c Conjugate) Solve(ctx context.Context, eq Equations, x, b *mat.Dense, deviations []float64) (Convergence, error) {
	if c.Tolerance == 0 {
		c.Tolerance = conjugateTolerance
	}
	if c.MaxIterations == 0 {
		c.MaxIterations = conjugateIterations
	}
	p, k := b.Dims()
	s := &conjugation{
		Conjugate: c, eq: eq, x: x, b: b,
		r: mat.NewDense(p, k, nil), z: mat.NewDense(p, k, nil), d: mat.NewDense(p, k, nil), m: mat.NewDense(p, k, nil),
		columns: make([]column, k),
	}
	for j := range s.columns {
		s.columns[j] = column{deviation: deviations[j], before: math.Inf(1), least: 1, largest: 1}
	}
	return s.run(ctx)
}

// A conjugation is the state of Solve.
type conjugation struct {
	Conjugate
	eq         Equations
	x, b       *mat.Dense
	r, z, d, m *mat.Dense // residuals, preconditioned ones, directions, and products of these
	columns    []column
	result     Convergence
}

// A column is the state of one system.
type column struct {
	deviation      float64 // of its output
	rho            float64 // r'z
	off, before    float64 // the estimated distance, and that at the last residual that was computed anew
	spectrum       tridiagonal
	least, largest float64 // eigenvalues of P⁻¹M
	done, broken   bool
}

func (s *conjugation) run(ctx context.Context) (Convergence, error) {
	for {
		if err := s.residual(ctx); err != nil {
			return s.result, err
		}
		if s.allDone() || s.result.Iterations >= s.MaxIterations {
			break
		}
		if err := s.iterate(ctx); err != nil {
			return s.result, err
		}
	}
	for _, c := range s.columns {
		s.result.Off, s.result.Condition = max(s.result.Off, c.off), max(s.result.Condition, c.largest/c.least)
	}
	for _, v := range []*float64{&s.result.Off, &s.result.Residual, &s.result.Condition} {
		if math.IsNaN(*v) || math.IsInf(*v, 0) {
			*v = math.MaxFloat64 // which JSON can have
		}
	}
	s.result.Converged = s.result.Off <= 10*s.Tolerance
	return s.result, nil
}

// residual computes b - M x anew, and begins from there.
func (s *conjugation) residual(ctx context.Context) error {
	if floats.Norm(s.x.RawMatrix().Data, math.Inf(1)) == 0 {
		s.r.Copy(s.b)
	} else {
		if err := s.eq.MultiplyTo(ctx, s.m, s.x); err != nil {
			return err
		}
		s.result.Iterations++
		s.r.Sub(s.b, s.m)
	}
	s.eq.PreconditionTo(s.z, s.r)
	s.d.Copy(s.z)
	rho, squares, of := dots(s.r, s.z), dots(s.r, s.r), dots(s.b, s.b)
	s.result.Residual = 0
	for j := range s.columns {
		c := &s.columns[j]
		c.estimate(rho[j])
		c.spectrum.clear()
		c.done = c.broken || c.off <= s.Tolerance || !(c.off < c.before/2)
		c.before = c.off
		if of[j] > 0 {
			s.result.Residual = max(s.result.Residual, math.Sqrt(squares[j]/of[j]))
		}
	}
	return nil
}

// iterate runs until all columns are done.
func (s *conjugation) iterate(ctx context.Context) error {
	step, ratio := make([]float64, len(s.columns)), make([]float64, len(s.columns))
	for s.result.Iterations < s.MaxIterations-1 && !s.allDone() { // one is left for the residual
		s.mask()
		if err := s.eq.MultiplyTo(ctx, s.m, s.d); err != nil {
			return err
		}
		s.result.Iterations++
		for j, curvature := range dots(s.d, s.m) {
			step[j] = s.columns[j].rho / curvature
			if !s.columns[j].done && !(curvature > 0 && !math.IsInf(step[j], 0)) {
				s.breakDown(j)
			}
			if s.columns[j].done {
				step[j] = 0
			}
		}
		addScaled(s.x, step, s.d)
		floats.Scale(-1, step)
		addScaled(s.r, step, s.m)
		s.eq.PreconditionTo(s.z, s.r)
		for j, rho := range dots(s.r, s.z) {
			ratio[j] = s.next(j, -step[j], rho)
		}
		for i := range s.d.RawMatrix().Rows {
			row := s.d.RawRowView(i)
			floats.Mul(row, ratio)
			floats.Add(row, s.z.RawRowView(i))
		}
	}
	return nil
}

// next takes column j from an iteration with this step, after which r'z is rho, to the next one, and returns the share of the direction that is kept.
func (s *conjugation) next(j int, step, rho float64) (ratio float64) {
	c := &s.columns[j]
	if c.done {
		return 0
	}
	if !(rho >= 0) || math.IsInf(rho, 0) {
		s.breakDown(j)
		return 0
	}
	ratio = rho / c.rho
	c.spectrum.add(step, ratio)
	least, largest := c.spectrum.extremes()
	c.least, c.largest = min(c.least, least), max(c.largest, largest)
	c.estimate(rho)
	c.done = c.off <= s.Tolerance
	return ratio
}

// breakDown ends a column.
func (s *conjugation) breakDown(j int) {
	s.columns[j].done, s.columns[j].broken = true, true
	if s.result.Breakdown == 0 {
		s.result.Breakdown = s.result.Iterations
	}
}

func (s *conjugation) allDone() bool {
	return !slices.ContainsFunc(s.columns, func(c column) bool { return !c.done })
}

// estimate turns r'P⁻¹r into a distance.
func (c *column) estimate(rho float64) {
	c.rho, c.off = rho, 0
	if c.deviation > 0 {
		c.off = math.Sqrt(max(0, rho)/c.least) / c.deviation
	}
}

// mask clears the directions of columns that are done.
func (s *conjugation) mask() {
	for i := range s.d.RawMatrix().Rows {
		for j, c := range s.columns {
			if c.done {
				s.d.Set(i, j, 0)
			}
		}
	}
}

// dots are the inner products of the columns of a with those of b.
func dots(a, b *mat.Dense) []float64 {
	_, k := a.Dims()
	out := make([]float64, k)
	for i := range a.RawMatrix().Rows {
		of := b.RawRowView(i)
		for j, v := range a.RawRowView(i) {
			out[j] += v * of[j]
		}
	}
	return out
}

// addScaled adds step_j times each column of v.
func addScaled(dst *mat.Dense, step []float64, v *mat.Dense) {
	for i := range dst.RawMatrix().Rows {
		to, from := dst.RawRowView(i), v.RawRowView(i)
		for j, by := range step {
			if by != 0 { // else from may be NaN
				to[j] += by * from[j]
			}
		}
	}
}
