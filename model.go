package mediant

import (
	"context"
	"iter"

	"mediant/check"
	"mediant/collect"
	"mediant/distribution"
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
	// Distribution predicts the distribution of Y given X; nil if it was not fitted. SetDistribution sets it.
	Distribution *distribution.CDF
	// Assessment is the risk of the method on the tables that the model learned from, if it was estimated.
	Assessment *risk.Assessment
	// Search lists the candidates of the search; nil if nothing was chosen.
	Search []search.Trial
	// Findings are those of the check of both tables. They are not in model files, because they name files and lines, and equal tables give equal models
	// whatever they are read from.
	Findings []check.Finding
	// Reading has the options with which the training files were read; later files must be read with the same ones. Callers that read files set and
	// use it; Fit does not set it.
	Reading tables.Reading

	unread []section // of a file, of packages or versions that this program does not know
}

// SetErrors sets the standard errors of the model; nil removes them.
func (m *Model) SetErrors(se *inference.Errors) {
	m.SE = se
	m.count()
}

// SetDistribution sets the distribution of Y given X, which must be on the features of the model; nil removes it.
func (m *Model) SetDistribution(d *distribution.CDF) {
	m.Distribution = d
	m.count()
}

// count counts what is kept with the model.
func (m *Model) count() {
	m.Held = 0
	if m.SE != nil {
		m.Held += m.SE.Bytes()
	}
	if m.Distribution != nil {
		m.Held += m.Distribution.Bytes()
	}
}

// Collect says what to collect next: what more rows of either table would do to the standard errors of the risk and, if they were estimated, of f, and
// the best split of a budget. It returns nil for a model without Assessment, or with one of an earlier version. The error is that of the costs.
func (m *Model) Collect(c collect.Costs) (*collect.Advice, error) {
	if err := c.Validate(); err != nil || m.Assessment == nil || m.Assessment.Risk.Rows == (collect.Rows{}) {
		return nil, err
	}
	var f *collect.Variance
	if m.SE != nil {
		f = m.SE.Variance
	}
	a, err := collect.Advise(m.Assessment.Risk.Rows, m.Assessment.Variance(), f, c)
	if err == nil && f == nil {
		a.LeftOut = "the variance of f(x) is left out: standard errors of f were not estimated"
	}
	return a, err
}

// PredictErrors is Predict with the standard errors of f(X), in units of Y. It panics for a model without standard errors.
// Rows of a matrix need no table: X.EncodeMatrix encodes them, and F and SE predict the encoded rows.
func (m *Model) PredictErrors(ctx context.Context, src tables.Source) iter.Seq2[rr.Block, error] {
	if m.SE == nil {
		panic("mediant: the model has no standard errors")
	}
	return m.PredictWith(ctx, src, m.SE)
}
