package rr

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"mediant/moments"
	"mediant/solvers"
)

// An affine is a function coef'features + intercept of k outputs.
type affine struct {
	coef      *mat.Dense
	intercept []float64
}

// splits holds, for one table and each fold, the moments of the other folds and of the fold itself.
// The other folds are summed, which keeps the digits that a subtraction from the total would lose.
type splits struct{ train, held []*moments.Pair }

func newSplits(folds []*moments.Pair) (splits, error) {
	s := splits{held: folds, train: make([]*moments.Pair, len(folds))}
	for k := range folds {
		others := append(append([]*moments.Pair{}, folds[:k]...), folds[k+1:]...)
		var err error
		if s.train[k], err = moments.Sum(others...); err != nil {
			return splits{}, err
		}
	}
	return s, nil
}

// weight is the total weight of all folds.
func (s splits) weight() float64 {
	total := 0.0
	for _, h := range s.held {
		total += h.Weight()
	}
	return total
}

// mean is the weighted mean over the folds of a value of each held-out fold.
func (s splits) mean(of func(k int, held *moments.Pair) float64) float64 {
	sum := 0.0
	for k, h := range s.held {
		if h.Weight() > 0 {
			sum += h.Weight() * of(k, h)
		}
	}
	return sum / s.weight()
}

// residual is the form a - b of a pair (a's features, b) for predictions of b from a: h(u) - y.
func (f affine) residual(outputs int) moments.Form {
	return moments.Form{A: f.coef, B: identity(outputs), Offset: f.intercept}
}

func identity(k int) *mat.Dense {
	d := mat.NewDense(k, k, nil)
	for i := range k {
		d.Set(i, i, 1)
	}
	return d
}

// minus is the difference of two functions of the same features.
func (f affine) minus(g affine) affine {
	var d mat.Dense
	d.Sub(f.coef, g.coef)
	return affine{&d, floats.SubTo(make([]float64, len(f.intercept)), f.intercept, g.intercept)}
}

// form is f(left features) alone.
func (f affine) form() moments.Form { return moments.Form{A: f.coef, Offset: f.intercept} }

// nuisanceLambdas are the penalties that h, of the risk, chooses among: from none to speak of to one
// that leaves a constant, a factor of 10 apart.
var nuisanceLambdas = []float64{1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1}

// A curve is the cross-validated risk of h at each penalty of a grid.
type curve struct {
	lambdas, risk []float64
	fits          [][]affine // by penalty and fold
}

// crossValidate fits h by ridge regression on all other folds, and measures it on each, for every
// penalty: len(lambdas)·K·q³/3 flops.
func crossValidate(uy splits, lambdas []float64, intercept bool) (curve, error) {
	c := curve{lambdas: lambdas, risk: make([]float64, len(lambdas)), fits: make([][]affine, len(lambdas))}
	for i := range lambdas {
		c.fits[i] = make([]affine, len(uy.held))
	}
	for k, train := range uy.train {
		for i, lambda := range lambdas {
			l, err := solvers.Ridge(train, lambda, intercept)
			if err != nil {
				return curve{}, err
			}
			c.fits[i][k] = affine{l.Coef, l.Intercept}
		}
	}
	for i := range lambdas {
		c.risk[i] = uy.mean(func(k int, held *moments.Pair) float64 {
			r := c.fits[i][k].residual(len(c.fits[i][k].intercept))
			return floats.Sum(held.Inner(r, r))
		})
	}
	return c, nil
}

// best is the index of the least finite risk.
func best(risk []float64) int {
	at := -1
	for i, v := range risk {
		if !math.IsNaN(v) && !math.IsInf(v, 0) && (at < 0 || v < risk[at]) {
			at = i
		}
	}
	return at
}

// rieszMus are the penalties that the Riesz weight chooses among.
var rieszMus = []float64{1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1}

// A riesz answers for the weights r(u) = gamma'(psi(u), 1) that carry a functional of S_X over to S_Y,
//
//	gamma = (D + mu I)⁻¹ target,   D the second moments of (psi, 1) over S_Y, uncentred,
//
// for each fold from the others. Factors depend on psi alone and are kept for all candidates f.
type riesz struct {
	uy      splits
	mus     []float64
	factors [][]*solvers.Factor // by mu and fold
}

func newRiesz(uy splits, mus []float64) *riesz {
	r := &riesz{uy: uy, mus: mus, factors: make([][]*solvers.Factor, len(mus))}
	for i := range mus {
		r.factors[i] = make([]*solvers.Factor, len(uy.train))
	}
	for k, train := range uy.train {
		d := withBias(train)
		for i, mu := range mus {
			r.factors[i][k] = solvers.NewFactor(d, mu)
		}
	}
	return r
}

// withBias returns the uncentred second moments of (a, 1) of a pair (a, b).
func withBias(m *moments.Pair) *mat.SymDense {
	p, _ := m.Dims()
	var a mat.SymDense
	m.LeftTo(&a, false)
	d := mat.NewSymDense(p+1, nil)
	for i, mean := range m.MeanA() {
		for j := i; j < p; j++ {
			d.SetSym(i, j, a.At(i, j))
		}
		d.SetSym(i, p, mean)
	}
	d.SetSym(p, p, 1)
	return d
}

// target returns the (q+1)×k means over the rows of xu, a pair (phi, psi), of (psi, 1) f.
func target(xu *moments.Pair, f affine) *mat.Dense {
	_, q := xu.Dims()
	k := len(f.intercept)
	var b, top mat.Dense
	xu.CrossTo(&b, false)
	top.Mul(b.T(), f.coef)
	t := mat.NewDense(q+1, k, nil)
	for i, mean := range xu.MeanB() {
		floats.AddScaledTo(t.RawRowView(i), top.RawRowView(i), mean, f.intercept)
	}
	t.SetRow(q, xu.Mean(f.form()))
	return t
}

// weights returns r of each fold at the mu whose held-out
//
//	gamma'D gamma - 2 gamma'target
//
// is least: up to a constant the mean square of r - r*. train and held are the targets over S_X.
func (r *riesz) weights(train, held []*mat.Dense) []affine {
	loss, gammas := make([]float64, len(r.mus)), make([][]affine, len(r.mus))
	for i := range r.mus {
		gammas[i] = make([]affine, len(train))
		for k := range train {
			var g mat.Dense
			r.factors[i][k].SolveTo(&g, train[k])
			gammas[i][k] = splitBias(&g)
		}
		loss[i] = r.uy.mean(func(k int, pair *moments.Pair) float64 {
			form := gammas[i][k].form()
			return floats.Sum(pair.Inner(form, form)) - 2*dotBias(gammas[i][k], held[k])
		})
	}
	return gammas[max(best(loss), 0)]
}

// splitBias takes the coefficients of (psi, 1) apart.
func splitBias(g *mat.Dense) affine {
	q, k := g.Dims()
	return affine{mat.DenseCopyOf(g.Slice(0, q-1, 0, k)), mat.Row(nil, q-1, g)}
}

// dotBias is the sum over outputs of gamma't.
func dotBias(gamma affine, t *mat.Dense) float64 {
	q, _ := gamma.coef.Dims()
	sum := floats.Dot(gamma.intercept, t.RawRowView(q))
	for i := range q {
		sum += floats.Dot(gamma.coef.RawRowView(i), t.RawRowView(i))
	}
	return sum
}
