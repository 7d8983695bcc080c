package risk

import (
	"context"
	"fmt"

	"mediant/internal/progress"
	"mediant/moments"
	"mediant/problem"
	"mediant/rr"
	"mediant/tables"
)

// A CrossFit, made by NewCrossFit or NewCrossFitOf, has the models of the folds of a problem, or one model for all of them, and the nuisances h and r that were fitted on the other folds. The risk (Assess) and other linear
// functionals (Functionals) are estimated from it, so that several of them cost one cross-fitting.
type CrossFit struct {
	p     evidence
	m     foldModels
	n     *fittedNuisances
	opt   AssessOptions
	notes []string
}

// NewCrossFit fits the models of the folds of p, and the nuisances. The errors are those of Assess.
func NewCrossFit(ctx context.Context, p *problem.Problem, fit FoldFitter, opt AssessOptions) (*CrossFit, error) {
	if err := opt.Validate(); err != nil {
		return nil, err
	}
	if fit == nil {
		return nil, fmt.Errorf("risk: the FoldFitter is nil")
	}
	if opt.Form == CovariateShift {
		if err := p.NeedsRows("form 2 of the risk"); err != nil {
			return nil, err
		}
	}
	if p.NoOverlap().IsMajority() {
		return nil, noOverlapError(p.NoOverlap())
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
	return crossFit(ctx, evidenceOf(p), m, opt)
}

// NewCrossFitOf fits the nuisances on tables that a fitted model was not trained on, in the place of models of folds. The errors are those of AssessModel.
func NewCrossFitOf(ctx context.Context, m *rr.Model, xu, uy tables.Source, roles tables.RoleOptions, opt AssessOptions) (*CrossFit, error) {
	if err := opt.Validate(); err != nil {
		return nil, err
	}
	setup := problem.Setup{Roles: roles, Copies: opt.Copies, AllRows: opt.AllRows}
	e, psi, err := Encode(ctx, m, xu, uy, setup, func(f problem.Footprint) float64 { return f.AssessingModel(opt.Form == CovariateShift) })
	if err != nil {
		return nil, err
	}
	if e.NoOverlap().IsMajority() {
		return nil, noOverlapError(e.NoOverlap())
	}
	p, err := e.WithMaps(ctx, nil, psi)
	if err != nil {
		return nil, err
	}
	foldsUY, _, err := p.CoMomentsUY(ctx, p.Y())
	if err != nil {
		return nil, problem.TableError(problem.TableUY, err)
	}
	c, err := crossFit(ctx, evidence{Mapped: p, foldsUY: foldsUY, splitUY: splitOf(p, foldsUY)}, fixedModel(&p.Encoded, m.F), opt)
	if err != nil {
		return nil, err
	}
	c.notes = p.Notes()
	return c, nil
}

// crossFit fits the nuisances.
func crossFit(ctx context.Context, p evidence, m foldModels, opt AssessOptions) (*CrossFit, error) {
	n, err := fitNuisances(progress.Stage(ctx, "estimating the risk"), p, m, opt)
	if err != nil {
		return nil, err
	}
	return &CrossFit{p: p, m: m, n: n, opt: opt}, nil
}

// assessCalibrated is Assess with the calibration.
func (c *CrossFit) assessCalibrated(ctx context.Context) (*Assessment, error) {
	a, err := c.Assess(ctx)
	if err != nil {
		return nil, err
	}
	return a, c.Calibrate(ctx, a)
}

// Assess is the function Assess, or AssessModel for a CrossFit of a model, without the calibration, which candidates of a search need not have.
func (c *CrossFit) Assess(ctx context.Context) (*Assessment, error) {
	a, err := assessWith(ctx, c.p, c.m, c.n, c.opt)
	if err != nil {
		return nil, err
	}
	if c.notes != nil {
		a.Notes = c.notes
	}
	return a, nil
}

// Mapped returns both tables with their encoders and the map of U; phi may be missing.
func (c *CrossFit) Mapped() *problem.Mapped { return c.p.Mapped }

// SumsUY returns the sums of S_Y over all folds.
func (c *CrossFit) SumsUY() (*moments.CoMoments, error) { return moments.Sum(c.p.foldsUY...) }
