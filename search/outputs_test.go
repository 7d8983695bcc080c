package search

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"mediant/diagnose"
	"mediant/features"
	"mediant/inference"
	"mediant/internal/fixture"
	"mediant/problem"
	"mediant/risk"
	"mediant/rr"
	"mediant/tables"
)

// unevenTables have three columns of Y: smooth, wiggly, and noise whose variance depends on u.
func unevenTables(t testing.TB, rnd *rand.Rand, n int) (xu, uy tables.Source, outputs []string) {
	var x, z, u, v []float64
	for range n {
		a, b := 2*rnd.Float64()-1, 2*rnd.Float64()-1
		x, z = append(x, a), append(z, b)
		u, v = append(u, a+.3*(1+a)*rnd.NormFloat64()), append(v, b+.2*rnd.NormFloat64())
	}
	y := make([][]float64, 3)
	var uu, vv []float64
	for range n + 20 {
		a, b := 2.4*rnd.Float64()-1.2, 2.4*rnd.Float64()-1.2
		uu, vv = append(uu, a), append(vv, b)
		y[0] = append(y[0], a-b+.3*rnd.NormFloat64())
		y[1] = append(y[1], 100*(math.Sin(6*a)+.1*rnd.NormFloat64()))
		y[2] = append(y[2], (1+a)*rnd.NormFloat64())
	}
	outputs = []string{"smooth", "wiggly", "noise"}
	xu = fixture.Columns(t, tables.Numbers("x", x), tables.Numbers("z", z), tables.Numbers("u", u), tables.Numbers("v", v))
	uy = fixture.Columns(t, tables.Numbers("u", uu), tables.Numbers("v", vv), tables.Numbers(outputs[0], y[0]), tables.Numbers(outputs[1], y[1]), tables.Numbers(outputs[2], y[2]))
	return xu, uy, outputs
}

// found is what a fit finds of each output: the hyperparameters, predictions with standard errors, the risk, its interval and the diagnosis.
func found(t testing.TB, s Search, xu, uy tables.Source, outputs ...string) map[string]map[string]float64 {
	s.Roles.Y = outputs
	s.Roles.U = []string{"u", "v"}
	c := fixture.Must[*Choice](t)(s.Choose(t.Context(), xu, uy))
	m := fixture.Must[*rr.Model](t)(c.Fit(t.Context()))
	a := fixture.Must[*risk.Assessment](t)(c.Assessment(t.Context()))
	d := fixture.Must[*diagnose.Diagnosis](t)(diagnose.DiagnoseFit(t.Context(), m, a, xu, uy, tables.RoleOptions{}))
	e := fixture.Must[*inference.Errors](t)(inference.Estimate(t.Context(), c.Problem, m, inference.Corrected))
	query := mat.NewDense(4, 2, []float64{0, 0, .5, -.5, -.9, .3, 1, 1})
	var f, h, se mat.Dense
	m.F.PredictTo(&f, query)
	m.H.PredictTo(&h, query)
	e.PredictTo(&se, query)
	out := map[string]map[string]float64{}
	for j, name := range outputs {
		params, of := m.Params, a.Risk.Estimate
		if params.Outputs != nil {
			params = params.Outputs[j]
		}
		shareX, shareU := d.XPredictsH.R2, d.UPredictsY.R2
		if len(outputs) > 1 {
			of, shareX, shareU = a.Risk.Outputs[j], d.XPredictsH.Outputs[j], d.UPredictsY.Outputs[j]
		}
		own := map[string]float64{
			"w": *params.W, "lambda_f": *params.LambdaF, "lambda_h": *params.LambdaH, "precision": map[bool]float64{true: 1}[params.Precision], "components": float64(len(params.Components)),
			"risk": of.MSE, "its error": of.SE, "lower end": of.Lo, "upper end": of.Hi, "degrees of freedom": of.Freedom,
			"share of h": shareX, "share of Y": shareU,
		}
		for i := range 4 {
			own[fmt.Sprint("f ", i)], own[fmt.Sprint("h ", i)], own[fmt.Sprint("error ", i)] = f.At(i, j), h.At(i, j), se.At(i, j)
		}
		out[name] = own
	}
	return out
}

// TestOutputsDoNotDependOnOthers: given the maps, an output's hyperparameters, model, standard errors, risk and diagnosis are the same with and without other outputs, of the maps that a search for all has found, for
// 2Step-RR, Joint-RR and what is chosen of them, with weights by precision and by components.
func TestOutputsDoNotDependOnOthers(t *testing.T) {
	if testing.Short() {
		t.Skip("many fits, which find no race that few do not")
	}
	differ, weighed := 0, 0
	rapid.Check(t, func(r *rapid.T) {
		rnd := rand.New(rand.NewPCG(rapid.Uint64().Draw(r, "seed"), 1))
		xu, uy, outputs := unevenTables(t, rnd, rapid.IntRange(50, 90).Draw(r, "rows"))
		kinds := []features.Spec{{Kernel: "gaussian", Size: 24, Multiple: 1}, {Kernel: "matern32", Size: 24, Multiple: .5}}
		additive := rapid.Bool().Draw(r, "additive")
		if additive {
			kinds = []features.Spec{{Kind: features.AdditiveFeatures, Kernel: "gaussian", Size: 24, Multiple: 1}}
		}
		s := Search{Setup: problem.Setup{Seed: 5, Folds: 4}, PhiCandidates: kinds, PsiCandidates: kinds, Loss: nil}
		s.W = rapid.SampledFrom([]rr.Setting{rr.Auto, rr.Value(1), rr.Value(.5)}).Draw(r, "w")
		s.Precision = rapid.SampledFrom([]Use{Compared, Always, Never}).Draw(r, "precision")
		chosen := fixture.Must[*Choice](t)(s.Choose(t.Context(), xu, uy)).Problem.Setup()
		s.PhiCandidates, s.PsiCandidates = []features.Spec{chosen.Phi}, []features.Spec{chosen.Psi}
		all := found(t, s, xu, uy, outputs...)
		name := rapid.SampledFrom(outputs).Draw(r, "output")
		alone := found(t, s, xu, uy, name)[name]
		for what, want := range alone {
			if got := all[name][what]; !(math.Abs(got-want) <= 1e-9*max(math.Abs(want), alone["risk"], 1)) {
				r.Errorf("%s: %s is %.12g with the others, %.12g without", name, what, got, want)
			}
		}
		weighed += int(alone["precision"])
		if all[outputs[0]]["lambda_h"] != all[outputs[1]]["lambda_h"] {
			differ++
		}
	})
	if differ == 0 || weighed == 0 {
		t.Errorf("penalties differ in %d tables, %d outputs are weighted by precision: the test sees nothing", differ, weighed)
	}
}
