package modelreport

import (
	"context"
	"fmt"
	"math"

	"mediant/internal/weighted"
	"mediant/losses"
	"mediant/report"
	"mediant/risk"
)

// errors is the section on the estimated error beside those of constants.
func (b *builder) errors(context.Context) (*report.Section, error) {
	if b.Assessment == nil {
		return nil, reason("no risk was estimated" + b.whyNoRisk())
	}
	a := b.Assessment
	s := &report.Section{Title: "Estimated error", Text: b.errorTexts()}
	t := report.Table{Caption: "Mean squared error, summed over outputs", Columns: []string{"of", "estimate", "95 % from", "to", "RMSE"}}
	bars := report.Series{Name: "estimate with its 95 % interval", Kind: report.Points}
	var spans []report.Series
	c := report.Chart{
		Name: "risk", Title: "Error, beside that of constants", XLabel: "prediction", YLabel: b.errorLabel(), ReachY: []float64{0},
		Note: "How to read it: lower is better. A useful model has an interval below those of the constants.",
	}
	place := func(name string) float64 {
		c.XNames = append(c.XNames, name)
		return float64(len(c.XNames) - 1)
	}
	row := func(name, axis string, e estimate) {
		t.Rows = append(t.Rows, []report.Cell{report.TextCell(name), cell(e.value), cell(max(0, e.value-e.margin)), cell(e.value + e.margin), cell(math.Sqrt(e.value))})
		bars.X, bars.Y, bars.Err = append(bars.X, place(axis)), append(bars.Y, e.value), append(bars.Err, max(0, finiteOr(e.margin, 0)))
	}
	if a.Risk.Known != nil {
		row(b.subject()+", if E[Y|U,X] = E[Y|U]", b.axis(), estimate{a.Risk.MSE, a.Risk.Hi - a.Risk.MSE})
	} else {
		t.Rows = append(t.Rows, []report.Cell{report.TextCell(b.subject() + ", if E[Y|U,X] = E[Y|U]"), report.TextCell("unknown"), report.Number(0), cell(a.Risk.Hi), {}})
	}
	if score := b.Score; score != nil {
		row(b.onCoupled(), "coupled rows", estimate{score.MSE, marginOf(score.SE)})
	}
	if d := b.Comparison; d != nil && d.Against != nil && d.Against.Risk.Known != nil {
		r := d.Against.Risk
		row("the model "+shortName(b.Against), "other model", estimate{r.MSE, r.Hi - r.MSE})
	}
	for _, bracket := range []struct {
		name, axis string
		of         *risk.Bracket
	}{{"bracket, without the assumption", "bracket", a.Bracket}, {"tighter bracket", "tighter", tighter(a)}} {
		if o := bracket.of; o != nil {
			t.Rows = append(t.Rows, []report.Cell{report.TextCell(bracket.name), {}, cell(o.Lo), cell(o.Hi), {}})
			spans = append(spans, report.Series{Name: bracket.axis + ": holds without the assumption", Kind: report.Line, // of one point, so that the bar alone is drawn
				X: []float64{place(bracket.axis)}, Y: []float64{(o.Lo + o.Hi) / 2}, Err: []float64{(o.Hi - o.Lo) / 2}})
		}
	}
	if b.held != nil {
		row("the best constant for the rows of (X, U): the mean of h(U) there", "best constant", b.held.best)
	}
	if b.base != nil {
		row("the mean of Y in the rows of (U, Y)", "mean of Y", b.base.mean)
	}
	c.Series = append(append(c.Series, bars), spans...)
	s.Tables, s.Charts = append(s.Tables, t), append(s.Charts, c)
	for _, t := range []*report.Table{b.loss(), b.accuracies(), b.outputErrors()} {
		if t != nil {
			s.Tables = append(s.Tables, *t)
		}
	}
	return s, nil
}

// errorLabel is what an axis of squared errors is called.
func (b *builder) errorLabel() string {
	switch y := b.Model.Roles.Y; {
	case b.Model.Probabilities():
		return "mean squared error of the probabilities (Brier score)"
	case b.Model.Y.Classes() != nil:
		return "mean squared error of the class scores"
	case len(y) == 1:
		return fmt.Sprintf("mean squared error (squared units of %s)", short(y[0], 30))
	}
	return "mean squared error, summed over outputs"
}

// onCoupled names an error that is measured.
func (b *builder) onCoupled() string {
	return fmt.Sprintf("%s on %s of coupled (X, Y)", b.subject(), rows(b.Score.Rows))
}

// marginOf is the half-width of the 95 % interval of a standard error, NaN if there is none.
func marginOf(se *float64) float64 {
	if se == nil {
		return math.NaN()
	}
	return weighted.Normal95 * *se
}

// subject is what the error is of.
func (b *builder) subject() string {
	if b.Predictions {
		return "the predictions"
	}
	return "this model"
}

// axis is the subject in a chart.
func (b *builder) axis() string {
	if b.Predictions {
		return "predictions"
	}
	return "model"
}

// tighter is the tight bracket where it says more than the other.
func tighter(a *risk.Assessment) *risk.Bracket {
	if a.Bracket != nil && a.Tight != nil && a.Tight.Hi-a.Tight.Lo < a.Bracket.Hi-a.Bracket.Lo {
		return a.Tight
	}
	return nil
}

