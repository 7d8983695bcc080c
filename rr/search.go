package rr

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"mediant/features"
	"mediant/solvers"
	"mediant/tables"
)

// Search is 2Step-RR or Joint-RR with everything that is not given chosen, without one pair (X, Y):
//
//  1. psi, its bandwidth and lambda_h by cross-validated squared error on S_Y,
//  2. phi, its bandwidth and lambda_f by uncoupled risk,
//  3. both penalties again and w, by uncoupled risk, with features of final size,
//  4. the method, among that and the rivals, by uncoupled risk.
//
// Candidates are compared with few features; all of it comes from sums over folds, one pass over a table
// for each candidate map, and tables that are not large are held in memory meanwhile. w is never
// chosen by the bound J_w, whose value depends on w. The zero value is usable; Phi and Psi of Setup that
// are zero but for a size are chosen among DefaultCandidates, a kernel without a bandwidth at several
// bandwidths, anything else is used as it is.
type Search struct {
	Setup
	W, LambdaF, LambdaH Setting
	Penalty             solvers.Penalty
	JointOnly           bool // leaves out w = 1, 2Step-RR
	// PhiCandidates and PsiCandidates replace what is tried on each side, if not nil.
	PhiCandidates, PsiCandidates []features.Spec
	// Rivals are the methods of stage 4, given what was chosen for 2Step-RR or Joint-RR; nil: none. As
	// these have theory on their side, a rival must be better by more than a standard error.
	Rivals func(chosen solvers.Params) []Solver
	// Assess says how methods are judged in the end.
	Assess AssessOptions
}

// Fixed returns the method with the numbers that were given, and whether that leaves nothing to choose.
func (s Search) Fixed() (Solver, bool) {
	if s.W.IsAuto() || s.LambdaF.IsAuto() || s.LambdaH.IsAuto() || len(candidates(s.Phi, s.PhiCandidates)) > 1 || len(candidates(s.Psi, s.PsiCandidates)) > 1 {
		return nil, false
	}
	j := Joint{Setup: s.Setup, W: s.W, LambdaF: s.LambdaF, LambdaH: s.LambdaH, Penalty: s.Penalty}
	if s.W.value == 1 && !s.JointOnly {
		return TwoStep{Setup: s.Setup, LambdaF: s.LambdaF, LambdaH: s.LambdaH}, true
	}
	return j, true
}

// A Choice is the outcome of a search.
type Choice struct {
	// Problem is that of the chosen maps at their final size, Solver the method with all its numbers.
	Problem *Problem
	Solver  Solver
	Trials  []Trial
	// Optimism estimates by how much the least risk of the candidates is too low for being the least.
	Optimism float64

	options    AssessOptions
	assessment *Assessment // of Solver, if stage 4 made it
}

// Chosen is the Choice of a method that was chosen by hand. With less than 2 folds in the setup there
// is no Assessment of it.
func Chosen(ctx context.Context, s Setup, method Solver, opt AssessOptions, xu, uy tables.Source) (*Choice, error) {
	p, err := Prepare(ctx, s, xu, uy)
	if err != nil {
		return nil, err
	}
	return &Choice{Problem: p, Solver: method, options: opt}, nil
}

// Solve fits the chosen method to all rows.
func (c *Choice) Solve(ctx context.Context) (*Model, error) {
	m, err := c.Solver.Solve(ctx, c.Problem)
	if err != nil {
		return nil, err
	}
	m.Search = c.Trials
	return m, nil
}

// Assessment is that of the chosen method, with the optimism of the choice added to its risk.
func (c *Choice) Assessment(ctx context.Context) (*Assessment, error) {
	a := c.assessment
	if a == nil {
		var err error
		if a, err = c.Problem.Assess(ctx, Solved(c.Solver), c.options); err != nil {
			return nil, err
		}
	}
	return a.Corrected(c.Optimism), nil
}

var _ Method = Search{}

// Grids of a search: penalties a factor of 10 apart from next to none to one that leaves a constant, and
// weights that include 1. In the last stage penalties keep within a factor of 10 of what was found.
var (
	searchLambdas = []float64{1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1}
	searchWs      = []float64{1, 0.8, 0.5, 0.3}
	refine        = []float64{0.1, 1, 10}
)

// SearchFolds is the number of folds of a search where none is given.
const SearchFolds = 5

