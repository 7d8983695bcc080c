package instrument

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"mediant/crossfit"
	"mediant/internal/bounds"
	"mediant/internal/progress"
	"mediant/moments"
	"mediant/problem"
	"mediant/rr"
	"mediant/solvers"
	"mediant/tables"
)

// Kernel is two-sample kernel instrumental variable regression [Singh, Sahani and Gretton, NeurIPS 2019] on the features phi of X, with the controls, and psi of Z. The first stage
// estimates E[phi(X)|Z] by ridge regression over S_X, the second regresses Y on that over S_Y:
//
//	P = (C + lambda_xu I)⁻¹B'     alpha = (P'D P + lambda_f I)⁻¹P'E     f(x) = alpha'phi(x) + a
//
// with the moments of 2Step-RR. There are no standard errors. The zero value is usable.
type Kernel struct {
	// Setup says how columns become features; 0 Folds mean 5, by which penalties are chosen. Shift is an error, and no row is left out for lack of overlap.
	problem.Setup
	// LambdaXU is the penalty of the first stage and LambdaF that of f; Auto means the one of crossfit.Lambdas with the least cross-validated squared
	// error, of phi(X) over S_X and of Y over S_Y. Several outputs have one LambdaF.
	LambdaXU, LambdaF rr.Setting
}

// littleExplained is the share of the variance of the features of X below which a warning says that the first stage is weak: Z then moves X by less than a tenth of
// its standard deviation. Ridge regression on features has no F statistic with an established threshold.
const littleExplained = .01

// Validate returns an error that names the first field out of range.
func (e Kernel) Validate() error {
	if e.Shift {
		return fmt.Errorf("instrument: Kernel.Shift is set, and rows are not weighted by a ratio of densities")
	}
	if e.Folds == 1 {
		return fmt.Errorf("instrument: Kernel.Folds is 1, must be at least 2, or 0 for %d", problem.DefaultFolds)
	}
	return bounds.First(e.Setup.Validate(), e.LambdaXU.CheckPenalty("instrument: Kernel.LambdaXU"), e.LambdaF.CheckPenalty("instrument: Kernel.LambdaF"))
}

// setup is that of the fit.
func (e Kernel) setup() problem.Setup {
	s := e.Setup
	s.AllRows = true
	if s.Folds == 0 {
		s.Folds = problem.DefaultFolds
	}
	if s.Arithmetic == moments.Auto {
		s.Arithmetic = moments.Float64
	}
	return s
}

// preparing is the memory in bytes that both stages need: beside sums by fold those of the other folds, of the embedded features, and fits at a few penalties.
func preparing(f problem.Footprint) float64 {
	p, q, folds := f.P(), f.Q(), f.Folds()
	return max(f.Mapping(), f.Base()+f.Sums()+8*(folds*(p*p+p*q+q*q)+2*folds*(p*p+q*q)+6*folds*p*q))
}

// CheckMemory is Setup.CheckMemory for this estimate.
func (e Kernel) CheckMemory(xu, uy problem.Preview) error {
	return e.setup().LeastWithin(preparing, "", xu, uy)
}

// Estimate reads the two tables as problem.Prepare does, and S_X once more. Rows of S_X in which an endogenous column is missing, and rows of S_Y without Y, are left out. The result has no
// coefficients: its Model predicts f(X).
func (e Kernel) Estimate(ctx context.Context, xu, uy tables.Source) (*Result, error) {
	if err := e.Validate(); err != nil {
		return nil, err
	}
	in, err := open(ctx, e.Roles, xu, uy)
	if err != nil {
		return nil, err
	}
	encoded, err := problem.EncodeFor(ctx, e.setup(), in.xu, in.uy, preparing, "")
	if err != nil {
		return nil, err
	}
	if len(columnsOf(encoded.X(), in.controls).others()) == 0 {
		return nil, errConstantX
	}
	mapped, err := encoded.Map(ctx)
	if err != nil {
		return nil, err
	}
	p, err := mapped.Sum(ctx)
	if err != nil {
		return nil, err
	}
	r := in.result("kernel-iv", p)
	first, err := e.firstStage(progress.Step(ctx, fitting, 0, 2), p, r)
	if err != nil {
		return nil, err
	}
	f, err := e.secondStage(progress.Step(ctx, fitting, 1, 2), p, first, r)
	if err != nil {
		return nil, err
	}
	r.Model = modelOf(p, first, f, r)
	r.Rows = r.Model.Rows
	if *r.Explained < littleExplained {
		r.Warnings = append(r.Warnings, fmt.Sprintf("the first stage is weak: the instruments explain %.2g %% of the variance of the features of X in held-out rows", 100*max(*r.Explained, 0)))
	}
	r.Model.Warnings = append(r.Model.Warnings, r.Warnings...)
	return r, nil
}

