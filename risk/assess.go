package risk

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"mediant/crossfit"
	"mediant/encode"
	"mediant/features"
	"mediant/internal/bounds"
	"mediant/moments"
	"mediant/problem"
	"mediant/rr"
	"mediant/tables"
)

// ErrNoRisk is what errors are that say that these tables tell no risk: too few rows, or sums beyond
// floating point.
var ErrNoRisk = errors.New("rr: no risk")

// AssessOptions say how an Assessment is made. The zero value is form 1 with penalties that choose
// themselves: of h and v by cross-validated squared error, of each Riesz weight by its own held-out
// loss.
type AssessOptions struct {
	Form        Form
	LambdaH, Mu rr.Setting
	// KeepCopies and AllRows are what they are in a Setup, for Model.Assess; a Problem has its own.
	KeepCopies, AllRows bool
}

// A FoldFitter fits a predictor of encoded X to the problem of the training folds.
type FoldFitter func(ctx context.Context, train *problem.Problem) (rr.Predictor, error)

// Fitted is the FoldFitter of a Method.
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
// section 15): each fold's model and nuisances are fitted on the other folds, p.Without(k), and judged on
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
		return nil, fmt.Errorf("rr: risk: the FoldFitter is nil")
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

// AssessModel estimates the uncoupled risk of the model on tables of (X, U) and (U, Y) that it has not
// learned from. The model stays as it is; the nuisances are cross-fitted on the new tables, with the
// features of U of its h, or 512 Fourier features if it has none, over 5 folds, or as many as the smaller
// table has rows. roles need only name the columns of weights, if any.
func AssessModel(ctx context.Context, m *rr.Model, xu, uy tables.Source, roles tables.RoleOptions, opt AssessOptions) (*Assessment, error) {
	if err := opt.Validate(); err != nil {
		return nil, err
	}
	setup := problem.Setup{Roles: roles, KeepCopies: opt.KeepCopies, AllRows: opt.AllRows}
	p, err := Judge(ctx, m, xu, uy, setup, func(f problem.Footprint) float64 { return f.Judging(opt.Form == CovariateShift) })
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

// Judge makes a problem of tables that the model is to be judged on, with its encoders, the features of its
// h and no moments, if what is needed fits the model's limit. The setup has the roles and what is done with copies and rows without overlap.
func Judge(ctx context.Context, m *rr.Model, xu, uy tables.Source, setup problem.Setup, need func(problem.Footprint) float64) (*problem.Problem, error) {
	roles := setup.Roles
	setup.Folds, setup.Seed, setup.Memory = problem.DefaultFolds, m.Seed, m.Memory
	p, err := problem.NewProblem(setup, xu, uy)
	if err != nil {
		return nil, err
	}
	p.Roles, p.X, p.U, p.Y = m.Roles, m.X, m.U, m.Y
	for _, w := range []string{roles.WeightsXU, roles.WeightsUY} {
		if slices.Contains(slices.Concat(m.Roles.X, m.Roles.U, m.Roles.Y), w) {
			return nil, fmt.Errorf("rr: column %q cannot be weights: the model has it as X, U or Y", w)
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

// foldModels are the predictors of the folds.
type foldModels struct {
	// side is what rows of S_X become, and predict the prediction of fold k's model for such rows.
	side    encode.Side
	predict func(k int, dst, rows *mat.Dense)
	same    bool              // one predictor for all folds
	affine  []crossfit.Affine // of phi, where all are
	// Of affine ones: means of (psi, 1) (f - mean of Y) over the rows outside and inside each fold.
	train, held []*mat.Dense
}

// fixedModel is one predictor for all folds.
func fixedModel(p *problem.Problem, f rr.Predictor) foldModels {
	return foldModels{side: rr.Predicted(p.X, p.Y.Len(), f), same: true, predict: func(_ int, dst, rows *mat.Dense) {
		dst.CloneFrom(rows)
	}}
}

// fitFolds fits the models, one problem of other folds at a time.
func fitFolds(ctx context.Context, p *problem.Problem, fit FoldFitter) (foldModels, error) {
	var m foldModels
	var predictors []rr.Predictor
	mean := crossfit.Splits{Held: p.FoldsUY()}.MeanRight()
	for k := range p.FoldsUY() {
		if err := checkFold(p, k, p.FoldsXU()[k].Weight()); err != nil {
			return m, err
		}
		train, err := p.Without(k)
		if err != nil {
			return m, err
		}
		f, err := fit(ctx, train)
		if err != nil {
			return m, fmt.Errorf("fold %d of %d: %w", k+1, len(p.FoldsUY()), err)
		}
		if f == nil {
			return m, fmt.Errorf("rr: risk: the FoldFitter returned neither a Predictor nor an error")
		}
		predictors = append(predictors, f)
		if l, ok := f.(*rr.Linear); ok {
			if a, ok := l.AffineIn(p.Phi); ok {
				m.affine = append(m.affine, a)
				centred := a.MinusConstant(mean)
				m.train, m.held = append(m.train, crossfit.Target(train.XU(), centred)), append(m.held, crossfit.Target(p.FoldsXU()[k], centred))
			}
		}
	}
	if len(m.affine) == len(predictors) {
		m.side = p.SidePhi()
		m.predict = func(k int, dst, rows *mat.Dense) { m.affine[k].ApplyTo(dst, rows) }
		return m, nil
	}
	if p.X.Sparse() {
		return foldModels{side: rr.Predicted(p.X, p.Y.Len(), predictors...), predict: func(k int, dst, rows *mat.Dense) {
			dst.CloneFrom(rr.PredictionsOf(rows, k, p.Y.Len()))
		}}, nil
	}
	return foldModels{side: p.X, predict: func(k int, dst, rows *mat.Dense) {
		dst.Reset()
		rr.MustPredict(dst, predictors[k], rows, p.Y.Len())
	}}, nil
}

// checkFold refuses a fold that cannot be judged.
func checkFold(p *problem.Problem, k int, weightXU float64) error {
	if weightXU == 0 || p.FoldsUY()[k].Weight() == 0 {
		return fmt.Errorf("%w: fold %d of %d has no row with Y and a positive weight in both tables: too few rows", ErrNoRisk, k+1, len(p.FoldsUY()))
	}
	return nil
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

// Several is nil for a single value.
func Several(values []float64) []float64 {
	if len(values) < 2 {
		return nil
	}
	return values
}

// fittedNuisances are those of all folds, and what they were fitted with.
type fittedNuisances struct {
	of     []nuisances
	uy     crossfit.Splits
	centre []float64    // of f, in its targets
	held   []*mat.Dense // means over held-out rows of S_X of (psi, 1) times f - centre, the one-hot argmax (classes), and 1 (form 2)
	// Penalties of h and v by unit of the outputs and of Riesz weights; those of v, and S_Y with Y², are empty for form 1.
	lambdaH, lambdaV, mu []float64
	squares              crossfit.Splits
}

// fitNuisances fits the nuisances of all folds.
func fitNuisances(ctx context.Context, p *problem.Problem, m foldModels, opt AssessOptions) (*fittedNuisances, error) {
	for k := range p.FoldsUY() {
		if err := checkFold(p, k, 1); err != nil { // S_X is checked where its weights are known
			return nil, err
		}
	}
	n := &fittedNuisances{of: make([]nuisances, len(p.FoldsUY()))}
	var err error
	if n.uy, err = p.Splitter().Split(ctx, p.FoldsUY()); err != nil {
		return nil, err
	}
	h, lambdas, err := chooseRidge(ctx, n.uy, p.Y.Classes() != nil, opt.LambdaH)
	if err != nil {
		return nil, err
	}
	n.lambdaH = lambdas
	for k := range n.of {
		n.of[k].h = h[k]
	}
	if opt.Form == CovariateShift {
		if err := squares(ctx, p, n, opt.LambdaH); err != nil {
			return nil, err
		}
	}
	return n, rieszWeights(ctx, p, n, m, opt)
}

// squares fits E[Y²|U] in each fold. It reads S_Y.
func squares(ctx context.Context, p *problem.Problem, n *fittedNuisances, lambda rr.Setting) error {
	folds, _, err := p.PairsUY(ctx, encode.Squares{Of: p.Y})
	if err != nil {
		return fmt.Errorf("table of U and Y: %w", err)
	}
	s, err := p.Splitter().Split(ctx, folds)
	if err != nil {
		return err
	}
	n.squares = s
	v, lambdas, err := chooseRidge(ctx, s, p.Y.Classes() != nil, lambda)
	for k := range v {
		n.of[k].v = v[k]
	}
	n.lambdaV = lambdas
	return err
}

// chooseRidge fits the right side of a table to the left one in each fold, at the penalty that is set or
// at the one of least cross-validated error of each output, or of all together. It returns the penalties too.
func chooseRidge(ctx context.Context, s crossfit.Splits, together bool, lambda rr.Setting) ([]crossfit.Affine, []float64, error) {
	u, err := crossfit.UnitsOf(s.Held, together)
	if err != nil {
		return nil, nil, err
	}
	c, err := crossfit.CrossValidate(ctx, s, u, lambda.Grid(crossfit.Lambdas), true)
	if err != nil {
		return nil, nil, err
	}
	fits, lambdas := c.Chosen()
	return fits, lambdas, nil
}

// rieszWeights fills in the Riesz weights, the penalty of each and their targets. Those of f are of f less the mean of Y, which is
// added to the weight, in form 1, where a constant carries over as it is: a penalty would take a share of it, and the risk would depend on
// where Y has its zero.
func rieszWeights(ctx context.Context, p *problem.Problem, n *fittedNuisances, m foldModels, opt AssessOptions) error {
	k := p.Y.Len()
	classes, shifted := p.Y.Classes() != nil, opt.Form == CovariateShift
	n.centre = make([]float64, k)
	if !shifted {
		n.centre = n.uy.MeanRight()
	}
	train, held := m.train, m.held
	if m.affine == nil || classes || shifted {
		var err error
		if train, held, err = targetsOf(ctx, p, m, n.centre, classes, shifted); err != nil {
			return err
		}
	}
	r, mus, err := crossfit.Riesz{UY: n.uy, Mus: opt.Mu.Grid(crossfit.Mus)}.Weights(ctx, train, held)
	if err != nil {
		return err
	}
	n.held, n.mu = held, mus
	for i := range n.of {
		of := &n.of[i]
		of.r = r[i].Outputs(0, k)
		floats.Add(of.r.Intercept, n.centre)
		next := k
		if classes {
			of.hit = r[i].Outputs(next, next+k)
			next += k
		}
		if shifted {
			of.omega = r[i].Outputs(next, next+1)
		}
	}
	return nil
}

// targetsOf reads S_X for the means of (psi, 1) times f - centre, its one-hot argmax, and 1.
func targetsOf(ctx context.Context, p *problem.Problem, m foldModels, centre []float64, classes, shifted bool) (train, held []*mat.Dense, err error) {
	_, q := p.Psi.Dims()
	k := p.Y.Len()
	columns := k
	if classes {
		columns += k
	}
	if shifted {
		columns++
	}
	t := newTargets(len(p.FoldsUY()), columns, q)
	var f, g mat.Dense
	functions := func(model int, rows *mat.Dense) *mat.Dense {
		m.predict(model, &f, rows)
		n, _ := f.Dims()
		g.Reset()
		g.ReuseAs(n, columns)
		g.Slice(0, n, 0, k).(*mat.Dense).Copy(&f)
		for i := range n {
			floats.Sub(g.RawRowView(i)[:k], centre)
		}
		if classes {
			argmaxTo(g.Slice(0, n, k, 2*k).(*mat.Dense), &f)
		}
		for i := 0; shifted && i < n; i++ {
			g.Set(i, columns-1, 1)
		}
		return &g
	}
	err = p.WalkXU(ctx, m.side, p.SidePsi(), func(fold int, rows, psi *mat.Dense, w moments.Weights) {
		for model := range p.FoldsUY() {
			if model == 0 || !m.same {
				functions(model, rows)
			}
			t.add(model, fold, psi, &g, w)
		}
	})
	if err != nil {
		return nil, nil, err
	}
	for fold, weight := range t.heldWeight {
		if err := checkFold(p, fold, weight); err != nil {
			return nil, nil, err
		}
	}
	train, held = t.means()
	sp := p.Splitter()
	for k := range train {
		sp.TrainingTarget(p.SidePsi().ID(), train[k], sp.Fold(k))
	}
	return train, held, nil
}

// Validate returns an error that names the first field out of range.
func (o AssessOptions) Validate() error {
	return bounds.First(
		bounds.Enum("rr: AssessOptions.Form", o.Form, "0, SameLaw or ShiftedLaw", 0, SameDistribution, CovariateShift),
		largePenalty("rr: AssessOptions.LambdaH", o.LambdaH),
		largePenalty("rr: AssessOptions.Mu", o.Mu),
	)
}

// largePenalty checks a penalty that sums are added to.
func largePenalty(name string, s rr.Setting) error {
	if v := s.Or(0); v >= 1e300 {
		return fmt.Errorf("%s is %g, must be below 1e300", name, v)
	}
	return rr.Penalty(name, s)
}
