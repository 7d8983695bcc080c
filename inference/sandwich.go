package inference

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"mediant/collect"
	"mediant/internal/blas"
	"mediant/internal/bounds"
	"mediant/internal/progress"
	"mediant/problem"
	"mediant/rr"
	"mediant/solvers"
)

// A Covariance is a kind of standard errors of f.
type Covariance int

const (
	// Corrected is the sandwich with each squared residual divided by the share of the noise's variance that the fit leaves
	// in it, less the interaction of the tables, which the sums over both tables count. It is the recommended kind.
	Corrected Covariance = iota
	// Jackknife divides each residual by 1 minus its leverage, which makes the sandwich the delete-one
	// jackknife of both tables: too large where some rows have a leverage near 1.
	Jackknife
	// Sandwich uses the residuals as they are: too small where features are many for the rows.
	Sandwich
)

// Errors, made by Estimate, predicts the standard errors of the outputs of an f that is linear in its features, given the
// maps and the penalties,
//
//	se(x)² = s - min(t, s/2),   s = |sum(x)|², t = |shared(x)|²
//
// with sum and shared linear in the features: s is the sum of the sandwiches of the two tables, t the variance of their
// interaction, which both sums count and which is at most half of s (docs/theory.md, section 16). They describe the
// variation of fhat(x) about its mean, not about E[Y|X=x]: they contain neither the bias of the penalties nor the noise of
// Y.
type Errors struct {
	Sum    []*rr.Linear // one for each output
	Shared []*rr.Linear // likewise, or none, which stands for 0
	// Variance is the mean of the variance of f over the rows of S_X, summed over outputs, by the table that it comes from; nil in files of earlier
	// versions. Where the interaction of the tables is not known (another kind than Corrected, a fit by components) the parts of both tables have it.
	Variance *collect.Variance
}

var _ rr.Predictor = (*Errors)(nil)

// Bytes returns the size of the coefficients in bytes.
func (s *Errors) Bytes() float64 {
	bytes := 0.0
	for _, root := range s.Sum {
		_, p := root.Map.Dims()
		bytes += 8 * float64(p) * float64(p) * float64(1+min(1, len(s.Shared)))
	}
	return bytes
}

// PredictTo implements rr.Predictor: it stores in dst, n×k, the standard error of each output for each row of encoded x, in
// units of Y.
func (s *Errors) PredictTo(dst *mat.Dense, x mat.Matrix) {
	n, _ := x.Dims()
	if dst.IsEmpty() {
		dst.ReuseAs(n, len(s.Sum))
	}
	if r, c := dst.Dims(); r != n || c != len(s.Sum) {
		panic(mat.ErrShape)
	}
	for j := range s.Sum {
		sum, shared := norms(s.Sum[j], x), make([]float64, n)
		if s.Shared != nil {
			shared = norms(s.Shared[j], x)
		}
		for i := range n {
			dst.Set(i, j, without(sum[i], shared[i]))
		}
	}
}

// OfMean returns the standard error of the weighted mean of each output over the rows of encoded x, which has at least one; nil weights are 1. It is the
// norm of the mean of the roots, and no mean of standard errors, because the errors of f at several x are correlated.
func (s *Errors) OfMean(x mat.Matrix, weights []float64) []float64 {
	of := make([]float64, len(s.Sum))
	for j := range s.Sum {
		shared := 0.
		if s.Shared != nil {
			shared = normOfMean(s.Shared[j], x, weights)
		}
		of[j] = without(normOfMean(s.Sum[j], x, weights), shared)
	}
	return of
}

// normOfMean returns the norm of the weighted mean of root(x) over the rows of x, which is root of the mean features.
func normOfMean(root *rr.Linear, x mat.Matrix, weights []float64) float64 {
	var phi mat.Dense
	root.Map.MapTo(&phi, x)
	n, p := phi.Dims()
	mean, total := mat.NewVecDense(p, nil), 0.
	for i := range n {
		w := 1.
		if weights != nil {
			w = weights[i]
		}
		mean.AddScaledVec(mean, w, phi.RowView(i))
		total += w
	}
	var at mat.VecDense
	at.MulVec(root.Coef.T(), mean)
	parts := at.RawVector().Data
	floats.Scale(1/total, parts)
	return floats.Norm(floats.AddTo(make([]float64, len(parts)), parts, root.Intercept), 2)
}

// norms returns |root(x)| of each row of x.
func norms(root *rr.Linear, x mat.Matrix) []float64 {
	var parts mat.Dense
	root.PredictTo(&parts, x)
	norms := make([]float64, parts.RawMatrix().Rows)
	for i := range norms {
		norms[i] = floats.Norm(parts.RawRowView(i), 2)
	}
	return norms
}

// without returns the root of sum² - min(shared², sum²/2).
func without(sum, shared float64) float64 {
	if sum == 0 {
		return 0
	}
	ratio := shared / sum
	return sum * math.Sqrt(1-min(ratio*ratio, .5))
}

// Reserve returns the setup with memory set aside for standard errors of this kind after the fit, so that Prepare refuses
// tables that leave no room for them.
func Reserve(s problem.Setup, kind Covariance) problem.Setup {
	return s.Reserving(func(f problem.Footprint) float64 { return errors(f, kind) })
}

