package mediant_test

import (
	"bytes"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant"
	"mediant/baselines"
	"mediant/features"
	"mediant/problem"
	"mediant/search"
)

// TestModelOfSums: what a search chooses of sums alone is fitted, has a risk with an interval, and is saved and loaded; the rival that needs rows is listed with
// that as its error.
func TestModelOfSums(t *testing.T) {
	ctx := t.Context()
	xu, uy := curved(400)
	spec := features.Spec{Size: 20, Bandwidth: 1}
	e, err := problem.Encode(ctx, problem.Setup{Phi: spec, Psi: spec, Folds: 5}, xu, uy)
	if err != nil {
		t.Fatal(err)
	}
	m, err := e.Map(ctx)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := m.Plan(ctx)
	if err != nil {
		t.Fatal(err)
	}
	x, err := plan.SumXU(ctx, xu)
	if err != nil {
		t.Fatal(err)
	}
	y, err := plan.SumUY(ctx, uy)
	if err != nil {
		t.Fatal(err)
	}
	sums, err := problem.MergeSums(x, y)
	if err != nil {
		t.Fatal(err)
	}
	p, err := sums.Problem()
	if err != nil {
		t.Fatal(err)
	}
	c, err := search.Search{Rivals: baselines.Rivals}.ChooseOf(ctx, p)
	if err != nil {
		t.Fatal(err)
	}
	if last := c.Trials[len(c.Trials)-1]; last.Stage != "method" || last.Chosen || !strings.Contains(last.Error, problem.ErrNeedsRows.Error()) {
		t.Errorf("the rival is %+v", last)
	}
	model, err := mediant.FitChoice(ctx, c)
	if err != nil {
		t.Fatal(err)
	}
	// The variance of U² = (X + 0.3 e)² given X is 0.36 X² + 2 · 0.09², on average 0.136.
	if r := model.Assessment.Risk; !(r.Lo < .136 && .136 < r.Hi && r.Hi < .2) || len(model.Assessment.Notes) != 1 {
		t.Errorf("risk %+v, notes %q", r.Estimate, model.Assessment.Notes)
	}
	var file bytes.Buffer
	if err := model.Save(&file); err != nil {
		t.Fatal(err)
	}
	loaded, err := mediant.Load(&file)
	if err != nil {
		t.Fatal(err)
	}
	var a, b mat.Dense
	query := mat.NewDense(2, 1, []float64{0, .8})
	if err := model.PredictTo(&a, query); err != nil {
		t.Fatal(err)
	}
	if err := loaded.PredictTo(&b, query); err != nil || !mat.Equal(&a, &b) {
		t.Errorf("loaded, the predictions are %v, were %v (%v)", b, a, err)
	}
}
