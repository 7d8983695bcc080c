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

// metrics is the section on learned metrics of X and of U; nil where there is none.
func (b *builder) metrics(context.Context) (*report.Section, error) {
	s := &report.Section{Title: "Which columns matter", Text: []string{
		"Distances between rows are those of a metric that was learned from the tables: the mean of the products of the gradients of a fitted function, of h(U) for X and of Y for U. The share of a column is that in the mean squared gradient, in units of its standard deviation. A column without a share does not change predictions.",
	}}
	columns := report.Table{Columns: []string{"side", "column", "share"}}
	directions := report.Table{Columns: []string{"side", "direction", "share"}}
	for _, side := range []struct {
		name string
		of   rr.Predictor
		by   *encode.Encoder
	}{{"X", b.Model.F, b.Model.X}, {"U", b.Model.H, b.Model.U}} {
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
