package search

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"mediant/encode"
	"mediant/features"
	"mediant/internal/bounds"
	"mediant/losses"
	"mediant/moments"
	"mediant/problem"
	"mediant/risk"
	"mediant/rr"
	"mediant/solvers"
	"mediant/tables"
)

// Search chooses every hyperparameter of 2Step-RR or Joint-RR that is not set, without coupled (X, Y) rows, in four stages:
//
//  1. psi, its bandwidth and lambda_h by cross-validated squared error on S_Y,
//  2. phi, its bandwidth and lambda_f by uncoupled risk,
//  3. both penalties again, w, weights by precision for the rows of S_X, and fits by components of h,
//     by uncoupled risk, with features of final size,
//  4. the method, among the result of stage 3 and the rivals, by uncoupled risk.
//
// Of several columns of Y each has its own w, penalties, weights by precision and fit by components in stage 3 (rr.ByOutput), which do not depend on the other columns; features and the method of stage 4 are
// common.
//
// Candidates are compared with few features, from sums by fold, at the cost of one pass over a table for each candidate map.
// Small tables are kept in memory meanwhile. Where a map has more than 512 features, stage 3 asks 512 for w, and whether weights by precision and fits by components are of use, and tunes the penalties with all of them. Of tables of more than 20,000 rows stages 1 and 2 see a sample; of tables of 50,000 rows or more so does stage 3 for w, and where that is 1 it chooses the penalties by the squared
// errors of h and f on the first fold. w is not chosen by the bound J_w, whose value depends on w.
//
// The zero value is usable. Phi and Psi of Setup are chosen among DefaultCandidates, PairCandidates, LandmarkCandidates and MetricCandidates if they are zero except for a size, Phi also among pairs of the columns of X that U depends on; a
// kernel without a bandwidth is tried at several bandwidths; anything else is used as set.
type Search struct {
	problem.Setup
	W, LambdaF, LambdaH rr.Setting
	Penalty             solvers.Penalty
	JointOnly           bool // leaves out w = 1, 2Step-RR
	// Precision says whether rows of S_X are weighted by precision (WeighByPrecision), Components whether 2Step-RR is fitted by components
	// (rr.TwoStep.Components).
	Precision, Components Use
	// PhiCandidates and PsiCandidates replace the candidate maps of each side, if not nil.
	PhiCandidates, PsiCandidates []features.Spec
	// Rivals returns the methods of stage 4, given the parameters chosen for 2Step-RR or Joint-RR; nil: none. A rival is
	// chosen only if it is better by more than a standard error, because theory favours the two.
	Rivals func(chosen solvers.Params) []rr.Method
	// Loss is the loss in which f and h are fitted and the penalties chosen. Nil is losses.Squared, or for up to 100 classes losses.Log, so that their predictions are probabilities, unless something else that
	// is set is for squared error alone: W below 1, JointOnly, the penalties of the paper or of 0, Precision, Components, Shift, and form 2 of the risk. Features are chosen by squared error whatever the loss; for another than that the method is rr.Generalized, and Rivals are of no use.
	Loss losses.Canonical
	// Assess says how the risk of the chosen method is estimated.
	Assess risk.AssessOptions

	atMost  int  // features at which maps are compared; 0: as many as the rows allow
	planned bool // leaves landmarks and learned metrics out of the default candidates
}

// A Use says whether a search uses an optional way to fit.
type Use int

const (
	// Compared makes it a candidate, unless there are so many rows that it cannot matter.
	Compared Use = iota
	Always
	Never
)

// Fixed returns the method with the hyperparameters that are set, and whether nothing is left to choose.
func (s Search) Fixed() (rr.Method, bool) {
	if s.otherLoss() != nil {
		if s.LambdaF.IsAuto() || s.LambdaH.IsAuto() || len(candidates(s.Phi, s.PhiCandidates)) > 1 || len(candidates(s.Psi, s.PsiCandidates)) > 1 {
			return nil, false
		}
		return rr.Generalized{Loss: s.Loss, LambdaF: s.LambdaF, LambdaH: s.LambdaH}, true
	}
	if s.W.IsAuto() || s.LambdaF.IsAuto() || s.LambdaH.IsAuto() || len(candidates(s.Phi, s.PhiCandidates)) > 1 || len(candidates(s.Psi, s.PsiCandidates)) > 1 {
		return nil, false
	}
	j := rr.Joint{W: s.W, LambdaF: s.LambdaF, LambdaH: s.LambdaH, Penalty: s.Penalty}
	if s.W.Or(0) == 1 && !s.JointOnly {
		return rr.TwoStep{LambdaF: s.LambdaF, LambdaH: s.LambdaH, Components: s.Components == Always}, true
	}
	return j, true
}

