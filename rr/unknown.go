package rr

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"mediant/features"
	"mediant/internal/parallel"
	"mediant/moments"
	"mediant/solvers"
)

// An unknown is what S_Y leaves open of a function g of U, E[Y|U] say, along directions of psi that few of its rows have
// (docs/theory.md, section 15). Ridge regression is the posterior mean of coefficients that are independent before, of
// some variance t: their posterior covariance is t times
//
//	Sigma = lambda (D + lambda I)⁻¹,   lambda = (variance of the noise)/(m t)
//
// which is 1 where S_Y has no row, and small where it has many.
type unknown struct {
	lambda float64
	whole  *solvers.Factor // D + lambda I over all of S_Y
	// excess is the mean of z'Sigma z, z = (psi, 1), over S_X less that over rows of S_Y that Sigma is not from: how much more is open of
	// g on S_X than on S_Y, in units of t. se is its standard error over folds, deviation the posterior standard
	// deviation of the same difference of (g - h)²; both are in the same units.
	excess, se, deviation float64
}

// newUnknown looks at the folds of S_Y, pairs (psi, ·), and of S_X, pairs (·, psi). noise is the variance of the noise over t. It takes K+1 Cholesky factors of order q and 4(K+1)q³ flops.
func newUnknown(ctx context.Context, uy splits, foldsXU []*moments.Pair, noise float64) (*unknown, error) {
	allY, err := moments.Sum(uy.held...)
	if err != nil {
		return nil, err
	}
	allX, err := moments.Sum(foldsXU...)
	if err != nil {
		return nil, err
	}
	d := allY.LeftWithBias()
	// Below 1e-9 of the mean square directions are lost in the rounding of D.
	lambda := max(noise/allY.Weight(), 1e-9*mat.Trace(d))
	u := &unknown{lambda: lambda, whole: solvers.NewFactor(d, lambda)}
	gaps := make([]float64, len(uy.held))
	err = eachFold(ctx, len(gaps), func(k int) error {
		if uy.held[k].Weight() == 0 || foldsXU[k].Weight() == 0 {
			gaps[k] = math.NaN()
			return nil
		}
		factor := u.whole
		if len(gaps) > 1 {
			factor = solvers.NewFactor(uy.train[k].LeftWithBias(), lambda)
		}
		gaps[k] = u.lambda * mat.Trace(solveGap(factor, foldsXU[k].RightWithBias(), uy.held[k].LeftWithBias()))
		return nil
	})
	if err != nil {
		return nil, err
	}
	var mean, weights []float64
	for k, gap := range gaps {
		if !math.IsNaN(gap) {
			mean, weights = append(mean, gap), append(weights, uy.held[k].Weight())
		}
	}
	u.excess = stat.Mean(mean, weights)
	if len(mean) > 1 {
		u.se = stat.StdDev(mean, nil) / math.Sqrt(float64(len(mean)))
	}
	s := solveGap(u.whole, allX.RightWithBias(), d)
	square := 0.0
	for i := range s.RawMatrix().Rows {
		for j, v := range s.RawRowView(i) {
			square += v * s.At(j, i)
		}
	}
	u.deviation = u.lambda * math.Sqrt(2*max(square, 0))
	return u, ctx.Err()
}

// solveGap is (D + lambda I)⁻¹(a - b).
func solveGap(f *solvers.Factor, a, b *mat.SymDense) *mat.Dense {
	var gap mat.Dense
	gap.Sub(a, b)
	f.SolveTo(&gap, &gap)
	return &gap
}

// linear is the posterior variance of l'g for the columns l of functionals of g, in units of t.
func (u *unknown) linear(l *mat.Dense) []float64 {
	var s mat.Dense
	u.whole.SolveTo(&s, l)
	_, k := l.Dims()
	out := make([]float64, k)
	parallel.Blocks(k, 1, func(j, _ int) {
		out[j] = u.lambda * max(mat.Dot(s.ColView(j), l.ColView(j)), 0)
	})
	return out
}

// A lack is what an estimate does not know for want of rows of S_Y: how much it is too low on average, and the variance
// of that.
type lack struct{ bias, variance float64 }

// together adds lacks of outputs: of classes, whose coefficients sum to 0, as independent ones, of columns at worst.
func together(of []lack, classes bool) lack {
	var sum lack
	deviation := 0.0
	for _, l := range of {
		sum.bias += l.bias
		sum.variance += l.variance
		deviation += math.Sqrt(l.variance)
	}
	if !classes {
		sum.variance = deviation * deviation
	}
	return sum
}