// A Trial is one candidate of a search.
type Trial struct {
	Stage string  `json:"stage"` // "psi", "phi", "numbers" or "method"
	Name  string  `json:"name"`
	W     float64 `json:"w,omitempty"`
	// The best penalties of this candidate.
	LambdaF float64 `json:"lambda_f,omitempty"`
	LambdaH float64 `json:"lambda_h,omitempty"`
	// Risk is the cross-validated squared error of h for psi, else the uncoupled risk of f; nil where the
	// candidate failed, as Error says.
	Risk *float64 `json:"risk"`
	// Difference is Risk less that of the stage's winner, and SE its standard error over folds.
	Difference *float64 `json:"difference,omitempty"`
	SE         *float64 `json:"se,omitempty"`
	Error      string   `json:"error,omitempty"`
	Chosen     bool     `json:"chosen,omitempty"`

	byFold []float64
}

// Fit implements Method.
func (s Search) Fit(ctx context.Context, xu, uy tables.Source) (*Model, error) {
	c, err := s.Choose(ctx, xu, uy)
	if err != nil {
		return nil, err
	}
	return c.Solve(ctx)
}

// Choose runs all stages.
func (s Search) Choose(ctx context.Context, xu, uy tables.Source) (*Choice, error) {
	p := &Problem{Setup: s.Setup, sourceXU: xu, sourceUY: uy}
	if err := p.encode(ctx); err != nil {
		return nil, err
	}
	if p.Setup.Folds < 2 {
		p.Setup.Folds = SearchFolds
	}
	p.limitFolds()
	if err := p.load(ctx); err != nil {
		return nil, err
	}
	if err := p.checkRows(ctx); err != nil {
		return nil, err
	}
	c := &Choice{Problem: p, options: s.Assess}
	if err := s.chooseMaps(ctx, c); err != nil {
		return nil, err
	}
	if err := p.checkMemory(); err != nil {
		return nil, err
	}
	if err := p.mapFeatures(ctx); err != nil {
		return nil, err
	}
	if err := p.sum(ctx); err != nil {
		return nil, err
	}
	if err := s.chooseNumbers(ctx, c); err != nil {
		return nil, err
	}
	return c, nil
}

// checkRows reads both tables for what would be the fault of no candidate: weights out of range, and fewer
// than two folds with rows to learn from.
func (p *Problem) checkRows(ctx context.Context) error {
	weight := [2][]float64{make([]float64, p.Setup.Folds), make([]float64, p.Setup.Folds)}
	count := func(table int) func(k int, a, b *mat.Dense, w []float64) {
		return func(k int, a, _ *mat.Dense, w []float64) {
			for i := range a.RawMatrix().Rows {
				weight[table][k] += weightOf(w, i)
			}
		}
	}
	if err := p.walkXU(ctx, p.X, p.U, count(0)); err != nil {
		return err
	}
	if err := p.walkUY(ctx, p.U, p.Y, count(1)); err != nil {
		return err
	}
	if err := p.someXU(floats.Sum(weight[0])); err != nil {
		return err
	}
	if err := p.someUY(floats.Sum(weight[1])); err != nil {
		return err
	}
	for table, name := range []string{"X and U", "U and Y"} {
		if slices.Max(weight[table]) == floats.Sum(weight[table]) {
			return fmt.Errorf("rr: search: one row of use in the table of %s is not enough to choose anything: give the settings by hand", name)
		}
	}
	return nil
}

// chooseMaps runs stages 1 and 2, unless there is nothing to choose.
func (s Search) chooseMaps(ctx context.Context, c *Choice) error {
	p := c.Problem
	phis, psis := candidates(s.Phi, s.PhiCandidates), candidates(s.Psi, s.PsiCandidates)
	phi, psi := phis[0], psis[0]
	if len(phis) > 1 || len(psis) > 1 {
		var j *judge
		var err error
		if psi, j, err = s.choosePsi(ctx, c, psis); err != nil {
			return err
		}
		if phi, err = s.choosePhi(ctx, c, j, phis); err != nil {
			return err
		}
	}
	// No larger than memory allows, down to what was searched with.
	sizeX, sizeU := finalSize(p.X.Rows()), finalSize(p.U.Rows())
	for {
		p.Setup.Phi, p.Setup.Psi = sized(phi, sizeX, p.X.Width()), sized(psi, sizeU, p.U.Width())
		if p.checkMemory() == nil || max(sizeX, sizeU) <= searchSize(p.X.Rows()) {
			return nil
		}
		sizeX, sizeU = max(64, sizeX/2), max(64, sizeU/2)
	}
}

