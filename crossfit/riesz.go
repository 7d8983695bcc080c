package crossfit

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"mediant/moments"
	"mediant/solvers"
)

// Mus is the grid of penalties for Riesz weights.
var Mus = []float64{1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1}

// A Riesz computes the weights r(u) = gamma'(psi(u), 1) by which means over S_Y estimate functionals of S_X,
//
//	gamma = (D + mu I)⁻¹ target,   D the second moments of (psi, 1) over S_Y, uncentred,
//
// for each fold from the others. It takes len(Mus) K factors of order q. UY and Mus must be set; the zero value is not usable.
type Riesz struct {
	UY  Splits
	Mus []float64
	// FirstFold chooses each mu by the first fold alone, which FoldRows rows of it are enough for: some 5 + K factors (Descend) instead of len(Mus) K.
	FirstFold bool
	kept      *rieszFactors // nil: they are made anew in each call
}

// rieszFactors keeps factors of D + mu I, by fold and mu, for calls with the same psi.
type rieszFactors struct{ of [][]*solvers.Factor }

// FactorCacheBytes bounds the memory for cached factors. At the feature sizes at which a search compares maps they are small
// beside its tables; at final size they would take more than all sums.
const FactorCacheBytes = 1 << 27

// Bytes is the size of all factors in bytes.
func (r Riesz) Bytes() float64 {
	q, _ := r.UY.Held[0].Dims()
	return 8 * float64(len(r.Mus)*len(r.UY.Held)) * float64(q+1) * float64(q+1)
}

// CachesFactors reports whether factors are cached.
func (r *Riesz) CachesFactors() bool { return r.kept != nil }

// CacheFactors makes later calls reuse factors, unless all of them together exceed FactorCacheBytes.
func (r *Riesz) CacheFactors() {
	if r.Bytes() <= FactorCacheBytes {
		r.kept = &rieszFactors{make([][]*solvers.Factor, len(r.UY.Held))}
	}
}

// Target returns the (q+1)×k means of (psi, 1) f over the rows of xu, co-moments of (phi, psi).
func Target(xu *moments.CoMoments, f Affine) *mat.Dense {
	_, q := xu.Dims()
	k := len(f.Intercept)
	top := xu.CrossTransposeTimes(f.Coef, false)
	t := mat.NewDense(q+1, k, nil)
	for i, mean := range xu.MeanB() {
		floats.AddScaledTo(t.RawRowView(i), top.RawRowView(i), mean, f.Intercept)
	}
	t.SetRow(q, xu.Mean(f.Form()))
	return t
}

