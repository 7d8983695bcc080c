package mediant

import (
	"context"
	"iter"

	"mediant/check"
	"mediant/inference"
	"mediant/risk"
	"mediant/rr"
	"mediant/search"
	"mediant/tables"
)

// A Model, made by Fit or Load, is a fitted predictor and what was found out about it: the content of a model file.
type Model struct {
	*rr.Model
	// SE predicts the standard errors of F from encoded X; nil if none were estimated. SetErrors sets it.
	SE *inference.Errors
	// Assessment is the risk of the method on the tables that the model learned from, if it was estimated.
	Assessment *risk.Assessment
	// Search lists the candidates, if anything was chosen.
	Search []search.Trial
	// Findings are those of the check of both tables. They are not in model files.
	Findings []check.Finding
	// Reading has the options with which the files of its tables were read and later files must be read too. Callers that
	// read files set and use it; Fit does not set it.
	Reading tables.Reading

	unread []section // of a file, of packages or versions that this program does not know
}

// SetErrors sets the standard errors of the model, or none.
func (m *Model) SetErrors(se *inference.Errors) {
	m.SE, m.Held = se, 0
	if se != nil {
		m.Held = se.Bytes()
	}
}

// PredictErrors is Predict with the standard errors of f(X). A model that has none panics. Rows of a matrix need no table: X.EncodeMatrix encodes them, and F and
// SE predict what it returns.
func (m *Model) PredictErrors(ctx context.Context, src tables.Source) iter.Seq2[rr.Block, error] {
	if m.SE == nil {
		panic("mediant: the model has no standard errors")
	}
	return m.PredictWith(ctx, src, m.SE)
}
