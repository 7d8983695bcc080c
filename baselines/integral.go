package baselines

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/mat"

	"mediant/internal/draw"
	"mediant/problem"
	"mediant/rr"
	"mediant/solvers"
	"mediant/tables"
)

// An Estimator is a way to estimate the conditional density of U given x.
type Estimator int

const (
	// LeastSquares fits Gaussian components in closed form (Sugiyama et al., AISTATS 2010).
	LeastSquares Estimator = iota
	// NadarayaWatson weights the rows of S_X by a kernel of x.
	NadarayaWatson
)

// Integral is the method by the conditional density that [Yamane21, section 3] argues against: h ~ E[Y|U] from S_Y, q(u|x)
// from S_X, and
//
//	f(x) = ∫ h(u) q(u|x) du.
//
// q is a mixture with the same components for every x, so that h is integrated over each component once, by Gauss-Hermite
// quadrature in one or two dimensions and by seeded samples in more; points need none. A prediction then costs a kernel
// value a component. The notes of the model have the number of components, and the number of values of h that a separate integral for each x would
// need. The zero value is usable; mediant.Load reads its models by Format.
type Integral struct {
	LambdaH rr.Setting
	// H is the learner of h; nil is ridge regression on the features of the Setup.
	H         rr.Regressor
	Estimator Estimator
	// Density is an estimate that Estimate returned for the same problem; nil: Fit makes one with Estimator.
	Density *Density
	// Centres bounds the components of LeastSquares; 0: 200, or a quarter of the rows of S_X if that is more, and at most
	// 1,000. With a bounded number the method is not consistent.
	Centres int
	// Nodes is the number of quadrature nodes for each component and dimension, 0: 8. Samples is the number of samples for
	// each component in more than two dimensions, 0: 256.
	Nodes, Samples int

	seed uint64 // of the Setup
}

var _ rr.Method = Integral{}

// FitTables implements rr.TableMethod.
func (n Integral) FitTables(ctx context.Context, s problem.Setup, xu, uy tables.Source) (*rr.Model, error) {
	n.seed = s.Seed
	if n.H == nil {
		p, err := problem.Prepare(ctx, s, xu, uy)
		if err != nil {
			return nil, err
		}
		return n.Fit(ctx, p)
	}
	e, err := problem.ReadRows(ctx, s, xu, uy)
	if err != nil {
		return nil, err
	}
	return n.learn(ctx, e)
}

// Fit implements rr.Method. It reads the rows of p again.
func (n Integral) Fit(ctx context.Context, p *problem.Problem) (*rr.Model, error) {
	if err := n.Validate(); err != nil {
		return nil, err
	}
	e, err := p.Rows(ctx)
	if err != nil {
		return nil, err
	}
	n.seed = p.Setup().Seed
	if n.H != nil {
		return n.learn(ctx, e)
	}
	lambdaH := n.LambdaH.Or(rr.DefaultLambda)
	h, err := solvers.Ridge(p.UY(), lambdaH, !p.Setup().NoIntercept)
	if err != nil {
		return nil, err
	}
	m := rr.NewModelOfRows(e, "integral")
	m.Params.LambdaH = &lambdaH
	m.NoteSystem("h", h.Cond, h.Rank, h.Coef)
	m.H = rr.NewLinear(p.Psi(), h.Coef, h.Intercept)
	return n.integrate(ctx, e, m)
}

// learn fits h by the learner.
func (n Integral) learn(ctx context.Context, e *problem.Rows) (*rr.Model, error) {
	m := rr.NewModelOfRows(e, "integral")
	var err error
	if m.H, err = rr.Learn(ctx, "integral: h on S_Y", n.H, e.UY, e.Y, e.WeightsY); err != nil {
		return nil, err
	}
	return n.integrate(ctx, e, m)
}

// integrate completes a model that has h.
func (n Integral) integrate(ctx context.Context, e *problem.Rows, m *rr.Model) (*rr.Model, error) {
	if err := n.check(e); err != nil {
		return nil, err
	}
	q, err := n.density(ctx, e, m.H, m.Y.Classes() != nil)
	if err != nil {
		return nil, err
	}
	values, each, err := n.components(ctx, q, m.H, e.Y.RawMatrix().Cols)
	if err != nil {
		return nil, err
	}
	m.F = &expectation{q, values}
	components := rowsOf(q.X)
	m.Notes = append(slices.Clone(m.Notes), fmt.Sprintf(
		"integral: %d kernel values a prediction, after %d values of h at the fit; integrals for each x anew would take %d values of h a prediction",
		components, components*each, components*each))
	return m, nil
}

// check refuses rows without weight, and a density of other columns.
func (n Integral) check(e *problem.Rows) error {
	if e.WeightsX != nil && !(floats.Sum(e.WeightsX) > 0) {
		return fmt.Errorf("baselines: integral: no row of the table of X and U has weight")
	}
	if n.Density != nil {
		x, u := n.Density.X.RawMatrix().Cols, n.Density.U.RawMatrix().Cols
		if wantX, wantU := e.X.RawMatrix().Cols, e.UX.RawMatrix().Cols; x != wantX || u != wantU {
			return fmt.Errorf("baselines: integral: the density has %d columns of X and %d of U, want %d and %d", x, u, wantX, wantU)
		}
	}
	return nil
}

