package search

import (
	"context"
	"errors"
	"slices"

	"gonum.org/v1/gonum/floats"

	"mediant/internal/bounds"
	"mediant/problem"
	"mediant/risk"
	"mediant/rr"
	"mediant/tables"
)

// A Choice is the outcome of a search, made by Search.Choose, ChoiceOf or ChoiceOfTables.
type Choice struct {
	// Problem has the chosen maps at their final size, Method all hyperparameters.
	Problem *problem.Problem
	Method  rr.Method
	Trials  []Trial
	// Optimism estimates the bias of the winner's risk that comes from its being the least of several, summed over outputs. Assessment also adds that of learned metrics.
	Optimism float64
	// Notes are decisions of the search that the model's notes are to have.
	Notes []string

	optimism   []float64      // by unit of the outputs
	tuned      []tuned        // the result of stage 3 by unit of the outputs, or what Method is, one for all outputs; nil for other methods
	rival      bool           // Method is a rival
	without    []rr.Predictor // of the folds, where Fit made them along with the model
	options    risk.AssessOptions
	assessment *risk.Assessment // of Method, if stage 4 made it
}

// A preparer is a Method that has a problem of its own, of fewer sums or with other maps than those of problem.Prepare, and returns itself for it.
type preparer interface {
	Prepare(ctx context.Context, s problem.Setup, xu, uy tables.Source) (*problem.Problem, rr.Method, error)
}

var _, _ preparer = rr.TwoStep{}, rr.Iterative{}

// ChoiceOfTables is ChoiceOf for the problem of two tables.
func ChoiceOfTables(ctx context.Context, s problem.Setup, method rr.Method, opt risk.AssessOptions, xu, uy tables.Source) (*Choice, error) {
	if err := bounds.First(bounds.Validated("rr: the method", method), bounds.Field("search: ChoiceOfTables", opt.Validate())); err != nil {
		return nil, err
	}
	var p *problem.Problem
	var err error
	if own, ok := method.(preparer); ok {
		p, method, err = own.Prepare(ctx, s, xu, uy)
	} else {
		p, err = problem.Prepare(ctx, s, xu, uy)
	}
	if err != nil {
		return nil, err
	}
	return ChoiceOf(p, method, opt)
}

// ChoiceOf returns the Choice of a method that was set explicitly. Its risk is also estimated in the loss of the method. With fewer than 2 folds in the problem it has no
// Assessment.
func ChoiceOf(p *problem.Problem, method rr.Method, opt risk.AssessOptions) (*Choice, error) {
	if err := bounds.First(bounds.Validated("rr: the method", method), bounds.Field("search: ChoiceOfTables", opt.Validate())); err != nil {
		return nil, err
	}
	if g, ok := method.(rr.Generalized); ok && opt.Loss == nil && opt.Form != risk.CovariateShift {
		opt.Loss, opt.H = g.Loss, &risk.FoldH{Lambda: rr.Value(g.LambdaH.Or(rr.DefaultLambda))}
	}
	c := &Choice{Problem: p, Method: method, options: opt}
	c.tuned = tunedOf(method)
	return c, nil
}

// Fit fits the chosen method to all rows.
func (c *Choice) Fit(ctx context.Context) (*rr.Model, error) {
	m, err := rr.FitWith(ctx, c.Method, c.Problem)
	if err == nil {
		m.Notes = append(m.Notes, c.Notes...)
		c.without = m.WithoutFold()
	}
	return m, err
}

// fitFold fits the method to a problem without a fold, unless Fit has done so.
func (c *Choice) fitFold(ctx context.Context, train *problem.Problem) (rr.Predictor, error) {
	if c.without == nil {
		return risk.Fitted(c.Method)(ctx, train)
	}
	for k, fold := range c.Problem.Folds() {
		if !slices.Contains(train.Folds(), fold) {
			return c.without[k], nil
		}
	}
	return nil, errors.New("search: a problem with all folds in the place of one without")
}

// Assessment returns the assessment of the chosen method, with the optimism of the choice added to its risk.
func (c *Choice) Assessment(ctx context.Context) (*risk.Assessment, error) {
	a := c.assessment
	if a == nil {
		var err error
		if a, err = risk.Assess(ctx, c.Problem, c.fitFold, c.options); err != nil {
			return nil, err
		}
	}
	gain, err := c.learningCurve(ctx, a)
	if err != nil {
		return nil, err
	}
	more, err := c.metricOptimism(ctx)
	if err != nil {
		return nil, err
	}
	with := *c
	with.add(more)
	return withGain(with.Corrected(a), gain), nil
}

// withGain is an assessment, which it may change, of the model of all rows, whose risk is below that of the models of folds by a gain for each unit.
func withGain(a *risk.Assessment, gain []float64) *risk.Assessment {
	r := &a.Risk
	r.LearningCurve = floats.Sum(gain)
	before := r.Estimate
	r.Estimate = before.Plus(-r.LearningCurve)
	a.Overlap = a.Overlap.Plus(before, r.Estimate)
	if len(r.Outputs) == len(gain) {
		r.Outputs = slices.Clone(r.Outputs)
		for j, o := range gain {
			r.Outputs[j] = r.Outputs[j].Plus(-o)
		}
	}
	return a
}

// addOptimism adds the optimism of a stage.
func (c *Choice) addOptimism(trials []Trial) { c.add(optimism(trials)) }

// add adds optimism by unit, nil for none.
func (c *Choice) add(more []float64) {
	if more == nil {
		return
	}
	own := make([]float64, len(more)) // choices for several w begin alike
	copy(own, c.optimism)
	floats.Add(own, more)
	c.optimism = own
	c.Optimism += floats.Sum(more)
}

// Corrected returns a copy of an assessment with the degrees of freedom of the choice, and the optimism of the choice added to its risk, and to those of its outputs
// where Y is several columns. Accuracy and brackets are unchanged, except for the bounds over all rows, of which the risk is
// part.
func (c *Choice) Corrected(a *risk.Assessment) *risk.Assessment {
	out := *a
	r := &out.Risk
	r.Optimism += c.Optimism
	before := r.Estimate
	r.Estimate = before.Plus(c.Optimism)
	out.Overlap = out.Overlap.Plus(before, r.Estimate)
	if len(r.Outputs) == len(c.optimism) {
		r.Outputs = slices.Clone(r.Outputs)
		for j, o := range c.optimism {
			r.Outputs[j] = r.Outputs[j].Plus(o)
		}
	}
	c.countFreedom(&out)
	return &out
}