// errorTexts say what the estimate is of.
func (b *builder) errorTexts() []string {
	a := b.Assessment
	all := []string{"The error is estimated from the two tables alone, without one row that has both X and Y. It is valid if U carries all that X says about the mean of Y, " +
		"E[Y|U,X] = E[Y|U], which two tables cannot show. The brackets hold without that assumption."}
	if a.Risk.Form == risk.CovariateShift {
		all = append(all, "The distribution of U may differ between the tables (form 2): there is no bracket, and the interval is not valid under large shifts.")
	}
	if a.Risk.Optimism > 0 {
		all = append(all, fmt.Sprintf("%s of the estimate is a correction for having chosen the best of many candidates.", number(a.Risk.Optimism)))
	}
	if a.Risk.LearningCurve > 0 {
		all = append(all, fmt.Sprintf("The models of folds, by which it is estimated, have fewer rows than the model: their error is higher by %s, which was subtracted.", number(a.Risk.LearningCurve)))
	}
	if c := b.Comparison; c != nil && c.Difference != nil {
		d := c.Difference
		all = append(all, fmt.Sprintf("The error of the predictions less that of the model %s is %s (95 %% interval %s to %s); below 0 the predictions are better.", shortName(b.Against), number(d.Value), number(d.Lo), number(d.Hi)))
	}
	if a.Risk.FewRows {
		all = append(all, "There are few rows: the interval may be too narrow.")
	}
	if o := a.Overlap; o != nil {
		all = append(all, fmt.Sprintf("The estimate is of the %d of %d rows of (X, U) whose U the second table has. Over all rows the error is between %s and %s, or %s and %s with sampling error; of the other rows only the range of Y is known.",
			o.Rows, o.Of, number(o.All.Lo), number(o.All.Hi), number(o.All.Lower), number(o.All.Upper)))
	}
	if b.held != nil {
		all = append(all, fmt.Sprintf("The error of the best constant is from held-out predictions of %s of (X, U) and %s of (U, Y).", rows(b.held.x.rows()), rows(b.held.y.rows())))
	}
	return all
}

// lossCaptions are those of tables of a loss.
var lossCaptions = map[string]string{losses.Log{}.Name(): "Log loss of the probabilities", losses.Poisson{}.Name(): "Poisson loss, half the deviance"}

// loss is the error in the loss that the model was fitted in, nil for squared error.
func (b *builder) loss() *report.Table {
	l := b.Assessment.Loss
	if l == nil {
		return nil
	}
	t := &report.Table{Caption: lossCaptions[l.Loss], Columns: []string{"of", "estimate", "95 % from", "to"}}
	if t.Caption == "" {
		t.Caption = "Loss " + l.Loss
	}
	t.Rows = [][]report.Cell{
		{report.TextCell(b.subject() + ", if E[Y|U,X] = E[Y|U]"), cell(l.Value), cell(l.Lo), cell(l.Hi)},
		{report.TextCell("bracket, without the assumption"), {}, cell(l.Bracket.Lo), cell(l.Bracket.Hi)},
		{report.TextCell("the mean of Y in the rows of (U, Y)"), cell(l.Constant), {}, {}},
	}
	return t
}

// accuracies compares the accuracy with that of the most frequent class; nil for regression.
func (b *builder) accuracies() *report.Table {
	a := b.Assessment.Accuracy
	if a == nil {
		return nil
	}
	t := &report.Table{Caption: "Accuracy: the share of rows with the right class", Columns: []string{"of", "estimate", "95 % from", "to"}}
	t.Rows = append(t.Rows, []report.Cell{report.TextCell(b.subject() + ", if E[Y|U,X] = E[Y|U]"), cell(a.Value), cell(a.Lo), cell(a.Hi)})
	if score := b.Score; score != nil && score.Accuracy != nil {
		p := *score.Accuracy
		margin := weighted.Normal95 * math.Sqrt(p*(1-p)/float64(score.Rows))
		t.Rows = append(t.Rows, []report.Cell{report.TextCell(b.onCoupled()), cell(p), cell(p - margin), cell(p + margin)})
	}
	constant := func(name string, class int, e estimate) {
		t.Rows = append(t.Rows, []report.Cell{report.TextCell(fmt.Sprintf("%s: %s", name, short(b.Model.Y.Class(class), 40))), cell(e.value), cell(e.value - e.margin), cell(e.value + e.margin)})
	}
	if b.held != nil {
		constant("the class that is most frequent by h(U) in the rows of (X, U)", b.held.class, b.held.frequent)
	}
	if b.base != nil {
		constant("the most frequent class in the rows of (U, Y)", b.base.class, b.base.frequent)
	}
	return t
}

// listedOutputs bounds the outputs in a table.
const listedOutputs = 30

// outputErrors has the errors of several outputs; nil for one.
func (b *builder) outputErrors() *report.Table {
	outputs := b.Assessment.Risk.Outputs
	if len(outputs) < 2 {
		return nil
	}
	shown := min(len(outputs), listedOutputs)
	t := &report.Table{Caption: "Mean squared error by output", Columns: []string{"output", "estimate", "95 % from", "to"}}
	if shown < len(outputs) {
		t.Caption += fmt.Sprintf(", the first %d of %d", shown, len(outputs))
	}
	if b.base != nil {
		t.Columns = append(t.Columns, "of the mean of Y", "share explained")
	}
	for j, name := range b.Model.Y.Names()[:shown] {
		o := outputs[j]
		row := []report.Cell{report.TextCell(shortName(name)), report.TextCell("unknown"), cell(o.Lo), cell(o.Hi)}
		if o.Known != nil {
			row[1] = cell(o.MSE)
		}
		if b.base != nil {
			v := b.base.variances[j]
			explained := report.Cell{}
			if o.Known != nil && v > 0 {
				explained = cell(1 - o.MSE/v)
			}
			row = append(row, cell(v), explained)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// cell is a number, or empty if there is none.
func cell(v float64) report.Cell {
	if !finite(v) {
		return report.Cell{}
	}
	return report.Number(v)
}

func finiteOr(v, other float64) float64 {
	if finite(v) {
		return v
	}
	return other
}