// heldBytes is the size of a table up to which a search holds it in memory.
const heldBytes = 1 << 30

// load replaces sources that are not large by tables in memory.
func (p *Problem) load(ctx context.Context) error {
	rows := p.U.SourceRows()
	for i, src := range []*tables.Source{&p.sourceXU, &p.sourceUY} {
		if 8*float64(rows[i])*float64(len((*src).Columns())) > heldBytes {
			continue
		}
		t, err := tables.Load(ctx, *src)
		if err != nil {
			return err
		}
		*src = t
	}
	return nil
}

// choosePsi is stage 1. The problem is left with the chosen psi.
func (s Search) choosePsi(ctx context.Context, c *Choice, specs []features.Spec) (features.Spec, *judge, error) {
	p := c.Problem
	rows, err := features.Sample(ctx, p.U, sampleRows, p.Setup.Seed, "psi", p.sourceXU, p.sourceUY)
	if err != nil {
		return features.Spec{}, nil, err
	}
	var board board
	var chosen *judge
	var psi features.Map
	for _, spec := range specs {
		m, j, err := s.tryPsi(ctx, p, spec, rows)
		if ctx.Err() != nil {
			return spec, nil, ctx.Err()
		}
		t := Trial{Stage: "psi", Name: candidateName(spec)}
		if err == nil {
			t.LambdaH = j.lambdaH()
			t.byFold = j.noise()
			risk := j.curve.risk[best(j.curve.risk)]
			t.Risk = &risk
		}
		if board.add(t, err) {
			chosen, psi = j, m
		}
	}
	if chosen == nil {
		return features.Spec{}, nil, fmt.Errorf("rr: search: no candidate for psi can be fitted: %s", board.trials[0].Error)
	}
	p.Psi = psi
	c.Trials = append(c.Trials, board.close()...)
	return specs[board.winner], chosen, nil
}

func (s Search) tryPsi(ctx context.Context, p *Problem, spec features.Spec, rows *mat.Dense) (features.Map, *judge, error) {
	m, _, err := sized(spec, searchSize(p.U.Rows()), p.U.Width()).Fit(rows, p.Setup.Seed, "psi")
	if err != nil {
		return nil, nil, err
	}
	folds, _, err := p.pairs(ctx, p.sourceUY, p.Setup.Roles.WeightsUY, features.Mapped{Encoder: p.U, Map: m}, p.Y)
	if err != nil {
		return nil, nil, err
	}
	j, err := newJudge(folds, s.LambdaH.grid(searchLambdas), !p.Setup.NoIntercept)
	return m, j, err
}

// noise is the squared error of the judge's h by fold.
func (j *judge) noise() []float64 {
	out := make([]float64, len(j.h))
	for k, held := range j.uy.held {
		if held.Weight() > 0 {
			e := j.h[k].residual(len(j.h[k].intercept))
			for _, v := range held.Inner(e, e) {
				out[k] += v
			}
		}
	}
	return out
}

// choosePhi is stage 2, with the psi of the problem.
func (s Search) choosePhi(ctx context.Context, c *Choice, j *judge, specs []features.Spec) (features.Spec, error) {
	if len(specs) == 1 { // nothing to compare
		return specs[0], nil
	}
	p := c.Problem
	rows, err := features.Sample(ctx, p.X, sampleRows, p.Setup.Seed, "phi", p.sourceXU)
	if err != nil {
		return features.Spec{}, err
	}
	var board board
	for _, spec := range specs {
		t := Trial{Stage: "phi", Name: candidateName(spec)}
		err := s.tryPhi(ctx, p, j, spec, rows, &t)
		if ctx.Err() != nil {
			return spec, ctx.Err()
		}
		board.add(t, err)
	}
	if board.winner < 0 {
		return features.Spec{}, fmt.Errorf("rr: search: no candidate for phi can be fitted: %s", board.trials[0].Error)
	}
	trials := board.close()
	c.Trials = append(c.Trials, trials...)
	c.Optimism += optimism(trials)
	return specs[board.winner], nil
}

