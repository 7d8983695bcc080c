package search

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"mediant/crossfit"
	"mediant/moments"
	"mediant/problem"
	"mediant/rr"
	"mediant/solvers"
)

// A comparison compares predictors f by their uncoupled risk, form 1, from fold moments alone. Its h, the
// best of a grid of penalties by cross-validation, for each unit of the outputs, and what Riesz weights need belong to one psi, so that
// all f are compared on the same ground.
type comparison struct {
	uy    crossfit.Splits
	h     []crossfit.Affine // by fold
	mean  []float64
	curve crossfit.Curve
	riesz crossfit.Riesz
}

// newComparison fits h to the folds of S_Y, for every penalty of the grid.
func newComparison(ctx context.Context, sp crossfit.Splitter, foldsUY []*moments.CoMoments, u crossfit.Units, lambdas []float64, intercept bool) (*comparison, error) {
	uy, err := sp.Split(ctx, foldsUY)
	if err != nil {
		return nil, err
	}
	return comparisonFrom(ctx, uy, u, lambdas, intercept)
}

// comparisonFrom is newComparison for sums that are split already.
func comparisonFrom(ctx context.Context, uy crossfit.Splits, u crossfit.Units, lambdas []float64, intercept bool) (*comparison, error) {
	c, err := crossfit.CrossValidate(ctx, uy, u, lambdas, intercept)
	if err != nil {
		return nil, err
	}
	if c.Best() < 0 {
		return nil, fmt.Errorf("search: no penalty gives a finite error of h")
	}
	h, _ := c.BestFits()
	return &comparison{uy: uy, h: h, mean: uy.MeanRight(), curve: c, riesz: crossfit.Riesz{UY: uy, Mus: crossfit.Mus}}, nil
}

// comparisonOf returns the comparison for the problem. It keeps the factors that all fits share if memory allows.
func comparisonOf(ctx context.Context, p *problem.Mapped, foldsUY []*moments.CoMoments, lambdaH rr.Setting, need func(problem.Footprint) float64) (*comparison, error) {
	u, err := p.Units(foldsUY)
	if err != nil {
		return nil, err
	}
	j, err := newComparison(ctx, p.Splitter(), foldsUY, u, lambdaH.Grid(searchLambdas), !p.Setup().NoIntercept)
	if err != nil {
		return nil, err
	}
	if p.Footprint().Within(func(f problem.Footprint) float64 { return need(f) + j.riesz.Bytes() }, "") == nil {
		j.riesz.CacheFactors()
	}
	return j, nil
}

// lambdaH is the penalty of h that is best for all outputs together.
func (j *comparison) lambdaH() float64 { return j.curve.Lambda() }

// comparedColumns bounds the number of outputs that are compared at a time, and so the memory.
const comparedColumns = 256

// compare scores many f, fits[i] being one function a fold.
func (j *comparison) compare(ctx context.Context, xu crossfit.Splits, fits [][]crossfit.Affine) ([]crossfit.RiskByFold, error) {
	var out []crossfit.RiskByFold
	for part := range slices.Chunk(fits, max(1, comparedColumns/len(j.h[0].Intercept))) {
		verdicts, err := j.comparePart(ctx, xu, part)
		if err != nil {
			return nil, err
		}
		out = append(out, verdicts...)
	}
	return out, nil
}

func (j *comparison) comparePart(ctx context.Context, xu crossfit.Splits, fits [][]crossfit.Affine) ([]crossfit.RiskByFold, error) {
	folds := len(j.h)
	f := make([]crossfit.Affine, folds)
	train, held := make([]*mat.Dense, folds), make([]*mat.Dense, folds)
	err := crossfit.EachFold(ctx, folds, func(k int) error {
		all := make([]crossfit.Affine, len(fits))
		for i := range fits {
			all[i] = fits[i][k]
		}
		f[k] = crossfit.SideBySide(all)
		centred := f[k].MinusConstant(j.mean)
		train[k], held[k] = crossfit.Target(xu.Train[k], centred), crossfit.Target(xu.Held[k], centred)
		return nil
	})
	if err != nil {
		return nil, err
	}
	r, _, err := j.riesz.Weights(ctx, train, held)
	if err != nil {
		return nil, err
	}
	for k := range r {
		crossfit.AddRepeated(r[k].Intercept, j.mean)
	}
	risk, byFold := crossfit.FoldRisks(xu, j.uy, f, j.h, r)
	out := make([]crossfit.RiskByFold, len(fits))
	for i := range out {
		own := func(v []float64) []float64 { return j.curve.Split(v[i*len(v)/len(fits) : (i+1)*len(v)/len(fits)]) }
		out[i].Risk = j.curve.Total(own(risk))
		for k := range byFold {
			out[i].ByUnit = append(out[i].ByUnit, own(byFold[k]))
		}
		out[i].ByFold = j.curve.Totals(out[i].ByUnit)
	}
	return out, nil
}

// A grid is the numbers that tuning tries.
type grid struct {
	lambdaF, lambdaH, w []float64
	penalty             solvers.Penalty
	components          *rr.ComponentGroups // by which f is fitted; nil: at once
}

// points lists the grid, lambda_f slowest, as System's cache wants it.
func (g grid) points() []solvers.Params {
	var out []solvers.Params
	for _, lf := range g.lambdaF {
		for _, w := range g.w {
			for _, lh := range g.lambdaH {
				out = append(out, solvers.Params{W: w, LambdaF: lf, LambdaH: lh, Penalty: g.penalty})
			}
		}
	}
	return out
}

// A tuning is every point of a grid with its risk.
type tuning struct {
	points   []solvers.Params
	verdicts []crossfit.RiskByFold
	fits     [][]crossfit.Affine // f by point and fold
}

// tune scores every point of a grid: f and h of each fold are fitted from fit, moments of the other folds of
// S_X, and scored on xu. One System a fold serves all points: the factor of each lambda_f is
// made once a fold.
func (j *comparison) tune(ctx context.Context, fit []*moments.CoMoments, xu crossfit.Splits, g grid, intercept bool) (*tuning, error) {
	t := &tuning{points: g.points()}
	t.fits = make([][]crossfit.Affine, len(t.points))
	for i := range t.fits {
		t.fits[i] = make([]crossfit.Affine, len(xu.Train))
	}
	err := crossfit.EachFold(ctx, len(xu.Train), func(k int) error {
		system, err := solvers.NewSystem(fit[k], j.uy.Train[k], intercept)
		if err != nil {
			return err
		}
		if g.components != nil {
			c := g.components.Screen(xu.Train[k])
			all, err := system.Componentwise(c).Coefficients(ctx, t.points)
			for i, s := range all {
				t.fits[i][k] = crossfit.Affine{Coef: s.Alpha, Intercept: s.InterceptF}
			}
			return err
		}
		for i, p := range t.points {
			if err := ctx.Err(); err != nil {
				return err
			}
			s := system.Coefficients(p)
			t.fits[i][k] = crossfit.Affine{Coef: s.Alpha, Intercept: s.InterceptF}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	t.verdicts, err = j.compare(ctx, xu, t.fits)
	return t, err
}

// best is the index of the point of least finite risk, or -1.
func (t *tuning) best() int {
	risk := make([]float64, len(t.verdicts))
	for i, v := range t.verdicts {
		risk[i] = v.Risk
	}
	return crossfit.Best(risk)
}
