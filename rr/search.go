package rr

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"mediant/features"
	"mediant/solvers"
	"mediant/tables"
)

// Search is 2Step-RR or Joint-RR with everything that is not given chosen, without one pair (X, Y):
//
//  1. psi, its bandwidth and lambda_h by cross-validated squared error on S_Y,
//  2. phi, its bandwidth and lambda_f by uncoupled risk,
//  3. both penalties again and w, by uncoupled risk, with features of final size.
//
// Candidates are compared with few features; all of it comes from sums over folds, one pass over a table
// for each candidate map. w is never chosen by the bound J_w, whose value depends on w. The zero value
// is usable; Phi and Psi of Setup that are zero but for a size are chosen among DefaultCandidates, a kernel
// without a bandwidth at several bandwidths, anything else is used as it is.
type Search struct {
	Setup
	W, LambdaF, LambdaH Setting
	// PhiCandidates and PsiCandidates replace what is tried on each side, if not nil.
	PhiCandidates, PsiCandidates []features.Spec
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
	Stage string  `json:"stage"` // "psi", "phi" or "numbers"
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
	p, trials, err := s.Choose(ctx, xu, uy)
	if err != nil {
		return nil, err
	}
	m, err := s.Tuned().Solve(ctx, p)
	if err != nil {
		return nil, err
	}
	m.Search = append(trials, m.Search...)
	return m, nil
}

// Choose runs the first two stages and returns the problem with the chosen maps at their final size.
func (s Search) Choose(ctx context.Context, xu, uy tables.Source) (*Problem, []Trial, error) {
	if s.Folds < 2 {
		s.Folds = SearchFolds
	}
	p := &Problem{Setup: s.Setup, sourceXU: xu, sourceUY: uy}
	if err := p.encode(ctx); err != nil {
		return nil, nil, err
	}
	p.limitFolds()
	if p.Setup.Folds < 2 {
		return nil, nil, fmt.Errorf("rr: search: one row in a table is not enough to choose anything: give the settings by hand")
	}
	psi, judge, trials, err := s.choosePsi(ctx, p)
	if err != nil {
		return nil, nil, err
	}
	phi, more, err := s.choosePhi(ctx, p, judge)
	if err != nil {
		return nil, nil, err
	}
	final := s.Setup
	final.Folds = p.Setup.Folds
	final.Phi, final.Psi = sized(phi, finalSize(p.X.Rows()), p.X.Width()), sized(psi, finalSize(p.U.Rows()), p.U.Width())
	problem, err := Prepare(ctx, final, xu, uy)
	return problem, append(trials, more...), err
}