// tryPhi fits 2Step-RR with every lambda_f and the judge's lambda_h.
func (s Search) tryPhi(ctx context.Context, p *Problem, j *judge, spec features.Spec, rows *mat.Dense, t *Trial) error {
	m, _, err := sized(spec, searchSize(p.X.Rows()), p.X.Width()).Fit(rows, p.Setup.Seed, "phi")
	if err != nil {
		return err
	}
	folds, _, err := p.pairs(ctx, p.sourceXU, p.Setup.Roles.WeightsXU, features.Mapped{Encoder: p.X, Map: m}, p.psi())
	if err != nil {
		return err
	}
	xu, err := newSplits(folds)
	if err != nil {
		return err
	}
	tuning, err := j.tune(ctx, xu, grid{s.LambdaF.grid(searchLambdas), []float64{j.lambdaH()}, []float64{1}, solvers.Scaled}, !p.Setup.NoIntercept)
	if err != nil {
		return err
	}
	at := tuning.best()
	if at < 0 {
		return errNoRisk
	}
	t.LambdaF, t.LambdaH = tuning.points[at].LambdaF, tuning.points[at].LambdaH
	t.Risk, t.byFold = &tuning.verdicts[at].risk, tuning.verdicts[at].byFold
	return nil
}

// A board keeps the trials of a stage and the best so far; a candidate that failed, or whose risk is
// not finite, never wins.
type board struct {
	trials []Trial
	winner int
	any    bool
}

// add reports whether t is the best so far.
func (b *board) add(t Trial, err error) bool {
	if err == nil && (t.Risk == nil || math.IsNaN(*t.Risk) || math.IsInf(*t.Risk, 0)) {
		err = fmt.Errorf("the risk is not finite")
	}
	if err != nil {
		t.Error, t.Risk = err.Error(), nil
	}
	b.trials = append(b.trials, t)
	last := len(b.trials) - 1
	if err == nil && (!b.any || *t.Risk < *b.trials[b.winner].Risk) {
		b.winner, b.any = last, true
		return true
	}
	if !b.any {
		b.winner = -1
	}
	return false
}

// addRival is add for a candidate that has to be better than the best by more than the standard error of
// the difference.
func (b *board) addRival(t Trial, err error) bool {
	before := b.winner
	if !b.add(t, err) {
		return false
	}
	difference, se := b.trials[b.winner].against(b.trials[before])
	if difference+se >= 0 {
		b.winner = before
		return false
	}
	return true
}

// close marks the winner and fills in the differences to it.
func (b *board) close() []Trial {
	win := b.trials[b.winner]
	for i := range b.trials {
		t := &b.trials[i]
		t.Chosen = i == b.winner
		if t.Risk == nil {
			continue
		}
		d, se := t.against(win)
		t.Difference = &d
		if !math.IsNaN(se) {
			t.SE = &se
		}
	}
	return b.trials
}

// against is the difference of the risk to that of another candidate and its standard error over folds,
// the deviation of the K paired differences over sqrt(K); NaN for fewer than two folds.
func (t Trial) against(o Trial) (difference, se float64) {
	difference = *t.Risk - *o.Risk
	k := len(t.byFold)
	if k < 2 || len(o.byFold) != k {
		return difference, math.NaN()
	}
	gaps := floats.SubTo(make([]float64, k), t.byFold, o.byFold)
	return difference, stat.StdDev(gaps, nil) / math.Sqrt(float64(k))
}

// optimism estimates by how much the risk of a stage's winner is too low for being the least: in
// turn, the winner on all folds but one is judged on that one, where it was not chosen, against the
// winner of all.
func optimism(trials []Trial) float64 {
	var usable []Trial
	winner := -1
	for _, t := range trials {
		if t.Risk == nil {
			continue
		}
		if t.Chosen {
			winner = len(usable)
		}
		usable = append(usable, t)
	}
	if winner < 0 {
		return 0
	}
	sum, folds := 0.0, 0
	for k, own := range usable[winner].byFold {
		least, at := math.Inf(1), winner
		for i, t := range usable {
			others := 0.0
			for f, v := range t.byFold {
				if f != k && !math.IsNaN(v) {
					others += v
				}
			}
			if others < least {
				least, at = others, i
			}
		}
		if gap := usable[at].byFold[k] - own; !math.IsNaN(gap) {
			sum += gap
			folds++
		}
	}
	if folds == 0 {
		return 0
	}
	return max(0, sum/float64(folds))
}

