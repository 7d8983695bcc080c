package search_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"mediant/features"
	"mediant/internal/fixture"
	"mediant/losses"
	"mediant/problem"
	"mediant/rr"
	"mediant/search"
)

// TestSearchOfALoss: for the log loss both penalties are chosen by it, the loss is between that of the best f and that of a constant, and the optimism is at least 0. Penalties that are set stay.
func TestSearchOfALoss(t *testing.T) {
	const n = 400
	rnd := rand.New(rand.NewPCG(1, 8))
	x, u, v := make([]float64, n), make([]float64, n), make([]float64, n)
	y := make([]string, n)
	for i := range n {
		x[i] = 2*rnd.Float64() - 1
		u[i] = x[i] + .3*rnd.NormFloat64()
		v[i] = 2*rnd.Float64() - 1 + .3*rnd.NormFloat64()
		y[i] = []string{"bad", "good"}[min(1, int(rnd.Float64()+1/(1+math.Exp(-3*v[i]))))]
	}
	xu, uy := fixture.Table(t, "x", x, "u", u), fixture.Table(t, "u", v, "y", y)
	spec := features.Spec{Size: 30, Bandwidth: 1}
	s := search.Search{Setup: problem.Setup{Phi: spec, Psi: spec}, Loss: losses.Log{}}
	c, err := s.Choose(t.Context(), xu, uy)
	if err != nil {
		t.Fatal(err)
	}
	method, ok := c.Method.(rr.Generalized)
	if !ok || method.LambdaF.IsAuto() || method.LambdaH.IsAuto() {
		t.Fatalf("method %+v", c.Method)
	}
	ofLoss := slices.DeleteFunc(slices.Clone(c.Trials), func(t search.Trial) bool { return t.Stage != "loss" })
	if len(ofLoss) != 10 {
		t.Errorf("%d trials, want 5 of h and 5 of f", len(ofLoss))
	}
	a, err := c.Assessment(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if l := a.Loss; l == nil || l.Value > l.Constant || l.Value < .4 || l.Optimism < 0 || !(l.Lo < l.Value && l.Value < l.Hi) {
		t.Errorf("loss %+v", a.Loss)
	}
	m, err := c.Fit(t.Context())
	if err != nil || m.Params.Loss != "log" {
		t.Fatalf("%v, loss %q", err, m.Params.Loss)
	}
	of, err := s.ChooseOf(t.Context(), c.Problem)
	if err != nil || of.Method != c.Method {
		t.Errorf("of the same problem the method is %+v (%v), want %+v", of.Method, err, c.Method)
	}
	if _, err := s.ChooseEach(t.Context(), xu, uy, rr.Value(.5)); err == nil {
		t.Error("a search for several W ignores the loss")
	}
	s.Loss = nil
	if of, err := s.ChooseOf(t.Context(), c.Problem); err != nil || of.Method != c.Method {
		t.Errorf("without a loss the method for classes is %+v (%v), want %+v", of.Method, err, c.Method)
	}
	s.Loss = losses.Log{}
	s.LambdaF, s.LambdaH = rr.Value(.03), rr.Value(.02)
	if c, err = s.Choose(t.Context(), xu, uy); err != nil {
		t.Fatal(err)
	}
	if method := c.Method.(rr.Generalized); method.LambdaF != rr.Value(.03) || method.LambdaH != rr.Value(.02) {
		t.Errorf("set penalties became %+v", method)
	}
	s.Loss = losses.Poisson{}
	if _, err := s.Choose(t.Context(), xu, fixture.Table(t, "u", v, "y", u)); err == nil {
		t.Error("negative counts are fitted")
	}
}

// TestLossIsGivenUp: classes that can be told apart have no fit by the log loss at a penalty of almost 0. A loss that was not set is then given up, with a note; one that was set is an error.
func TestLossIsGivenUp(t *testing.T) {
	const n = 120
	x, u, y := make([]float64, n), make([]float64, n), make([]string, n)
	for i := range n {
		x[i] = float64(i-n/2) + .5
		u[i] = x[i] + .2*math.Sin(float64(7*i))
		y[i] = []string{"low", "high"}[min(1, 2*i/n)]
	}
	xu, uy := fixture.Table(t, "x", x, "u", u), fixture.Table(t, "u", x, "y", y)
	spec := features.Spec{Size: 30, Bandwidth: 1}
	s := search.Search{Setup: problem.Setup{Phi: spec, Psi: spec}, LambdaF: rr.Value(1e-300), LambdaH: rr.Value(1e-300)}
	c, err := s.Choose(t.Context(), xu, uy)
	if err != nil {
		t.Fatal(err)
	}
	m, err := c.Fit(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if m.Params.Loss != "" || !slices.ContainsFunc(m.Notes, func(note string) bool { return strings.Contains(note, "classes are fitted by squared error") }) {
		t.Errorf("loss %q, notes %q", m.Params.Loss, m.Notes)
	}
	s.Loss = losses.Log{}
	if _, err := s.Choose(t.Context(), xu, uy); err == nil {
		t.Error("a loss that was set is given up")
	}
}
