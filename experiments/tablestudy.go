package experiments

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"mediant"
	"mediant/internal/progress"
	"mediant/problem"
	"mediant/tables"
)

// A TableStudy fits new draws of tables with nothing set but the seed, and measures the models on rows whose answer is known.
type TableStudy struct {
	Draws int
	// TestRows are the rows on which the excess of a scenario is measured.
	TestRows int
	Seed     uint64 // of the first draw
	// Peers are fitted to the same tables; nil: none are.
	Peers *Peers
}

// A TableResult is what one method gives, draw by draw.
type TableResult struct {
	Method string `json:"method"`
	// Unexplained is 1 - R2 on the test rows: for a scenario the excess over the variance of E[Y|X].
	Unexplained []float64 `json:"unexplained"`
	MSE         []float64 `json:"mse"`                // summed over outputs
	Accuracy    []float64 `json:"accuracy,omitempty"` // of classes
	Seconds     []float64 `json:"seconds"`            // of a fit
	// Chosen is the method with the maps of U and of X, for ours.
	Chosen []string `json:"chosen,omitempty"`
}

// MeanOf returns a mean over draws with its standard error.
func MeanOf(values []float64) Mean { return meanOf(values) }

// Scenario runs the study on a scenario. The first result is ours.
func (s TableStudy) Scenario(ctx context.Context, of Scenario) ([]TableResult, error) {
	return s.run(ctx, of.Name, func(seed uint64) (xu, uy, test tables.Source, err error) {
		if xu, err = of.XU(of.RowsXU, seed); err != nil {
			return nil, nil, nil, err
		}
		if uy, err = of.UY(of.RowsUY, seed); err != nil {
			return nil, nil, nil, err
		}
		test, err = of.Truth(s.TestRows, seed)
		return xu, uy, test, err
	})
}

// Real runs the study on draws of a real table.
func (s TableStudy) Real(ctx context.Context, of *RealTable) ([]TableResult, error) {
	return s.run(ctx, of.Name, of.Draw)
}

// run fits every method to every draw, one after another, so that their times can be compared.
func (s TableStudy) run(ctx context.Context, name string, draw func(seed uint64) (xu, uy, test tables.Source, err error)) ([]TableResult, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	results := []TableResult{{Method: "mediant"}}
	if s.Peers != nil {
		for _, p := range PeerNames() {
			results = append(results, TableResult{Method: p})
		}
	}
	for d := range s.Draws {
		seed := s.Seed + uint64(d)
		xu, uy, test, err := draw(seed)
		if err != nil {
			return nil, err
		}
		if err := results[0].fit(progress.Step(ctx, "fitting "+name, d, s.Draws), xu, uy, test, seed); err != nil {
			return nil, fmt.Errorf("experiments: %s, draw %d: %w", name, d+1, err)
		}
		if s.Peers == nil {
			continue
		}
		outcomes, err := s.Peers.fit(ctx, xu, uy, test)
		if err != nil {
			return nil, fmt.Errorf("experiments: %s, draw %d: %w", name, d+1, err)
		}
		for i := range results[1:] {
			results[1+i].add(outcomes[results[1+i].Method])
		}
	}
	return results, nil
}

// fit adds a draw of ours.
func (r *TableResult) fit(ctx context.Context, xu, uy, test tables.Source, seed uint64) error {
	start := time.Now()
	m, err := mediant.Fit(ctx, xu, uy, mediant.Options{Setup: problem.Setup{Seed: seed}})
	if err != nil {
		return err
	}
	o := peerOutcome{Seconds: time.Since(start).Seconds()}
	r.Chosen = append(r.Chosen, chosen(m))
	score, err := m.Evaluate(ctx, test)
	if err != nil {
		return err
	}
	if score.R2 == nil {
		return errors.New("the test rows have a constant Y")
	}
	o.Unexplained, o.MSE, o.Accuracy = 1-*score.R2, score.MSE, score.Accuracy
	r.add(o)
	return nil
}

// add adds a draw.
func (r *TableResult) add(o peerOutcome) {
	r.Unexplained, r.MSE, r.Seconds = append(r.Unexplained, o.Unexplained), append(r.MSE, o.MSE), append(r.Seconds, o.Seconds)
	if o.Accuracy != nil {
		r.Accuracy = append(r.Accuracy, *o.Accuracy)
	}
}

// chosen names the method and the maps of a model.
func chosen(m *mediant.Model) string {
	name := m.Method
	for _, side := range [][2]string{{"psi", "U"}, {"phi", "X"}} {
		for _, t := range m.Search {
			if t.Stage == side[0] && t.Chosen {
				name += fmt.Sprintf(", %s: %s", side[1], strings.Replace(t.Name, ", ", " of ", 1))
			}
		}
	}
	return name
}
