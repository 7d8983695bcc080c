package risk

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"mediant/encode"
	"mediant/features"
	"mediant/internal/bounds"
	"mediant/moments"
	"mediant/problem"
	"mediant/rr"
	"mediant/tables"
	"mediant/tables/copies"
)

// ErrNoRisk reports that the risk cannot be estimated from these tables: too few rows, or a sum that is not finite.
var ErrNoRisk = errors.New("risk: no risk")

// AssessOptions say how a risk is estimated. The zero value is form 1 with penalties chosen by cross-validation: of h and v
// by squared error, of each Riesz weight by its held-out loss.
type AssessOptions struct {
	Form        Form
	LambdaH, Mu rr.Setting
	// Copies and AllRows mean the same as in problem.Setup. They are for AssessModel; in Assess the problem's own apply.
	Copies  copies.Rule
	AllRows bool
}

// A FoldFitter fits a predictor of encoded X to the problem of the training folds.
type FoldFitter func(ctx context.Context, train *problem.Problem) (rr.Predictor, error)

// Fitted returns the FoldFitter of a Method.
func Fitted(s rr.Method) FoldFitter {
	return func(ctx context.Context, train *problem.Problem) (rr.Predictor, error) {
		m, err := rr.FitWith(ctx, s, train)
		if err != nil {
			return nil, err
		}
		return m.F, nil
	}
}

// Assess estimates the uncoupled risk of a method by cross-fitting over the folds of p (docs/theory.md,
// section 15): each fold's model and nuisances are fitted on the other folds, p.Without(k), and evaluated on
// the rows of the fold. It costs K fits, 18 K Cholesky factorisations of order q for the nuisances
// where their penalties are chosen, and one pass over both tables; one pass more over S_X for classes
// and for predictors that are not ridge regressions on p.Phi, for which each row is predicted by all
// K models, and one over S_Y for form 2. Fewer than two folds, or a fold without rows of positive
// weight, are errors.
func Assess(ctx context.Context, p *problem.Problem, fit FoldFitter, opt AssessOptions) (*Assessment, error) {
	if err := opt.Validate(); err != nil {
		return nil, err
	}
	if fit == nil {
		return nil, fmt.Errorf("risk: the FoldFitter is nil")
	}
	if p.Overlap.Most() {
		return nil, noOverlapError(p.Overlap)
	}
	if len(p.FoldsUY()) < 2 {
		return nil, fmt.Errorf("%w: cross-fitting needs at least 2 folds and 2 rows in each table", ErrNoRisk)
	}
	if err := p.Footprint().Within(func(f problem.Footprint) float64 {
		return f.Base() + f.Sums() + f.Assessing(opt.Form == CovariateShift)
	}, ""); err != nil {
		return nil, err
	}
	m, err := fitFolds(ctx, p, fit)
	if err != nil {
		return nil, err
	}
	return assess(ctx, p, m, opt)
}

// AssessModel estimates the uncoupled risk of the model on tables of (X, U) and (U, Y) that it has not learned from. The
// nuisances are cross-fitted on the new tables, with the features of U of its h, or 512 Fourier features if it has none,
// over 5 folds, or as many as the smaller table has rows. roles need only name columns of weights, if there are any.
func AssessModel(ctx context.Context, m *rr.Model, xu, uy tables.Source, roles tables.RoleOptions, opt AssessOptions) (*Assessment, error) {
	if err := opt.Validate(); err != nil {
		return nil, err
	}
	setup := problem.Setup{Roles: roles, Copies: opt.Copies, AllRows: opt.AllRows}
	p, err := ProblemOf(ctx, m, xu, uy, setup, func(f problem.Footprint) float64 { return f.Judging(opt.Form == CovariateShift) })
	if err != nil {
		return nil, err
	}
	if p.Overlap.Most() {
		return nil, noOverlapError(p.Overlap)
	}
	if err := p.FindAllLandmarks(ctx); err != nil {
		return nil, err
	}
	if err := p.SumUY(ctx); err != nil {
		return nil, err
	}
	a, err := assess(ctx, p, fixedModel(p, m.F), opt)
	if err != nil {
		return nil, err
	}
	a.Notes = p.Notes
	return a, nil
}

