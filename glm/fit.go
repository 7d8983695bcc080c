package glm

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	fast "mediant/internal/blas"
	"mediant/internal/rowops"
	"mediant/losses"
)

// A Solver is a way to minimise.
type Solver int

const (
	// Auto is Bound for the log loss and Newton for others.
	Auto Solver = iota
	// Newton solves a system of k(p+1) unknowns in each step, in n p²k²/2 + (pk)³/3 flops.
	Newton
	// Bound is for the log loss of k classes, whose curvature is at most half that of squared error (Böhning, Annals of the Institute of Statistical
	// Mathematics 44, 1992). A system of p+1 unknowns is factored once; L-BFGS starts from it, at 4npk flops a step. With 2,000 rows, two classes and 64 to 512 features it takes a fifth to
	// a thirtieth of Newton's time (BenchmarkFit).
	Bound
)

// Options are those of Fit. The zero value is usable.
type Options struct {
	Solver      Solver
	NoIntercept bool
	// Tolerance is the largest derivative of the objective at which a fit ends, relative to that at the start or to 1; 0 is 1e-8. A derivative g along a direction of curvature c, which is at least
	// 2 lambda, moves predictions by g/sqrt(c): by 1e-5 for lambda = 1e-6.
	Tolerance float64
	// Start is where the fit begins, such as the minimum for another penalty; nil: coefficients of 0. Another p or k panics.
	Start *Model
}

// A Model has the coefficients (p×k) and intercepts of eta, and how it was found.
type Model struct {
	Coef      *mat.Dense
	Intercept []float64
	// Steps is the number of passes over the rows; Gradient is the largest derivative of the objective at the end.
	Steps    int
	Gradient float64
}

// ErrNotConverged reports that the gradient did not vanish.
var ErrNotConverged = errors.New("glm: the fit did not converge")

const (
	defaultTolerance = 1e-8
	mostSteps        = 500
)

// Fit minimises
//
//	mean d(y, mean(coef'phi + intercept)) + lambda |coef|²
//
// over the rows of p features and k targets, of which only the mean needs to be in the domain of the loss; those of losses.Log sum to 1 in each row. lambda must be above 0, so that there is a minimum also where classes are
// separable. The error is that of rows, or ErrNotConverged.
func Fit(ctx context.Context, rows Rows, p, k int, loss losses.Canonical, lambda float64, opt Options) (*Model, error) {
	if !(lambda > 0) || math.IsInf(lambda, 1) {
		return nil, fmt.Errorf("glm: lambda is %g, must be above 0 and finite", lambda)
	}
	o := &objective{rows: rows, loss: loss, lambda: lambda, p: p, k: k, without: opt.NoIntercept, tolerance: opt.Tolerance}
	if o.tolerance == 0 {
		o.tolerance = defaultTolerance
	}
	theta, err := o.start(ctx, opt.Start)
	if err != nil {
		return nil, err
	}
	_, classes := loss.(losses.Log)
	if opt.Solver == Bound && !classes {
		return nil, fmt.Errorf("glm: Bound is for losses.Log, not %s", loss.Name())
	}
	if opt.Solver == Bound || opt.Solver == Auto && classes {
		return o.bound(ctx, theta)
	}
	return o.newton(ctx, theta)
}

// start is theta of a model, or with coefficients 0 and the intercepts of the mean target, moved into the domain.
func (o *objective) start(ctx context.Context, from *Model) (*mat.Dense, error) {
	theta := mat.NewDense(o.p+1, o.k, nil)
	if from != nil {
		if r, c := from.Coef.Dims(); r != o.p || c != o.k {
			panic(mat.ErrShape)
		}
		theta.Copy(from.Coef)
		copy(theta.RawRowView(o.p), from.Intercept)
		return theta, nil
	}
	if o.without {
		return theta, nil
	}
	mean := theta.RawRowView(o.p)
	err := o.rows(ctx, func(_, y *mat.Dense, weights []float64) {
		n, _ := y.Dims()
		for i := range n {
			w := rowops.WeightAt(weights, i)
			floats.AddScaled(mean, w, y.RawRowView(i))
			o.weight += w
		}
	})
	if err != nil {
		return nil, err
	}
	floats.Scale(1/max(o.weight, 1e-300), mean)
	if _, all := o.loss.(losses.Squared); !all {
		for j := range mean {
			mean[j] = max(mean[j], 1e-3)
		}
	}
	o.loss.GradientTo(mean, mean)
	if !rowops.Finite(mean) {
		clear(mean)
	}
	return theta, nil
}

