package rr

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/floats"

	"mediant/internal/bounds"
	"mediant/tables"
)

// A Choice is the outcome of a search, made by Search.Choose or Chosen.
type Choice struct {
	// Problem is that of the chosen maps at their final size, Method the method with all its hyperparameters.
	Problem *Problem
	Method  Method
	Trials  []Trial
	// Optimism estimates by how much the least risk of the candidates is too low for being the least, summed over outputs.
	Optimism float64

	optimism   []float64 // by unit of the outputs
	options    AssessOptions
	assessment *Assessment // of Method, if stage 4 made it
}

// Chosen is ChoiceOf a problem of two tables.
func Chosen(ctx context.Context, s Setup, method Method, opt AssessOptions, xu, uy tables.Source) (*Choice, error) {
	if err := bounds.First(validated(method), field("rr: Chosen", opt.Validate())); err != nil {
		return nil, err
	}
	p, err := Prepare(ctx, s, xu, uy)
	if err != nil {
		return nil, err
	}
	return ChoiceOf(p, method, opt)
}

// ChoiceOf is the Choice of a method that was set explicitly. With less than 2 folds in the problem there
// is no Assessment of it.
func ChoiceOf(p *Problem, method Method, opt AssessOptions) (*Choice, error) {
	if err := bounds.First(validated(method), field("rr: Chosen", opt.Validate())); err != nil {
		return nil, err
	}
	return &Choice{Problem: p, Method: method, options: opt}, nil
}

// Fit fits the chosen method to all rows.
func (c *Choice) Fit(ctx context.Context) (*Model, error) {
	return fitWith(ctx, c.Method, c.Problem)
}

// Assessment is that of the chosen method, with the optimism of the choice added to its risk.
func (c *Choice) Assessment(ctx context.Context) (*Assessment, error) {
	a := c.assessment
	if a == nil {
		var err error
		if a, err = c.Problem.Assess(ctx, Fitted(c.Method), c.options); err != nil {
			return nil, err
		}
	}
	return c.Corrected(a), nil
}

// addOptimism adds that of a stage.
func (c *Choice) addOptimism(trials []Trial) {
	more := optimism(trials)
	if c.optimism == nil {
		c.optimism = make([]float64, len(more))
	} else {
		c.optimism = slices.Clone(c.optimism) // choices for several w begin alike
	}
	if more != nil {
		floats.Add(c.optimism, more)
	}
	c.Optimism += floats.Sum(more)
}

// Corrected returns a copy of an assessment with the optimism of the choice added to its risk, and to those of its
// outputs where Y is several columns. Accuracy and brackets are as they were, but for the bounds over all rows that the risk is part of.
func (c *Choice) Corrected(a *Assessment) *Assessment {
	out := *a
	r := &out.Risk
	r.Optimism += c.Optimism
	before := r.RiskEstimate
	r.RiskEstimate = before.plus(c.Optimism)
	out.Overlap = out.Overlap.plus(before, r.RiskEstimate)
	if len(r.Outputs) == len(c.optimism) {
		r.Outputs = slices.Clone(r.Outputs)
		for j, o := range c.optimism {
			r.Outputs[j] = r.Outputs[j].plus(o)
		}
	}
	return &out
}
