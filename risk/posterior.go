package risk

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"mediant/crossfit"
	"mediant/moments"
	"mediant/problem"
	"mediant/solvers"
)

// A posterior is the uncertainty about functions g of U, such as E[Y|U], one a column, along directions of z = (psi, 1) in which
// few rows of S_Y lie (docs/theory.md, section 15). Ridge regression is the posterior mean for coefficients that are a
// priori independent with variance t. The part of z that is not learned is Sigma z,
//
//	Sigma = lambda (D + lambda I)⁻¹,   lambda = (variance of the noise)/(m t)
//
// all of z where S_Y has no row, and almost nothing where it has many. Along Sigma z the variance of g is taken as t and the
// fitted b as an error, so that the second moment of the error is t z'Sigma z + (b'Sigma z)².
type posterior struct {
	lambda float64
	whole  *solvers.Factor // D + lambda I over all of S_Y
	priors []prior
	// excess is by how much more that second moment is on S_X than on rows of S_Y that b is not from, for each g, variance the square of
	// its standard error over folds and of its posterior deviation.
	excess, variance []float64
}

// A prior is t and the coefficients b of (psi, 1) of each fold, the last less the mean of g.
type prior struct {
	t float64
	b []*mat.VecDense
}

// newPosterior takes the co-moments of the folds of S_Y, of (psi, ·). noise is the mean over g of the variance of the noise over t. It also returns the second moments D of (psi, 1) over all of them.
func newPosterior(uy crossfit.Splits, priors []prior, noise float64) (*posterior, *mat.SymDense, error) {
	all, err := moments.Sum(uy.Held...)
	if err != nil {
		return nil, nil, err
	}
	d := all.LeftWithBias()
	// Below 1e-9 of the mean square directions are lost in the rounding of D.
	lambda := max(noise/all.Weight(), 1e-9*mat.Trace(d))
	return &posterior{lambda: lambda, whole: solvers.NewFactor(d, lambda), priors: priors}, d, nil
}

