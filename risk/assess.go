package risk

import (
	"context"
	"errors"
	"fmt"

	"mediant/collect"
	"mediant/crossfit"
	"mediant/features"
	"mediant/internal/bounds"
	"mediant/internal/progress"
	"mediant/internal/weighted"
	"mediant/losses"
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
	// Loss is the loss of Assessment.Loss, which is estimated besides the squared error; nil: none. It is for form 1 and needs rows. Predictions must be in its domain.
	Loss losses.Loss
	// H is the h of the folds in Loss, if that is a losses.Canonical other than losses.Squared; nil: it is fitted.
	H *FoldH
	// Copies and AllRows mean the same as in problem.Setup. They are for AssessModel; in Assess the problem's own apply.
	Copies  copies.Rule
	AllRows bool
}

// A FoldFitter fits a predictor of encoded X to the problem of the training folds.
type FoldFitter func(ctx context.Context, train *problem.Problem) (rr.Predictor, error)

// Fitted returns the FoldFitter that fits a Method.
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
// where their penalties are chosen (18 + 2 K where each fold has crossfit.FoldRows rows of both tables, of which the first then chooses), and one pass over both tables; one pass more over S_X for classes
// and for predictors that are not ridge regressions on p.Phi, for which each row is predicted by all
// K models, and one over S_Y for form 2. Fewer than two folds, or a fold without rows of positive
// weight, are errors.
//
// For a problem of sums without rows (problem.Sums) it estimates the risk of form 1 of ridge regressions on p.Phi. The standard error comes from the
// variance between the B blocks and has itself a relative standard error of 1/sqrt(2(B-1)); there is no accuracy. Other predictors and form 2 return
// problem.ErrNeedsRows.
func Assess(ctx context.Context, p *problem.Problem, fit FoldFitter, opt AssessOptions) (*Assessment, error) {
	c, err := NewCrossFit(ctx, p, fit, opt)
	if err != nil {
		return nil, err
	}
	return c.assessCalibrated(ctx)
}

// AssessModel estimates the uncoupled risk of a fitted model on tables of (X, U) and (U, Y) that it was not trained on. The
// nuisances are cross-fitted on the new tables, with the features of U of the model's h, or 512 Fourier features if it has
// none, over 5 folds, or as many as the smaller table has rows. Of roles only the columns of weights are used.
func AssessModel(ctx context.Context, m *rr.Model, xu, uy tables.Source, roles tables.RoleOptions, opt AssessOptions) (*Assessment, error) {
	c, err := NewCrossFitOf(ctx, m, xu, uy, roles, opt)
	if err != nil {
		return nil, err
	}
	return c.assessCalibrated(ctx)
}

// Encode encodes tables on which a model is to be assessed, with the model's encoders. It also returns the features of U of
// the model's h, or 512 Fourier features if it has no h that is linear in features. The setup has the roles, and the treatment
// of copies and of rows without overlap. It is an error if need exceeds the model's memory limit.
func Encode(ctx context.Context, m *rr.Model, xu, uy tables.Source, setup problem.Setup, need func(problem.Footprint) float64) (*problem.Encoded, features.Map, error) {
	setup.Folds, setup.Seed, setup.Memory = problem.DefaultFolds, m.Seed, m.Memory
	e, err := problem.EncodeWith(ctx, setup, problem.Encoding{Roles: m.Roles, X: m.X, U: m.U, Y: m.Y}, xu, uy)
	if err != nil {
		return nil, nil, err
	}
	if e.Setup().Folds < 2 {
		return nil, nil, fmt.Errorf("%w: cross-fitting needs at least 2 rows in each table", ErrNoRisk)
	}
	if err := m.Footprint(e).Within(need, ""); err != nil {
		return nil, nil, err
	}
	psi, err := FeaturesOfU(ctx, e, m)
	return e, psi, err
}

// FeaturesOfU are the features of U of m's h, or 512 Fourier features of U where it has no h that is linear in features. Sections, which a Nyström map was folded into, are whitened again.
func FeaturesOfU(ctx context.Context, e *problem.Encoded, m *rr.Model) (features.Map, error) {
	h := rr.LinearOf(m.H)
	if h == nil {
		rows, err := e.SampleU(ctx)
		if err != nil {
			return nil, err
		}
		psi, _, err := features.Spec{}.FitContext(ctx, rows, m.Seed, "psi")
		return psi, err
	}
	if s, ok := h.Map.(*features.Sections); ok {
		return features.NewNystrom(s.Kernel(), s.Landmarks())
	}
	return h.Map, nil
}

// evidence is what a risk is estimated from: encoders and psi, with the sums of S_Y by fold and, where they are there, of S_X.
type evidence struct {
	*problem.Mapped
	foldsXU, foldsUY []*moments.CoMoments
	splitUY          func(context.Context) (crossfit.Splits, error)
	blocks           func(k int) (xu, uy []*moments.CoMoments) // the parts of fold k, where there are no rows
}