// Grids of a search: penalties a factor of 10 apart, from almost none to one that leaves a constant, and weights that
// include 1. In the last stage penalties stay within a factor of 10 of the coarse result.
var (
	searchLambdas = []float64{1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1}
	searchWs      = []float64{1, 0.8, 0.5, 0.3}
	refine        = []float64{0.1, 1, 10}
	// By components f has less noise, and so wants less of a penalty.
	refineComponents = []float64{0.001, 0.01, 0.1, 1, 10}
)

// Folds is the default number of folds of a search.
const Folds = 5

// Choose runs all four stages on xu, a table of (X, U), and uy, a table of (U, Y), which are read several times. The error
// names a setting out of range, or is one of reading; a candidate that fails is a Trial with an Error.
func (s Search) Choose(ctx context.Context, xu, uy tables.Source) (*Choice, error) {
	if err := s.check(s.W); err != nil {
		return nil, err
	}
	e, err := s.encode(ctx, xu, uy)
	if err != nil {
		return nil, err
	}
	set := s.Loss != nil
	s = s.WithLoss(len(e.Y().Classes()))
	squared := s.bySquares()
	each, err := squared.chooseEncoded(ctx, e, []rr.Setting{squared.W})
	if err != nil {
		return nil, err
	}
	return each[0], s.generalise(ctx, each[0], set)
}

// ChooseEach returns the choice that Choose would make for each of ws in place of W, from one search: stages 1 and 2 do not
// depend on w, and the risk of a candidate of stage 3 does not depend on the others. The choices share their problems, with
// and without weights by precision. The loss is squared error.
func (s Search) ChooseEach(ctx context.Context, xu, uy tables.Source, ws ...rr.Setting) ([]*Choice, error) {
	if len(ws) == 0 {
		return nil, fmt.Errorf("search: a search for no W: want at least one")
	}
	if l := s.otherLoss(); l != nil {
		return nil, fmt.Errorf("search: a search for several W has squared error, not the loss %s", l.Name())
	}
	if err := s.check(ws...); err != nil {
		return nil, err
	}
	e, err := s.encode(ctx, xu, uy)
	if err != nil {
		return nil, err
	}
	return s.chooseEncoded(ctx, e, ws)
}

// encode encodes both tables in folds, and refuses rows that no candidate could be fitted to.
func (s Search) encode(ctx context.Context, xu, uy tables.Source) (*problem.Encoded, error) {
	if s.Folds < 2 {
		s.Folds = Folds
	}
	e, err := problem.EncodeFor(ctx, s.Setup, xu, uy, s.stages, searchMemory)
	if err != nil {
		return nil, err
	}
	if e, err = e.Loaded(ctx, s.stages); err != nil {
		return nil, err
	}
	return e, checkRows(ctx, e)
}

// chooseEncoded chooses for each of ws.
func (s Search) chooseEncoded(ctx context.Context, e *problem.Encoded, ws []rr.Setting) ([]*Choice, error) {
	c := Choice{options: s.Assess}
	var err error
	if e, err = s.chooseMaps(ctx, e, &c); err != nil {
		return nil, err
	}
	if err := e.Footprint().Within(s.HyperparameterBytes, ""); err != nil {
		return nil, err
	}
	wanted := s.each(unitsOf(e.Y()), ws)
	if len(ws) == 1 && s.with(ws[0]).inTurn(e) {
		if own, err := s.with(ws[0]).chooseInTurn(ctx, c, e); own != nil || err != nil {
			return []*Choice{own}, err
		}
	} else if len(ws) == 1 && s.with(ws[0]).asks(e.Footprint()) {
		if wanted, c, err = s.with(ws[0]).settled(ctx, c, e); err != nil {
			return nil, err
		}
	}
	m, err := e.Map(ctx)
	if err != nil {
		return nil, err
	}
	p, err := m.Sum(ctx)
	if err != nil {
		return nil, err
	}
	return chooseHyperparameters(ctx, c, p, wanted)
}

// unitsOf is the number of units of outputs (crossfit.Units).
func unitsOf(y *encode.Targets) int {
	if y.Together() {
		return 1
	}
	return y.Len()
}

