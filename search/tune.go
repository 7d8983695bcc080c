package search

import (
	"cmp"
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
	// lambdasH are the penalties of h of each unit.
	lambdasH []float64
	riesz    crossfit.Riesz
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
	h, lambdas := c.BestFits()
	return &comparison{uy: uy, h: h, mean: uy.MeanRight(), curve: c, lambdasH: lambdas, riesz: crossfit.Riesz{UY: uy, Mus: crossfit.Mus}}, nil
}

// comparisonOf returns the comparison for the problem. It keeps the factors that all fits share if memory allows.
func comparisonOf(ctx context.Context, p *problem.Mapped, foldsUY []*moments.CoMoments, lambdas []float64, need func(problem.Footprint) float64) (*comparison, error) {
	u, err := p.Units(foldsUY)
	if err != nil {
		return nil, err
	}
	j, err := newComparison(ctx, p.Splitter(), foldsUY, u, lambdas, !p.Setup().NoIntercept)
	if err != nil {
		return nil, err
	}
	if p.Footprint().Within(func(f problem.Footprint) float64 { return need(f) + j.riesz.Bytes() }, "") == nil {
		j.riesz.CacheFactors()
	}
	return j, nil
}

// units is the number of units of the outputs.
func (j *comparison) units() int { return j.curve.Count() }

// unit is the comparison of one of several units by itself, the same as that of a problem without the others.
func (j *comparison) unit(u int) *comparison {
	if j.units() == 1 {
		return j
	}
	own := *j
	own.mean = j.mean[u : u+1]
	own.uy, own.h = crossfit.Splits{}, nil
	for k, h := range j.h {
		own.h = append(own.h, h.Outputs(u, u+1))
		own.uy.Train = append(own.uy.Train, j.uy.Train[k].RightColumns([]int{u}, moments.ID{}))
		own.uy.Held = append(own.uy.Held, j.uy.Held[k].RightColumns([]int{u}, moments.ID{}))
	}
	own.curve = crossfit.Curve{}
	return &own
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
		out[i].OfUnit = own(risk)
		out[i].Risk = j.curve.Total(out[i].OfUnit)
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
	points   [][]solvers.Params // by unit of the outputs, all equally many
	verdicts []crossfit.RiskByFold
	fits     [][]crossfit.Affine // f by point and fold
}

// tune is tuneEach with the same grid for all units.
func (j *comparison) tune(ctx context.Context, fit []*moments.CoMoments, xu crossfit.Splits, g grid, intercept bool) (*tuning, error) {
	return j.tuneEach(ctx, fit, xu, slices.Repeat([]grid{g}, j.units()), intercept)
}

// tuneEach scores every point of a grid for each unit of the outputs, which have equally many points: f and h of each fold are fitted from fit, moments of the other folds of
// S_X, and scored on xu. One System a fold serves all points and units: the factor of each lambda_f is
// made once a fold, and that of parameters that several units have in their grids.
func (j *comparison) tuneEach(ctx context.Context, fit []*moments.CoMoments, xu crossfit.Splits, grids []grid, intercept bool) (*tuning, error) {
	t := &tuning{}
	for _, g := range grids {
		t.points = append(t.points, g.points())
	}
	t.fits = make([][]crossfit.Affine, len(t.points[0]))
	for i := range t.fits {
		t.fits[i] = make([]crossfit.Affine, len(xu.Train))
	}
	points := t.distinct()
	err := crossfit.EachFold(ctx, len(xu.Train), func(k int) error {
		system, err := solvers.NewSystem(fit[k], j.uy.Train[k], intercept)
		if err != nil {
			return err
		}
		if groups := grids[0].components; groups != nil {
			all, err := system.Componentwise(groups.Screen(xu.Train[k])).Coefficients(ctx, points)
			for i, s := range all {
				t.place(k, points[i], s)
			}
			return err
		}
		for _, p := range points {
			if err := ctx.Err(); err != nil {
				return err
			}
			t.place(k, p, system.Coefficients(p))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	t.verdicts, err = j.compare(ctx, xu, t.fits)
	return t, err
}

// distinct are the points of all units, once each, lambda_f slowest.
func (t *tuning) distinct() []solvers.Params {
	var all []solvers.Params
	seen := make(map[solvers.Params]bool)
	for _, own := range t.points {
		for _, p := range own {
			if !seen[p] {
				seen[p], all = true, append(all, p)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b solvers.Params) int { return cmp.Compare(a.LambdaF, b.LambdaF) })
	return all
}

// place keeps f of fold k for the units that have p in their grids.
func (t *tuning) place(k int, p solvers.Params, s *solvers.Solution) {
	f := crossfit.Affine{Coef: s.Alpha, Intercept: s.InterceptF}
	for u, own := range t.points {
		for i, q := range own {
			switch {
			case q != p:
			case len(t.points) == 1:
				t.fits[i][k] = f
			default:
				if t.fits[i][k].Coef == nil {
					t.fits[i][k] = crossfit.ZeroLike(f)
				}
				t.fits[i][k].SetOutput(u, f)
			}
		}
	}
}

// best is the index of the point of least finite risk of a unit, or -1.
func (t *tuning) best(u int) int {
	risk := make([]float64, len(t.verdicts))
	for i, v := range t.verdicts {
		risk[i] = v.OfUnit[u]
	}
	return crossfit.Best(risk)
}

// bestOfAll is the index of the point of least finite risk of all units together, or -1.
func (t *tuning) bestOfAll() int {
	risk := make([]float64, len(t.verdicts))
	for i, v := range t.verdicts {
		risk[i] = v.Risk
	}
	return crossfit.Best(risk)
}

// bests are those of all units; it is an error if one has none.
func (t *tuning) bests() ([]int, error) {
	at := make([]int, len(t.points))
	for u := range at {
		if at[u] = t.best(u); at[u] < 0 {
			return nil, errNoPenalty
		}
	}
	return at, nil
}

// fitsAt are the fits of each fold with each unit at its own point.
func (t *tuning) fitsAt(at []int) []crossfit.Affine {
	if len(at) == 1 {
		return t.fits[at[0]]
	}
	var out []crossfit.Affine
	for k, like := range t.fits[0] {
		f := crossfit.ZeroLike(like)
		for u, i := range at {
			f.SetOutput(u, t.fits[i][k])
		}
		out = append(out, f)
	}
	return out
}

// verdictAt is the risk with each unit at its own point.
func (t *tuning) verdictAt(at []int, u crossfit.Units) crossfit.RiskByFold {
	v := crossfit.RiskByFold{OfUnit: make([]float64, len(at))}
	for range t.verdicts[0].ByUnit {
		v.ByUnit = append(v.ByUnit, make([]float64, len(at)))
	}
	for j, i := range at {
		v.OfUnit[j] = t.verdicts[i].OfUnit[j]
		for k, own := range t.verdicts[i].ByUnit {
			v.ByUnit[k][j] = own[j]
		}
	}
	v.Risk, v.ByFold = u.Total(v.OfUnit), u.Totals(v.ByUnit)
	return v
}
