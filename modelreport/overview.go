package modelreport

import (
	"context"
	"fmt"
	"math"
	"strings"

	"mediant/features"
	"mediant/report"
	"mediant/rr"
)

// title names what is predicted from what.
func (b *builder) title() string {
	return fmt.Sprintf("Prediction of %s from %s", listed(b.Model.Roles.Y, 3), listed(b.Model.Roles.X, 3))
}

// method names the method with its hyperparameters.
func (b *builder) method() string {
	switch p := b.Model.Params; {
	case b.Model.Method == "2step":
		return "2Step-RR"
	case b.Model.Method == "joint" && p.W != nil:
		return fmt.Sprintf("Joint-RR with w = %g", *p.W)
	case b.Model.Method == "naive":
		return "The naive chain"
	case b.Model.Method == "cme":
		return "The kernel mean embedding"
	}
	return "The method " + shortName(b.Model.Method)
}

// summary says what the model is and how good it seems.
func (b *builder) summary() []string {
	m := b.Model
	if b.Predictions {
		return append([]string{fmt.Sprintf("Predictions of another program, in %s of %s of (X, U), compared with %s of (U, Y). No row has both a prediction and Y: they are compared through U = %s. Where the predictor has learned from the rows that it predicts, the error is too small.",
			listed(m.Roles.X, 5), rows(m.Rows.XU), rows(m.Rows.UY), listed(m.Roles.U, 5))}, b.riskSummary()...)
	}
	all := []string{fmt.Sprintf("%s, fitted to %s of (X, U) and %s of (U, Y). No row has both X and Y: the model learns Y from X through U = %s.",
		b.method(), rows(m.Rows.XU), rows(m.Rows.UY), listed(m.Roles.U, 5))}
	if s := b.Score; s != nil {
		text := fmt.Sprintf("On %s of coupled (X, Y) the mean squared error is %s", rows(s.Rows), number(s.MSE))
		if s.SE != nil {
			text += fmt.Sprintf(" (standard error %s)", number(*s.SE))
		}
		if s.Accuracy != nil {
			text += fmt.Sprintf(", and the accuracy %s", percent(*s.Accuracy))
		}
		all = append(all, text+".")
	}
	return append(all, b.riskSummary()...)
}

func (b *builder) riskSummary() []string {
	a := b.Assessment
	if a == nil {
		return []string{"No error is estimated" + b.whyNoRisk() + "."}
	}
	r := a.Risk
	if r.Known == nil {
		return []string{fmt.Sprintf("The mean squared error cannot be estimated from these tables; the upper end of its 95 %% interval is %s.", number(r.Hi))}
	}
	text := fmt.Sprintf("Estimated without coupled rows, the mean squared error is %s (95 %% interval %s to %s), if E[Y|U,X] = E[Y|U]", number(r.MSE), number(r.Lo), number(r.Hi))
	if b.base != nil && b.base.mean.value > 0 {
		text += fmt.Sprintf("; the mean of Y as a prediction for all rows has %s", number(b.base.mean.value))
		if share := 1 - r.MSE/b.base.mean.value; share > 0 {
			text += fmt.Sprintf(", so that %s of the variance is explained", percent(share))
		} else {
			text += ", so that this constant is no worse"
		}
	}
	all := []string{text + "."}
	if c := a.Accuracy; c != nil {
		text := fmt.Sprintf("The estimated accuracy is %s (95 %% interval %s to %s)", percent(c.Value), percent(c.Lo), percent(c.Hi))
		if b.base != nil {
			text += fmt.Sprintf("; the most frequent class, %s, is right in %s", short(b.Model.Y.Class(b.base.class), 40), percent(b.base.frequent.value))
		}
		all = append(all, text+".")
	}
	return all
}

// whyNoRisk is the warning about it, if the model has one.
func (b *builder) whyNoRisk() string {
	for _, w := range b.Model.Warnings {
		if strings.Contains(w, "no risk") {
			return ": " + short(w, 300)
		}
	}
	return ""
}

// model describes what was fitted.
func (b *builder) model(context.Context) (*report.Section, error) {
	m, p := b.Model, b.Model.Params
	t := report.Table{Columns: []string{"setting", "value"}}
	add := func(name, value string) {
		t.Rows = append(t.Rows, []report.Cell{report.TextCell(name), report.TextCell(short(value, 300))})
	}
	add("method", m.Method)
	if p.W != nil {
		add("w, the weight of Joint-RR (1 is 2Step-RR)", number(*p.W))
	}
	for _, l := range []struct {
		name  string
		value *float64
	}{{"lambda_f, the ridge penalty of f", p.LambdaF}, {"lambda_g, the ridge penalty of U given X", p.LambdaG}, {"lambda_h, the ridge penalty of h", p.LambdaH}} {
		if l.value != nil {
			add(l.name, number(*l.value))
		}
	}
	for j, own := range p.Outputs {
		add("output "+m.Y.Names()[j], own.String())
	}
	if p.Precision {
		add("rows of (X, U)", "weighted by the precision of h(U) given X")
	}
	if p.Arithmetic != "" {
		add("sums of products", "in "+p.Arithmetic.String()+" arithmetic")
	}
	if p.Components != nil {
		add("f", fmt.Sprintf("fitted by %d components of h", len(p.Components)))
	}
	for _, f := range []struct {
		name string
		of   rr.Predictor
	}{{"f, of X", m.F}, {"h, of U", m.H}} {
		l := rr.LinearOf(f.of)
		if _, chain := f.of.(rr.Chain); chain || l == nil {
			continue
		}
		_, out := l.Map.Dims()
		text := "linear in %d features: %s"
		if _, linked := f.of.(rr.Linked); linked {
			text = "generalised linear in %d features: %s"
		}
		add(f.name, fmt.Sprintf(text, out, features.Describe(l.Map)))
	}
	add("rows", fmt.Sprintf("%d of (X, U), %d of (U, Y)", m.Rows.XU, m.Rows.UY))
	if m.Rows.Dropped > 0 {
		add("rows without Y, left out", fmt.Sprint(m.Rows.Dropped))
	}
	if m.Rows.NoOverlap > 0 {
		add("rows of (X, U) without overlap", fmt.Sprint(m.Rows.NoOverlap))
	}
	if a := b.Assessment; a != nil {
		add("folds of the risk", fmt.Sprint(a.Risk.Folds))
	}
	add("seed", fmt.Sprint(m.Seed))
	s := &report.Section{Title: "The model", Tables: []report.Table{t}}
	for _, list := range []struct {
		name  string
		texts []string
	}{{"Warning: ", m.Warnings}, {"Note: ", m.Notes}} {
		for i, text := range list.texts {
			if i == listedNotes {
				s.Text = append(s.Text, fmt.Sprintf("And %d more.", len(list.texts)-i))
				break
			}
			s.Text = append(s.Text, list.name+sentence(short(text, 400)))
		}
	}
	return s, nil
}

// listedNotes bounds the notes and the warnings of a model that are shown.
const listedNotes = 10

// sentence ends a text with a full stop.
func sentence(s string) string {
	if strings.HasSuffix(s, ".") || strings.HasSuffix(s, "…") {
		return s
	}
	return s + "."
}

// finite reports whether v can be drawn.
func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
