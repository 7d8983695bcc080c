package search

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"mediant/crossfit"
	"mediant/internal/progress"
	"mediant/problem"
	"mediant/risk"
	"mediant/rr"
	"mediant/solvers"
)

// each are the searches that stage 3 finishes, by unit of the outputs and by choice: those for each of ws.
func (s Search) each(units int, ws []rr.Setting) [][]Search {
	var choices []Search
	for _, w := range ws {
		choices = append(choices, s.with(w))
	}
	return slices.Repeat([][]Search{choices}, units)
}

// chooseHyperparameters is stage 3, which tunes the penalties of each unit of the outputs coarsely at w = 1, then w and both penalties around the
// result, with and without weights by precision; and stage 4. c is the choice of the stages before. The searches of wanted, by unit and choice, differ in W, and units in what a sample has settled. What a unit
// chooses does not depend on the others.
func chooseHyperparameters(ctx context.Context, c Choice, p *problem.Problem, wanted [][]Search) ([]*Choice, error) {
	s := wanted[0][0]
	step := func(done int) context.Context { return progress.Step(ctx, "choosing penalties and w", done, 3) }
	n, err := newHyperparameters(step(0), p, s.LambdaH, s.HyperparameterBytes)
	if err != nil {
		return nil, err
	}
	coarse, at, err := n.coarse(step(1), s.LambdaF)
	if err != nil {
		return nil, err
	}
	n.together = solvers.Params{W: 1, LambdaF: coarse.points[0][max(coarse.bestOfAll(), 0)].LambdaF, LambdaH: n.comparison.lambdaH()}
	grids, byComponents := make([]*grid, len(wanted)), make([]*grid, len(wanted))
	for u, choices := range wanted {
		found := coarse.points[u][at[u]]
		g := &grid{lambdaF: around(s.LambdaF, found.LambdaF, refine), lambdaH: around(s.LambdaH, found.LambdaH, refine), penalty: s.Penalty}
		for _, own := range choices {
			for _, v := range own.wGrid(own.W) {
				if !slices.Contains(g.w, v) {
					g.w = append(g.w, v)
				}
			}
		}
		grids[u] = g
		if byComponents[u], err = componentGrid(n.p, choices, g.lambdaH, found); err != nil {
			return nil, err
		}
	}
	if err := n.tryAll(step(2), wanted, grids, byComponents, coarse.fitsAt(at)); err != nil {
		return nil, err
	}
	n.comparison, n.xu = nil, crossfit.Splits{} // what follows takes memory as well
	out := make([]*Choice, len(wanted[0]))
	for i := range out {
		one := c
		if err := n.finish(ctx, &one, wanted, i); err != nil {
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

// tryAll adds trials for the points of the grids of all units, plain and weighted by precision about f, as far as any choice
// needs them, and for grids by components, where there are any. The latter are weighted only if weights are required, because
// the precision is that of all components together, while each has its own noise.
func (n *hyperparameters) tryAll(ctx context.Context, wanted [][]Search, plain, byComponents []*grid, f []crossfit.Affine) error {
	s := wanted[0][0]
	if s.Components == Always {
		plain = make([]*grid, len(plain))
	}
	if s.Precision != Always {
		for _, grids := range [][]*grid{plain, byComponents} {
			if err := n.try(ctx, grids); err != nil {
				return err
			}
		}
	}
	for u, choices := range wanted {
		if !n.p.HasRows() || !slices.ContainsFunc(choices, func(own Search) bool { return own.weighs(n.rows()) }) {
			continue
		}
		var grids []grid
		if plain[u] != nil {
			grids = append(grids, *plain[u])
		}
		if s.Precision == Always && byComponents[u] != nil {
			grids = append(grids, *byComponents[u])
		}
		if len(grids) == 0 {
			continue
		}
		if err := n.tryPrecision(ctx, u, grids, f); err != nil {
			if s.Precision == Always || ctx.Err() != nil {
				return err
			}
			// No variance to weight by, such as where f equals h; the other trials remain.
			n.units[u].add(Trial{Stage: hyperparametersStage, Name: "weighted by precision", Output: n.units[u].output, Precision: true}, solvers.Params{}, err)
			continue
		}
		wins := slices.ContainsFunc(choices, func(own Search) bool {
			_, best, err := n.units[u].best(own, n.rows())
			return err == nil && best.precision
		})
		if !wins { // its sums are large
			n.units[u].weighed = nil
		}
	}
	return nil
}

// finish completes c by the best trial of each unit that choice i may choose, and by stage 4.
func (n *hyperparameters) finish(ctx context.Context, c *Choice, wanted [][]Search, i int) error {
	c.tuned = nil
	weighed := make([]*problem.Problem, len(n.units))
	var methods []rr.Method
	for u := range n.units {
		trials, chosen, err := n.units[u].best(wanted[u][i], n.rows())
		if err != nil {
			return err
		}
		c.Trials = slices.Concat(c.Trials, trials)
		if own := optimism(trials); own != nil {
			more := make([]float64, len(n.units))
			more[u] = own[0]
			c.add(more)
		}
		if chosen.precision {
			weighed[u] = n.units[u].weighed
		}
		chosen.lambdaH = n.lambdaH
		c.tuned = append(c.tuned, chosen)
		methods = append(methods, withParams(chosen.params, chosen.components))
	}
	c.Method = methodOf(methods)
	c.Problem = n.p
	if len(n.units) > 1 {
		c.Problem = n.p.WithFitWeightsOfEach(weighed)
	} else if weighed[0] != nil {
		c.Problem = weighed[0]
	}
	rival := n.together
	if len(n.units) == 1 {
		rival = c.tuned[0].params
	}
	return wanted[0][i].chooseMethod(ctx, c, rival)
}

// best returns the trials that s may choose, and what the best of them has.
func (n *unitTrials) best(s Search, rows int) ([]Trial, tuned, error) {
	var leaders leaderboard
	var points []solvers.Params
	ws, weighs, components := s.wGrid(s.W), s.weighs(rows), s.triesComponents(rows)
	for i, t := range n.trials {
		if t.Precision && !weighs || t.Components && !components || n.errs[i] == nil && !slices.Contains(ws, t.W) {
			continue
		}
		leaders.add(t, n.errs[i])
		points = append(points, n.points[i])
	}
	if !leaders.any {
		return nil, tuned{}, errNoPenalty
	}
	leaders.preferComponents()
	trials := leaders.close()
	winner := trials[leaders.winner]
	return trials, tuned{params: points[leaders.winner], components: winner.Components, precision: winner.Precision}, nil
}

// hyperparameters is the state of stage 3: the sums of a problem by fold, and all trials.
type hyperparameters struct {
	p          *problem.Problem
	comparison *comparison
	lambdaH    rr.Setting // of the h of the comparison, if it is one for all outputs
	xu         crossfit.Splits
	units      []unitTrials
	together   solvers.Params // of 2Step-RR, best for all units together
}

// unitTrials are the trials of a unit of the outputs.
type unitTrials struct {
	output  string           // its name, if there are several
	weighed *problem.Problem // by precision, if that was tried, with this unit alone
	trials  []Trial
	points  []solvers.Params
	errs    []error // why a trial has no risk
}

// add adds one trial.
func (n *unitTrials) add(t Trial, point solvers.Params, err error) {
	n.trials, n.points, n.errs = append(n.trials, t), append(n.points, point), append(n.errs, err)
}

// addPoints adds a trial for each point of the grid of a unit, which is number u of the tuning.
func (n *unitTrials) addPoints(t *tuning, u int, precision, components bool) {
	for i, q := range t.points[u] {
		trial := Trial{
			Stage: hyperparametersStage, Name: pointName(q, precision, components), Output: n.output, W: q.W, LambdaF: q.LambdaF, LambdaH: q.LambdaH,
			Precision: precision, Components: components,
		}
		v := t.verdicts[i].Unit(u)
		trial.scored(&v)
		n.add(trial, q, nil)
	}
}

func (n *hyperparameters) rows() int { return n.p.X().Rows() }

func newHyperparameters(ctx context.Context, p *problem.Problem, lambdaH rr.Setting, need func(problem.Footprint) float64) (*hyperparameters, error) {
	j, err := comparisonOf(ctx, &p.Mapped, p.FoldsUY(), lambdaH.Grid(searchLambdas), need)
	if err != nil {
		return nil, err
	}
	xu, err := p.Splitter().Split(ctx, p.FoldsXU())
	if err != nil {
		return nil, err
	}
	n := &hyperparameters{p: p, comparison: j, xu: xu, units: make([]unitTrials, j.units())}
	if len(n.units) == 1 {
		n.lambdaH = rr.Value(j.lambdaH())
		return n, nil
	}
	for u, name := range p.Y().Names() {
		n.units[u].output = name
	}
	return n, nil
}

// coarseGrids look for lambda_f of 2Step-RR with the lambda_h of the risk of each unit.
func (j *comparison) coarseGrids(lambdaF rr.Setting) []grid {
	var out []grid
	for _, lambdaH := range j.lambdasH {
		out = append(out, grid{lambdaF: lambdaF.Grid(searchLambdas), lambdaH: []float64{lambdaH}, w: []float64{1}})
	}
	return out
}

// coarse tunes on coarseGrids, and returns the place of the best for each unit.
func (n *hyperparameters) coarse(ctx context.Context, lambdaF rr.Setting) (*tuning, []int, error) {
	t, err := n.comparison.tuneEach(ctx, n.xu.Train, n.xu, n.comparison.coarseGrids(lambdaF), !n.p.Setup().NoIntercept)
	if err != nil {
		return nil, nil, err
	}
	at, err := t.bests()
	return t, at, err
}

// try adds a trial for every point of the grid of each unit, those that have one.
func (n *hyperparameters) try(ctx context.Context, grids []*grid) error {
	intercept := !n.p.Setup().NoIntercept
	if !slices.Contains(grids, nil) {
		all := make([]grid, len(grids))
		for u, g := range grids {
			all[u] = *g
		}
		t, err := n.comparison.tuneEach(ctx, n.xu.Train, n.xu, all, intercept)
		if err != nil {
			return err
		}
		for u := range n.units {
			n.units[u].addPoints(t, u, false, all[u].components != nil)
		}
		return nil
	}
	for u, g := range grids {
		if g == nil {
			continue
		}
		t, err := n.comparison.unit(u).tune(ctx, n.xu.Train, n.xu, *g, intercept)
		if err != nil {
			return err
		}
		n.units[u].addPoints(t, 0, false, g.components != nil)
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

// tryPrecision is try for one unit with S_X weighted by precision about f and the h of the risk.
func (n *hyperparameters) tryPrecision(ctx context.Context, u int, grids []grid, f []crossfit.Affine) error {
	own, j, p := &n.units[u], n.comparison.unit(u), n.p
	if len(n.units) > 1 {
		p, f = p.Only([]int{u}), outputOf(f, u)
	}
	weighed, err := rr.WeighPrecision(ctx, p, f, j.h)
	if err != nil {
		return err
	}
	s, err := p.Splitter().Split(ctx, weighed.FittingFolds())
	if err != nil {
		return err
	}
	for _, g := range grids {
		t, err := j.tune(ctx, s.Train, n.xu, g, !p.Setup().NoIntercept)
		if err != nil {
			return err
		}
		own.addPoints(t, 0, true, g.components != nil)
	}
	own.weighed = weighed
	return nil
}

// outputOf are functions of each fold with one of several outputs.
func outputOf(fits []crossfit.Affine, j int) (one []crossfit.Affine) {
	for _, f := range fits {
		one = append(one, f.Outputs(j, j+1))
	}
	return one
}

var errNoPenalty = errors.New("search: no penalty gives a finite risk")

// withParams is 2Step-RR or Joint-RR with these parameters.
func withParams(p solvers.Params, components bool) rr.Method {
	if p.W == 1 {
		return rr.TwoStep{LambdaF: rr.Value(p.LambdaF), LambdaH: rr.Value(p.LambdaH), Components: components}
	}
	return rr.Joint{W: rr.Value(p.W), LambdaF: rr.Value(p.LambdaF), LambdaH: rr.Value(p.LambdaH), Penalty: p.Penalty}
}

// methodOf is the method of all outputs, given that of each unit.
func methodOf(units []rr.Method) rr.Method {
	if slices.ContainsFunc(units, func(m rr.Method) bool { return m != units[0] }) {
		return rr.ByOutput{Of: units}
	}
	return units[0]
}

// chooseMethod is stage 4. It is one method for all outputs; chosen are the hyperparameters for rivals.
func (s Search) chooseMethod(ctx context.Context, c *Choice, chosen solvers.Params) error {
	if s.Rivals == nil || c.Problem.NoOverlap().IsMajority() { // there is no risk to compare
		return nil
	}
	rivals := s.Rivals(chosen)
	own, err := risk.Assess(progress.Step(ctx, "comparing methods", 0, 1+len(rivals)), c.Problem, risk.Fitted(c.Method), s.Assess)
	if err != nil {
		return err
	}
	name := "2step"
	for _, t := range c.tuned {
		if t.params.W != 1 {
			name = "joint"
		}
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
		if leaders.addRival(t, err, 1) {
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
