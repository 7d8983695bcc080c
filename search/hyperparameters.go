package search

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"mediant/crossfit"
	"mediant/internal/progress"
	"mediant/moments"
	"mediant/problem"
	"mediant/risk"
	"mediant/rr"
	"mediant/solvers"
)

// chooseHyperparameters is stage 3, which tunes the penalties coarsely at w = 1, then w and both penalties around the
// result, with and without weights by precision; and stage 4. c is the choice of the stages before.
func (s Search) chooseHyperparameters(ctx context.Context, c Choice, p *problem.Problem, ws []rr.Setting) ([]*Choice, error) {
	step := func(done int) context.Context { return progress.Step(ctx, "choosing penalties and w", done, 3) }
	n, err := newHyperparameters(step(0), p, s.LambdaH, s.HyperparameterBytes)
	if err != nil {
		return nil, err
	}
	coarse, at, err := n.coarse(step(1), s.LambdaF)
	if err != nil {
		return nil, err
	}
	found := coarse.points[at]
	g := grid{lambdaF: around(s.LambdaF, found.LambdaF, refine), lambdaH: around(s.LambdaH, found.LambdaH, refine), penalty: s.Penalty}
	for _, w := range ws {
		for _, v := range s.wGrid(w) {
			if !slices.Contains(g.w, v) {
				g.w = append(g.w, v)
			}
		}
	}
	by, err := s.componentGrid(n.p, ws, g.lambdaH, found)
	if err != nil {
		return nil, err
	}
	if err := s.tryHyperparameters(step(2), n, g, by, ws, coarse.fits[at]); err != nil {
		return nil, err
	}
	plain, weighed := n.p, n.weighed
	n.comparison, n.xu = nil, crossfit.Splits{} // what follows takes memory as well
	out := make([]*Choice, len(ws))
	for i, w := range ws {
		one := c
		if err := s.with(w).finish(ctx, &one, n, plain, weighed); err != nil {
			return nil, err
		}
		out[i] = &one
	}
	return out, nil
}

// with is s with another W.
func (s Search) with(w rr.Setting) Search {
	s.W = w
	return s
}

// wGrid are the weights that are tried for a W.
func (s Search) wGrid(w rr.Setting) []float64 {
	if s.JointOnly || s.Penalty == solvers.Paper { // which is not defined at 1
		return w.Grid(searchWs[1:])
	}
	return w.Grid(searchWs)
}

// weighs reports whether weights by precision are tried.
func (s Search) weighs(rows int) bool {
	// With more rows there is little noise to save, and sums and time for it double.
	_, fixed := s.Fixed()
	return s.Precision == Always || s.Precision != Never && !fixed && rows <= problem.MapRows
}

// tryHyperparameters adds trials for the points of a grid, plain and weighted by precision about f, as far as any of ws
// needs them, and for a grid by components, if there is one. The latter are weighted only if weights are required, because
// the precision is that of all components together, while each has its own noise.
func (s Search) tryHyperparameters(ctx context.Context, n *hyperparameters, g grid, by *grid, ws []rr.Setting, f []crossfit.Affine) error {
	var at, byComponents []grid
	if s.Components != Always {
		at = append(at, g)
	}
	if by != nil {
		byComponents = append(byComponents, *by)
	}
	both := slices.Concat(at, byComponents)
	if s.Precision != Always {
		if err := n.try(ctx, both, n.xu.Train, false); err != nil {
			return err
		}
	} else {
		at = both
	}
	if len(at) == 0 || !n.p.HasRows() || !slices.ContainsFunc(ws, func(w rr.Setting) bool { return s.with(w).weighs(n.rows()) }) {
		return nil
	}
	err := n.tryPrecision(ctx, at, f)
	if err == nil || s.Precision == Always || ctx.Err() != nil {
		return err
	}
	// No variance to weight by, such as where f equals h; the other trials remain.
	n.add(Trial{Stage: numbersStage, Name: "weighted by precision", Precision: true}, solvers.Params{}, err)
	return nil
}

// finish completes c by the best trial that s may choose, and by stage 4.
func (s Search) finish(ctx context.Context, c *Choice, n *hyperparameters, plain, weighed *problem.Problem) error {
	var leaders leaderboard
	var points []solvers.Params
	ws, weighs, components := s.wGrid(s.W), s.weighs(n.rows()), s.triesComponents(n.rows())
	for i, t := range n.trials {
		if t.Precision && !weighs || t.Components && !components || n.errs[i] == nil && !slices.Contains(ws, t.W) {
			continue
		}
		leaders.add(t, n.errs[i])
		points = append(points, n.points[i])
	}
	if !leaders.any {
		return errNoPenalty
	}
	leaders.preferComponents()
	trials := leaders.close()
	c.Trials = slices.Concat(c.Trials, trials)
	c.addOptimism(trials)
	c.Problem = plain
	if trials[leaders.winner].Precision {
		c.Problem = weighed
	}
	chosen := points[leaders.winner]
	c.tuned = &tuned{chosen, trials[leaders.winner].Components, n.lambdaH}
	c.Method = withParams(chosen, c.tuned.components)
	return s.chooseMethod(ctx, c, chosen)
}

// hyperparameters is the state of stage 3: the sums of a problem by fold, and all trials.
type hyperparameters struct {
	p          *problem.Problem
	weighed    *problem.Problem // by precision, if that was tried
	comparison *comparison
	lambdaH    rr.Setting // of the h of the comparison, if it is one for all outputs
	xu         crossfit.Splits
	trials     []Trial
	points     []solvers.Params
	errs       []error // why a trial has no risk
}