func evidenceOf(p *problem.Problem) evidence {
	e := evidence{Mapped: &p.Mapped, foldsUY: p.FoldsUY(), splitUY: p.SplitUY}
	if p.FirstStep() == nil {
		e.foldsXU = p.FoldsXU()
	}
	if !p.HasRows() {
		e.blocks = p.Blocks
	}
	return e
}

// splitOf splits sums of S_Y where there is no Problem.
func splitOf(p *problem.Mapped, foldsUY []*moments.CoMoments) func(context.Context) (crossfit.Splits, error) {
	return func(ctx context.Context) (crossfit.Splits, error) { return p.Splitter().Split(ctx, foldsUY) }
}

// manyRows reports whether the rows of one fold are enough to choose penalties of nuisances.
func (e evidence) manyRows() bool {
	rows := e.Counts()
	return e.blocks == nil && min(rows[problem.TableXU], rows[problem.TableUY]) >= crossfit.FoldRows*len(e.foldsUY)
}

// assessWith scores all rows with nuisances that are fitted.
func assessWith(ctx context.Context, p evidence, m foldModels, n *fittedNuisances, opt AssessOptions) (*Assessment, error) {
	ctx = progress.Stage(ctx, "estimating the risk")
	u, err := p.Units(p.foldsUY)
	if err != nil {
		return nil, err
	}
	s := newScorer(n.of, u, opt.Form == CovariateShift, p.Y().Classes() != nil)
	if p.blocks == nil && !m.same {
		s.spreads = newSpreadSums(n.uy.MeanRight())
	}
	units := n.byUnit(u)
	probings := make([]*probing, len(units))
	for j, own := range units {
		if probings[j], err = own.probing(ctx, p); err != nil {
			return nil, err
		}
	}
	if p.blocks != nil {
		s.scoreBlocks(p, m)
	} else if err := s.scoreRows(ctx, p, m, probings); err != nil {
		return nil, err
	}
	sums := p
	if p.foldsXU == nil && probings[0] == nil {
		if sums.foldsXU, _, err = p.CoMomentsByFold(ctx, problem.TableXU, p.Constant(), p.SidePsi()); err != nil {
			return nil, err
		}
	}
	for j, own := range units {
		biases, accuracy, err := overlapBiases(ctx, sums, own, probings[j])
		if err != nil {
			return nil, err
		}
		s.overlapBiases, s.accuracyBias = append(s.overlapBiases, biases...), accuracy
	}
	a, err := s.assessment()
	if err != nil {
		return nil, err
	}
	if s.spreads != nil {
		all, err := moments.Sum(p.foldsUY...)
		if err != nil {
			return nil, err
		}
		a.spreads = s.spreads.spreads(u, all)
		rows := p.Encoded
		a.spreads.Rows = &rows
	}
	if p.blocks != nil {
		a.Notes = append(a.Notes, blocksNote(int(s.x.Count), int(s.y.Count), s.classes))
		if a.Bracket == nil {
			a.Notes = append(a.Notes, "the brackets, which need no assumption, are left out: the noise of the sums is larger than the mean squares that they are made of")
		}
	}
	a.Risk.Rows = tableRows(&p.Encoded)
	if p.Clusters() != nil {
		n := problem.Clusters{XU: weighted.CountClusters(s.x), UY: weighted.CountClusters(s.y)}
		n.Shared = n.XU + n.UY - weighted.CountClusters(s.x, s.y)
		a.Clusters = &n
	}
	a.Risk.Folds, a.Risk.LambdaH, a.Risk.LambdasH, a.Risk.Mu = len(n.of), n.lambdaH[0], Several(n.lambdaH), n.mu
	if n.lambdaV != nil {
		a.Risk.LambdaV, a.Risk.LambdasV = &n.lambdaV[0], Several(n.lambdaV)
	}
	if p.NoOverlap() != nil {
		loss, err := lossBounds(ctx, p, m)
		if err != nil {
			return nil, err
		}
		a.withRest(p.NoOverlap(), loss)
	}
	if opt.Loss != nil {
		if a.Loss, err = lossRisk(ctx, p, m, n, opt); err != nil {
			return nil, err
		}
	}
	return a, nil
}

// tableRows returns the numbers of rows of both tables, those without overlap included.
func tableRows(p *problem.Encoded) collect.Rows {
	counts := p.Counts()
	n := collect.Rows{XU: float64(counts[problem.TableXU]), UY: float64(counts[problem.TableUY])}
	if o := p.NoOverlap(); o != nil && o.Source != nil { // which were left out
		n.XU += float64(o.Rows)
	}
	return n
}

// Several returns values, or nil if there is only one: JSON lists values by output only if there are several outputs.
func Several(values []float64) []float64 {
	if len(values) < 2 {
		return nil
	}
	return values
}

// Validate returns an error that names the first field out of range.
func (o AssessOptions) Validate() error {
	if o.Loss != nil && o.Form == CovariateShift {
		return fmt.Errorf("risk: AssessOptions.Loss is for form 1, not form 2")
	}
	return bounds.First(
		o.Copies.Check("risk: AssessOptions.Copies"),
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
	return s.CheckPenalty(name)
}
