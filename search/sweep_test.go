package search

import (
	"math"
	"slices"
	"testing"

	"mediant/baselines"
	"mediant/crossfit"
	"mediant/features"
	"mediant/internal/fixture"
	"mediant/internal/problemtest"
	"mediant/problem"
	"mediant/risk"
	"mediant/rr"
	"mediant/solvers"
)

// riskOf is the risk of the models that a method fits to all folds but one, each.
func riskOf(t *testing.T, p *problem.Problem, m rr.Method) float64 {
	n, err := newHyperparameters(t.Context(), p, rr.Auto, problem.Footprint.Preparing)
	if err != nil {
		t.Fatal(err)
	}
	var fits []crossfit.Affine
	for k := range p.FoldsUY() {
		model, err := rr.FitWith(t.Context(), m, fixture.Must[*problem.Problem](t)(p.Without(k)))
		if err != nil {
			t.Fatal(err)
		}
		f, _ := model.F.(*rr.Linear).AffineIn(p.Phi())
		fits = append(fits, f)
	}
	risks, err := n.comparison.compare(t.Context(), n.xu, [][]crossfit.Affine{fits})
	if err != nil {
		t.Fatal(err)
	}
	return risks[0].Risk
}

// TestSweepsAreTheRisksOfMethods: each point is the risk of the method with these hyperparameters.
func TestSweepsAreTheRisksOfMethods(t *testing.T) {
	xu, uy := fixture.Surrogates(t, 300, 250, false)
	spec := features.Spec{Kernel: "gaussian", Size: 16}
	p := problemtest.Prepared(t, problem.Setup{Phi: spec, Psi: spec, Folds: 3}, xu, uy)
	for _, m := range []rr.Joint{
		{W: rr.Value(.65), LambdaF: rr.Value(1e-3), LambdaH: rr.Value(3e-3)},
		{W: rr.Value(.5), LambdaF: rr.Value(1e-3), LambdaH: rr.Value(1e-2), Penalty: solvers.Paper},
	} {
		sweeps, err := fixture.Must[*Choice](t)(ChoiceOf(p, m, risk.AssessOptions{})).Sweeps(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		chosen := sweeps[0].Risk[sweeps[0].Chosen]
		for _, s := range sweeps {
			for i, v := range s.Values {
				at := m
				switch s.Of {
				case "w":
					at.W = rr.Value(v)
				case "lambda_f":
					at.LambdaF = rr.Value(v)
				case "lambda_h":
					at.LambdaH = rr.Value(v)
				}
				var method rr.Method = at
				if s.Of == "w" && v == 1 {
					method = rr.TwoStep{LambdaF: at.LambdaF, LambdaH: at.LambdaH}
				}
				if i%3 != 0 && i != s.Chosen {
					continue
				}
				if want := riskOf(t, p, method); math.Abs(s.Risk[i]-want) > 1e-9*want {
					t.Errorf("%s = %g: the risk is %.12g, want %.12g", s.Of, v, s.Risk[i], want)
				}
			}
			if s.Risk[s.Chosen] != chosen || s.SE[s.Chosen] != 0 || !slices.IsSorted(s.Values) {
				t.Errorf("%s: the chosen one of %g has risk %g ± %g, want %g", s.Of, s.Values, s.Risk[s.Chosen], s.SE[s.Chosen], chosen)
			}
			if s.Of == "w" && slices.Contains(s.Values, 1) != (m.Penalty == solvers.Scaled) {
				t.Errorf("weights are %g with penalty %s", s.Values, m.Penalty)
			}
		}
	}
}

// TestSweepsOfASearch: the chosen values are those of the winner in stage 3, and the candidates have the same risks, also where a rival wins in stage 4, with and without components and
// weights by precision.
func TestSweepsOfASearch(t *testing.T) {
	xu, uy := fixture.Surrogates(t, 300, 250, false)
	for _, s := range []Search{
		{Precision: Always, Components: Never},
		{Components: Always},
		{Rivals: baselines.Rivals},
	} {
		s.Phi, s.Psi = features.Spec{Kind: features.AdditiveFeatures, Kernel: "gaussian", Size: 16, Bandwidth: 1}, features.Spec{Kind: features.AdditiveFeatures, Kernel: "gaussian", Size: 16, Bandwidth: 1}
		c, err := s.Choose(t.Context(), xu, uy)
		if err != nil {
			t.Fatal(err)
		}
		sweeps, err := c.Sweeps(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		won, want := map[string]Trial{}, 0 // by output
		for _, tr := range c.Trials {
			if tr.Stage == "hyperparameters" && tr.Chosen {
				won[tr.Output] = tr
				want += map[bool]int{true: 2, false: 3}[tr.Components]
			}
		}
		if len(won) != 2 || len(sweeps) != want {
			t.Errorf("%d sweeps of %d outputs, want %d of 2", len(sweeps), len(won), want)
		}
		kept := SweepsOf(c.Trials)
		if len(kept) == 0 {
			t.Error("no curves of the candidates")
		}
		for _, k := range kept {
			sw := sweeps[slices.IndexFunc(sweeps, func(s Sweep) bool { return s.Of == k.Of && s.Output == k.Output })]
			both := 0
			for i, v := range k.Values {
				at := slices.Index(sw.Values, v)
				if at < 0 {
					continue
				}
				both++
				if math.Abs(k.Risk[i]-sw.Risk[at]) > 1e-9*sw.Risk[at] || math.Abs(k.SE[i]-sw.SE[at]) > 1e-7*sw.Risk[at] {
					t.Errorf("%s = %g: risk %g ± %g of the candidates, want %g ± %g", k.Of, v, k.Risk[i], k.SE[i], sw.Risk[at], sw.SE[at])
				}
			}
			if both < 2 || !slices.IsSorted(k.Values) || k.Values[k.Chosen] != sw.Values[sw.Chosen] {
				t.Errorf("%s: %+v of the candidates, %+v of the sums", k.Of, k, sw)
			}
		}
		for _, sw := range sweeps {
			won := won[sw.Output]
			value := map[string]float64{"w": won.W, "lambda_f": won.LambdaF, "lambda_h": won.LambdaH}[sw.Of]
			if sw.Values[sw.Chosen] != value || math.Abs(sw.Risk[sw.Chosen]-*won.Risk) > 1e-9**won.Risk {
				t.Errorf("%s: chosen is %g with risk %.12g, the search chose %g with %.12g", sw.Of, sw.Values[sw.Chosen], sw.Risk[sw.Chosen], value, *won.Risk)
			}
		}
	}
}

func TestSweepsRefuse(t *testing.T) {
	xu, uy := fixture.Surrogates(t, 60, 50, false)
	spec := features.Spec{Kernel: "gaussian", Size: 8}
	for _, c := range []struct {
		folds  int
		method rr.Method
	}{{3, baselines.Naive{}}, {3, rr.TwoStep{F: rr.Ridge{}}}, {0, rr.TwoStep{}}} {
		p := problemtest.Prepared(t, problem.Setup{Phi: spec, Psi: spec, Folds: c.folds}, xu, uy)
		if s, err := fixture.Must[*Choice](t)(ChoiceOf(p, c.method, risk.AssessOptions{})).Sweeps(t.Context()); err == nil {
			t.Errorf("%+v in %d folds: %d sweeps and no error", c.method, c.folds, len(s))
		}
	}
	spec.Size = 100 // whose sums are larger than the tables
	p := problemtest.Prepared(t, problem.Setup{Phi: spec, Psi: spec, Folds: 3}, xu, uy)
	p = problemtest.Prepared(t, problem.Setup{Phi: spec, Psi: spec, Folds: 3, Memory: int64(p.Footprint().Preparing()) + 1<<16}, xu, uy)
	if _, err := fixture.Must[*Choice](t)(ChoiceOf(p, rr.TwoStep{}, risk.AssessOptions{})).Sweeps(t.Context()); err == nil {
		t.Error("no error without memory")
	}
}