// exactPosterior is newPosterior with the excess, from the co-moments of the folds of S_X, of (·, psi). It takes K+1 Cholesky factors of order q and 4(K+1)q³ flops.
func exactPosterior(ctx context.Context, uy crossfit.Splits, foldsXU []*moments.CoMoments, priors []prior, noise float64) (*posterior, error) {
	u, d, err := newPosterior(uy, priors, noise)
	if err != nil {
		return nil, err
	}
	allX, err := moments.Sum(foldsXU...)
	if err != nil {
		return nil, err
	}
	gaps := make([][]float64, len(uy.Held))
	err = crossfit.EachFold(ctx, len(gaps), func(k int) error {
		if uy.Held[k].Weight() > 0 && foldsXU[k].Weight() > 0 {
			gaps[k] = u.gaps(solvers.NewFactor(uy.Train[k].LeftWithBias(), u.lambda), foldsXU[k].RightWithBias(), uy.Held[k].LeftWithBias(), k)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	whole := solveGap(u.whole, allX.RightWithBias(), d)
	square := 0.0
	for i := range whole.RawMatrix().Rows {
		for j, v := range whole.RawRowView(i) {
			square += v * whole.At(j, i)
		}
	}
	u.setExcess(uy, gaps, square)
	return u, ctx.Err()
}

// setExcess takes the gaps of each fold, nil for those without rows, and tr ((D + lambda I)⁻¹(C - D))².
func (u *posterior) setExcess(uy crossfit.Splits, gaps [][]float64, square float64) {
	for j, p := range u.priors {
		var own, weights []float64
		for k, gap := range gaps {
			if gap != nil {
				own, weights = append(own, gap[j]), append(weights, uy.Held[k].Weight())
			}
		}
		mean := stat.Mean(own, weights)
		variance := 2 * (p.t * p.t * u.lambda * u.lambda * max(square, 0))
		if n := float64(len(own)); n > 1 {
			variance += stat.Variance(own, nil) / n
		}
		u.excess, u.variance = append(u.excess, mean), append(u.variance, variance)
	}
}

// gaps are the differences of second moments of each g between held-out rows with the moments c of S_X and d of S_Y.
func (u *posterior) gaps(f *solvers.Factor, c, d *mat.SymDense, k int) []float64 {
	trace := u.lambda * mat.Trace(solveGap(f, c, d))
	out := make([]float64, len(u.priors))
	for j, p := range u.priors {
		v := u.sigmaTimes(f, p.b[k])
		out[j] = p.t*trace + mat.Inner(v, c, v) - mat.Inner(v, d, v)
	}
	return out
}

// sigmaTimes returns Sigma b.
func (u *posterior) sigmaTimes(f *solvers.Factor, b *mat.VecDense) *mat.VecDense {
	v := mat.NewDense(b.Len(), 1, slices.Clone(b.RawVector().Data))
	f.SolveTo(v, v)
	v.Scale(u.lambda, v)
	return mat.VecDenseCopyOf(v.ColView(0))
}

// solveGap is (D + lambda I)⁻¹(a - b).
func solveGap(f *solvers.Factor, a, b *mat.SymDense) *mat.Dense {
	var gap mat.Dense
	gap.Sub(a, b)
	f.SolveTo(&gap, &gap)
	return &gap
}

// linear is the second moment of l'(the error of g j) for a column of functionals l. If systematic is true the part that the
// scatter of l over folds explains is subtracted: it is of the order of products of errors, and does not come from thin
// overlap.
func (u *posterior) linear(j int, l functionals, column int, systematic bool) float64 {
	p := u.priors[j]
	b := mat.NewVecDense(l.mean.RawMatrix().Rows, nil)
	for _, own := range p.b {
		b.AddScaledVec(b, 1/float64(len(p.b)), own)
	}
	moment := func(l *mat.VecDense) float64 {
		v := u.sigmaTimes(u.whole, l)
		made := mat.Dot(v, b)
		return p.t*max(mat.Dot(v, l), 0) + made*made
	}
	mean := mat.VecDenseCopyOf(l.mean.ColView(column))
	sum := moment(mean)
	if folds := float64(len(l.folds)); systematic && folds > 1 {
		for k, own := range l.folds {
			var gap mat.VecDense
			gap.SubVec(own.ColView(column), mean)
			sum -= l.shares[k] * l.shares[k] * folds / (folds - 1) * moment(&gap)
		}
	}
	return max(sum, 0)
}

// An overlapBias is the amount by which an estimate is too low on average because S_Y has few rows where S_X has many, and its variance.
type overlapBias struct{ bias, variance float64 }

// sumBiases adds the biases of outputs. Variances are added for classes, whose coefficients sum to 0, and standard deviations for several columns, which is an upper bound.
func sumBiases(of []overlapBias, classes bool) overlapBias {
	var sum overlapBias
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

// priorsOfH are the priors of h, and the mean variance of its noise over t.
func (n *fittedNuisances) priorsOfH() ([]prior, float64, error) {
	return n.priors(n.uy, func(k int) crossfit.Affine { return n.of[k].h })
}

// probing is what takes the place of whole matrices where they are large, nil elsewhere.
func (n *fittedNuisances) probing(ctx context.Context, p evidence) (*probing, error) {
	if q, _ := n.held[0].Dims(); q <= problem.ExactOrder || n.squares.Held != nil || p.blocks != nil {
		return nil, nil
	}
	priors, noise, err := n.priorsOfH()
	if err != nil {
		return nil, err
	}
	u, _, err := newPosterior(n.uy, priors, noise)
	if err != nil {
		return nil, err
	}
	return newProbing(ctx, n, u, p.foldsXU != nil, p.Counts()[problem.TableXU], p.Setup().Seed)
}

// overlapBiases needs sums of S_X unless there is a probing. It returns the bias of the risk of each output, and that of the accuracy. The risk errs, to first order in the error d of h, by
//
//	form 1:    2 E_SX (h-f) d + 2 E_SY (r-h) d - E_SX d² + E_SY d²
//	form 2:    2 E_SY r d - 2 E_SX f d, and by E_SX - E_SY omega of the error of v
//	accuracy:  E_SX 1{c = argmax f} d_c - E_SY r_c d_c
func overlapBiases(ctx context.Context, p evidence, n *fittedNuisances, probing *probing) (risk []overlapBias, accuracy overlapBias, err error) {
	q, columns := n.held[0].Dims()
	var u, squares *posterior
	ofH := make([]*mat.Dense, len(n.of)) // C h
	foldsXU := p.foldsXU
	if probing != nil {
		u = probing.u
		if ofH, err = probing.excess(ctx, p); err != nil {
			return nil, overlapBias{}, err
		}
	} else {
		priors, noise, err := n.priorsOfH()
		if err != nil {
			return nil, overlapBias{}, err
		}
		if u, err = exactPosterior(ctx, n.uy, foldsXU, priors, noise); err != nil {
			return nil, overlapBias{}, err
		}
		for f, xu := range foldsXU {
			if n.squares.Held == nil && xu.Weight() > 0 {
				ofH[f] = new(mat.Dense)
				ofH[f].Mul(xu.RightWithBias(), crossfit.WithBias(n.of[f].h.MinusConstant(n.centre)))
			}
		}
	}
	if n.squares.Held != nil {
		priors, noise, err := n.priors(n.squares, func(k int) crossfit.Affine { return n.of[k].v })
		if err != nil {
			return nil, overlapBias{}, err
		}
		if squares, err = exactPosterior(ctx, n.squares, foldsXU, priors, noise); err != nil {
			return nil, overlapBias{}, err
		}
	}
	l := functionals{mean: mat.NewDense(q, columns, nil)}
	parts := make([]*mat.Dense, len(n.of))
	err = crossfit.EachFold(ctx, len(n.of), func(f int) error {
		if n.uy.Held[f].Weight() > 0 {
			parts[f] = n.of[f].functionals(ofH[f], n.uy.Held[f], n.held[f], n.centre)
		}
		return nil
	})
	if err != nil {
		return nil, overlapBias{}, err
	}
	for f, part := range parts {
		if part != nil {
			l.add(n.uy.Held[f].Weight()/n.uy.Weight(), part)
		}
	}
	for j := range u.priors {
		var own overlapBias
		if squares == nil {
			own = overlapBias{bias: u.excess[j], variance: u.linear(j, l, j, true) + u.variance[j]}
		} else {
			own.variance = u.linear(j, l, j, false) + squares.linear(j, l, columns-1, false)
		}
		risk = append(risk, own)
		if n.of[0].hit.Coef != nil {
			accuracy.variance += u.linear(j, l, len(u.priors)+j, false)
		}
	}
	return risk, accuracy, nil
}

// priors returns the priors of functions that were fitted to the right sides of uy, and the mean over them of the variance
// of the noise over t. t gives g the variance of the right side, or is the mean square of the fitted coefficients if that is
// larger.
func (n *fittedNuisances) priors(uy crossfit.Splits, of func(k int) crossfit.Affine) ([]prior, float64, error) {
	all, err := moments.Sum(uy.Held...)
	if err != nil {
		return nil, 0, err
	}
	norm, variance, mean := mat.Trace(all.LeftWithBias()), crossfit.VariancesOf(all), all.MeanB()
	left := uy.Means(func(k int, held *moments.CoMoments) []float64 {
		e := of(k).Residual(len(variance))
		return held.Inner(e, e)
	}).Mean
	out := make([]prior, len(variance))
	noise, varying := 0.0, 0.0
	for j := range out {
		sum, count := 0.0, 0.0
		for k := range n.of {
			b := mat.VecDenseCopyOf(crossfit.WithBias(of(k)).ColView(j))
			q := b.Len() - 1
			b.SetVec(q, b.AtVec(q)-mean[j])
			out[j].b = append(out[j].b, b)
			coef := b.RawVector().Data[:q]
			sum += floats.Dot(coef, coef)
			count += float64(q)
		}
		out[j].t = max(variance[j]/norm, sum/count)
		if crossfit.Varies(variance[j], mean[j]) { // a constant's are rounding
			noise += max(left[j], 0) / out[j].t
			varying++
		}
	}
	return out, noise / max(varying, 1), nil
}

// functionals are vectors l, one a column, of each fold with its share of the rows, and their mean.
type functionals struct {
	mean   *mat.Dense
	shares []float64
	folds  []*mat.Dense
}

func (l *functionals) add(share float64, of *mat.Dense) {
	l.shares, l.folds = append(l.shares, share), append(l.folds, of)
	var part mat.Dense
	part.Scale(share, of)
	l.mean.Add(l.mean, &part)
}

// functionals are the columns l of the errors above for one fold, of f, h and r less a constant. ofH is C h.
func (n nuisances) functionals(ofH *mat.Dense, uy *moments.CoMoments, held *mat.Dense, centre []float64) *mat.Dense {
	q, columns := held.Dims()
	d := uy.LeftWithBias()
	out := mat.NewDense(q, columns, nil)
	put := func(at int, factor float64, s *mat.SymDense, f crossfit.Affine) {
		var moved mat.Dense
		moved.Mul(s, crossfit.WithBias(f))
		for i := range q {
			floats.AddScaled(out.RawRowView(i)[at:at+len(f.Intercept)], factor, moved.RawRowView(i))
		}
	}
	k := len(n.h.Intercept)
	for i := range q {
		row, from := out.RawRowView(i), held.RawRowView(i)
		floats.AddScaled(row[:k], -2, from[:k])
		copy(row[k:], from[k:])
	}
	put(0, 2, d, n.r.MinusConstant(centre))
	shifted := n.omega.Coef != nil
	if !shifted {
		put(0, -2, d, n.h.MinusConstant(centre))
		for i := range q {
			floats.AddScaled(out.RawRowView(i)[:k], 2, ofH.RawRowView(i))
		}
	}
	at := k
	if n.hit.Coef != nil {
		put(at, -1, d, n.hit)
		at += k
	}
	if shifted {
		put(at, -1, d, n.omega)
	}
	return out
}
