package theory

import (
	"testing"

	"mediant/testdata"
)

// Every section must be read: a field whose name is misspelt would stay 0.
func TestReadGolden(t *testing.T) {
	g := testdata.ReadGolden(t)
	if len(g.Fit) != 28 || len(g.Input.Phi) != 14 || len(g.Input.PhiQuery) != 3 {
		t.Errorf("%d fits, %d rows of S_X, %d queries", len(g.Fit), len(g.Input.Phi), len(g.Input.PhiQuery))
	}
	r := g.Risk
	for name, v := range map[string]float64{
		"lambda_f": r.LambdaF, "lambda_h_of_f": r.LambdaHOfF, "lambda_h": r.LambdaH, "mu": r.Mu,
		"form1": r.Form1.MSE, "form1 se": r.Form1.SE, "form2": r.Form2.MSE, "form2 se": r.Form2.SE,
		"bracket lo": r.Bracket.Lo, "bracket hi": r.Bracket.Hi, "tight": r.Tight.Centre, "half width": r.Tight.HalfWidth,
		"tau": g.Effect.Tau, "tau se": g.Effect.SE, "effect lambda": g.Effect.LambdaH, "effect mu": g.Effect.Mu,
		"accuracy": g.Accuracy.Estimate.Estimate, "accuracy se": g.Accuracy.SE,
	} {
		if v == 0 {
			t.Errorf("%s is 0", name)
		}
	}
	for name, n := range map[string]int{
		"train_xu": len(r.TrainXU) - 9, "held_xu": len(r.HeldXU) - 5, "train_uy": len(r.TrainUY) - 7, "held_uy": len(r.HeldUY) - 4,
		"beta_h": len(r.BetaH) - 4, "beta_v": len(r.BetaV) - 4, "gamma": len(r.Gamma) - 4, "omega": len(r.Omega) - 4,
		"treatment": len(g.Effect.Treatment) - 14, "labels": len(g.Accuracy.Labels) - 11, "sandwich": len(g.Sandwich) - 2,
	} {
		if n != 0 {
			t.Errorf("%s has %d entries too many", name, n)
		}
	}
	if len(g.Sandwich[0].SEQuery) != 3 || g.Sandwich[1].W != .5 || g.Sandwich[0].LambdaF == 0 || g.Sandwich[0].LambdaH == 0 {
		t.Errorf("sandwich: %+v", g.Sandwich)
	}
}
