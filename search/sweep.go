package search

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"mediant/crossfit"
	"mediant/problem"
	"mediant/rr"
	"mediant/solvers"
)

// A Sweep is the uncoupled risk of 2Step-RR or Joint-RR along one hyperparameter, the others at their chosen values.
type Sweep struct {
	Of     string // "w", "lambda_f" or "lambda_h"
	Output string // the column of Y, where each of several has hyperparameters of its own
	Values []float64
	// Risk is that of each value, as Trial.Risk, and SE the standard error over folds of its difference to that of the chosen value.
	Risk, SE []float64
	Chosen   int // the index of the chosen value
}

// sweepWs are denser than those of a search: they show the curve, of which the search takes the least.
var sweepWs = []float64{1, 0.9, 0.8, 0.65, 0.5, 0.4, 0.3, 0.2, 0.1}

// A tuned is 2Step-RR or Joint-RR with hyperparameters.
type tuned struct {
	params     solvers.Params
	components bool
	precision  bool
	lambdaH    rr.Setting // of the h that the risk is estimated with, so that it need not be chosen again
}

// tunedOf returns the hyperparameters of a method for each output, or one for all; nil for others than 2Step-RR and Joint-RR by ridge regression.
func tunedOf(m rr.Method) []tuned {
	var t tuned
	switch m := m.(type) {
	case rr.ByOutput:
		var all []tuned
		for _, of := range m.Of {
			all = append(all, tunedOf(of)...)
		}
		return all
	case rr.TwoStep:
		if m.F != nil || m.H != nil {
			return nil
		}
		t.params = solvers.Params{W: 1, LambdaF: m.LambdaF.Or(rr.DefaultLambda), LambdaH: m.LambdaH.Or(rr.DefaultLambda)}
		t.components = m.Components
	case rr.Joint:
		t.params = solvers.Params{W: m.W.Or(rr.DefaultW), LambdaF: m.LambdaF.Or(rr.DefaultLambda), LambdaH: m.LambdaH.Or(rr.DefaultLambda), Penalty: m.Penalty}
	default:
		return nil
	}
	return []tuned{t}
}

// Sweeps returns the risk along lambda_f, lambda_h and, unless f is fitted by components, w, from the sums by fold of the choice's problem. Where
// a rival was chosen it is that of the 2Step-RR or Joint-RR that the rival was compared with. It costs some 10 factorisations of order p and 25 of
// order q for each fold, and 10 more where Y is several columns or nothing was searched. It is an error if the problem has no folds, or for other methods.
func (c *Choice) Sweeps(ctx context.Context) ([]Sweep, error) {
	if c.tuned == nil {
		return nil, fmt.Errorf("search: no sweep: w and penalties are those of 2Step-RR and Joint-RR by ridge regression alone")
	}
	p := c.Problem
	if len(p.FoldsUY()) < 2 {
		return nil, fmt.Errorf("search: no sweep: the problem has no folds, want at least 2")
	}
	p, err := p.Full(ctx)
	if err != nil {
		return nil, err
	}
	f := p.Footprint()
	lambdas := float64(len(searchLambdas) + 1)
	bytes := f.OtherFolds() + 8*f.Folds()*lambdas*f.Q()*f.Outputs + max(f.CrossValidation(), tuningBytes(f, lambdas))
	if err := p.CheckMemory(bytes, "the risk along w and the penalties"); err != nil {
		return nil, err
	}
	n, err := newHyperparameters(ctx, p, c.tuned[0].lambdaH, func(f problem.Footprint) float64 { return f.Base() + f.Sums() + bytes })
	if err != nil {
		return nil, err
	}
	var all []Sweep
	units := 1
	if len(c.tuned) > 1 || p.FitsEach() {
		units = len(n.units)
	}
	for u := range units {
		own, j, of, output := p, n.comparison, c.tuned[min(u, len(c.tuned)-1)], ""
		if units > 1 {
			own, j, output = p.Only([]int{u}), j.unit(u), n.units[u].output
		}
		grids, err := of.sweepGrids(own)
		if err != nil {
			return nil, err
		}
		fit := n.xu.Train
		if own.HasFitWeights() {
			s, err := own.Splitter().Split(ctx, own.FittingFolds())
			if err != nil {
				return nil, err
			}
			fit = s.Train
		}
		for _, g := range grids {
			t, err := j.tune(ctx, fit, n.xu, g.grid, !p.Setup().NoIntercept)
			if err != nil {
				return nil, err
			}
			sweep := g.sweep(t.verdicts)
			sweep.Output = output
			all = append(all, sweep)
		}
	}
	return all, nil
}

