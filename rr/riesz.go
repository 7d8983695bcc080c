package rr

import (
	"context"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	fast "mediant/internal/blas"
	"mediant/moments"
	"mediant/solvers"
)

// rieszMus are the penalties that a Riesz weight chooses among.
var rieszMus = []float64{1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1}

// A riesz answers for the weights r(u) = gamma'(psi(u), 1) that carry functionals of S_X over to S_Y,
//
//	gamma = (D + mu I)⁻¹ target,   D the second moments of (psi, 1) over S_Y, uncentred,
//
// for each fold from the others. It takes len(mus) K factors of order q.
type riesz struct {
	uy   splits
	mus  []float64
	kept *rieszFactors // nil: they are made anew in each call
}

// rieszFactors keeps factors of D + mu I, by fold and mu, for calls with the same psi.
type rieszFactors struct{ of [][]*solvers.Factor }

// keptBytes bounds the memory for them: at the sizes that a search compares maps with they are small beside its
// tables, later they would take more than all sums.
const keptBytes = 1 << 27

// bytes is the size of all factors.
func (r riesz) bytes() float64 {
	q, _ := r.uy.held[0].Dims()
	return 8 * float64(len(r.mus)*len(r.uy.held)) * float64(q+1) * float64(q+1)
}

// keepFactors keeps the factors that calls make, unless they are too large.
func (r *riesz) keepFactors() {
	if r.bytes() <= keptBytes {
		r.kept = &rieszFactors{make([][]*solvers.Factor, len(r.uy.held))}
	}
}

// target returns the (q+1)×k means over the rows of xu, a pair (phi, psi), of (psi, 1) f.
func target(xu *moments.Pair, f affine) *mat.Dense {
	_, q := xu.Dims()
	k := len(f.intercept)
	var b, top mat.Dense
	xu.CrossTo(&b, false)
	fast.MulTo(&top, blas.Trans, &b, blas.NoTrans, f.coef)
	t := mat.NewDense(q+1, k, nil)
	for i, mean := range xu.MeanB() {
		floats.AddScaledTo(t.RawRowView(i), top.RawRowView(i), mean, f.intercept)
	}
	t.SetRow(q, xu.Mean(f.form()))
	return t
}

// weights returns r of each fold, one output for each column of the targets, at the mu whose
// held-out
//
//	gamma'D gamma - 2 gamma'target
//
// is least for that column: up to a constant the mean square of r - r*. train and held are the
// targets over the rows of S_X outside and inside each fold. It also returns the mu of each column.
func (r riesz) weights(ctx context.Context, train, held []*mat.Dense) (gammas []affine, mus []float64, err error) {
	_, columns := train[0].Dims()
	loss := make([][]float64, columns)
	for j := range loss {
		loss[j] = make([]float64, len(r.mus))
	}
	all := make([][]affine, len(train)) // by fold and mu
	losses := make([][]float64, len(train))
	err = eachFold(ctx, len(train), func(k int) (err error) {
		if all[k], err = r.solve(ctx, k, train[k]); err == nil {
			losses[k] = heldOutRiesz(r.uy.held[k], sideBySide(all[k]), held[k])
		}
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	for k := range train {
		share := r.uy.held[k].Weight() / r.uy.weight()
		for i, v := range losses[k] {
			loss[i%columns][i/columns] += share * v
		}
	}
	gammas, mus = make([]affine, len(train)), make([]float64, columns)
	for k := range gammas {
		gammas[k] = newAffine(all[k][0])
	}
	for j := range loss {
		at := max(best(loss[j]), 0)
		mus[j] = r.mus[at]
		for k := range gammas {
			gammas[k].setOutput(j, all[k][at])
		}
	}
	return gammas, mus, nil
}

// solve returns the weights of fold k for every mu.
func (r riesz) solve(ctx context.Context, k int, target *mat.Dense) ([]affine, error) {
	out := make([]affine, len(r.mus))
	err := r.factors(ctx, k, func(i int, f *solvers.Factor) {
		var g mat.Dense
		f.SolveTo(&g, target)
		out[i] = splitBias(&g)
	})
	return out, err
}

// factors calls do with the factor of fold k for each mu, until ctx is done.
func (r riesz) factors(ctx context.Context, k int, do func(i int, f *solvers.Factor)) error {
	if r.kept != nil && r.kept.of[k] != nil {
		for i, f := range r.kept.of[k] {
			do(i, f)
		}
		return nil
	}
	d := r.uy.train[k].LeftWithBias()
	var made []*solvers.Factor
	for i, mu := range r.mus {
		if err := ctx.Err(); err != nil {
			return err
		}
		f := solvers.NewFactor(d, mu)
		if r.kept != nil {
			made = append(made, f)
		}
		do(i, f)
	}
	if r.kept != nil {
		r.kept.of[k] = made
	}
	return nil
}

// heldOutRiesz returns gamma'D gamma - 2 gamma'target of each column of gamma, which those of target are
// repeated for; D and target are the fold's own. It is 0 for a fold without rows of S_Y.
func heldOutRiesz(uy *moments.Pair, gamma affine, target *mat.Dense) []float64 {
	if uy.Weight() == 0 {
		return make([]float64, len(gamma.intercept))
	}
	loss := uy.Inner(gamma.form(), gamma.form())
	q, columns := gamma.coef.Dims()
	products := make([]float64, columns)
	for i := range q + 1 {
		row := gamma.intercept
		if i < q {
			row = gamma.coef.RawRowView(i)
		}
		clear(products)
		addRepeated(products, target.RawRowView(i))
		floats.Mul(products, row)
		floats.AddScaled(loss, -2, products)
	}
	return loss
}

// splitBias takes the coefficients of (psi, 1) apart.
func splitBias(g *mat.Dense) affine {
	q, k := g.Dims()
	return affine{mat.DenseCopyOf(g.Slice(0, q-1, 0, k)), mat.Row(nil, q-1, g)}
}

// newAffine returns the zero function of f's features and outputs.
func newAffine(f affine) affine {
	p, k := f.coef.Dims()
	return affine{mat.NewDense(p, k, nil), make([]float64, k)}
}

// setOutput copies output j of g.
func (f affine) setOutput(j int, g affine) {
	to, from := f.coef.RawMatrix(), g.coef.RawMatrix()
	for i := range to.Rows {
		to.Data[i*to.Stride+j] = from.Data[i*from.Stride+j]
	}
	f.intercept[j] = g.intercept[j]
}

// outputs returns the outputs from lo up to hi.
func (f affine) outputs(lo, hi int) affine {
	p, _ := f.coef.Dims()
	return affine{mat.DenseCopyOf(f.coef.Slice(0, p, lo, hi)), f.intercept[lo:hi]}
}