// ProblemOf makes a problem of tables on which the model is to be assessed, with the model's encoders, the features of its h
// and no moments. The setup has the roles and says how copies and rows without overlap are treated. It is an error if need
// exceeds the model's memory limit.
func ProblemOf(ctx context.Context, m *rr.Model, xu, uy tables.Source, setup problem.Setup, need func(problem.Footprint) float64) (*problem.Problem, error) {
	roles := setup.Roles
	setup.Folds, setup.Seed, setup.Memory = problem.DefaultFolds, m.Seed, m.Memory
	p, err := problem.NewProblem(setup, xu, uy)
	if err != nil {
		return nil, err
	}
	p.Roles, p.X, p.U, p.Y = m.Roles, m.X, m.U, m.Y
	for _, w := range []string{roles.WeightsXU, roles.WeightsUY} {
		if slices.Contains(slices.Concat(m.Roles.X, m.Roles.U, m.Roles.Y), w) {
			return nil, fmt.Errorf("risk: column %q cannot be weights: the model has it as X, U or Y", w)
		}
	}
	if err := p.Weigh(ctx); err != nil {
		return nil, err
	}
	if err := p.LeaveOut(ctx); err != nil {
		return nil, err
	}
	for i, src := range p.Sources {
		if p.Weighed[i] == 0 {
			rows, err := tables.NewGuard("", src).Count(ctx)
			if err != nil {
				return nil, err
			}
			p.Weighed[i], p.Counts[i] = rows, rows
		}
		p.Setup.Folds = min(p.Setup.Folds, p.Weighed[i])
	}
	if p.Setup.Folds < 2 {
		return nil, fmt.Errorf("%w: cross-fitting needs at least 2 rows in each table", ErrNoRisk)
	}
	if err := rr.Judged(p, m).Within(need, ""); err != nil {
		return nil, err
	}
	return p, nuisanceFeatures(ctx, p, m)
}

// nuisanceFeatures gives p the features of m's h. Sections, which a Nyström map was folded into, are
// whitened again.
func nuisanceFeatures(ctx context.Context, p *problem.Problem, m *rr.Model) (err error) {
	h, ok := m.H.(*rr.Linear)
	if !ok {
		rows, err := encode.Sample(ctx, p.U, p.Counts[:], problem.MapRows, m.Seed, "psi", p.Sources[:]...)
		if err != nil {
			return err
		}
		p.Psi, _, err = features.Spec{}.FitContext(ctx, rows, m.Seed, "psi")
		return err
	}
	p.Psi = h.Map
	if s, ok := h.Map.(*features.Sections); ok {
		p.Psi, err = features.NewNystrom(s.Kernel(), s.Landmarks())
	}
	return err
}

// assess fits the nuisances and scores all rows.
func assess(ctx context.Context, p *problem.Problem, m foldModels, opt AssessOptions) (*Assessment, error) {
	n, err := fitNuisances(ctx, p, m, opt)
	if err != nil {
		return nil, err
	}
	u, err := p.Units(p.FoldsUY())
	if err != nil {
		return nil, err
	}
	s := newScorer(n.of, u, opt.Form == CovariateShift, p.Y.Classes() != nil)
	var f mat.Dense
	err = p.WalkXU(ctx, m.side, p.SidePsi(), func(k int, rows, psi *mat.Dense, w moments.Weights) {
		m.predict(k, &f, rows)
		s.addXU(k, &f, psi, w)
	})
	if err != nil {
		return nil, err
	}
	if err := p.WalkUY(ctx, p.SidePsi(), p.Y, s.addUY); err != nil {
		return nil, err
	}
	if s.lacks, s.lackHits, err = lacks(ctx, p, n); err != nil {
		return nil, err
	}
	a, err := s.assessment()
	if err != nil {
		return nil, err
	}
	a.Risk.Folds, a.Risk.LambdaH, a.Risk.LambdasH, a.Risk.Mu = len(n.of), n.lambdaH[0], Several(n.lambdaH), n.mu
	if n.lambdaV != nil {
		a.Risk.LambdaV, a.Risk.LambdasV = &n.lambdaV[0], Several(n.lambdaV)
	}
	if p.Overlap != nil {
		loss, err := lossBounds(ctx, p, m)
		if err != nil {
			return nil, err
		}
		a.withRest(p.Overlap, loss)
	}
	return a, nil
}

// Several returns values, or nil if there is only one.
func Several(values []float64) []float64 {
	if len(values) < 2 {
		return nil
	}
	return values
}

// Validate returns an error that names the first field out of range.
func (o AssessOptions) Validate() error {
	return bounds.First(
		problem.CheckCopyRule("risk: AssessOptions.Copies", o.Copies),
		bounds.Enum("risk: AssessOptions.Form", o.Form, "0, SameDistribution or CovariateShift", 0, SameDistribution, CovariateShift),
		largePenalty("risk: AssessOptions.LambdaH", o.LambdaH),
		largePenalty("risk: AssessOptions.Mu", o.Mu),
	)
}

// largePenalty checks a penalty that sums are added to.
func largePenalty(name string, s rr.Setting) error {
	if v := s.Or(0); v >= 1e300 {
		return fmt.Errorf("%s is %g, must be below 1e300", name, v)
	}
	return rr.Penalty(name, s)
}
