package main

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"mediant"
	"mediant/check"
	"mediant/encode"
	"mediant/modelreport"
	"mediant/problem"
	"mediant/risk"
	"mediant/rr"
	"mediant/search"
)

// writeOutsideReport writes the page of predictions of another program, whose h is fitted with the penalty that the risk chose.
func (f *evaluateFlags) writeOutsideReport(ctx context.Context, setup problem.Setup, of risk.Predictions, c *risk.Comparison, both *twoTables, checked *check.Report) error {
	if f.report == "" {
		return nil
	}
	setup.Roles.X, setup.Folds = of.Columns, problem.DefaultFolds
	method := givenPredictions{columns: of.Columns, h: rr.TwoStep{LambdaF: rr.Value(1), LambdaH: rr.Value(c.Risk.LambdaH)}}
	choice, err := search.ChoiceOfTables(ctx, setup, method, risk.AssessOptions{}, both.xu, both.uy)
	if err != nil {
		return fmt.Errorf("--report: %w", err)
	}
	m, err := choice.Fit(ctx)
	if err != nil {
		return fmt.Errorf("--report: %w", err)
	}
	return f.report.write(ctx, modelreport.Subject{
		Model: &mediant.Model{Model: m, Assessment: c.Assessment}, Choice: choice, XU: both.xu, UY: both.uy, Weights: setup.Roles, Checked: checked,
		Predictions: true, Comparison: c, Against: f.outside.against,
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
	m.F, err = decode(m.X, columns)
	return m, err
}

// A decoder returns the numbers of columns from encoded rows: scale times the encoded one, and shift.
type decoder struct {
	at           []int // encoded columns
	shift, scale []float64
}

// decode is the predictor that returns columns of numbers of an encoder.
func decode(e *encode.Encoder, columns []string) (*decoder, error) {
	d := &decoder{}
	all := e.Columns()
	two := mat.NewDense(2, len(all), nil) // rows of zeros and of ones
	for j := range all {
		two.Set(1, j, 1)
	}
	rows, _, err := e.EncodeMatrix(two)
	if err != nil {
		return nil, err
	}
	for _, name := range columns {
		at := slices.Index(e.Names(), name)
		if at < 0 {
			return nil, fmt.Errorf("column %q of predictions is constant", name)
		}
		scale := 1 / (rows.At(1, at) - rows.At(0, at))
		d.at, d.scale, d.shift = append(d.at, at), append(d.scale, scale), append(d.shift, -scale*rows.At(0, at))
	}
	return d, nil
}

// PredictTo implements rr.Predictor.
func (d *decoder) PredictTo(dst *mat.Dense, x mat.Matrix) {
	n, _ := x.Dims()
	if dst.IsEmpty() {
		dst.ReuseAs(n, len(d.at))
	}
	for i := range n {
		for j, at := range d.at {
			dst.Set(i, j, d.scale[j]*x.At(i, at)+d.shift[j])
		}
	}
}
