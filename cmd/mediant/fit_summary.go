package main

import (
	"context"
	"errors"
	"time"

	"mediant"
	"mediant/check"
	"mediant/collect"
	"mediant/diagnose"
	"mediant/distribution"
	"mediant/risk"
	"mediant/rr"
	"mediant/search"
	"mediant/solvers"
	"mediant/tables"
)

// summary is what fit --json prints. Keys may be added, none of these change.
type summary struct {
	Method  string   `json:"method"`
	W       *float64 `json:"w"`
	LambdaF *float64 `json:"lambda_f"`
	LambdaH *float64 `json:"lambda_h"`
	// ByOutput are the hyperparameters of each column of Y, if they differ.
	ByOutput []rr.Params `json:"by_output,omitempty"`
	// Components are the numbers of groups of columns of X that each part of h keeps, by components.
	Components []int   `json:"components,omitempty"`
	Rows       rr.Rows `json:"rows"`
	Seconds    struct {
		Read   float64 `json:"read"`
		Select float64 `json:"select"`
		Fit    float64 `json:"fit"`
		Risk   float64 `json:"risk"`
		Look   float64 `json:"diagnosis"`
		Total  float64 `json:"total"`
	} `json:"seconds"`
	*risk.Assessment
	Distribution *distribution.Assessment       `json:"distribution,omitempty"`
	Diagnosis    *diagnose.Diagnosis            `json:"diagnosis,omitempty"`
	Collect      *collect.Advice                `json:"collect,omitempty"`
	Conditions   map[string]rr.Condition        `json:"conditions,omitempty"`
	Iterations   map[string]solvers.Convergence `json:"iterations,omitempty"`
	Search       []search.Trial                 `json:"search,omitempty"`
	Findings     []check.Finding                `json:"findings"`
	Notes        []string                       `json:"notes"`
	Warnings     []string                       `json:"warnings"`
	Model        string                         `json:"model"`
	Report       string                         `json:"report,omitempty"`
}

// describe sets what a model says of itself.
func (s *summary) describe(m *mediant.Model, file string) {
	s.Method, s.W, s.LambdaF, s.LambdaH = m.Method, m.Params.W, m.Params.LambdaF, m.Params.LambdaH
	if m.Params.LambdaG != nil {
		s.LambdaF = m.Params.LambdaG
	}
	if m.Distribution != nil {
		s.Distribution = m.Distribution.Assessment
	}
	s.Assessment, s.Components, s.ByOutput = m.Assessment, m.Params.Components, m.Params.Outputs
	s.Rows, s.Conditions, s.Iterations, s.Search, s.Model = m.Rows, m.Condition, m.Iterations, m.Search, file
	s.Notes, s.Warnings = emptyNotNil(m.Notes), emptyNotNil(m.Warnings)
}

// lap returns the seconds since *clock and starts it anew.
func lap(clock *time.Time) float64 {
	now := time.Now()
	defer func() { *clock = now }()
	return now.Sub(*clock).Seconds()
}

// assess adds the risk and the diagnosis, or a warning that says why there is none.
func (f *fitFlags) assess(ctx context.Context, model *mediant.Model, choice *search.Choice, xu, uy tables.Source, s *summary) (err error) {
	clock := time.Now()
	model.Assessment, err = choice.Assessment(ctx)
	s.Seconds.Risk = lap(&clock)
	if errors.Is(err, risk.ErrNoRisk) {
		model.Warnings = append(model.Warnings, plain(err.Error()))
		return nil
	}
	if err != nil {
		return err
	}
	if few := model.Assessment.Clusters.Few(); few != "" {
		model.Warnings = append(model.Warnings, few)
	}
	s.Diagnosis, err = f.diagnose(ctx, model, xu, uy, s)
	return err
}
