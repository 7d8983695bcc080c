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
		listColumns(s, &table, side.name, columns, "monomials", 3*nameLetters)
	}
	if table.Rows == nil {
		return nil, nil
	}
	s.Tables = []report.Table{table}
	return s, nil
}

// listColumns adds the first columns of a side to a table, and says in the section how many are left out; things are what they are, with so many letters of their names.
func listColumns(s *report.Section, to *report.Table, side string, columns []metric.Column, things string, letters int) {
	for _, c := range columns[:min(len(columns), listedMetric)] {
		to.Rows = append(to.Rows, []report.Cell{report.TextCell(side), report.TextCell(short(c.Name, letters)), report.Number(c.Value)})
	}
	if len(columns) > listedMetric {
		s.Text = append(s.Text, fmt.Sprintf("Of %s %d of %d %s are listed.", side, listedMetric, len(columns), things))
	}
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

// metrics is the section on learned metrics and warps of X and of U; nil where there is none.
func (b *builder) metrics(context.Context) (*report.Section, error) {
	s := &report.Section{Title: "Which columns matter"}
	metricShares := report.Table{Columns: []string{"side", "column", "share"}}
	splitShares := report.Table{Columns: []string{"side", "column", "share of splits"}}
	directions := report.Table{Columns: []string{"side", "direction", "share"}}
	for _, side := range b.sides() {
		l := rr.LinearOf(side.of)
		if l == nil {
			continue
		}
		if of := features.MetricOf(l.Map); of != nil {
			m, err := metric.Summarize(of, side.by.Names())
			if err != nil {
				return nil, err
			}
			listColumns(s, &metricShares, side.name, m.Columns, "columns", nameLetters)
			for _, d := range m.Directions {
				directions.Rows = append(directions.Rows, []report.Cell{report.TextCell(side.name), report.TextCell(short(d.String(), 200)), report.Number(d.Share)})
			}
		}
		if of := features.WarpOf(l.Map); of != nil {
			columns, err := metric.Shares(of, side.by.Names())
			if err != nil {
				return nil, err
			}
			listColumns(s, &splitShares, side.name, columns, "columns", nameLetters)
		}
	}
	for _, t := range []struct {
		table report.Table
		text  string
	}{
		{metricShares, "Distances between rows are those of a metric that was learned from the tables: the mean of the products of the gradients of a fitted function, of h(U) for X and of Y for U. The share of a column is that in the mean squared gradient, in units of its standard deviation. A column without a share does not change predictions."},
		{directions, "Directions are combinations of columns, with their share; the largest elements of each are listed."},
		{splitShares, "Columns are stretched where splits of a random forest lower the error of a fitted function, of h(U) for X and of Y for U. The share of a column is that of its splits in what all of them explain. Beside it the column as it is has features too."},
	} {
		if t.table.Rows != nil {
			s.Text, s.Tables = append(s.Text, t.text), append(s.Tables, t.table)
		}
	}
	if s.Tables == nil {
		return nil, nil
	}
	return s, nil
}
