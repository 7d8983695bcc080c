package modelreport

import (
	"context"
	"fmt"

	"mediant"
	"mediant/check"
	"mediant/collect"
	"mediant/diagnose"
	"mediant/distribution"
	"mediant/problem"
	"mediant/report"
	"mediant/risk"
	"mediant/rr"
	"mediant/search"
	"mediant/tables"
)

// A Subject is what a report is about: a model and whatever is at hand beside it. What a missing field would show is listed as left out.
type Subject struct {
	// Model must be set.
	Model *mediant.Model
	// Choice is that of the fit. From its problem come held-out predictions and the risk along the hyperparameters.
	Choice *search.Choice
	// XU and UY are the tables of (X, U) and of (U, Y): those of the fit with a Choice, else tables that the model has not learned from. Weights names
	// their columns of weights.
	XU, UY  tables.Source
	Weights tables.RoleOptions
	// XY are coupled (X, Y) rows that the model has not learned from, and Score is its error on them.
	XY    tables.Source
	Score *rr.Score
	// Checked is the check of XU and UY, with the profiles of their columns; nil: those that the model keeps. Findings are what was found in the tables.
	Checked  *check.Report
	Findings []check.Finding
	// Assessment is the estimated error on XU and UY; nil: that of the fit, which the model keeps.
	Assessment *risk.Assessment
	Diagnosis  *diagnose.Diagnosis
	// Distribution is the estimated error of the model's distribution on XU and UY; nil: that of the fit. DistributionScore is that on XY.
	Distribution      *distribution.Assessment
	DistributionScore *distribution.Score
	// Collect says what more rows of either table would do; nil: at the default costs.
	Collect *collect.Advice
	// Predictions reports that X are predictions of another program, which F returns as they are. Comparison has their difference from the model of the name
	// Against, if they were compared with one.
	Predictions bool
	Comparison  *risk.Comparison
	Against     string
	// Words puts an error into words for the reader; nil: its text.
	Words func(error) string
}

// Sizes of samples, of rows of each table.
const (
	heldOutRows    = 2000
	dependenceRows = 400
	comparedRows   = 4000
	// sampledCells bounds samples of tables of many columns.
	sampledCells = 4_000_000
)

// A builder is a report under way.
type builder struct {
	Subject
	encoded *problem.Encoded // both tables, if they are there
	base    *constants       // the errors of constants, if they are known
	held    *heldOut         // predictions, if there are any
	left    []omission
}

// An omission is a part that is not in the report.
type omission struct{ what, why string }

// A reason is an error that says why there is no part of a report.
type reason string

func (r reason) Error() string { return string(r) }

// Document returns the report. A part that fails is left out, with its error as the reason; the error is that of ctx, or that there is no model.
func Document(ctx context.Context, s Subject) (*report.Document, error) {
	if s.Model == nil || s.Model.Model == nil {
		return nil, fmt.Errorf("modelreport: the Subject has no Model")
	}
	b := &builder{Subject: s}
	if b.Assessment == nil {
		b.Assessment = s.Model.Assessment
	}
	if b.Words == nil {
		b.Words = error.Error
	}
	for _, step := range []struct {
		what string
		run  func(context.Context) error
	}{
		{"pictures that need rows", b.encode},
		{"the errors of constants", b.findConstants},
		{"held-out predictions", b.predict},
	} {
		if err := b.tried(ctx, step.what, step.run(ctx)); err != nil {
			return nil, err
		}
	}
	doc := &report.Document{Title: b.title(), Summary: b.summary()}
	for _, part := range []struct {
		what string
		make func(context.Context) (*report.Section, error)
	}{
		{"the error", b.errors},
		{"the diagnosis", b.diagnosis},
		{"findings", b.findings},
		{"columns", b.columns},
		{"the learned metrics", b.metrics},
		{"the monomials", b.terms},
		{"the calibration of probabilities", b.probabilities},
		{"the calibration of f", b.calibration},
		{"the calibration on coupled rows", b.coupled},
		{"the residuals of h", b.residuals},
		{"the distribution of Y", b.distribution},
		{"partial dependence", b.ofModel(b.dependence)},
		{"the overlap of U", b.overlap},
		{"the sensitivity curve", b.sensitivity},
		{"what to collect next", b.collect},
		{"the risk along w and the penalties", b.ofModel(b.sweeps)},
		{"the candidates of the search", b.ofModel(b.candidates)},
		{"the model", b.ofModel(b.model)},
	} {
		section, err := part.make(ctx)
		if err := b.tried(ctx, part.what, err); err != nil {
			return nil, err
		}
		if section != nil {
			doc.Sections = append(doc.Sections, *section)
		}
	}
	if len(b.left) > 0 {
		doc.Sections = append(doc.Sections, b.leftOut())
	}
	return doc, nil
}

// ofModel is a part that predictions without their model have not.
func (b *builder) ofModel(part func(context.Context) (*report.Section, error)) func(context.Context) (*report.Section, error) {
	if !b.Predictions {
		return part
	}
	return func(context.Context) (*report.Section, error) {
		return nil, reason("the predictions are of another program, which is not at hand")
	}
}

// tried lists a part that failed, unless ctx is done.
func (b *builder) tried(ctx context.Context, what string, err error) error {
	if done := ctx.Err(); done != nil {
		return done
	}
	if err != nil {
		b.leaveOut(what, b.Words(err))
	}
	return nil
}

func (b *builder) leaveOut(what, why string) { b.left = append(b.left, omission{what, why}) }

func (b *builder) leftOut() report.Section {
	t := report.Table{Columns: []string{"part", "reason"}}
	for _, o := range b.left {
		t.Rows = append(t.Rows, []report.Cell{report.TextCell(o.what), report.TextCell(short(o.why, 300))})
	}
	return report.Section{Title: "Left out", Text: []string{"What this page could not show, and why."}, Tables: []report.Table{t}}
}

// encode finds both tables as the model encodes them.
func (b *builder) encode(ctx context.Context) error {
	if b.Choice != nil && b.Choice.Problem.HasRows() {
		b.encoded = &b.Choice.Problem.Encoded
		return nil
	}
	if b.Choice != nil {
		return reason("the model was fitted to sums of products, without rows")
	}
	if b.XU == nil || b.UY == nil {
		return nil // each picture says so
	}
	m := b.Model
	setup := problem.Setup{Roles: tables.RoleOptions{WeightsXU: b.Weights.WeightsXU, WeightsUY: b.Weights.WeightsUY, ClusterXU: b.Weights.ClusterXU, ClusterUY: b.Weights.ClusterUY}, Seed: m.Seed, Memory: m.Memory}
	var err error
	b.encoded, err = problem.EncodeWith(ctx, setup, problem.Encoding{Roles: m.Roles, X: m.X, U: m.U, Y: m.Y}, b.XU, b.UY)
	return err
}

// rows are both tables, or why there are none.
func (b *builder) rows() (*problem.Encoded, error) {
	switch {
	case b.encoded != nil:
		return b.encoded, nil
	case b.Choice != nil:
		return nil, reason("the model was fitted to sums of products, without rows")
	case b.XY != nil:
		return nil, reason("needs tables of (X, U) and of (U, Y); these rows are of X and Y")
	}
	return nil, reason("a model file holds no rows of the tables")
}
