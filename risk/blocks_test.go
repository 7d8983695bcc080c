package risk

import (
	"math"
	"strings"
	"testing"

	"mediant/features"
	"mediant/internal/fixture"
	"mediant/internal/problemtest"
	"mediant/problem"
	"mediant/rr"
)

// TestRiskOfSumsOfClasses: where folds have one block, the risk of classes is that from rows of the same folds, with weights of rows; the accuracy is
// left out, and said to be.
func TestRiskOfSumsOfClasses(t *testing.T) {
	xu, uy := fixture.Surrogates(t, 90, 80, true)
	p := problemtest.Prepared(t, problemtest.Setup(features.FourierFeatures), xu, uy)
	plan, err := p.Plan(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	plan.Blocks = 1
	x, err := plan.SumXU(t.Context(), p.Sources()[problem.TableXU])
	if err != nil {
		t.Fatal(err)
	}
	y, err := plan.SumUY(t.Context(), p.Sources()[problem.TableUY])
	if err != nil {
		t.Fatal(err)
	}
	sums, err := problem.MergeSums(y, x)
	if err != nil {
		t.Fatal(err)
	}
	q, err := sums.Problem()
	if err != nil {
		t.Fatal(err)
	}
	want, err := Assess(t.Context(), p, Fitted(rr.Joint{}), AssessOptions{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := Assess(t.Context(), q, Fitted(rr.Joint{}), AssessOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if d := math.Abs(got.Risk.MSE - want.Risk.MSE); d > assessTol {
		t.Errorf("the risk differs by %g", d)
	}
	for j, o := range want.Risk.Outputs {
		if d := math.Abs(got.Risk.Outputs[j].MSE - o.MSE); d > assessTol {
			t.Errorf("the risk of output %d differs by %g", j, d)
		}
	}
	if d := math.Abs(got.Tight.Hi - want.Tight.Hi); d > assessTol {
		t.Errorf("the tight bracket differs by %g", d)
	}
	if got.Accuracy != nil || len(got.Notes) != 1 || !strings.Contains(got.Notes[0], "accuracy, which needs rows, is left out") {
		t.Errorf("accuracy %v, notes %q", got.Accuracy, got.Notes)
	}
	// 4 blocks a table: 3 to 6 degrees of freedom, and the standard error uncertain by 1/sqrt(6) = 41 %.
	if f := got.Risk.Freedom; f < 1 || f > 6 || !strings.Contains(got.Notes[0], "41 %") {
		t.Errorf("%g degrees of freedom, notes %q", f, got.Notes)
	}
}