// chooseNumbers is stage 3, tuning coarsely at w = 1, then w and both penalties around what was found;
// and stage 4.
func (s Search) chooseNumbers(ctx context.Context, c *Choice) error {
	p := c.Problem
	intercept := !p.Setup.NoIntercept
	j, err := newJudge(p.foldsUY, s.LambdaH.grid(searchLambdas), intercept)
	if err != nil {
		return err
	}
	xu, err := newSplits(p.foldsXU)
	if err != nil {
		return err
	}
	coarse, err := j.tune(ctx, xu, grid{s.LambdaF.grid(searchLambdas), []float64{j.lambdaH()}, []float64{1}, solvers.Scaled}, intercept)
	if err != nil {
		return err
	}
	at := coarse.best()
	if at < 0 {
		return errNoRisk
	}
	ws := searchWs
	if s.JointOnly || s.Penalty == solvers.Paper { // which is not defined at 1
		ws = ws[1:]
	}
	fine, err := j.tune(ctx, xu, grid{
		lambdaF: around(s.LambdaF, coarse.points[at].LambdaF),
		lambdaH: around(s.LambdaH, coarse.points[at].LambdaH),
		w:       s.W.grid(ws),
		penalty: s.Penalty,
	}, intercept)
	if err != nil {
		return err
	}
	var board board
	for i, q := range fine.points {
		board.add(Trial{
			Stage: "numbers", Name: fmt.Sprintf("w %g, lambda_f %g, lambda_h %g", q.W, q.LambdaF, q.LambdaH),
			W: q.W, LambdaF: q.LambdaF, LambdaH: q.LambdaH, Risk: &fine.verdicts[i].risk, byFold: fine.verdicts[i].byFold,
		}, nil)
	}
	if !board.any {
		return errNoRisk
	}
	trials := board.close()
	c.Trials = append(c.Trials, trials...)
	c.Optimism += optimism(trials)
	chosen := fine.points[board.winner]
	c.Solver = withParams(chosen)
	return s.chooseMethod(ctx, c, chosen)
}

var errNoRisk = errors.New("rr: search: no penalty gives a finite risk")

// withParams is 2Step-RR or Joint-RR with these numbers.
func withParams(p solvers.Params) Solver {
	if p.W == 1 {
		return TwoStep{LambdaF: Value(p.LambdaF), LambdaH: Value(p.LambdaH)}
	}
	return Joint{W: Value(p.W), LambdaF: Value(p.LambdaF), LambdaH: Value(p.LambdaH), Penalty: p.Penalty}
}

// chooseMethod is stage 4.
func (s Search) chooseMethod(ctx context.Context, c *Choice, chosen solvers.Params) error {
	if s.Rivals == nil {
		return nil
	}
	own, err := c.Problem.Assess(ctx, Solved(c.Solver), s.Assess)
	if err != nil {
		return err
	}
	name := "joint"
	if chosen.W == 1 {
		name = "2step"
	}
	var board board
	board.add(Trial{Stage: "method", Name: name, Risk: &own.Risk.MSE, byFold: own.byFold}, nil)
	c.assessment = own
	for _, rival := range s.Rivals(chosen) {
		t := Trial{Stage: "method"}
		a, err := c.Problem.Assess(ctx, func(ctx context.Context, train *Problem) (Predictor, error) {
			m, err := rival.Solve(ctx, train)
			if err != nil {
				return nil, err
			}
			t.Name = m.Method
			return m.F, nil
		}, s.Assess)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err == nil {
			t.Risk, t.byFold = &a.Risk.MSE, a.byFold
		}
		if board.addRival(t, err) {
			c.Solver, c.assessment = rival, a
		}
	}
	trials := board.close()
	c.Trials = append(c.Trials, trials...)
	return nil
}

// around are the penalties near one that was found, or the one that was given.
func around(given Setting, found float64) []float64 {
	if !given.IsAuto() {
		return []float64{given.value}
	}
	var out []float64
	for _, r := range refine {
		// Two digits, so that a report has 1e-06 and not 1.0000000000000002e-06.
		v, err := strconv.ParseFloat(strconv.FormatFloat(found*r, 'g', 2, 64), 64)
		if err != nil {
			panic(err) // of a number just written
		}
		out = append(out, v)
	}
	return out
}