func largest(m *mat.Dense) float64 { return floats.Norm(m.RawMatrix().Data, math.Inf(1)) }

// newton halves steps that do not descend.
func (o *objective) newton(ctx context.Context, theta *mat.Dense) (*Model, error) {
	at, err := o.evaluate(ctx, theta, true)
	if err != nil {
		return nil, err
	}
	steps, first := 1, max(1, largest(at.gradient))
	for steps < mostSteps && largest(at.gradient) > o.tolerance*first {
		direction, slope, err := o.direction(at)
		if err != nil {
			return nil, err
		}
		next, passes, err := o.descend(ctx, at, direction, slope)
		if err != nil {
			return nil, err
		}
		steps += passes
		if next == nil { // rounding: no smaller value is to be had
			break
		}
		at = next
	}
	return o.model(at, steps, first)
}

// direction solves for Newton's step, and returns its slope, which is negative.
func (o *objective) direction(at *point) (*mat.Dense, float64, error) {
	n := (o.p + 1) * o.k
	// The curvature vanishes where all means are at the end of their range, as for a class without rows. A multiple of the unit matrix then makes the step shorter; where it
	// ends does not depend on that.
	u := mat.NewDense(n, n, nil).RawMatrix()
	damping := 0.
	for {
		copy(u.Data, at.hessian.RawSymmetric().Data)
		for i := range n {
			u.Data[i*n+i] += damping
		}
		if fast.Cholesky(u) {
			break
		}
		if damping = max(10*damping, 1e-12*mat.Trace(at.hessian)/float64(n)); !(damping < math.MaxFloat64/100) || damping == 0 {
			return nil, 0, fmt.Errorf("%w: the curvature is singular", ErrNotConverged)
		}
	}
	step := mat.NewDense(n, 1, nil)
	for j := range o.k {
		for i := range o.p + 1 {
			step.Set(j*(o.p+1)+i, 0, -at.gradient.At(i, j))
		}
	}
	fast.SolveLeft(blas.Trans, u, step.RawMatrix())
	fast.SolveLeft(blas.NoTrans, u, step.RawMatrix())
	direction := mat.NewDense(o.p+1, o.k, nil)
	slope := 0.
	for j := range o.k {
		for i := range o.p + 1 {
			d := step.At(j*(o.p+1)+i, 0)
			direction.Set(i, j, d)
			slope += d * at.gradient.At(i, j)
		}
	}
	return direction, slope, nil
}

// descend tries steps of length 1, 1/2, 1/4, ... until one descends as much as a tenth of the slope says, but for rounding; nil if none does.
func (o *objective) descend(ctx context.Context, at *point, direction *mat.Dense, slope float64) (next *point, passes int, err error) {
	for length := 1.; length > 1e-9; length /= 2 {
		theta := mat.NewDense(o.p+1, o.k, nil)
		theta.Scale(length, direction)
		theta.Add(theta, at.theta)
		passes++
		if next, err = o.evaluate(ctx, theta, true); err != nil {
			return nil, passes, err
		}
		if next.value <= at.value+.1*length*slope+1e-14*math.Abs(at.value) && rowops.Finite(next.gradient.RawMatrix().Data) {
			return next, passes, nil
		}
	}
	return nil, passes, nil
}

