package theory

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"mediant/features"
	"mediant/internal/draw"
	"mediant/kernels"
	"mediant/report"
)

// expectedPivot replaces the eigenvalues of K by those of the mean residual after one random pivot,
//
//	Σ_s (K_ss/tr K) [ K - K e_s e_s'K / K_ss ] = K - K²/tr K
func expectedPivot(eigenvalues []float64) {
	trace := floats.Sum(eigenvalues)
	for i, v := range eigenvalues {
		eigenvalues[i] = v - v*v/trace
	}
}

// pivotsFor is the number of random pivots for which the mean trace error is at most (1+eps) times that
// of the best approximation of rank r, which is eta tr K [Chen, Epperly, Tropp and Webber, Randomly
// pivoted Cholesky, 2022; the other branch of their minimum, which needs no eta, is left out].
func pivotsFor(r int, eps, eta float64) float64 {
	return float64(r)/eps + float64(r)*math.Log(1/(eps*eta))
}

// tailSum is the sum of all but the r largest eigenvalues, the least trace error of any rank r.
func tailSum(eigenvalues []float64, r int) float64 {
	sorted := slices.Clone(eigenvalues)
	slices.Sort(sorted)
	return floats.Sum(sorted[:len(sorted)-r])
}

// afterPivots is the trace after k expected pivots, an upper bound of the mean trace of the residual: x -
// x²/trace is operator concave, so that Jensen's inequality applies at each step.
func (f featureFormula) afterPivots(eigenvalues []float64, k int) float64 {
	v := slices.Clone(eigenvalues)
	for range k {
		f.pivot(v)
	}
	return floats.Sum(v)
}

// traceError is tr(K - Phi Phi') for the Nyström features of the given landmarks.
func traceError(k kernels.Kernel, x *mat.Dense, landmarks []int) (float64, error) {
	n, d := x.Dims()
	z := mat.NewDense(len(landmarks), d, nil)
	for t, i := range landmarks {
		z.SetRow(t, x.RawRowView(i))
	}
	m, err := features.NewNystrom(k, z)
	if err != nil {
		return 0, err
	}
	diagonal := make([]float64, n)
	k.DiagTo(diagonal, x)
	_, r := m.Dims()
	phi := mat.NewDense(n, r, nil)
	m.MapTo(phi, x)
	for i := range n {
		diagonal[i] -= floats.Dot(phi.RawRowView(i), phi.RawRowView(i))
	}
	return floats.Sum(diagonal), nil
}

func spectrum(k kernels.Kernel, x *mat.Dense) ([]float64, error) {
	var gram mat.Dense
	k.GramTo(&gram, x, x)
	n, _ := gram.Dims()
	var eigen mat.EigenSym
	if !eigen.Factorize(mat.NewSymDense(n, gram.RawMatrix().Data), false) {
		return nil, fmt.Errorf("theory: eigenvalues of a Gram matrix of %d rows did not converge", n)
	}
	values := eigen.Values(nil)
	for i, v := range values {
		values[i] = math.Max(0, v) // rounding leaves some of -1e-15
	}
	return values, nil
}

func runNystrom(ctx context.Context, f featureFormula, o Options) (Result, error) {
	g := &gauge{reference: "Chen, Epperly, Tropp and Webber, 2022; docs/theory.md, 13"}
	n, draws := 300, 300
	if o.Quick {
		n, draws = 120, 60
	}
	rnd := draw.Rand(o.Seed, "theory/features/nystrom", 0)
	x := mat.NewDense(n, 2, nil)
	x.Apply(func(int, int, float64) float64 { return rnd.NormFloat64() }, x)
	gaussian, err := kernels.NewGaussian(1)
	if err != nil {
		return Result{}, err
	}
	polynomial, err := kernels.NewPolynomial(3)
	if err != nil {
		return Result{}, err
	}
	// The polynomial kernel's diagonal is far from constant: there the distribution of the pivots counts.
	for _, c := range []struct {
		name   string
		kernel kernels.Kernel
	}{{"gaussian", gaussian}, {"polynomial", polynomial}} {
		if err := checkFirstPivot(g, f, c.name, c.kernel, x); err != nil {
			return Result{}, err
		}
	}
	table, chart, err := checkPivots(ctx, g, f, gaussian, x, draws, o)
	if err != nil {
		return Result{}, err
	}
	checkPivotCount(g, f)
	return Result{Checks: g.checks, Tables: []report.Table{table}, Charts: []report.Chart{chart}}, nil
}

