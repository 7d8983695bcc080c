package modelreport

import (
	"context"
	"fmt"

	"mediant/losses"
	"mediant/report"
)

// probabilities is the section that compares probabilities of classes with how often they are right; there is none for other models.
func (b *builder) probabilities(context.Context) (*report.Section, error) {
	var c *losses.Calibration
	from := "estimated from the two tables alone, if E[Y|U,X] = E[Y|U]"
	switch {
	case b.Score != nil && b.Score.Calibration != nil:
		c, from = b.Score.Calibration, "counted in the coupled rows"
	case b.Assessment != nil && b.Assessment.Calibration != nil:
		c = b.Assessment.Calibration
	default:
		return nil, nil
	}
	of := "the predicted class"
	if b.Model.Y.Len() == 2 {
		of = "the class " + short(b.Model.Y.Class(1), 40)
	}
	chart := report.Chart{Name: "probabilities", Title: "Are the probabilities right?", XLabel: "probability of " + of, YLabel: "share of rows that have it",
		Note: "How to read it: rows are grouped by the probability in tenths. Points on the line y = x mean that what is predicted with 80 % happens in 80 % of the rows."}
	means := report.Series{Name: "share with its 95 % interval", Kind: report.Points}
	t := report.Table{Caption: "Probabilities of " + of, Columns: []string{"probability from", "to", "rows, %", "mean", "share that have it", "95 % from", "to"}}
	for _, bin := range c.Bins {
		means.X, means.Y, means.Err = append(means.X, bin.Mean), append(means.Y, bin.Right), append(means.Err, finiteOr((bin.RightHi-bin.RightLo)/2, 0))
		t.Rows = append(t.Rows, []report.Cell{cell(bin.Lo), cell(bin.Hi), cell(100 * bin.Share), cell(bin.Mean), cell(bin.Right), cell(bin.RightLo), cell(bin.RightHi)})
	}
	same := report.Series{Name: "y = x", Kind: report.Line, X: []float64{c.Bins[0].Lo, 1}, Y: []float64{c.Bins[0].Lo, 1}}
	chart.Series = []report.Series{means, same}
	return &report.Section{
		Title: "Calibration of the probabilities",
		Text: []string{fmt.Sprintf("How often the class is right where its probability is about so much, %s. The expected calibration error, the mean distance from the line, is %s; with probabilities that are all right sampling would make it %s.",
			from, number(c.Error), number(c.ByChance))},
		Charts: []report.Chart{chart}, Tables: []report.Table{t},
	}, nil
}