// bound minimises by L-BFGS (Nocedal, Mathematics of Computation 35, 1980) in coordinates z in which the bound of the curvature is the unit matrix, so that a step of
// length 1 descends.
func (o *objective) bound(ctx context.Context, theta *mat.Dense) (*Model, error) {
	u, err := o.factor(ctx)
	if err != nil {
		return nil, err
	}
	at, err := o.evaluate(ctx, theta, false)
	if err != nil {
		return nil, err
	}
	steps, first := 2, max(1, largest(at.gradient))
	var memory history
	gradient := o.whitened(u, at.gradient)
	for steps < mostSteps && largest(at.gradient) > o.tolerance*first {
		direction := memory.direction(gradient)
		slope := floats.Dot(direction, gradient)
		if !(slope < 0) { // what is remembered is rounding
			memory = history{}
			continue
		}
		next, length, passes, err := o.search(ctx, at, u, direction, slope)
		if err != nil {
			return nil, err
		}
		steps += passes
		if next == nil {
			if len(memory.steps) == 0 {
				break
			}
			memory = history{}
			continue
		}
		own := o.whitened(u, next.gradient)
		floats.Scale(length, direction)
		memory.add(direction, floats.SubTo(make([]float64, len(own)), own, gradient))
		at, gradient = next, own
	}
	return o.model(at, steps, first)
}

// whitened is a gradient in coordinates z, theta = u⁻¹z.
func (o *objective) whitened(u *mat.Dense, gradient *mat.Dense) []float64 {
	g := mat.DenseCopyOf(gradient)
	fast.SolveLeft(blas.Trans, u.RawMatrix(), g.RawMatrix())
	return g.RawMatrix().Data
}

// search tries steps along a direction of z as descend does.
func (o *objective) search(ctx context.Context, at *point, u *mat.Dense, direction []float64, slope float64) (next *point, length float64, passes int, err error) {
	move := mat.NewDense(o.p+1, o.k, append([]float64(nil), direction...))
	fast.SolveLeft(blas.NoTrans, u.RawMatrix(), move.RawMatrix())
	for length = 1.; length > 1e-9; length /= 2 {
		theta := mat.NewDense(o.p+1, o.k, nil)
		theta.Scale(length, move)
		theta.Add(theta, at.theta)
		passes++
		if next, err = o.evaluate(ctx, theta, false); err != nil {
			return nil, 0, passes, err
		}
		if next.value <= at.value+.1*length*slope+1e-14*math.Abs(at.value) {
			return next, length, passes, nil
		}
	}
	return nil, 0, passes, nil
}

// factor is the Cholesky factor of half the second moments of (phi, 1), with the penalty, which bounds the curvature of each class from above.
func (o *objective) factor(ctx context.Context) (*mat.Dense, error) {
	order := o.p + 1
	m := mat.NewDense(order, order, nil)
	var scaled, product mat.Dense
	weight := 0.
	err := o.rows(ctx, func(phi, _ *mat.Dense, weights []float64) {
		n, _ := phi.Dims()
		scaled.Reset()
		scaled.ReuseAs(n, order)
		for i := range n {
			w := rowops.WeightAt(weights, i)
			root := math.Sqrt(w)
			floats.ScaleTo(scaled.RawRowView(i)[:o.p], root, phi.RawRowView(i))
			scaled.Set(i, o.p, root)
			weight += w
		}
		product.Reset()
		fast.MulTo(&product, blas.Trans, &scaled, blas.NoTrans, &scaled)
		m.Add(m, &product)
	})
	if err != nil {
		return nil, err
	}
	m.Scale(.5/weight, m)
	for i := range o.p {
		m.Set(i, i, m.At(i, i)+2*o.lambda)
	}
	if !fast.Cholesky(m.RawMatrix()) {
		return nil, fmt.Errorf("%w: the features have a singular matrix of second moments", ErrNotConverged)
	}
	return m, nil
}

// accepted is the gradient above which a fit has not converged: where rounding ends it, it is far below.
const accepted = 1e-6

func (o *objective) model(at *point, steps int, first float64) (*Model, error) {
	left := largest(at.gradient)
	if !(left <= accepted*first) {
		return nil, fmt.Errorf("%w: a derivative of %.2g is left after %d steps", ErrNotConverged, left, steps)
	}
	m := &Model{Coef: mat.DenseCopyOf(at.theta.Slice(0, o.p, 0, o.k)), Intercept: append([]float64(nil), at.theta.RawRowView(o.p)...), Steps: steps, Gradient: left}
	return m, nil
}