// add adds one trial.
func (n *hyperparameters) add(t Trial, point solvers.Params, err error) {
	n.trials, n.points, n.errs = append(n.trials, t), append(n.points, point), append(n.errs, err)
}

func (n *hyperparameters) rows() int { return n.p.X().Rows() }

func newHyperparameters(ctx context.Context, p *problem.Problem, lambdaH rr.Setting, need func(problem.Footprint) float64) (*hyperparameters, error) {
	j, err := comparisonOf(ctx, &p.Mapped, p.FoldsUY(), lambdaH, need)
	if err != nil {
		return nil, err
	}
	xu, err := p.Splitter().Split(ctx, p.FoldsXU())
	if err != nil {
		return nil, err
	}
	n := &hyperparameters{p: p, comparison: j, xu: xu}
	if j.curve.Scale == nil {
		n.lambdaH = rr.Value(j.lambdaH())
	}
	return n, nil
}

// coarse looks for lambda_f of 2Step-RR with the lambda_h of the risk, and returns the place of the best.
func (n *hyperparameters) coarse(ctx context.Context, lambdaF rr.Setting) (*tuning, int, error) {
	g := grid{lambdaF: lambdaF.Grid(searchLambdas), lambdaH: []float64{n.comparison.lambdaH()}, w: []float64{1}}
	t, err := n.comparison.tune(ctx, n.xu.Train, n.xu, g, !n.p.Setup().NoIntercept)
	if err != nil {
		return nil, 0, err
	}
	at := t.best()
	if at < 0 {
		return nil, 0, errNoPenalty
	}
	return t, at, nil
}

// try adds a trial for every point of some grids; f is fitted from the moments fit of the other folds.
func (n *hyperparameters) try(ctx context.Context, grids []grid, fit []*moments.CoMoments, precision bool) error {
	for _, g := range grids {
		t, err := n.comparison.tune(ctx, fit, n.xu, g, !n.p.Setup().NoIntercept)
		if err != nil {
			return err
		}
		for i, q := range t.points {
			trial := Trial{
				Stage: numbersStage, Name: pointName(q, precision, g.components != nil), W: q.W, LambdaF: q.LambdaF, LambdaH: q.LambdaH,
				Precision: precision, Components: g.components != nil,
			}
			trial.scored(&t.verdicts[i])
			n.add(trial, q, nil)
		}
	}
	return nil
}

// pointName names a point of a grid for the report of a search.
func pointName(q solvers.Params, precision, components bool) string {
	name := fmt.Sprintf("w %g, lambda_f %g, lambda_h %g", q.W, q.LambdaF, q.LambdaH)
	if components {
		name += ", by components"
	}
	if precision {
		name += ", weighted by precision"
	}
	return name
}

// tryPrecision is try with S_X weighted by precision about f and the h of the risk.
func (n *hyperparameters) tryPrecision(ctx context.Context, grids []grid, f []crossfit.Affine) error {
	var err error
	if n.weighed, err = rr.WeighPrecision(ctx, n.p, f, n.comparison.h); err != nil {
		return err
	}
	s, err := n.p.Splitter().Split(ctx, n.weighed.FittingFolds())
	if err != nil {
		return err
	}
	return n.try(ctx, grids, s.Train, true)
}

var errNoPenalty = errors.New("search: no penalty gives a finite risk")

// withParams is 2Step-RR or Joint-RR with these parameters.
func withParams(p solvers.Params, components bool) rr.Method {
	if p.W == 1 {
		return rr.TwoStep{LambdaF: rr.Value(p.LambdaF), LambdaH: rr.Value(p.LambdaH), Components: components}
	}
	return rr.Joint{W: rr.Value(p.W), LambdaF: rr.Value(p.LambdaF), LambdaH: rr.Value(p.LambdaH), Penalty: p.Penalty}
}

// chooseMethod is stage 4.
func (s Search) chooseMethod(ctx context.Context, c *Choice, chosen solvers.Params) error {
	if s.Rivals == nil || c.Problem.NoOverlap().IsMajority() { // there is no risk to compare
		return nil
	}
	rivals := s.Rivals(chosen)
	own, err := risk.Assess(progress.Step(ctx, "comparing methods", 0, 1+len(rivals)), c.Problem, risk.Fitted(c.Method), s.Assess)
	if err != nil {
		return err
	}
	name := "joint"
	if chosen.W == 1 {
		name = "2step"
	}
	var leaders leaderboard
	t := Trial{Stage: "method", Name: name}
	t.scored(own.RiskByFold())
	leaders.add(t, nil)
	c.assessment = own
	for i, rival := range rivals {
		t := Trial{Stage: "method"}
		a, err := risk.Assess(progress.Step(ctx, "comparing methods", 1+i, 1+len(rivals)), c.Problem, func(ctx context.Context, train *problem.Problem) (rr.Predictor, error) {
			m, err := rr.FitWith(ctx, rival, train)
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
			t.scored(a.RiskByFold())
		}
		if leaders.addRival(t, err) {
			c.Method, c.assessment, c.rival = rival, a, true
		}
	}
	trials := leaders.close()
	c.Trials = append(c.Trials, trials...)
	return nil
}

// around returns the penalties near a value, by factors of it, or the one that is set.
func around(given rr.Setting, found float64, factors []float64) []float64 {
	if !given.IsAuto() {
		return []float64{given.Or(0)}
	}
	var out []float64
	for _, r := range factors {
		// Two digits, so that a report has 1e-06 and not 1.0000000000000002e-06.
		v, err := strconv.ParseFloat(strconv.FormatFloat(found*r, 'g', 2, 64), 64)
		if err != nil {
			panic(err) // of a number just written
		}
		out = append(out, v)
	}
	return out
}