// choosePsi is stage 1. p is left with the chosen psi.
func (s Search) choosePsi(ctx context.Context, p *Problem) (features.Spec, *judge, []Trial, error) {
	rows, err := features.Sample(ctx, p.U, sampleRows, p.Setup.Seed, "psi", p.sourceXU, p.sourceUY)
	if err != nil {
		return features.Spec{}, nil, nil, err
	}
	var board board
	var chosen *judge
	var psi features.Map
	specs := candidates(s.Psi, s.PsiCandidates)
	for _, spec := range specs {
		m, j, err := s.tryPsi(ctx, p, spec, rows)
		if ctx.Err() != nil {
			return spec, nil, nil, ctx.Err()
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
		return features.Spec{}, nil, nil, fmt.Errorf("rr: search: no candidate for psi can be fitted: %s", board.trials[0].Error)
	}
	p.Psi = psi
	return specs[board.winner], chosen, board.close(), nil
}

func (s Search) tryPsi(ctx context.Context, p *Problem, spec features.Spec, rows *mat.Dense) (features.Map, *judge, error) {
	m, _, err := sized(spec, searchSize, p.U.Width()).Fit(rows, p.Setup.Seed, "psi")
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

// choosePhi is stage 2, with the psi of p.
func (s Search) choosePhi(ctx context.Context, p *Problem, j *judge) (features.Spec, []Trial, error) {
	rows, err := features.Sample(ctx, p.X, sampleRows, p.Setup.Seed, "phi", p.sourceXU)
	if err != nil {
		return features.Spec{}, nil, err
	}
	var board board
	specs := candidates(s.Phi, s.PhiCandidates)
	if len(specs) == 1 { // nothing to compare
		return specs[0], nil, nil
	}
	for _, spec := range specs {
		t := Trial{Stage: "phi", Name: candidateName(spec)}
		err := s.tryPhi(ctx, p, j, spec, rows, &t)
		if ctx.Err() != nil {
			return spec, nil, ctx.Err()
		}
		board.add(t, err)
	}
	if board.winner < 0 {
		return features.Spec{}, nil, fmt.Errorf("rr: search: no candidate for phi can be fitted: %s", board.trials[0].Error)
	}
	return specs[board.winner], board.close(), nil
}

// tryPhi fits 2Step-RR with every lambda_f and the judge's lambda_h.
func (s Search) tryPhi(ctx context.Context, p *Problem, j *judge, spec features.Spec, rows *mat.Dense, t *Trial) error {
	m, _, err := sized(spec, searchSize, p.X.Width()).Fit(rows, p.Setup.Seed, "phi")
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
	tuning, err := j.tune(ctx, xu, grid{lambdaF: s.LambdaF.grid(searchLambdas), lambdaH: []float64{j.lambdaH()}, w: []float64{1}}, !p.Setup.NoIntercept)
	if err != nil {
		return err
	}
	at := tuning.best()
	if at < 0 {
		return fmt.Errorf("no penalty gives a finite risk")
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

// close marks the winner and fills in the differences to it, with standard errors over folds: the
// deviation of the K paired differences over sqrt(K).
func (b *board) close() []Trial {
	win := b.trials[b.winner]
	for i := range b.trials {
		t := &b.trials[i]
		t.Chosen = i == b.winner
		if t.Risk == nil {
			continue
		}
		d := *t.Risk - *win.Risk
		t.Difference = &d
		if k := len(t.byFold); k > 1 && len(win.byFold) == k {
			var mean, squares float64
			for f := range k {
				mean += (t.byFold[f] - win.byFold[f]) / float64(k)
			}
			for f := range k {
				e := t.byFold[f] - win.byFold[f] - mean
				squares += e * e
			}
			se := math.Sqrt(squares / float64(k*(k-1)))
			t.SE = &se
		}
	}
	return b.trials
}

// Tuned is stage 3 as a Solver: it chooses w and the penalties that are not given by uncoupled risk on
// the folds of the problem, and fits 2Step-RR or Joint-RR with them. On the problem of the training folds
// it chooses again, so that an Assessment of it allows for the choice.
func (s Search) Tuned() Solver { return tuned(s) }

type tuned Search

func (t tuned) Fit(ctx context.Context, xu, uy tables.Source) (*Model, error) {
	return Search(t).Fit(ctx, xu, uy)
}

func (t tuned) Solve(ctx context.Context, p *Problem) (*Model, error) {
	params, trials, err := t.choose(ctx, p)
	if err != nil {
		return nil, err
	}
	method := "joint"
	if params.W == 1 {
		method = "2step"
	}
	m, err := p.solve(method, params)
	if err != nil {
		return nil, err
	}
	m.Search = trials
	return m, nil
}

// choose tunes coarsely at w = 1, then w and both penalties around what was found.
func (t tuned) choose(ctx context.Context, p *Problem) (solvers.Params, []Trial, error) {
	none := solvers.Params{}
	if len(p.foldsUY) < 2 {
		return none, nil, fmt.Errorf("rr: search: choosing penalties needs at least 2 folds")
	}
	intercept := !p.Setup.NoIntercept
	j, err := newJudge(p.foldsUY, t.LambdaH.grid(searchLambdas), intercept)
	if err != nil {
		return none, nil, err
	}
	xu, err := newSplits(p.foldsXU)
	if err != nil {
		return none, nil, err
	}
	coarse, err := j.tune(ctx, xu, grid{t.LambdaF.grid(searchLambdas), []float64{j.lambdaH()}, t.W.grid([]float64{1})[:1]}, intercept)
	if err != nil {
		return none, nil, err
	}
	at := coarse.best()
	if at < 0 {
		return none, nil, fmt.Errorf("rr: search: no penalty gives a finite risk")
	}
	fine, err := j.tune(ctx, xu, grid{
		lambdaF: around(t.LambdaF, coarse.points[at].LambdaF),
		lambdaH: around(t.LambdaH, coarse.points[at].LambdaH),
		w:       t.W.grid(searchWs),
	}, intercept)
	if err != nil {
		return none, nil, err
	}
	var board board
	for i, q := range fine.points {
		board.add(Trial{
			Stage: "numbers", Name: fmt.Sprintf("w %g, lambda_f %g, lambda_h %g", q.W, q.LambdaF, q.LambdaH),
			W: q.W, LambdaF: q.LambdaF, LambdaH: q.LambdaH, Risk: &fine.verdicts[i].risk, byFold: fine.verdicts[i].byFold,
		}, nil)
	}
	if !board.any {
		return none, nil, fmt.Errorf("rr: search: no penalty gives a finite risk")
	}
	return fine.points[board.winner], board.close(), nil
}

// around are the penalties near one that was found, or the one that was given.
func around(given Setting, found float64) []float64 {
	if !given.IsAuto() {
		return []float64{given.value}
	}
	var out []float64
	for _, r := range refine {
		out = append(out, found*r)
	}
	return out
}
