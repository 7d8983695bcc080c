package experiments

import (
	"context"
	"fmt"
	"strings"
	"time"

	"mediant"
	"mediant/internal/bounds"
	"mediant/internal/progress"
	"mediant/problem"
	"mediant/tables"
)

// A TableStudy fits new draws of tables with nothing set but the seed, and measures the models on rows with a known answer.
type TableStudy struct {
	Draws int
	// TestRows are the rows on which the excess of a scenario is measured.
	TestRows int
	Seed     uint64
}

// Validate returns an error that names the first field out of range.
func (s TableStudy) Validate() error {
	return bounds.First(atLeast("TableStudy.Draws", s.Draws, 2), atLeast("TableStudy.TestRows", s.TestRows, 2))
}

// A TableResult is what a method, or a peer, gives on one scenario, draw by draw.
type TableResult struct {
	Method string `json:"method"`
	// Unexplained is 1 - R2 on the test rows, by draw: for a scenario the excess over the variance of E[Y|X].
	Unexplained []float64 `json:"unexplained"`
	Seconds     []float64 `json:"seconds"`
	// Chosen is what was chosen, by draw.
	Chosen []string `json:"chosen,omitempty"`
}

// Excess is the mean of Unexplained with its standard error over draws.
func (r TableResult) Excess() Mean { return meanOf(r.Unexplained) }

// Scenario runs the study on a scenario; the first result is ours.
func (s TableStudy) Scenario(ctx context.Context, of Scenario) ([]TableResult, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	ours := TableResult{Method: "mediant"}
	for draw := range s.Draws {
		seed := s.Seed + uint64(draw)
		xu, err := of.XU(of.RowsXU, seed)
		if err != nil {
			return nil, err
		}
		uy, err := of.UY(of.RowsUY, seed)
		if err != nil {
			return nil, err
		}
		truth, err := of.Truth(s.TestRows, seed)
		if err != nil {
			return nil, err
		}
		if err := ours.fit(progress.Step(ctx, "fitting "+of.Name, draw, s.Draws), xu, uy, truth, seed); err != nil {
			return nil, fmt.Errorf("experiments: %s, draw %d: %w", of.Name, draw+1, err)
		}
	}
	return []TableResult{ours}, nil
}

// fit adds a draw of ours.
func (r *TableResult) fit(ctx context.Context, xu, uy, test tables.Source, seed uint64) error {
	start := time.Now()
	m, err := mediant.Fit(ctx, xu, uy, mediant.Options{Setup: problem.Setup{Seed: seed}})
	if err != nil {
		return err
	}
	r.Seconds = append(r.Seconds, time.Since(start).Seconds())
	r.Chosen = append(r.Chosen, chosen(m))
	score, err := m.Evaluate(ctx, test)
	if err != nil {
		return err
	}
	r.Unexplained = append(r.Unexplained, 1-*score.R2)
	return nil
}

// chosen names the method and the maps of a model, as "method; psi; phi".
func chosen(m *mediant.Model) string {
	names := []string{m.Method}
	for _, stage := range []string{"psi", "phi"} {
		for _, t := range m.Search {
			if t.Stage == stage && t.Chosen {
				names = append(names, t.Name)
			}
		}
	}
	return strings.Join(names, "; ")
}
