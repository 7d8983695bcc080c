package mediant

import (
	"context"
	"errors"

	"mediant/risk"
	"mediant/search"
	"mediant/tables"
)

// FitSearch chooses and fits. The record has its risk as Assessment, or the model a warning where the tables tell none (ErrNoRisk);
// ChooseEach and Choose leave that to Choice.Assessment.
func FitSearch(ctx context.Context, s search.Search, xu, uy tables.Source) (*Model, error) {
	c, err := s.Choose(ctx, xu, uy)
	if err != nil {
		return nil, err
	}
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
