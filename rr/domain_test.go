package rr_test

import (
	"context"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/features"
	"mediant/problem"
	"mediant/rr"
	"mediant/tables"
)

// TestPredictRefusesRowsThatItsFeaturesCannotTake: an error, not a panic on some thread, with features that
// are folded into the coefficients too.
func TestPredictRefusesRowsThatItsFeaturesCannotTake(t *testing.T) {
	counts := make([]float64, 60)
	for i := range counts {
		counts[i] = float64(i % 7)
	}
	xu := source(t, tables.Numbers("x", counts), tables.Numbers("u", counts))
	uy := source(t, tables.Numbers("u", counts), tables.Numbers("y", counts))
	for _, phi := range []features.Spec{{Kind: features.ChiSquaredFeatures}, {Kind: features.NystromFeatures, Kernel: "expchi2", Size: 5}} {
		setup := problem.Setup{Phi: phi, Psi: phi, NoStandardize: true}
		m, err := rr.Fit(context.Background(), setup, rr.TwoStep{LambdaF: rr.Value(0.1), LambdaH: rr.Value(0.1)}, xu, uy)
		if err != nil {
			t.Fatal(err)
		}
		var y mat.Dense
		if err := m.PredictTo(&y, mat.NewDense(2, 1, []float64{0, 3})); err != nil {
			t.Errorf("%s: %v", phi, err)
		}
		const want = `row 2: column "x" is -3`
		if err := m.PredictTo(&y, mat.NewDense(2, 1, []float64{0, -3})); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one with %q", phi, err, want)
		}
		bad := source(t, tables.Numbers("x", []float64{1, 2, -1}), tables.Numbers("u", []float64{1, 2, 3}))
		if _, err := rr.Fit(context.Background(), setup, rr.TwoStep{LambdaF: rr.Value(0.1), LambdaH: rr.Value(0.1)}, bad, uy); err == nil || !strings.Contains(err.Error(), `X and U: encode: row 3: column "x" is -1`) {
			t.Errorf("%s: fit to a negative entry: error %v", phi, err)
		}
	}
}