const fitting = "fitting both stages" // as progress is reported

// firstStage fits E[phi(X)|Z], with the share of the variance that it explains in held-out rows.
func (e Kernel) firstStage(ctx context.Context, p *problem.Problem, r *Result) (crossfit.Affine, error) {
	folds := make([]*moments.CoMoments, len(p.FoldsXU()))
	for k, fold := range p.FoldsXU() {
		folds[k] = fold.Swapped()
	}
	splits, err := p.Splitter().SplitOrWhole(ctx, folds)
	if err != nil {
		return crossfit.Affine{}, err
	}
	intercept := !p.Setup().NoIntercept
	lambda, err := penalty(ctx, e.LambdaXU, splits, crossfit.Units{}, intercept)
	if err != nil {
		return crossfit.Affine{}, err
	}
	held, err := crossfit.CrossValidate(ctx, splits, crossfit.Units{}, []float64{lambda}, intercept)
	if err != nil {
		return crossfit.Affine{}, err
	}
	all := p.XU().Swapped()
	variance := 0.0
	for _, v := range crossfit.VariancesOf(all) {
		variance += v
	}
	explained := 1 - held.Risk[0][0]/variance
	r.Explained, r.LambdaXU = &explained, &lambda
	l, err := solvers.Ridge(all, lambda, intercept)
	if err != nil {
		return crossfit.Affine{}, err
	}
	return crossfit.Affine{Coef: l.Coef, Intercept: l.Intercept}, nil
}

// secondStage fits f to the predictions of the first stage.
func (e Kernel) secondStage(ctx context.Context, p *problem.Problem, first crossfit.Affine, r *Result) (*solvers.Linear, error) {
	phi := p.SidePhi().ID()
	id := moments.NewID([]byte("mean given the instruments"), phi[:])
	embed := func(zy *moments.CoMoments) *moments.CoMoments {
		return zy.Swapped().Composed(first.Coef, first.Intercept, id).Swapped()
	}
	splits, err := p.Splitter().SplitOrWhole(ctx, p.FoldsUY())
	if err != nil {
		return nil, err
	}
	for k := range splits.Train {
		splits.Train[k] = embed(splits.Train[k])
	}
	splits.Held = slices.Clone(splits.Held)
	for k := range splits.Held {
		splits.Held[k] = embed(splits.Held[k])
	}
	units, err := p.Units(p.FoldsUY())
	if err != nil {
		return nil, err
	}
	intercept := !p.Setup().NoIntercept
	lambda, err := penalty(ctx, e.LambdaF, splits, units, intercept)
	if err != nil {
		return nil, err
	}
	r.LambdaF = &lambda
	return solvers.Ridge(embed(p.UY()), lambda, intercept)
}

// penalty is that of a setting, or the one with the least cross-validated error.
func penalty(ctx context.Context, s rr.Setting, splits crossfit.Splits, u crossfit.Units, intercept bool) (float64, error) {
	if !s.IsAuto() {
		return s.Or(0), nil
	}
	return crossfit.LeastPenalty(ctx, splits, u, crossfit.Lambdas, intercept)
}

// modelOf is the model of f, with E[f(X)|Z] as h.
func modelOf(p *problem.Problem, first crossfit.Affine, f *solvers.Linear, r *Result) *rr.Model {
	m := rr.NewModel(p, r.Method)
	m.Params.LambdaXU, m.Params.LambdaF = r.LambdaXU, r.LambdaF
	m.F = rr.NewLinear(p.Phi(), f.Coef, f.Intercept)
	var h, shift mat.Dense
	h.Mul(first.Coef, f.Coef)
	shift.Mul(mat.NewDense(1, len(first.Intercept), first.Intercept), f.Coef)
	c := slices.Clone(f.Intercept)
	for j := range c {
		c[j] += shift.At(0, j)
	}
	m.H = rr.NewLinear(p.Psi(), &h, c)
	m.NoteSystem("f", f.Cond, f.Rank, f.Coef)
	return m
}
