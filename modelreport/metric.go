package modelreport

import (
	"context"
	"fmt"

	"mediant/encode"
	"mediant/features"
	"mediant/metric"
	"mediant/report"
	"mediant/rr"
)

// listedMetric bounds the columns of a metric that are listed.
const listedMetric = 20

// terms is the section on polynomials of which few monomials count; nil where there is none.
func (b *builder) terms(context.Context) (*report.Section, error) {
	table := report.Table{Columns: []string{"side", "monomial", "coefficient"}}
	s := &report.Section{Title: "Which monomials count", Text: []string{
		"The function is a polynomial whose small coefficients were shrunk towards 0. Coefficients are those of products of the columns in units of their standard deviations, about their means; of several outputs the root of the sum of squares.",
	}}
	for _, side := range b.sides() {
		l := rr.LinearOf(side.of)
		if l == nil {
			continue
		}
		columns, err := metric.Terms(l.Map, l.Coef, side.by.Names())
		if err != nil {
			return nil, err
		}
		for _, c := range columns[:min(len(columns), listedMetric)] {
			table.Rows = append(table.Rows, []report.Cell{report.TextCell(side.name), report.TextCell(short(c.Name, 200)), report.Number(c.Value)})
		}
		if len(columns) > listedMetric {
			s.Text = append(s.Text, fmt.Sprintf("Of %s %d of %d monomials are listed.", side.name, listedMetric, len(columns)))
		}
	}
	if table.Rows == nil {
		return nil, nil
	}
	s.Tables = []report.Table{table}
	return s, nil
}

// A modelSide is a predictor with the encoder of its rows.
type modelSide struct {
	name string
	of   rr.Predictor
	by   *encode.Encoder
}

func (b *builder) sides() []modelSide {
	return []modelSide{{"X", b.Model.F, b.Model.X}, {"U", b.Model.H, b.Model.U}}
}

// metrics is the section on learned metrics of X and of U; nil where there is none.
func (b *builder) metrics(context.Context) (*report.Section, error) {
	s := &report.Section{Title: "Which columns matter", Text: []string{
		"Distances between rows are those of a metric that was learned from the tables: the mean of the products of the gradients of a fitted function, of h(U) for X and of Y for U. The share of a column is that in the mean squared gradient, in units of its standard deviation. A column without a share does not change predictions.",
	}}
	columns := report.Table{Columns: []string{"side", "column", "share"}}
	directions := report.Table{Columns: []string{"side", "direction", "share"}}
	for _, side := range b.sides() {
		l := rr.LinearOf(side.of)
		if l == nil || features.MetricOf(l.Map) == nil {
			continue
		}
		m, err := metric.Summarize(features.MetricOf(l.Map), side.by.Names())
		if err != nil {
			return nil, err
		}
		for _, c := range m.Columns[:min(len(m.Columns), listedMetric)] {
			columns.Rows = append(columns.Rows, []report.Cell{report.TextCell(side.name), report.TextCell(shortName(c.Name)), report.Number(c.Value)})
		}
		if len(m.Columns) > listedMetric {
			s.Text = append(s.Text, fmt.Sprintf("Of %s %d of %d columns are listed.", side.name, listedMetric, len(m.Columns)))
		}
		for _, d := range m.Directions {
			directions.Rows = append(directions.Rows, []report.Cell{report.TextCell(side.name), report.TextCell(short(d.String(), 200)), report.Number(d.Share)})
		}
	}
	if columns.Rows == nil {
		return nil, nil
	}
	s.Tables = []report.Table{columns}
	if directions.Rows != nil {
		s.Text = append(s.Text, "Directions are combinations of columns, with their share; the largest elements of each are listed.")
		s.Tables = append(s.Tables, directions)
	}
	return s, nil
}
