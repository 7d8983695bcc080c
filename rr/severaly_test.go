package rr_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"mediant"
	"mediant/baselines"
	"mediant/effect"
	"mediant/features"
	"mediant/internal/fittest"
	"mediant/mlp"
	"mediant/problem"
	"mediant/rr"
	"mediant/search"
	"mediant/tables"
)

// TestSeveralY: of several columns of Y that are missing in other rows each, errors and notes name the columns and how many rows they
// are missing in, whatever reads them.
func TestSeveralY(t *testing.T) {
	nan := math.NaN()
	x := []float64{1, 2, 3, 4, 5, 6}
	xu, err := tables.FromColumns(tables.Numbers("x", x), tables.Numbers("u", x), tables.Numbers("t", []float64{0, 1, 0, 1, 0, 1}))
	if err != nil {
		t.Fatal(err)
	}
	table := func(first string, columns ...[]float64) tables.Source {
		data := []tables.ColumnData{tables.Numbers(first, x)}
		for i, c := range columns {
			data = append(data, tables.Numbers(string(rune('a'+i)), c))
		}
		src, err := tables.FromColumns(data...)
		if err != nil {
			t.Fatal(err)
		}
		return src
	}
	linear := features.Spec{Kind: features.LinearFeatures}
	setup := problem.Setup{Phi: linear, Psi: linear, Roles: tables.RoleOptions{X: []string{"x"}, U: []string{"u"}}}
	searched := setup
	searched.Folds = 2
	lambda := rr.Value(1e-3)
	net := mlp.Learner{Hidden: []int{2}, Epochs: 1}
	methods := map[string]fittest.Fitter{
		"2step": fittest.With(setup, rr.TwoStep{LambdaF: lambda, LambdaH: lambda}), "joint": fittest.With(setup, rr.Joint{LambdaF: lambda, LambdaH: lambda}),
		"search": searching{search.Search{Setup: searched}}, "naive": fittest.With(setup, baselines.Naive{}), "networks": fittest.With(setup, rr.TwoStep{F: net, H: net}),
	}
	none := [][]float64{{1, nan, 3, nan, 5, nan}, {nan, 2, nan, 4, nan, 6}, {1, 2, 3, 4, nan, 6}}
	some := [][]float64{{1, 2, 3, 1, 5, nan}, {nan, 2, 1, 4, nan, 6}, {1, 2, 3, 4, 5, 6}}
	const lacking = `no row has all columns of Y: "a" is missing in 3 of 6 rows, "b" in 3, "c" in 1; take one at a time, named in RoleOptions.Y`
	for name, m := range methods {
		if _, err := m.Fit(context.Background(), xu, table("u", none...)); err == nil || !strings.Contains(err.Error(), lacking) {
			t.Errorf("%s: error %v, want %q", name, err, lacking)
		}
		if _, err := m.Fit(context.Background(), xu, table("u", []float64{nan, nan, nan, nan, nan, nan})); err == nil || !strings.Contains(err.Error(), "Y is missing in every row") {
			t.Errorf("%s: error %v", name, err)
		}
	}
	const dropped = `3 rows of the table of U and Y were dropped, in which not all columns of Y are there: "b" is missing in 2 of 6 rows, "a" in 1; a fit`
	var model *mediant.Model
	for _, name := range []string{"2step", "joint", "networks"} {
		model, err = methods[name].Fit(context.Background(), xu, table("u", some...))
		if err != nil || !strings.Contains(strings.Join(model.Notes, "\n"), dropped) {
			t.Fatalf("%s: error %v, notes %q, want %q", name, err, model.Notes, dropped)
		}
	}
	if _, err := model.Evaluate(context.Background(), table("x", none...)); err == nil || !strings.Contains(err.Error(), "nothing to evaluate: "+lacking) {
		t.Errorf("evaluate: error %v", err)
	}
	effect := effect.Estimator{Setup: problem.Setup{Psi: linear, Folds: 2, Roles: tables.RoleOptions{U: []string{"u"}}}, Treatment: "t"}
	if _, err := effect.Estimate(context.Background(), xu, table("u", none...)); err == nil || !strings.Contains(err.Error(), lacking) {
		t.Errorf("effect: error %v", err)
	}
}