// Estimate returns the standard errors of a model that 2Step-RR or Joint-RR fitted to this problem, in one more pass over
// the rows of both tables, at n(2p²+4pq+4q²) + 4m q² flops and k(n p² + m q²) for k outputs. It keeps a matrix of order p
// for each output. Corrected errors keep two, at k n (p²+2q²) flops more, and for w < 1 take a second pass over S_Y, at
// (4+3k) m q² flops, and k n q² more. A row with leverage 1, which f or h fits exactly whatever its value, is an error; a
// larger penalty helps.
func Estimate(ctx context.Context, p *problem.Problem, m *rr.Model, kind Covariance) (*Errors, error) {
	ctx = progress.Stage(ctx, "estimating standard errors")
	if err := kind.check("inference: the Covariance of StandardErrors"); err != nil {
		return nil, err
	}
	if err := p.NeedsRows("standard errors of f"); err != nil {
		return nil, err
	}
	if p.Clusters() != nil {
		return nil, fmt.Errorf("inference: standard errors of f are those of independent rows, and these are in clusters")
	}
	if _, err := solved(m.Params); m.Params.Outputs == nil && err != nil {
		return nil, err
	}
	p, err := p.Full(ctx)
	if err != nil {
		return nil, err
	}
	if m.Params.Outputs != nil || p.FitsEach() {
		return estimateEach(ctx, p, m.Params, kind)
	}
	return estimate(ctx, p, m.Params, kind)
}

// estimateEach estimates the standard errors of each output by itself.
func estimateEach(ctx context.Context, p *problem.Problem, params rr.Params, kind Covariance) (*Errors, error) {
	all := &Errors{Variance: new(collect.Variance)}
	_, width := p.Phi().Dims()
	none := rr.NewLinear(p.Phi(), mat.NewDense(width, 1, nil), make([]float64, 1))
	shared := false
	for j := range p.Y().Len() {
		of := params
		if params.Outputs != nil {
			of = params.Outputs[j]
		}
		own, err := estimate(ctx, p.Only([]int{j}), of, kind)
		if err != nil {
			return nil, fmt.Errorf("%w: output %q", err, p.Y().Names()[j])
		}
		all.Sum = append(all.Sum, own.Sum...)
		if own.Shared == nil { // of a fit by components
			own.Shared = []*rr.Linear{none}
		} else {
			shared = true
		}
		all.Shared = append(all.Shared, own.Shared...)
		all.Variance.XU += own.Variance.XU
		all.Variance.UY += own.Variance.UY
		all.Variance.Both += own.Variance.Both
	}
	if !shared {
		all.Shared = nil
	}
	return all, nil
}

func estimate(ctx context.Context, p *problem.Problem, of rr.Params, kind Covariance) (*Errors, error) {
	params, err := solved(of)
	if err != nil {
		return nil, err
	}
	f := p.Footprint()
	f.Setup.Reserve = nil // it is needed now
	if err := f.Within(func(f problem.Footprint) float64 { return f.Base() + f.Sums() + f.Solving() + errors(f, kind) }, ""); err != nil {
		return nil, err
	}
	if of.Components != nil {
		return componentErrors(ctx, p, params, kind)
	}
	system, err := p.System()
	if err != nil {
		return nil, err
	}
	influence := system.Influence(params)
	y, err := scoresY(ctx, p, influence, kind)
	if err != nil {
		return nil, err
	}
	var shared []*interaction
	if kind == Corrected {
		if shared, err = newInteractions(ctx, p, influence, params.W, y); err != nil {
			return nil, err
		}
	}
	x, err := scoresX(ctx, p, influence, kind, shared)
	if err != nil {
		return nil, err
	}
	if kind == Corrected && params.W < 1 {
		if err := interactY(ctx, p, influence, shared); err != nil {
			return nil, err
		}
	}
	spread := newSpread(p, influence.CentreF())
	for j := range x {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		var both *mat.SymDense
		if shared != nil {
			both = shared[j].covariance(influence)
		}
		if err := spread.add(ctx, influence.CovarianceX(x[j].covariance()), influence.CovarianceY(y[j].covariance()), both); err != nil {
			return nil, err
		}
	}
	return &spread.Errors, nil
}

// solved returns the parameters of a fit by 2Step-RR or Joint-RR.
func solved(p rr.Params) (solvers.Params, error) {
	if p.W == nil || p.LambdaF == nil || p.LambdaH == nil || p.LambdaG != nil {
		return solvers.Params{}, fmt.Errorf("inference: standard errors are those of 2Step-RR and Joint-RR in closed form, not of this method")
	}
	s := solvers.Params{W: *p.W, LambdaF: *p.LambdaF, LambdaH: *p.LambdaH}
	if p.Penalty == solvers.Paper.String() {
		s.Penalty = solvers.Paper
	}
	return s, nil
}

// rootOf returns root, p×r, and intercept such that |root'phi + intercept|² = z'cov z for z = (phi -
// centre, 1): a pivoted Cholesky factor, which drops what is within rounding of 0.
func rootOf(ctx context.Context, cov *mat.SymDense, centre []float64) (root *mat.Dense, intercept []float64, err error) {
	p := len(centre)
	u := mat.DenseCopyOf(cov)
	pivots, rank, err := blas.PivotedCholesky(ctx, u.RawMatrix(), float64(p+1)*0x1p-52)
	if err != nil {
		return nil, nil, err
	}
	r := max(1, rank) // a residual of 0 everywhere has rank 0 and standard errors of 0
	root, intercept = mat.NewDense(p, r, nil), make([]float64, r)
	for at, i := range pivots {
		for t := range min(rank, at+1) {
			if i == p {
				intercept[t] = u.At(t, at)
			} else {
				root.Set(i, t, u.At(t, at))
			}
		}
	}
	var moved mat.VecDense
	moved.MulVec(root.T(), mat.NewVecDense(p, centre))
	floats.Sub(intercept, moved.RawVector().Data)
	return root, intercept, nil
}

func (k Covariance) check(name string) error {
	return bounds.Enum(name, k, "Corrected, Jackknife or Sandwich", Corrected, Jackknife, Sandwich)
}
