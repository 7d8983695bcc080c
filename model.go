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

// A Model, made by Fit, FitChoice or Load, is a fitted predictor with the results of later steps: its risk, its standard
// errors, the candidates of the search and the findings of the checks. It is the content of a model file.
type Model struct {
	*rr.Model
	// SE predicts the standard errors of F from encoded X, one for each output, in units of Y; nil if they were not estimated. SetErrors sets it.
	SE *inference.Errors
	// Assessment is the risk of the method on the tables that the model learned from, if it was estimated.
	Assessment *risk.Assessment
	// Search lists the candidates of the search; nil if nothing was chosen.
	Search []search.Trial
	// Findings are those of the check of both tables. They are not in model files.
	Findings []check.Finding
	// Reading has the options with which the training files were read; later files must be read with the same ones. Callers that read files set and
	// use it; Fit does not set it.
	Reading tables.Reading

	unread []section // of a file, of packages or versions that this program does not know
}

// SetErrors sets the standard errors of the model; nil removes them.
func (m *Model) SetErrors(se *inference.Errors) {
	m.SE, m.Held = se, 0
	if se != nil {
		m.Held = se.Bytes()
	}
}

// PredictErrors is Predict with the standard errors of f(X), in units of Y. It panics for a model without standard errors.
// Rows of a matrix need no table: X.EncodeMatrix encodes them, and F and SE predict the encoded rows.
func (m *Model) PredictErrors(ctx context.Context, src tables.Source) iter.Seq2[rr.Block, error] {
	if m.SE == nil {
		panic("mediant: the model has no standard errors")
	}
	return m.PredictWith(ctx, src, m.SE)
}