// SweepsOf returns the risk along the hyperparameters as far as the trials of a search tell it, which a model file keeps: of those that differ from the
// chosen candidate of stage 3 in one hyperparameter. One without another value is left out.
func SweepsOf(trials []Trial) []Sweep {
	var all []Sweep
	for _, t := range trials {
		if t.Stage == hyperparametersStage && t.Chosen && t.Risk != nil {
			all = append(all, sweepsAbout(t, trials)...)
		}
	}
	return all
}

// sweepsAbout are those of a chosen candidate.
func sweepsAbout(chosen Trial, trials []Trial) []Sweep {
	var all []Sweep
	for _, of := range []struct {
		name string
		in   func(t *Trial) *float64
	}{
		{"w", func(t *Trial) *float64 { return &t.W }},
		{"lambda_f", func(t *Trial) *float64 { return &t.LambdaF }},
		{"lambda_h", func(t *Trial) *float64 { return &t.LambdaH }},
	} {
		var along []Trial
		for _, t := range trials {
			if t.Stage != hyperparametersStage || t.Output != chosen.Output || t.Risk == nil || t.Precision != chosen.Precision || t.Components != chosen.Components {
				continue
			}
			moved := chosen
			*of.in(&moved) = *of.in(&t)
			if t.W == moved.W && t.LambdaF == moved.LambdaF && t.LambdaH == moved.LambdaH {
				along = append(along, t)
			}
		}
		if len(along) < 2 {
			continue
		}
		slices.SortFunc(along, func(a, b Trial) int { return cmp.Compare(*of.in(&a), *of.in(&b)) })
		s := Sweep{Of: of.name, Output: chosen.Output, Chosen: slices.IndexFunc(along, func(t Trial) bool { return t.Chosen })}
		for _, t := range along {
			se := math.NaN()
			if t.SE != nil {
				se = *t.SE
			}
			s.Values, s.Risk, s.SE = append(s.Values, *of.in(&t)), append(s.Risk, *t.Risk), append(s.SE, se)
		}
		all = append(all, s)
	}
	return all
}

// A sweepGrid is a grid along one hyperparameter.
type sweepGrid struct {
	grid
	of     string
	values []float64
	chosen float64
}

// sweepGrids are those of a unit of the outputs, whose problem with all sums is p.
func (of tuned) sweepGrids(p *problem.Problem) ([]sweepGrid, error) {
	t := of.params
	at := grid{lambdaF: []float64{t.LambdaF}, lambdaH: []float64{t.LambdaH}, w: []float64{t.W}, penalty: t.Penalty}
	if of.components {
		var err error
		if at.components, err = rr.GroupsOf(p); err != nil {
			return nil, err
		}
	}
	var out []sweepGrid
	add := func(name string, values []float64, chosen float64, to func(g *grid) *[]float64) {
		if values = slices.Clone(values); !slices.Contains(values, chosen) {
			values = append(values, chosen)
		}
		slices.Sort(values)
		g := at
		*to(&g) = values
		out = append(out, sweepGrid{g, name, values, chosen})
	}
	if at.components == nil {
		ws := sweepWs
		if t.Penalty == solvers.Paper { // which is not defined at 1
			ws = ws[1:]
		}
		add("w", ws, t.W, func(g *grid) *[]float64 { return &g.w })
	}
	add("lambda_f", searchLambdas, t.LambdaF, func(g *grid) *[]float64 { return &g.lambdaF })
	add("lambda_h", searchLambdas, t.LambdaH, func(g *grid) *[]float64 { return &g.lambdaH })
	return out, nil
}

// sweep puts the risks of the points of the grid, which are in the order of its values, into a Sweep.
func (g sweepGrid) sweep(risks []crossfit.RiskByFold) Sweep {
	s := Sweep{Of: g.of, Values: g.values, Chosen: slices.Index(g.values, g.chosen)}
	trials := make([]Trial, len(risks))
	for i := range risks {
		trials[i].scored(&risks[i])
	}
	for _, t := range trials {
		_, se := t.against(trials[s.Chosen])
		s.Risk, s.SE = append(s.Risk, *t.Risk), append(s.SE, se)
	}
	return s
}