// lacks are those of the risk of each output, and of the accuracy. The risk errs, to first order in the error d of h, by
//
//	form 1:    2 E_SX (h-f) d + 2 E_SY (r-h) d - E_SX d² + E_SY d²
//	form 2:    2 E_SY r d - 2 E_SX f d, and by E_SX - E_SY omega of the error of v
//	accuracy:  E_SX 1{c = argmax f} d_c - E_SY r_c d_c
func (p *Problem) lacks(ctx context.Context, n *fittedNuisances) (risk []lack, accuracy lack, err error) {
	foldsXU := p.foldsXU
	if foldsXU == nil {
		if foldsXU, _, err = p.pairs(ctx, tableXU, p.constant(), p.psi()); err != nil {
			return nil, lack{}, err
		}
	}
	prior, noise, err := n.prior()
	if err != nil {
		return nil, lack{}, err
	}
	u, err := newUnknown(ctx, n.uy, foldsXU, noise)
	if err != nil {
		return nil, lack{}, err
	}
	q, columns := n.held[0].Dims()
	l := mat.NewDense(q, columns, nil)
	for f, of := range n.of {
		if share := n.uy.held[f].Weight() / n.uy.weight(); share > 0 {
			l.Add(l, of.functionals(foldsXU[f], n.uy.held[f], n.held[f], share))
		}
	}
	open := u.linear(l)
	for j, v := range prior {
		own := lack{variance: v * open[j]}
		if n.squares != nil {
			of := func(k int) affine { return n.of[k].v }
			own.variance += max(n.squares[j]/n.norm(), n.sizeOf(of, j, n.meanSquares[j])) * open[columns-1]
		} else {
			own.bias = v * u.excess
			own.variance += v * v * (u.se*u.se + u.deviation*u.deviation)
		}
		risk = append(risk, own)
		if n.of[0].hit.coef != nil {
			accuracy.variance += v * open[len(prior)+j]
		}
	}
	return risk, accuracy, nil
}

// constant is the side that is 1 in each row of S_X.
func (p *Problem) constant() features.Mapped {
	return features.Mapped{Encoder: p.U, Map: features.NewBias(p.U.Width())}
}

// prior is the variance t of coefficients of h before anything is seen, for each output: what makes h vary as Y does, or the
// mean square of the coefficients that were found, where that is more; and the mean over outputs of the variance of the noise over t.
func (n *fittedNuisances) prior() (prior []float64, noise float64, err error) {
	all, err := moments.Sum(n.uy.held...)
	if err != nil {
		return nil, 0, err
	}
	prior = variancesOf(all)
	left := n.uy.means(func(k int, held *moments.Pair) []float64 {
		e := n.of[k].h.residual(len(prior))
		return held.Inner(e, e)
	}).mean
	varying := 0.0
	for j := range prior {
		prior[j] = max(prior[j]/n.norm(), n.sizeOf(func(k int) affine { return n.of[k].h }, j, all.MeanB()[j]))
		if prior[j] > 0 {
			noise += max(left[j], 0) / prior[j]
			varying++
		}
	}
	return prior, noise / max(varying, 1), nil
}

// norm is the mean square of (psi, 1) over S_Y.
func (n *fittedNuisances) norm() float64 {
	sum := 1.0
	for _, held := range n.uy.held {
		if share := held.Weight() / n.uy.weight(); share > 0 {
			sum += share * (mat.Trace(held.LeftWithBias()) - 1)
		}
	}
	return sum
}

// sizeOf is the mean square of the coefficients of an output, over features and folds, or that of the intercept about the
// output's mean where that is more: features that sum to a constant on S_Y may cancel an intercept there, and not elsewhere.
func (n *fittedNuisances) sizeOf(of func(k int) affine, output int, mean float64) float64 {
	sum, intercepts, count := 0.0, 0.0, 0.0
	for k := range n.of {
		f := of(k)
		raw := f.coef.RawMatrix()
		for i := range raw.Rows {
			v := raw.Data[i*raw.Stride+output]
			sum += v * v
			count++
		}
		gap := f.intercept[output] - mean
		intercepts += gap * gap
	}
	return max(sum/count, intercepts/float64(len(n.of)))
}

// variancesOf are those of the right side.
func variancesOf(m *moments.Pair) []float64 {
	var second mat.SymDense
	m.RightTo(&second, true)
	out := make([]float64, second.SymmetricDim())
	for j := range out {
		out[j] = second.At(j, j)
	}
	return out
}

// functionals are the columns l of the errors above, times a share, for one fold.
func (n nuisances) functionals(xu, uy *moments.Pair, held *mat.Dense, share float64) *mat.Dense {
	q, columns := held.Dims()
	d := uy.LeftWithBias()
	out := mat.NewDense(q, columns, nil)
	put := func(at int, factor float64, s *mat.SymDense, f affine) {
		var moved mat.Dense
		moved.Mul(s, withBias(f))
		for i := range q {
			floats.AddScaled(out.RawRowView(i)[at:at+len(f.intercept)], factor*share, moved.RawRowView(i))
		}
	}
	k := len(n.h.intercept)
	for i := range q {
		row, from := out.RawRowView(i), held.RawRowView(i)
		floats.AddScaled(row[:k], -2*share, from[:k])
		floats.AddScaled(row[k:], share, from[k:])
	}
	put(0, 2, d, n.r)
	shifted := n.omega.coef != nil
	if !shifted {
		put(0, -2, d, n.h)
		put(0, 2, xu.RightWithBias(), n.h)
	}
	at := k
	if n.hit.coef != nil {
		put(at, -1, d, n.hit)
		at += k
	}
	if shifted {
		put(at, -1, d, n.omega)
	}
	return out
}

// withBias has the intercept as its last row.
func withBias(f affine) *mat.Dense {
	q, k := f.coef.Dims()
	out := mat.NewDense(q+1, k, nil)
	out.Slice(0, q, 0, k).(*mat.Dense).Copy(f.coef)
	out.SetRow(q, f.intercept)
	return out
}
