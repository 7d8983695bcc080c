package modelreport

import (
	"context"
	"fmt"
	"math"
	"strings"

	"mediant/collect"
	"mediant/report"
)

// diagnosis is the section in words.
func (b *builder) diagnosis(context.Context) (*report.Section, error) {
	if b.Diagnosis == nil {
		if _, err := b.rows(); err != nil {
			return nil, err
		}
		return nil, reason("no diagnosis was made (--no-risk, --no-diagnosis, or a method without a model of Y from U)")
	}
	return &report.Section{Title: "Diagnosis", Text: b.Diagnosis.Sentences()}, nil
}

// sensitivity is the section on a violation of the assumption.
func (b *builder) sensitivity(context.Context) (*report.Section, error) {
	switch {
	case b.Diagnosis == nil:
		return nil, reason("needs a diagnosis")
	case b.Diagnosis.Violation == nil:
		return nil, reason("needs an estimate of the risk that is not negative")
	}
	v := b.Diagnosis.Violation
	worst := report.Series{Name: "largest RMSE", Kind: report.LinePoints}
	t := report.Table{Columns: []string{"share of Var(Y|U) that X explains", "RMS of E[Y|U,X] − E[Y|U]", "largest RMSE"}}
	for _, p := range v.Curve {
		worst.X, worst.Y = append(worst.X, p.Share), append(worst.Y, p.Worst)
		t.Rows = append(t.Rows, []report.Cell{{Text: percent(p.Share), Value: &p.Share}, cell(p.C), cell(p.Worst)})
	}
	c := report.Chart{
		Name: "sensitivity", Title: "Largest RMSE of f against the size of a violation", XLabel: "share of the variance of Y given U that X explains", YLabel: "RMSE",
		Series: []report.Series{worst}, ReachY: []float64{0},
		Note: "How to read it: at 0 the assumption holds; to the right X says more about Y than U does.",
	}
	if b.Model.Y.Len() == 1 {
		c.YLabel += b.outputUnit(0)
	}
	if b.base != nil && len(v.Curve) > 0 {
		last := v.Curve[len(v.Curve)-1].Share
		y := math.Sqrt(b.base.mean.value)
		c.Series = append(c.Series, report.Series{Name: "RMSE of the mean of Y", Kind: report.Line, X: []float64{0, last}, Y: []float64{y, y}})
		c.Note += " Where the curve is above the line of the mean, the worst case is no better than a constant."
	}
	return &report.Section{
		Title: "Sensitivity to the assumption",
		Text: []string{fmt.Sprintf("The tables cannot show whether E[Y|U,X] = E[Y|U]. If X explains a share of the variance that U leaves in Y, the error of f is at most this. The part of f that U does not determine has a root mean square of %s: if it is small, so is the effect of a violation.",
			number(v.SpreadOfF))},
		Tables: []report.Table{t}, Charts: []report.Chart{c},
	}, nil
}

// collect is the section on more rows.
func (b *builder) collect(context.Context) (*report.Section, error) {
	advice, err := b.advice()
	if err != nil {
		return nil, err
	}
	if advice == nil {
		return nil, reason("needs an estimate of the risk with its parts from either table")
	}
	s := &report.Section{Title: "What to collect next"}
	for _, text := range advice.Sentences() { // which the command prints after a label
		s.Text = append(s.Text, sentence(strings.ToUpper(text[:1])+text[1:]))
	}
	return s, nil
}

// advice is that of the subject, or one at the default costs; nil without a risk.
func (b *builder) advice() (*collect.Advice, error) {
	switch a := b.Assessment; {
	case b.Collect != nil:
		return b.Collect, nil
	case a == nil || a == b.Model.Assessment:
		return b.Model.Collect(collect.Costs{})
	default:
		return collect.Advise(a.Risk.Rows, a.Variance(), nil, collect.Costs{})
	}
}
