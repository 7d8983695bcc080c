package rr

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	fast "mediant/internal/blas"
	"mediant/internal/parallel"
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

func (sp splitter) splits(ctx context.Context, folds []*moments.Pair) (splits, error) {
	s := splits{held: folds, train: make([]*moments.Pair, len(folds))}
	err := eachFold(ctx, len(folds), func(k int) error {
		sum, err := moments.Sum(moments.Without(folds, k)...)
		if err != nil {
			return err
		}
		s.train[k] = sp.fitting(sum, sp.fold(k))
		return nil
	})
	return s, err
}

// eachFold calls do for each fold, several at a time, until ctx is done, and returns the first error in the order of the
// folds. Each does what it would do alone.
func eachFold(ctx context.Context, folds int, do func(k int) error) error {
	errs := make([]error, folds)
	parallel.Blocks(folds, 1, func(k, _ int) {
		if errs[k] = ctx.Err(); errs[k] == nil {
			errs[k] = do(k)
		}
	})
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// weight is the total weight of all folds.
func (s splits) weight() float64 {
	total := 0.0
	for _, h := range s.held {
		total += h.Weight()
	}
	return total
}

// less is f less a constant for each output; f may have the outputs of many models.
func (f affine) less(constant []float64) affine {
	out := affine{f.coef, slices.Clone(f.intercept)}
	for lo := 0; lo < len(out.intercept); lo += len(constant) {
		floats.Sub(out.intercept[lo:lo+len(constant)], constant)
	}
	return out
}

// meanRight is the mean of the right side over all folds.
func (s splits) meanRight() []float64 {
	return s.means(func(_ int, held *moments.Pair) []float64 { return held.MeanB() }).mean
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

// minus is the difference to a function of the same features with as many outputs, or to many such side
// by side.
func (f affine) minus(g affine) affine {
	d := newAffine(g)
	for i, n := 0, f.coef.RawMatrix().Rows; i < n; i++ {
		addRepeated(d.coef.RawRowView(i), f.coef.RawRowView(i))
	}
	addRepeated(d.intercept, f.intercept)
	d.coef.Sub(d.coef, g.coef)
	floats.Sub(d.intercept, g.intercept)
	return d
}

// form is f(left features) alone, of a pair whose left side f is a function of.
func (f affine) form() moments.Form { return moments.Form{A: f.coef, Offset: f.intercept} }

// gap is the form f(left features) - h(right features); f may have the outputs of many models.
func gap(f, h affine) moments.Form {
	offset := slices.Clone(f.intercept)
	for lo, k := 0, len(h.intercept); lo < len(offset); lo += k {
		floats.Sub(offset[lo:lo+k], h.intercept)
	}
	return moments.Form{A: f.coef, B: h.coef, Offset: offset}
}

// sideBySide is the function with the outputs of all of fs, which have the same features.
func sideBySide(fs []affine) affine {
	p, k := fs[0].coef.Dims()
	all := affine{mat.NewDense(p, k*len(fs), nil), nil}
	for i, f := range fs {
		all.coef.Slice(0, p, i*k, (i+1)*k).(*mat.Dense).Copy(f.coef)
		all.intercept = append(all.intercept, f.intercept...)
	}
	return all
}

// apply stores f of each row of features in dst, which is resized.
func (f affine) apply(dst, features *mat.Dense) {
	dst.Reset()
	fast.MulTo(dst, blas.NoTrans, features, blas.NoTrans, f.coef)
	n, _ := dst.Dims()
	for i := range n {
		floats.Add(dst.RawRowView(i), f.intercept)
	}
}

// nuisanceLambdas are the penalties that h, of the risk, chooses among: from none to speak of to one
// that leaves a constant, a factor of 10 apart.
var nuisanceLambdas = []float64{1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1}

// A curve is the cross-validated risk of h at each penalty of a grid, by unit of the outputs.
type curve struct {
	units
	lambdas []float64
	risk    [][]float64 // by penalty and unit
	fits    [][]affine  // by penalty and fold
}

// best is the place of the penalty that is best for all units together, or -1.
func (c curve) best() int { return best(c.totals(c.risk)) }

// lambda is that penalty, the least where none has a finite risk.
func (c curve) lambda() float64 { return c.lambdas[max(c.best(), 0)] }

// bests are the places of the penalties that are best for each unit, 0 where none has a finite risk.
func (c curve) bests() []int {
	at := make([]int, len(c.risk[0]))
	for u := range at {
		own := make([]float64, len(c.risk))
		for i := range own {
			own[i] = c.risk[i][u]
		}
		at[u] = max(best(own), 0)
	}
	return at
}

// least is the risk of each unit at its best penalty.
func (c curve) least() []float64 {
	at := c.bests()
	out := make([]float64, len(at))
	for u, i := range at {
		out[u] = c.risk[i][u]
	}
	return out
}

// chosen is the fit of each fold with the best penalty of each unit, and these penalties.
func (c curve) chosen() (fits []affine, lambdas []float64) {
	at := c.bests()
	for _, i := range at {
		lambdas = append(lambdas, c.lambdas[i])
	}
	if len(at) == 1 {
		return c.fits[at[0]], lambdas
	}
	for k := range c.fits[0] {
		fit := newAffine(c.fits[0][k])
		for j, i := range at {
			fit.setOutput(j, c.fits[i][k])
		}
		fits = append(fits, fit)
	}
	return fits, lambdas
}

// crossValidate fits h by ridge regression on all other folds, and measures it on each, for every
// penalty: len(lambdas)·K·q³/3 flops. Errors of outputs count as u says.
func crossValidate(ctx context.Context, uy splits, u units, lambdas []float64, intercept bool) (curve, error) {
	c := curve{units: u, lambdas: lambdas, fits: make([][]affine, len(lambdas))}
	for i := range lambdas {
		c.fits[i] = make([]affine, len(uy.held))
	}
	err := eachFold(ctx, len(uy.train), func(k int) error {
		path, err := solvers.RidgePath(ctx, uy.train[k], lambdas, intercept)
		for i, l := range path {
			c.fits[i][k] = affine{l.Coef, l.Intercept}
		}
		return err
	})
	if err != nil {
		return curve{}, err
	}
	for range lambdas {
		c.risk = append(c.risk, u.split(make([]float64, len(c.fits[0][0].intercept))))
	}
	for k, held := range uy.held {
		if held.Weight() == 0 {
			continue
		}
		all := make([]affine, len(lambdas))
		for i := range lambdas {
			all[i] = c.fits[i][k]
		}
		outputs := len(all[0].intercept)
		r := sideBySide(all).residual(outputs)
		for j, v := range held.Inner(r, r) {
			risk := c.risk[j/outputs]
			risk[j%outputs%len(risk)] += v * (held.Weight() / uy.weight()) // of one unit all outputs
		}
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
