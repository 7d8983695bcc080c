package rr

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"mediant/solvers"
)

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
		return errNoPenalty
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
		return errNoPenalty
	}
	trials := board.close()
	c.Trials = append(c.Trials, trials...)
	c.Optimism += optimism(trials)
	chosen := fine.points[board.winner]
	c.Solver = withParams(chosen)
	return s.chooseMethod(ctx, c, chosen)
}

var errNoPenalty = errors.New("rr: search: no penalty gives a finite risk")

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
