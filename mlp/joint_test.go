package mlp_test

import (
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/experiments"
	"mediant/internal/fittest"
	"mediant/mlp"
	"mediant/problem"
	"mediant/rr"
)

func TestJointLearnsAndIsSharedWithProblems(t *testing.T) {
	distribution := experiments.Synthetic{D: 1, Noise: .01}
	xu, err := distribution.XU(400, 1)
	if err != nil {
		t.Fatal(err)
	}
	uy, err := distribution.UY(300, 1)
	if err != nil {
		t.Fatal(err)
	}
	setup := problem.Setup{Folds: 2}
	j := mlp.Joint{Learner: mlp.Learner{Epochs: 100}}
	m, err := rr.Fit(ctx, setup, j, xu, uy)
	if err != nil {
		t.Fatal(err)
	}
	excess, err := distribution.Excess(m, 2000, 2)
	if err != nil {
		t.Fatal(err)
	}
	// E[Y|X] has variance 0.0566; w = 1/2 shrinks f, but leaves far more than half of it.
	if excess > .02 {
		t.Errorf("excess %g", excess)
	}
	if m.Method != "joint" || *m.Params.W != .5 || m.Rows.XU != 400 || m.Rows.UY != 300 {
		t.Errorf("method %q, w %g, rows %+v", m.Method, *m.Params.W, m.Rows)
	}
	p, err := problem.Prepare(ctx, setup, xu, uy)
	if err != nil {
		t.Fatal(err)
	}
	again, err := j.Fit(ctx, p)
	if err != nil {
		t.Fatal(err)
	}
	x := mat.NewDense(5, 1, []float64{-1, -.5, 0, .5, 1})
	var a, b mat.Dense
	m.F.PredictTo(&a, x)
	again.F.PredictTo(&b, x)
	if !mat.Equal(&a, &b) {
		t.Error("the fit to a problem differs")
	}
	rest, err := p.Without(0)
	if err != nil {
		t.Fatal(err)
	}
	if part, err := j.Fit(ctx, rest); err != nil || part.Rows.XU != 200 || part.Rows.UY != 150 {
		t.Errorf("without a fold: %v, %v", part, err)
	}
}

func TestJointRefusals(t *testing.T) {
	distribution := experiments.Synthetic{D: 1, Noise: .1}
	xu, err := distribution.XU(20, 1)
	if err != nil {
		t.Fatal(err)
	}
	uy, err := distribution.UY(20, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		j    any
		want string
	}{
		{mlp.Joint{W: rr.Value(1)}, "Joint.W is 1"},
		{mlp.Joint{W: rr.Value(0)}, "Joint.W is 0"},
		{mlp.Joint{Learner: mlp.Learner{Rate: -1}}, "Learner.Rate is -1"},
		{mlp.Joint{Learner: mlp.Learner{Output: mlp.Softmax}}, "cross-entropy"},
		{fittest.With(problem.Setup{Shift: true}, mlp.Joint{}), "ratio of the densities"},
		{fittest.With(problem.Setup{Memory: 10}, mlp.Joint{}), "above the limit"},
		{mlp.Joint{Learner: mlp.Learner{Rate: 1e200}}, "not finite"},
	} {
		if _, err := fittest.Of(c.j).Fit(ctx, xu, uy); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v", c.want, err)
		}
	}
}
