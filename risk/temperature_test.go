package risk_test

import (
	"context"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/features"
	"mediant/internal/problemtest"
	"mediant/losses"
	"mediant/problem"
	"mediant/risk"
	"mediant/rr"
	"mediant/tables"
)

// flat predicts (1-p, p)^Exponent of sum 1 for p = P(good|X).
type flat struct{ exponent float64 }

func (f flat) PredictTo(dst *mat.Dense, x mat.Matrix) {
	n, _ := x.Dims()
	if dst.IsEmpty() {
		dst.ReuseAs(n, 2)
	}
	for i := range n {
		p := goodGiven(x.At(i, 0))
		a, b := math.Pow(1-p, f.exponent), math.Pow(p, f.exponent)
		dst.SetRow(i, []float64{a / (a + b), b / (a + b)})
	}
}

// TestTemperature: probabilities that are too flat or too sharp get about the exponent that undoes it, and right ones keep theirs. The log loss is flat about its minimum: 30 % are allowed.
func TestTemperature(t *testing.T) {
	xu, uy := chances(t, 2000, 5, bent)
	spec := features.Spec{Size: 40, Bandwidth: 1}
	roles := tables.RoleOptions{X: []string{"x"}, U: []string{"u"}, Y: []string{"y"}}
	p := problemtest.Prepared(t, problem.Setup{Roles: roles, Phi: spec, Psi: spec, Folds: 5, NoStandardize: true}, xu, uy)
	for _, exponent := range []float64{.4, 1, 2.5} {
		of := func(context.Context, *problem.Problem) (rr.Predictor, error) { return flat{exponent}, nil }
		c, err := risk.NewCrossFit(t.Context(), p, of, risk.AssessOptions{Loss: losses.Log{}, H: &risk.FoldH{Lambda: rr.Value(1e-4)}})
		if err != nil {
			t.Fatal(err)
		}
		got, err := c.Temperature(t.Context())
		if err != nil || math.Abs(math.Log(got*exponent)) > math.Log(1.3) || exponent == 1 && got != 1 {
			t.Errorf("temperature %.3g of probabilities to the power %g (%v)", got, exponent, err)
		}
	}
}
