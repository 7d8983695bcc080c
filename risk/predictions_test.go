package risk_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/experiments"
	"mediant/features"
	"mediant/internal/fixture"
	"mediant/problem"
	"mediant/risk"
	"mediant/rr"
	"mediant/tables"
)

// additive are features of the synthetic distribution's U.
var additive = features.Spec{Kind: features.AdditiveFeatures, Size: 40}

// withPredictions are the rows of X and U with columns more, of a function of X each.
func withPredictions(t *testing.T, xu tables.Source, of map[string]func(x []float64) float64) tables.Source {
	t.Helper()
	values := map[string][]float64{}
	for b, err := range tables.NewGuard("", xu).Batches(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		for i := range b.Rows {
			for name, f := range of {
				values[name] = append(values[name], f(mat.Row(nil, i, b.Num)))
			}
		}
	}
	for name, v := range values {
		var err error
		if xu, err = tables.HStack(xu, fixture.Table(t, name, v)); err != nil {
			t.Fatal(err)
		}
	}
	return xu
}

// synthetic is one draw of both tables.
func synthetic(t *testing.T, seed uint64) (xu, uy tables.Source) {
	t.Helper()
	d := experiments.Synthetic{D: 2, Noise: .1}
	xu, err := d.XU(1000, seed)
	if err != nil {
		t.Fatal(err)
	}
	uy, err = d.UY(1000, seed)
	if err != nil {
		t.Fatal(err)
	}
	return xu, uy
}

func sum(x []float64) float64 { return x[0] + x[1] }

// The risk of predictions that stand in a column is that of the predictor itself, as Assess has it, on the same folds and features.
func TestPredictionsAreAPredictor(t *testing.T) {
	xu, uy := synthetic(t, 1)
	setup := problem.Setup{Phi: additive, Psi: additive, Folds: problem.DefaultFolds, NoStandardize: true}
	p, err := problem.Prepare(t.Context(), setup, xu, uy)
	if err != nil {
		t.Fatal(err)
	}
	want, err := risk.Assess(t.Context(), p, func(context.Context, *problem.Problem) (rr.Predictor, error) { return formula{}, nil }, risk.AssessOptions{})
	if err != nil {
		t.Fatal(err)
	}
	setup.Roles.U = p.Roles().U
	got, err := risk.AssessPredictions(t.Context(), setup, withPredictions(t, xu, map[string]func([]float64) float64{"mine": sum}), uy, risk.Predictions{Columns: []string{"mine"}}, risk.AssessOptions{})
	if err != nil {
		t.Fatal(err)
	}
	// The two differ in how means over training folds are summed.
	if d := math.Abs(got.Risk.MSE-want.Risk.MSE) + math.Abs(got.Risk.SE-want.Risk.SE); !(d < 1e-9) {
		t.Errorf("MSE %g, se %g, want %g and %g", got.Risk.MSE, got.Risk.SE, want.Risk.MSE, want.Risk.SE)
	}
	if got.Against != nil || got.Difference != nil {
		t.Error("there is a comparison with nothing")
	}
}

// A difference is that of both risks, with the sign of who is better and an interval that is narrower than theirs where the predictions are alike; those of
// the model itself do not differ.
func TestPredictionsAgainstAModel(t *testing.T) {
	xu, uy := synthetic(t, 2)
	m, err := rr.Fit(t.Context(), problem.Setup{Phi: additive, Psi: additive}, rr.TwoStep{}, xu, uy)
	if err != nil {
		t.Fatal(err)
	}
	own := func(x []float64) float64 {
		var y mat.Dense
		if err := m.PredictTo(&y, mat.NewDense(1, len(m.Roles.X), x[:len(m.Roles.X)])); err != nil {
			t.Fatal(err)
		}
		return y.At(0, 0)
	}
	table := withPredictions(t, xu, map[string]func([]float64) float64{"same": own, "worse": func(x []float64) float64 { return own(x) + .5 }})
	setup := problem.Setup{Psi: additive, Roles: tables.RoleOptions{U: m.Roles.U}}
	for _, c := range []struct {
		column string
		lo, hi float64
	}{{"same", 0, 0}, {"worse", .15, .35}} {
		got, err := risk.AssessPredictions(t.Context(), setup, table, uy, risk.Predictions{Columns: []string{c.column}, Against: m}, risk.AssessOptions{})
		if err != nil {
			t.Fatal(err)
		}
		d := got.Difference
		if math.Abs(d.Value-(got.Risk.MSE-got.Against.Risk.MSE)) > 1e-9 || d.Value < c.lo-1e-12 || d.Value > c.hi+1e-12 || d.SE > got.Risk.SE {
			t.Errorf("%s: difference %+v of %+v and %+v", c.column, *d, got.Risk.Estimate, got.Against.Risk.Estimate)
		}
	}
	for want, of := range map[string]risk.Predictions{
		"there are 2 columns of predictions (same, worse), and Y has 1 output": {Columns: []string{"same", "worse"}},
		`no column`: {Columns: []string{"none"}},
	} {
		if _, err := risk.AssessPredictions(t.Context(), setup, table, uy, of, risk.AssessOptions{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", of.Columns, err, want)
		}
	}
	if _, err := risk.AssessPredictions(t.Context(), setup, table, uy, risk.Predictions{Columns: []string{"same"}, Against: m}, risk.AssessOptions{Form: risk.CovariateShift}); err == nil {
		t.Error("form 2 has a comparison")
	}
}
