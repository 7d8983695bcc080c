package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"mediant"
	"mediant/check"
	"mediant/collect"
	"mediant/diagnose"
	"mediant/encode"
	"mediant/features"
	"mediant/modelreport"
	"mediant/problem"
	"mediant/risk"
	"mediant/rr"
	"mediant/search"
	"mediant/tables"
)

// An outsideModel is a model of predictions of another program: its f returns them, and its h is fitted with the penalty that the risk chose.
type outsideModel struct {
	*mediant.Model
	choice *search.Choice
	xu     tables.Source // the rows that have predictions
}

// modelOf makes the model of predictions.
func (f *evaluateFlags) modelOf(ctx context.Context, setup problem.Setup, of risk.Predictions, c *risk.Comparison, both *twoTables) (*outsideModel, error) {
	xu, err := withNumbers(ctx, both.xu, of.Columns)
	if err != nil {
		return nil, err
	}
	setup.Roles.X, setup.RawX, setup.Folds, setup.Phi = of.Columns, true, problem.DefaultFolds, features.Spec{Kind: features.LinearFeatures}
	method := givenPredictions{columns: of.Columns, h: rr.TwoStep{LambdaF: rr.Value(1), LambdaH: rr.Value(c.Risk.LambdaH)}}
	choice, err := search.ChoiceOfTables(ctx, setup, method, risk.AssessOptions{}, xu, both.uy)
	if err != nil {
		return nil, err
	}
	m, err := choice.Fit(ctx)
	if err != nil {
		return nil, err
	}
	return &outsideModel{&mediant.Model{Model: m, Assessment: c.Assessment}, choice, xu}, nil
}

// lookOutside diagnoses the tables of predictions and writes the page. Tables with too few rows for a diagnosis, or too many for the memory, have none.
func (f *evaluateFlags) lookOutside(ctx context.Context, setup problem.Setup, of risk.Predictions, c *risk.Comparison, both *twoTables, advice *collect.Advice, checked *check.Report, stderr io.Writer) (*diagnose.Diagnosis, error) {
	m, err := f.modelOf(ctx, setup, of, c, both)
	if err != nil && f.report != "" {
		return nil, fmt.Errorf("--report: %w", err)
	}
	var d *diagnose.Diagnosis
	if err == nil {
		d, err = diagnose.Diagnose(ctx, m.Model.Model, m.xu, both.uy, setup.Roles)
	}
	short := new(problem.MemoryError)
	switch {
	case errors.As(err, &short), errors.Is(err, risk.ErrNoRisk):
		fmt.Fprintln(stderr, "warning: no diagnosis: "+oneLine(plain(memoryHint(err).Error())))
	case err != nil:
		return nil, err
	default:
		d.OfPredictions()
		d.AddSensitivity(c.Assessment)
	}
	if m == nil {
		return nil, nil
	}
	return d, f.report.write(ctx, modelreport.Subject{
		Model: m.Model, Choice: m.choice, XU: m.xu, UY: both.uy, Weights: setup.Roles, Checked: checked, Diagnosis: d, Collect: advice,
		Predictions: true, Comparison: c, Against: f.outside.against,
	})
}

// withNumbers leaves out the rows of a table in which one of some columns of numbers is missing.
func withNumbers(ctx context.Context, src tables.Source, names []string) (tables.Source, error) {
	selection, err := tables.Select(src.Columns(), problem.SelectColumns(src.Columns(), names))
	if err != nil {
		return nil, err
	}
	var missing []int
	rows := 0
	for b, err := range tables.NewGuard("", src).Batches(ctx) {
		if err != nil {
			return nil, err
		}
		for i := range b.Rows {
			for j := range names {
				if _, place := selection.Place(j); math.IsNaN(b.Num.At(i, place)) {
					missing = append(missing, rows+i)
					break
				}
			}
		}
		rows += b.Rows
	}
	if missing == nil {
		return src, nil
	}
	return tables.Keep(ctx, src, rows-len(missing), func(row int) bool {
		_, is := slices.BinarySearch(missing, row)
		return !is
	})
}

// givenPredictions is a method whose f is what columns of X say, and whose h is that of another one.
type givenPredictions struct {
	columns []string
	h       rr.TwoStep
}

// Fit implements rr.Method.
func (g givenPredictions) Fit(ctx context.Context, p *problem.Problem) (*rr.Model, error) {
	m, err := g.h.Fit(ctx, p)
	if err != nil {
		return nil, err
	}
	m.Method, m.Params.LambdaF, m.Params.W = "predictions", nil, nil
	columns := g.columns
	if outputs := m.Y.Names(); !slices.ContainsFunc(outputs, func(name string) bool { return !slices.Contains(columns, name) }) {
		columns = outputs
	}
	m.F, err = pickFrom(m.X, columns)
	return m, err
}

// A picker returns some of the encoded columns.
type picker []int

// pickFrom is the predictor that returns columns of numbers of an encoder of raw numbers.
func pickFrom(e *encode.Encoder, columns []string) (picker, error) {
	p := make(picker, len(columns))
	for j, name := range columns {
		if p[j] = slices.Index(e.Names(), name); p[j] < 0 {
			return nil, fmt.Errorf("no predictions in column %q", name)
		}
	}
	return p, nil
}

// PredictTo implements rr.Predictor.
func (p picker) PredictTo(dst *mat.Dense, x mat.Matrix) {
	n, _ := x.Dims()
	if dst.IsEmpty() {
		dst.ReuseAs(n, len(p))
	}
	for i := range n {
		for j, at := range p {
			dst.Set(i, j, x.At(i, at))
		}
	}
}
