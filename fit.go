package mediant

import (
	"context"
	"errors"

	"mediant/baselines"
	"mediant/check"
	"mediant/distribution"
	"mediant/inference"
	"mediant/losses"
	"mediant/problem"
	"mediant/risk"
	"mediant/rr"
	"mediant/search"
	"mediant/tables"
)

// Options say how Fit fits. The zero value is usable: roles by column name, and everything else chosen.
type Options struct {
	// Setup says how tables become features. Feature maps that it leaves unset are chosen if Method is nil.
	Setup problem.Setup
	// Method is fitted with its own hyperparameters. Nil: 2Step-RR, Joint-RR or the naive chain, chosen by uncoupled risk
	// with w and the penalties.
	Method rr.Method
	// Loss is the loss that f and h minimise if Method is nil: nil for squared error of numbers and the log loss of up to 100 classes (search.Search.Loss), whose predictions are probabilities.
	Loss losses.Canonical
	// Accept lists findings of the check of both tables that are accepted as notes. NoCheck leaves the check out.
	Accept  []check.Acceptance
	NoCheck bool
	// StandardErrors also estimates standard errors of f. They exist for 2Step-RR and Joint-RR by squared error, which is then the loss that Loss leaves open.
	StandardErrors bool
	// Distribution also fits the distribution of Y given X, for prediction intervals and draws. Y must be one column of numbers.
	Distribution bool
	// Risk says how the risk is estimated.
	Risk risk.AssessOptions
}

// Fit learns to predict Y from X from xu, a table of (X, U), and uy, a table of (U, Y). It reads each of them several times.
// It checks the tables first and returns a finding that makes the result meaningless as a *check.Refusal; other findings are
// in Model.Findings. Identifiers and dates are left out of X, U and Y unless roles name them. Model.Assessment has the risk;
// it is nil, with a warning, if the tables do not allow an estimate (risk.ErrNoRisk).
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
	if opt.Distribution {
		d, err := distribution.Fit(ctx, c.Problem, distribution.Options{Assess: distribution.AssessOptions{Form: opt.Risk.Form}})
		if err != nil {
			return nil, err
		}
		m.SetDistribution(d)
	}
	return m, nil
}

// choose prepares both tables, and chooses what is not set.
func (o Options) choose(ctx context.Context, xu, uy tables.Source) (*search.Choice, error) {
	if o.StandardErrors {
		o.Setup = inference.Reserve(o.Setup, inference.Corrected)
	}
	if o.Method == nil {
		s := search.Search{Setup: o.Setup, Loss: o.Loss, Assess: o.Risk}
		if o.StandardErrors && o.Loss == nil {
			s.Loss = losses.Squared{}
		}
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

// FitChoice fits the method that a search chose to all rows. Model.Assessment has the risk of the choice; it is nil, with a
// warning, if the tables do not allow an estimate (risk.ErrNoRisk).
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