// checkFirstPivot sums over all n first pivots, each with its probability K_ss/tr K.
func checkFirstPivot(g *gauge, f featureFormula, name string, k kernels.Kernel, x *mat.Dense) error {
	n, _ := x.Dims()
	values, err := spectrum(k, x)
	if err != nil {
		return err
	}
	diagonal := make([]float64, n)
	k.DiagTo(diagonal, x)
	trace := floats.Sum(diagonal)
	var mean float64
	for s := range n {
		e, err := traceError(k, x, []int{s})
		if err != nil {
			return err
		}
		mean += diagonal[s] / trace * e / trace
	}
	// Eigenvalues are known to n eps of the trace; the sums of squares round by less.
	g.near("first pivot, "+name, "Mean trace of the residual over the trace, by summation over all first pivots; Bound is 1 - tr K²/(tr K)².",
		mean, f.afterPivots(values, 1)/trace, 0, exactly)
	return nil
}

// checkPivots holds the trace error of random pivots between the tail and the expected recursion.
func checkPivots(ctx context.Context, g *gauge, f featureFormula, k kernels.Kernel, x *mat.Dense, draws int, o Options) (report.Table, report.Chart, error) {
	t := report.Table{Caption: fmt.Sprintf("Trace of the Nyström error over the trace of K, means of %d draws of landmarks", draws),
		Columns: []string{"landmarks", "best of that rank", "random pivots", "standard error", "bound", "uniform landmarks"}}
	c := report.Chart{Name: "nystrom", Title: "Nyström error against the eigenvalue tail", XLabel: "landmarks", YLabel: "trace of the error / trace of K", LogX: true, LogY: true,
		Series: []report.Series{{Name: "best of that rank", Kind: report.Line}, {Name: "random pivots", Kind: report.LinePoints}, {Name: "bound of random pivots", Kind: report.Line}, {Name: "uniform landmarks", Kind: report.LinePoints}}}
	values, err := spectrum(k, x)
	if err != nil {
		return t, c, err
	}
	trace := floats.Sum(values)
	for _, r := range []int{1, 2, 4, 8, 16, 32} {
		var pivots, uniform tallied
		least := math.Inf(1)
		for i := range draws {
			if err := ctx.Err(); err != nil {
				return t, c, err
			}
			for _, side := range []struct {
				rule features.Landmarks
				into *tallied
			}{{features.RandomlyPivoted, &pivots}, {features.Uniform, &uniform}} {
				picked, _ := side.rule.Pick(k, x, r, o.Seed, fmt.Sprintf("theory/features/nystrom/%d/%d", r, i))
				e, err := traceError(k, x, picked)
				if err != nil {
					return t, c, err
				}
				side.into.add(e / trace)
				least = math.Min(least, e/trace)
			}
		}
		best, bound := f.tail(values, r)/trace, f.afterPivots(values, r)/trace
		where := fmt.Sprintf("%d landmarks", r)
		// Residual diagonals round by a few eps for each of r eliminations.
		g.atLeast("tail below every error, "+where, "Least trace error of all draws, random pivots or uniform, over the trace.", least, best-exactly, 0)
		g.atMost("random pivots below the recursion, "+where, "Mean trace error of random pivots over the trace.", pivots.mean, bound, pivots.se())
		if r == 1 {
			g.near("random pivots, one landmark", "Mean trace error of one random pivot over the trace, with equality.", pivots.mean, bound, pivots.se(), 0)
		}
		t.Rows = append(t.Rows, numbers(float64(r), best, pivots.mean, pivots.se(), bound, uniform.mean))
		for i, v := range []float64{best, pivots.mean, bound, uniform.mean} {
			c.Series[i].X, c.Series[i].Y = append(c.Series[i].X, float64(r)), append(c.Series[i].Y, v)
		}
	}
	return t, c, nil
}

// checkPivotCount runs the recursion on the spectra that need most pivots: r eigenvalues of 1 and a
// flat tail of share eta.
func checkPivotCount(g *gauge, f featureFormula) {
	for _, r := range []int{1, 5, 20} {
		for _, eps := range []float64{.1, 1} {
			for _, eta := range []float64{1e-6, 1e-2} {
				const rest = 20000 // so many that the tail stays flat
				values := make([]float64, r+rest)
				for i := range values {
					values[i] = 1
					if i >= r {
						values[i] = eta / (1 - eta) * float64(r) / rest
					}
				}
				k := int(math.Ceil(f.pivotsFor(r, eps, eta)))
				got := f.afterPivots(values, k) / f.tail(values, r)
				g.atMost(fmt.Sprintf("number of pivots, r = %d, eps = %g, eta = %g", r, eps, eta), fmt.Sprintf("Trace after %d expected pivots over the tail; Bound is 1 + eps.", k), got, 1+eps, 0)
			}
		}
	}
}