// Estimate returns the density that Fit would estimate from p by LeastSquares, so that several Integrals can share it: it
// does not depend on h. It reads the rows of p again. Other estimators are an error.
func (n Integral) Estimate(ctx context.Context, p *problem.Problem) (*Density, error) {
	if err := n.Validate(); err != nil {
		return nil, err
	}
	if n.Estimator != LeastSquares {
		return nil, fmt.Errorf("baselines: integral: estimator %d sees h, want one that does not", n.Estimator)
	}
	e, err := p.Rows(ctx)
	if err != nil {
		return nil, err
	}
	n.seed = p.Setup().Seed
	if err := n.check(e); err != nil {
		return nil, err
	}
	return n.density(ctx, e, nil, false)
}

// density estimates q(u|x), unless it is set. The outputs of h are classes of one label, or columns of Y.
func (n Integral) density(ctx context.Context, e *problem.Rows, h rr.Predictor, classes bool) (*Density, error) {
	if n.Density != nil {
		return n.Density, nil
	}
	rows, columns := rowsOf(e.X), e.X.RawMatrix().Cols+e.UX.RawMatrix().Cols
	switch n.Estimator {
	case NadarayaWatson:
		columns += e.Y.RawMatrix().Cols
		if err := e.CheckMemory(watsonBytes(rows, columns), "distances between rows"); err != nil {
			return nil, err
		}
		values, err := rr.Predictions("integral: h(U) on S_X", h, e.UX, e.Y.RawMatrix().Cols)
		if err != nil {
			return nil, err
		}
		if !classes {
			standardise(values, e.WeightsX)
		}
		return nadarayaWatson(ctx, e.X, e.UX, e.WeightsX, values, n.seed)
	case LeastSquares:
		centres := n.centres(rows)
		if err := e.CheckMemory(leastSquaresBytes(rows, columns, centres), fmt.Sprintf("distances of %d rows to %d centres", rows, min(centres, rows))); err != nil {
			return nil, err
		}
		d := newLeastSquares(e.X, e.UX, e.WeightsX, centres, n.seed)
		c, err := d.choose(ctx, n.seed)
		if err != nil {
			return nil, err
		}
		return d.fit(c)
	}
	return nil, fmt.Errorf("baselines: integral: no estimator %d", n.Estimator)
}

func (n Integral) centres(rows int) int {
	if n.Centres > 0 {
		return n.Centres
	}
	return max(200, min(rows/4, 1000))
}

// components integrates h, of so many outputs, over each component of q, with each values of h for one.
func (n Integral) components(ctx context.Context, q *Density, h rr.Predictor, outputs int) (values *mat.Dense, each int, err error) {
	if q.BandwidthU == 0 {
		values, err = rr.Predictions("integral: h at the centres", h, q.U, outputs)
		return values, 1, err
	}
	b, dims := q.U.Dims()
	nodes := func(l int) (*mat.Dense, []float64) { return n.samples(dims, orElse(n.Samples, 256), l) }
	if dims <= 2 {
		same, shares := hermite(dims, orElse(n.Nodes, 8))
		nodes = func(int) (*mat.Dense, []float64) { return same, shares }
	}
	values = mat.NewDense(b, outputs, nil)
	for l := range b {
		if err := ctx.Err(); err != nil {
			return nil, 0, err
		}
		at, shares := nodes(l)
		hu, err := rr.Predictions("integral: h about the centres", h, around(q, l, at), outputs)
		if err != nil {
			return nil, 0, err
		}
		for i, s := range shares {
			floats.AddScaled(values.RawRowView(l), s, hu.RawRowView(i))
		}
		each = len(shares)
	}
	return values, each, nil
}

func orElse(v, other int) int {
	if v == 0 {
		return other
	}
	return v
}

// around places nodes of N(0, I) about component l.
func around(q *Density, l int, nodes *mat.Dense) *mat.Dense {
	out := mat.DenseCopyOf(nodes)
	out.Scale(q.BandwidthU, out)
	for i := range rowsOf(out) {
		floats.Add(out.RawRowView(i), q.U.RawRowView(l))
	}
	return out
}

// hermite returns the nodes and shares of the product rule for N(0, I) that is exact for polynomials below
// degree 2n in each variable: Gauss-Hermite at √2 times its nodes for exp(-t²).
func hermite(dims, n int) (nodes *mat.Dense, shares []float64) {
	t, w := make([]float64, n), make([]float64, n)
	quad.Hermite{}.FixedLocations(t, w, math.Inf(-1), math.Inf(1))
	floats.Scale(math.Sqrt2, t)
	floats.Scale(1/math.Sqrt(math.Pi), w)
	size := 1
	for range dims {
		size *= n
	}
	nodes, shares = mat.NewDense(size, dims, nil), make([]float64, size)
	for i := range size {
		shares[i] = 1
		for j, rest := 0, i; j < dims; j, rest = j+1, rest/n {
			nodes.Set(i, j, t[rest%n])
			shares[i] *= w[rest%n]
		}
	}
	return nodes, shares
}

// samples draws from N(0, I) for component l, each with its mirror image, which leaves out what is odd in h. An odd
// number has one without.
func (n Integral) samples(dims, size, l int) (nodes *mat.Dense, shares []float64) {
	rnd := draw.Rand(n.seed, "integral/samples", l)
	nodes, shares = mat.NewDense(size, dims, nil), make([]float64, size)
	for i := range size {
		shares[i] = 1 / float64(size)
		for j := range dims {
			if i%2 == 0 {
				nodes.Set(i, j, rnd.NormFloat64())
			} else {
				nodes.Set(i, j, -nodes.At(i-1, j))
			}
		}
	}
	return nodes, shares
}
