package search

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/features"
	"mediant/internal/fixture"
	"mediant/problem"
	"mediant/rr"
	"mediant/solvers"
)

// TestManyRowsInTurn: tables of many rows are searched by a sample, and then summed for 2Step-RR alone, with a model and a risk like those of the sums of phi and psi; where the sample says something else all is summed.
func TestManyRowsInTurn(t *testing.T) {
	defer func(rows, asked int) { largeRows, askedRows = rows, asked }(largeRows, askedRows)
	xu, uy := fixture.Surrogates(t, 1900, 1600, false)
	s := Search{Setup: problem.Setup{Phi: features.Spec{Kernel: "gaussian", Size: 32}, Psi: features.Spec{Kernel: "gaussian", Size: 32}, Seed: 3}, Precision: Never}
	choose := func(rows int, s Search) (*Choice, []float64, float64) {
		t.Helper()
		largeRows, askedRows = rows, 800
		c := fixture.Must[*Choice](t)(s.Choose(t.Context(), xu, uy))
		a, err := c.Assessment(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		m, err := c.Fit(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		query := mat.NewDense(20, c.Problem.X().Width(), nil)
		for i := range query.RawMatrix().Data {
			query.RawMatrix().Data[i] = math.Sin(float64(i))
		}
		var f mat.Dense
		m.F.PredictTo(&f, query)
		return c, mat.Col(nil, 0, &f), a.Risk.MSE
	}
	whole, f, risk := choose(10_000, s)
	turn, g, own := choose(1000, s)
	if whole.Problem.FirstStep() != nil || turn.Problem.FirstStep() == nil {
		t.Fatal("few rows are fitted in turn, or many are not")
	}
	for u, own := range tunedOf(turn.Method) { // f of y is rougher than that of z
		if own.params.W != 1 || own.params.LambdaH != turn.Problem.FirstStep().Lambdas[u] || u > 0 && own.params.LambdaF == tunedOf(turn.Method)[0].params.LambdaF {
			t.Errorf("the method is %+v", turn.Method)
		}
	}
	stages := map[string]int{}
	for _, trial := range turn.Trials {
		stages[trial.Stage]++
	}
	if stages[sampleStage] == 0 || stages[hyperparametersStage] != 0 || stages["psi"] == 0 {
		t.Errorf("the trials are of the stages %v", stages)
	}
	if math.Abs(own/risk-1) > .05 {
		t.Errorf("the risk is %g, with all sums %g", own, risk)
	}
	spread, off := 0., 0.
	for i := range f {
		spread, off = max(spread, math.Abs(f[i])), max(off, math.Abs(f[i]-g[i]))
	}
	if off > .15*spread {
		t.Errorf("predictions of size %g differ by %g", spread, off)
	}

	s.Rivals = func(p solvers.Params) []rr.Method {
		return []rr.Method{rr.TwoStep{LambdaF: rr.Value(p.LambdaF), LambdaH: rr.Value(p.LambdaH)}}
	}
	if c, _, _ := choose(1000, s); c.Problem.FirstStep() == nil {
		t.Error("a rival that is no better makes all sums necessary")
	}
	better := s
	better.LambdaF = rr.Value(1)
	better.Rivals = func(p solvers.Params) []rr.Method {
		return []rr.Method{rr.TwoStep{LambdaF: rr.Value(1e-5), LambdaH: rr.Value(p.LambdaH)}}
	}
	if c, _, _ := choose(1000, better); c.Problem.FirstStep() != nil || c.Method.(rr.TwoStep).LambdaF.Or(0) != 1e-5 {
		t.Errorf("a rival that is better on the sample: the method is %+v", c.Method)
	}
	s.W = rr.Value(.5)
	if c, _, _ := choose(1000, s); c.Problem.FirstStep() != nil {
		t.Error("w = 0.5 is fitted in turn")
	}
}

// TestManyRowsOfClasses: the fit by the log loss stands on the sums for 2Step-RR alone.
func TestManyRowsOfClasses(t *testing.T) {
	defer func(rows int) { largeRows = rows }(largeRows)
	largeRows = 500
	xu, uy := fixture.Surrogates(t, 700, 800, true)
	s := Search{Setup: problem.Setup{Phi: features.Spec{Size: 16, Bandwidth: 2}, Psi: features.Spec{Size: 16, Bandwidth: 2}, Seed: 3}}
	c := fixture.Must[*Choice](t)(s.Choose(t.Context(), xu, uy))
	if _, ok := c.Method.(rr.Generalized); !ok || c.Problem.FirstStep() == nil {
		t.Fatalf("the method is %+v, the first step %v", c.Method, c.Problem.FirstStep())
	}
	if _, err := c.Fit(t.Context()); err != nil {
		t.Error(err)
	}
	a, err := c.Assessment(t.Context())
	if err != nil || a.Loss == nil {
		t.Errorf("assessment %+v, %v", a, err)
	}
}

// TestNearestOfSamples: a map that samples alone compare, since all rows are too many for it, is passed over.
func TestNearestOfSamples(t *testing.T) {
	specs := []features.Spec{{Kernel: "gaussian"}, {Kernel: "laplacian"}}
	no, se := 0., 1.
	trials := []Trial{{Stage: "phi", Name: "of samples alone", Chosen: true, Difference: &no, SE: &se}, {Stage: "phi", Name: candidateName(specs[1]), Difference: &no, SE: &se}}
	if got := nearest(trials, "phi", specs); len(got) != 1 || got[0].Kernel != "laplacian" {
		t.Errorf("%v", got)
	}
	if got := nearest(trials[:1], "phi", specs); len(got) != 2 {
		t.Errorf("%v, want all", got)
	}
}