// ChooseOf runs stages 3 and 4 for a prepared problem, whose encoders, maps and folds stay; it must have at least two folds.
// For a problem of sums without rows (problem.Sums) weights by precision are not compared. They return problem.ErrNeedsRows if
// Precision is Always, and rivals that need rows become trials with that error.
func (s Search) ChooseOf(ctx context.Context, p *problem.Problem) (*Choice, error) {
	if err := s.check(s.W); err != nil {
		return nil, err
	}
	if len(p.FoldsUY()) < 2 {
		return nil, fmt.Errorf("search: the problem has no folds, want at least 2")
	}
	p, err := p.Full(ctx)
	if err != nil {
		return nil, err
	}
	set := s.Loss != nil
	if p.NeedsRows("") == nil {
		s = s.WithLoss(len(p.Y().Classes()))
	}
	if s.otherLoss() != nil {
		if err := p.NeedsRows("a fit for another loss than squared error"); err != nil {
			return nil, err
		}
	}
	squared := s.bySquares()
	if squared.Precision == Always {
		if err := p.NeedsRows("weights by precision"); err != nil {
			return nil, err
		}
	}
	each, err := chooseHyperparameters(ctx, Choice{options: s.Assess}, p, squared.each(unitsOf(p.Y()), []rr.Setting{squared.W}))
	if err != nil {
		return nil, err
	}
	return each[0], s.generalise(ctx, each[0], set)
}

// check returns an error of the settings with each of ws in the place of W.
func (s Search) check(ws ...rr.Setting) error {
	for _, w := range ws {
		if err := s.with(w).Validate(); err != nil {
			return err
		}
	}
	if s.Components == Always && slices.ContainsFunc(ws, func(w rr.Setting) bool { return !slices.Contains(s.wGrid(w), 1) }) {
		return fmt.Errorf("search: by components wants w = 1, which is left out")
	}
	return nil
}

// checkRows reads both tables for faults that would fail every candidate: weights out of range, and fewer than two folds
// with usable rows.
func checkRows(ctx context.Context, p *problem.Encoded) error {
	folds := p.Setup().Folds
	weight := [2][]float64{make([]float64, folds), make([]float64, folds)}
	count := func(table int) func(k int, a, b *mat.Dense, w moments.Weights) {
		return func(k int, a, _ *mat.Dense, w moments.Weights) {
			for i := range a.RawMatrix().Rows {
				weight[table][k] += w.Of(i)
			}
		}
	}
	// Weights are all that is wanted; features of U are one number a row.
	one := p.Constant()
	if err := p.WalkXU(ctx, one, one, count(problem.TableXU)); err != nil {
		return err
	}
	if err := p.WalkUY(ctx, one, p.Y(), count(problem.TableUY)); err != nil {
		return err
	}
	if err := p.RequireUY(ctx, floats.Sum(weight[problem.TableUY])); err != nil {
		return err
	}
	for table, name := range []string{"X and U", "U and Y"} {
		if slices.Max(weight[table]) == floats.Sum(weight[table]) {
			return fmt.Errorf("search: one row of use in the table of %s is not enough to choose anything: set the hyperparameters explicitly", name)
		}
	}
	return nil
}

// Validate returns an error that names the first field out of range, or two that exclude each other.
func (s Search) Validate() error {
	switch {
	case s.PhiCandidates != nil && len(s.PhiCandidates) == 0:
		return fmt.Errorf("search: Search.PhiCandidates is empty, must be nil or have one")
	case s.PsiCandidates != nil && len(s.PsiCandidates) == 0:
		return fmt.Errorf("search: Search.PsiCandidates is empty, must be nil or have one")
	}
	for i, c := range s.PhiCandidates {
		if err := c.Validate(); err != nil {
			return fmt.Errorf("search: Search.PhiCandidates[%d]: %w", i, err)
		}
	}
	for i, c := range s.PsiCandidates {
		if err := c.Validate(); err != nil {
			return fmt.Errorf("search: Search.PsiCandidates[%d]: %w", i, err)
		}
	}
	return bounds.First(
		s.Setup.Validate(),
		s.Penalty.Check("search: Search.Penalty"),
		bounds.Enum("search: Search.Precision", s.Precision, "Compared, Always or Never", Compared, Always, Never),
		bounds.Enum("search: Search.Components", s.Components, "Compared, Always or Never", Compared, Always, Never),
		s.W.CheckWeight("search: Search.W", s.Penalty),
		s.LambdaF.CheckPenalty("search: Search.LambdaF"),
		s.LambdaH.CheckPenalty("search: Search.LambdaH"),
		bounds.Field("search: Search.Assess", s.Assess.Validate()),
	)
}
