package mediant

import (
	"context"
	"errors"

	"mediant/baselines"
	"mediant/check"
	"mediant/inference"
	"mediant/problem"
	"mediant/risk"
	"mediant/rr"
	"mediant/search"
	"mediant/tables"
)

// Options say how Fit fits. The zero value is usable: roles by column name, and everything else chosen.
type Options struct {
	// Setup says what the tables become. Feature maps that it leaves open are chosen where Method is nil.
	Setup problem.Setup
	// Method is fitted as it is; nil: 2Step-RR, Joint-RR or the naive chain, with the weight and the penalties that are chosen by
	// uncoupled risk.
	Method rr.Method
	// Accept lists findings of the check of both tables that are known, NoCheck leaves it out.
	Accept  []check.Acceptance
	NoCheck bool
	// StandardErrors estimates those of f, of 2Step-RR and Joint-RR alone.
	StandardErrors bool
	// Risk says how the risk is estimated.
	Risk risk.AssessOptions
}

// Fit learns to predict Y from X from xu, a table of (X, U), and uy, a table of (U, Y), each of which is read several times. The tables
// are checked first: what makes a result meaningless is a *check.Refusal, and the other findings are those of the model; identifiers
// and dates are left out of X, U and Y unless roles name them. The model has its risk as Assessment, or a warning where the tables
// tell none.
func Fit(ctx context.Context, xu, uy tables.Source, opt Options) (*Model, error) {
	var found []check.Finding
	if !opt.NoCheck {
		report, err := check.Tables(ctx, xu, uy, check.Options{Roles: opt.Setup.Roles, Seed: opt.Setup.Seed, Accept: opt.Accept})
		if err != nil {
			return nil, err
		}
		if err := report.Refusal(); err != nil {
			return nil, err
		}
		found = report.Findings
		opt.Setup.Roles.Ignore = append(opt.Setup.Roles.Ignore[:len(opt.Setup.Roles.Ignore):len(opt.Setup.Roles.Ignore)], report.LeftOut...)
	}
	c, err := opt.choose(ctx, xu, uy)
	if err != nil {
		return nil, err
	}
	m, err := FitChoice(ctx, c)
	if err != nil {
		return nil, err
	}
	m.Findings = found
	if opt.StandardErrors {
		se, err := inference.Estimate(ctx, c.Problem, m.Model, inference.Corrected)
		if err != nil {
			return nil, err
		}
		m.SetErrors(se)
	}
	return m, nil
}

// choose prepares both tables, and chooses what is not set.
func (o Options) choose(ctx context.Context, xu, uy tables.Source) (*search.Choice, error) {
	if o.StandardErrors {
		o.Setup = inference.Reserve(o.Setup, inference.Corrected)
	}
	if o.Method == nil {
		s := search.Search{Setup: o.Setup, Assess: o.Risk}
		if !o.StandardErrors { // which the naive chain has none of
			s.Rivals = baselines.Rivals
		}
		return s.Choose(ctx, xu, uy)
	}
	if o.Setup.Folds < 2 {
		o.Setup.Folds = problem.DefaultFolds
	}
	return search.ChoiceOfTables(ctx, o.Setup, o.Method, o.Risk, xu, uy)
}

// FitChoice fits what a search chose to all rows. The model has the risk of the choice as Assessment, or a warning where the tables
// tell none (risk.ErrNoRisk).
func FitChoice(ctx context.Context, c *search.Choice) (*Model, error) {
	m, err := c.Fit(ctx)
	if err != nil {
		return nil, err
	}
	r := &Model{Model: m, Search: c.Trials}
	r.Assessment, err = c.Assessment(ctx)
	if errors.Is(err, risk.ErrNoRisk) {
		m.Warnings = append(m.Warnings, err.Error())
		return r, nil
	}
	if err != nil {
		return nil, err
	}
	return r, nil
}