// Weights returns r of each fold, one output for each column of the targets, at the mu whose
// held-out
//
//	gamma'D gamma - 2 gamma'target
//
// is least for that column: up to a constant the mean square of r - r*. train and held are the
// targets over the rows of S_X outside and inside each fold. It also returns the mu of each column.
func (r Riesz) Weights(ctx context.Context, train, held []*mat.Dense) (gammas []Affine, mus []float64, err error) {
	if r.FirstFold && r.kept == nil && len(r.Mus) > 1 {
		return r.weightsByFirst(ctx, train, held)
	}
	_, columns := train[0].Dims()
	loss := make([][]float64, columns)
	for j := range loss {
		loss[j] = make([]float64, len(r.Mus))
	}
	all := make([][]Affine, len(train)) // by fold and mu
	losses := make([][]float64, len(train))
	err = EachFold(ctx, len(train), func(k int) (err error) {
		if all[k], err = r.Solve(ctx, k, train[k]); err == nil {
			losses[k] = HeldOutRiesz(r.UY.Held[k], SideBySide(all[k]), held[k])
		}
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	for k := range train {
		share := r.UY.Held[k].Weight() / r.UY.Weight()
		for i, v := range losses[k] {
			loss[i%columns][i/columns] += share * v
		}
	}
	gammas, mus = make([]Affine, len(train)), make([]float64, columns)
	for k := range gammas {
		gammas[k] = ZeroLike(all[k][0])
	}
	for j := range loss {
		at := max(Best(loss[j]), 0)
		mus[j] = r.Mus[at]
		for k := range gammas {
			gammas[k].SetOutput(j, all[k][at])
		}
	}
	return gammas, mus, nil
}

// weightsByFirst is Weights with each mu chosen by the first fold.
func (r Riesz) weightsByFirst(ctx context.Context, train, held []*mat.Dense) (gammas []Affine, mus []float64, err error) {
	_, columns := train[0].Dims()
	best, err := Descend(r.Mus, func(some []float64) ([][]float64, error) {
		gammas, err := Riesz{UY: r.UY, Mus: some}.Solve(ctx, 0, train[0])
		if err != nil {
			return nil, err
		}
		losses := HeldOutRiesz(r.UY.Held[0], SideBySide(gammas), held[0])
		return slices.Collect(slices.Chunk(losses, columns)), nil
	})
	if err != nil {
		return nil, nil, err
	}
	mus = pick(r.Mus, best)
	gammas, err = r.WeightsAt(ctx, train, mus)
	return gammas, mus, err
}

// WeightsAt returns r of each fold with a mu for each column of the targets.
func (r Riesz) WeightsAt(ctx context.Context, train []*mat.Dense, mus []float64) ([]Affine, error) {
	r.Mus, r.kept = distinct(mus), nil
	gammas := make([]Affine, len(train))
	err := EachFold(ctx, len(train), func(k int) error {
		all, err := r.Solve(ctx, k, train[k])
		if err != nil {
			return err
		}
		gammas[k] = ZeroLike(all[0])
		for j, mu := range mus {
			gammas[k].SetOutput(j, all[slices.Index(r.Mus, mu)])
		}
		return nil
	})
	return gammas, err
}

// Solve returns the weights of fold k for every mu.
func (r Riesz) Solve(ctx context.Context, k int, target *mat.Dense) ([]Affine, error) {
	out := make([]Affine, len(r.Mus))
	err := r.factors(ctx, k, func(i int, f *solvers.Factor) {
		var g mat.Dense
		f.SolveTo(&g, target)
		out[i] = SplitBias(&g)
	})
	return out, err
}

// factors calls do with the factor of fold k for each mu, which may be made anew after that, until ctx is done.
func (r Riesz) factors(ctx context.Context, k int, do func(i int, f *solvers.Factor)) error {
	if r.kept != nil && r.kept.of[k] != nil {
		for i, f := range r.kept.of[k] {
			do(i, f)
		}
		return nil
	}
	q, _ := r.UY.Train[k].Dims()
	var d *mat.SymDense
	if r.kept != nil {
		d = r.UY.Train[k].LeftWithBias()
	}
	var made []*solvers.Factor
	for i, mu := range r.Mus {
		if err := ctx.Err(); err != nil {
			return err
		}
		if r.kept == nil {
			solvers.UseFactor(q+1, r.UY.Train[k].LeftWithBiasTo, mu, func(f *solvers.Factor) { do(i, f) })
			continue
		}
		f := solvers.NewFactor(d, mu)
		made = append(made, f)
		do(i, f)
	}
	if r.kept != nil {
		r.kept.of[k] = made
	}
	return nil
}

// HeldOutRiesz returns gamma'D gamma - 2 gamma'target for each column of gamma, with D and target of the held-out fold;
// columns of target are repeated as often as needed. It is 0 for a fold without rows of S_Y.
func HeldOutRiesz(uy *moments.CoMoments, gamma Affine, target *mat.Dense) []float64 {
	if uy.Weight() == 0 {
		return make([]float64, len(gamma.Intercept))
	}
	loss := uy.Inner(gamma.Form(), gamma.Form())
	q, columns := gamma.Coef.Dims()
	products := make([]float64, columns)
	for i := range q + 1 {
		row := gamma.Intercept
		if i < q {
			row = gamma.Coef.RawRowView(i)
		}
		clear(products)
		AddRepeated(products, target.RawRowView(i))
		floats.Mul(products, row)
		floats.AddScaled(loss, -2, products)
	}
	return loss
}

// MeanWithBias returns the (q+1)×1 means of (psi, 1), from co-moments of (phi, psi).
func MeanWithBias(xu *moments.CoMoments) *mat.Dense {
	p, _ := xu.Dims()
	return Target(xu, Affine{mat.NewDense(p, 1, nil), []float64{1}})
}
