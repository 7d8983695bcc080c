package rr

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"mediant/moments"
	"mediant/solvers"
)

// A judge compares predictors f by their uncoupled risk, form 1, from fold moments alone. Its h, the
// best of a grid of penalties by cross-validation, and what Riesz weights need belong to one psi, so that
// all f are compared on the same ground.
type judge struct {
	uy    splits
	h     []affine // by fold
	curve curve
	riesz riesz
}

// newJudge fits h to the folds of S_Y, for every penalty of the grid.
func newJudge(foldsUY []*moments.Pair, lambdas []float64, intercept bool) (*judge, error) {
	uy, err := newSplits(foldsUY)
	if err != nil {
		return nil, err
	}
	c, err := crossValidate(uy, lambdas, intercept)
	if err != nil {
		return nil, err
	}
	at := best(c.risk)
	if at < 0 {
		return nil, fmt.Errorf("rr: no penalty gives a finite error of h")
	}
	return &judge{uy: uy, h: c.fits[at], curve: c, riesz: riesz{uy: uy, mus: rieszMus}}, nil
}

// newJudge is that of the problem, which keeps what serves all its verdicts if memory allows.
func (p *Problem) newJudge(foldsUY []*moments.Pair, lambdaH Setting) (*judge, error) {
	j, err := newJudge(foldsUY, lambdaH.grid(searchLambdas), !p.Setup.NoIntercept)
	if err != nil {
		return nil, err
	}
	if p.Setup.refuseAbove(p.need()+j.riesz.bytes(), "") == nil {
		j.riesz.keepFactors()
	}
	return j, nil
}

// lambdaH is the penalty of the judge's h.
func (j *judge) lambdaH() float64 { return j.curve.lambdas[best(j.curve.risk)] }

// A verdict is the risk of one f, summed over outputs, on average and by fold.
type verdict struct {
	risk   float64
	byFold []float64
}

// judgeColumns bounds the outputs that are judged at a time, and so the memory for it.
const judgeColumns = 256

// judge scores many f, fits[i] being one function a fold.
func (j *judge) judge(xu splits, fits [][]affine) []verdict {
	var out []verdict
	for part := range slices.Chunk(fits, max(1, judgeColumns/len(j.h[0].intercept))) {
		out = append(out, j.judgePart(xu, part)...)
	}
	return out
}

func (j *judge) judgePart(xu splits, fits [][]affine) []verdict {
	folds := len(j.h)
	f := make([]affine, folds)
	train, held := make([]*mat.Dense, folds), make([]*mat.Dense, folds)
	eachFold(folds, func(k int) {
		all := make([]affine, len(fits))
		for i := range fits {
			all[i] = fits[i][k]
		}
		f[k] = sideBySide(all)
		train[k], held[k] = target(xu.train[k], f[k]), target(xu.held[k], f[k])
	})
	r, _ := j.riesz.weights(train, held)
	risk, byFold := foldRisks(xu, j.uy, f, j.h, r)
	out := make([]verdict, len(fits))
	for i := range out {
		outputs := func(v []float64) float64 { return floats.Sum(v[i*len(v)/len(fits) : (i+1)*len(v)/len(fits)]) }
		out[i].risk = outputs(risk)
		for k := range byFold {
			out[i].byFold = append(out[i].byFold, outputs(byFold[k]))
		}
	}
	return out
}

// A grid is the numbers that tuning tries.
type grid struct {
	lambdaF, lambdaH, w []float64
	penalty             solvers.Penalty
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

// A tuning is every point of a grid with its verdict.
type tuning struct {
	points   []solvers.Params
	verdicts []verdict
	fits     [][]affine // f by point and fold
}

// tune scores every point of a grid: f and h of each fold are fitted from fit, moments of the other folds of
// S_X, and judged on xu. One System a fold serves all points: the factor of each lambda_f is
// made once a fold.
func (j *judge) tune(ctx context.Context, fit []*moments.Pair, xu splits, g grid, intercept bool) (*tuning, error) {
	t := &tuning{points: g.points()}
	t.fits = make([][]affine, len(t.points))
	for i := range t.fits {
		t.fits[i] = make([]affine, len(xu.train))
	}
	errs := make([]error, len(xu.train))
	eachFold(len(xu.train), func(k int) {
		system, err := solvers.NewSystem(fit[k], j.uy.train[k], intercept)
		if err != nil {
			errs[k] = err
			return
		}
		for i, p := range t.points {
			if errs[k] = ctx.Err(); errs[k] != nil {
				return
			}
			s := system.Coefficients(p)
			t.fits[i][k] = affine{s.Alpha, s.InterceptF}
		}
	})
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	t.verdicts = j.judge(xu, t.fits)
	return t, nil
}

// best is the index of the point of least finite risk, or -1.
func (t *tuning) best() int {
	risk := make([]float64, len(t.verdicts))
	for i, v := range t.verdicts {
		risk[i] = v.risk
	}
	return best(risk)
}
