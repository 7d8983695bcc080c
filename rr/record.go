package rr

import (
	"context"
	"iter"

	"mediant/tables"
)

// A Record is a model and what was found out about it. It is what a model file holds.
type Record struct {
	*Model
	// SE predicts the standard errors of F from encoded X; nil if none were estimated. SetErrors sets it.
	SE *Spread
	// Assessment is what the tables that the model learned from say of its method, if that was asked.
	Assessment *Assessment
	// Search lists what was tried, if anything was chosen.
	Search []Trial
	// Reading is how the files of its tables were read, as far as later ones must be read so too. Whoever reads files sets it and
	// uses it; a fit has none.
	Reading tables.Reading
}

// SetErrors sets the standard errors of the model, or none.
func (m *Record) SetErrors(se *Spread) {
	m.SE, m.Held = se, 0
	if se != nil {
		m.Held = se.bytes()
	}
}

// PredictErrors is Predict with the standard errors of f(X). A record that has none panics.
func (m *Record) PredictErrors(ctx context.Context, src tables.Source) iter.Seq2[Block, error] {
	if m.SE == nil {
		panic("rr: the model has no standard errors")
	}
	return m.PredictWith(ctx, src, m.SE)
}
