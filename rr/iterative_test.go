package rr_test

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"mediant"
	"mediant/features"
	"mediant/internal/fittest"
	"mediant/internal/fixture"
	"mediant/internal/problemtest"
	"mediant/internal/settingstest"
	"mediant/problem"
	"mediant/risk"
	"mediant/rr"
	"mediant/search"
	"mediant/solvers"
	"mediant/tables"
	"mediant/tables/copies"
)

// severalOutputs are weighted tables of U = X + noise in two columns and two outputs.
func severalOutputs(t testing.TB, rnd *rand.Rand, n, m int) (xu, uy tables.Source) {
	t.Helper()
	columns := func(rows int, names string) (out []any) {
		values := map[string][]float64{}
		for range rows {
			x, z := rnd.NormFloat64(), rnd.NormFloat64()
			u, v := x+.3*rnd.NormFloat64(), z+.3*rnd.NormFloat64()
			for name, value := range map[string]float64{"x": x, "z": z, "u": u, "v": v, "a": 2 + math.Sin(u) + v, "b": u*v + .1*math.Cos(float64(len(values["b"]))), "w": .5 + math.Abs(math.Sin(x))} {
				values[name] = append(values[name], value)
			}
		}
		for _, name := range strings.Split(names, "") {
			out = append(out, name, values[name])
		}
		return out
	}
	return fixture.Table(t, columns(n, "xzuvw")...), fixture.Table(t, columns(m, "uvabw")...)
}

var severalRoles = tables.RoleOptions{X: []string{"x", "z"}, U: []string{"u", "v"}, Y: []string{"a", "b"}, WeightsXU: "w", WeightsUY: "w"}

// TestIterativeIsTwoStep: of random weighted tables with two outputs and penalties of 1e-2 to 1e-6, the models of all rows and of the folds are those of the closed form, for random features, whitened landmarks and sections of landmarks.
func TestIterativeIsTwoStep(t *testing.T) {
	ctx := context.Background()
	rapid.Check(t, func(r *rapid.T) {
		rnd := rand.New(rand.NewPCG(rapid.Uint64().Draw(r, "seed"), 1))
		xu, uy := severalOutputs(t, rnd, rapid.IntRange(60, 150).Draw(r, "n"), rapid.IntRange(60, 150).Draw(r, "m"))
		kind := rapid.SampledFrom([]string{"fourier", "whitened", "folded", "sections"}).Draw(r, "kind")
		spec := features.Spec{Size: 40, Bandwidth: rapid.Float64Range(.5, 3).Draw(r, "bandwidth")}
		s := problem.Setup{Roles: severalRoles, Folds: rapid.IntRange(0, 3).Draw(r, "folds"), NoIntercept: rapid.Bool().Draw(r, "no intercept")}
		if kind != "fourier" {
			spec = features.Spec{Kind: features.NystromFeatures, Bandwidth: spec.Bandwidth}
			some := make([]int, 30)
			for i := range some {
				some[i] = i
			}
			var errX, errU error
			s.LandmarksX, errX = tables.Pick(ctx, xu, some)
			if s.LandmarksU, errU = tables.Pick(ctx, uy, some); errX != nil || errU != nil {
				r.Fatal(errX, errU)
			}
		}
		lambda := func(name string) rr.Setting {
			return rr.Value(math.Pow(10, -rapid.Float64Range(2, 6).Draw(r, name)))
		}
		closed := rr.TwoStep{LambdaF: lambda("lambda_f"), LambdaH: lambda("lambda_h")}
		iterative := rr.Iterative{LambdaF: closed.LambdaF, LambdaH: closed.LambdaH, Sample: rapid.IntRange(50, 200).Draw(r, "sample")}
		switch kind {
		case "folded": // whose coefficients are of the size of the inverse root of the condition of K_ZZ
			iterative.Held, closed.LambdaF, closed.LambdaH = -1, rr.Value(1e-3), rr.Value(1e-3)
			iterative.LambdaF, iterative.LambdaH = closed.LambdaF, closed.LambdaH
			spec.Bandwidth /= 5
		case "sections":
			iterative.Whitened = 1
			spec.Bandwidth /= 5 // with wide ones some landmarks span the others
		}
		s.Phi, s.Psi = spec, spec
		p, err := problem.Prepare(ctx, s, xu, uy)
		if err != nil {
			r.Fatal(err)
		}
		want, err := closed.Fit(ctx, p)
		if err != nil {
			r.Fatal(err)
		}
		iterative.Phi, iterative.Psi = p.Setup().Phi, p.Setup().Psi
		got, err := iterative.Fit(ctx, p)
		if err != nil {
			r.Fatal(err)
		}
		if len(got.Warnings) > len(want.Warnings) {
			r.Fatalf("warnings %q, %+v", got.Warnings, got.Iterations)
		}
		x, err := p.SampleX(ctx)
		if err != nil {
			r.Fatal(err)
		}
		u, err := p.SampleU(ctx)
		if err != nil {
			r.Fatal(err)
		}
		same := func(what string, got, want rr.Predictor, rows mat.Matrix) {
			var a, b, gap mat.Dense
			got.PredictTo(&a, rows)
			want.PredictTo(&b, rows)
			gap.Sub(&a, &b)
			n, _ := gap.Dims()
			// Standard deviations of outputs are about 1. A step may be off by ten times the tolerance of 1e-7, and f by that of h as well, which on rows that h was not fitted to may be several times as large.
			if d := mat.Norm(&gap, 2) / math.Sqrt(float64(n)); d > 1e-5 {
				r.Fatalf("%s %s: predictions differ by %g", kind, what, d)
			}
		}
		same("h", got.H, want.H, u)
		same("f", got.F, want.F, x)
		if folds := p.Setup().Folds; len(got.WithoutFold()) != folds && folds > 1 {
			r.Fatalf("%d models of folds, want %d", len(got.WithoutFold()), folds)
		}
		for k, of := range got.WithoutFold() {
			if kind != "fourier" { // whose closed form leaves out landmarks that are rows of the fold
				break
			}
			train, err := p.Without(k)
			if err != nil {
				r.Fatal(err)
			}
			want, err := closed.Fit(ctx, train)
			if err != nil {
				r.Fatal(err)
			}
			same("without a fold", of, want.F, x)
		}
	})
}

// TestIterativeOutOfRange: every field is checked before any work.
func TestIterativeOutOfRange(t *testing.T) {
	xu, uy := tablesOf(t, 30, 30, 1)
	settingstest.Run(t, settingstest.Case[rr.Iterative]{
		Good: rr.Iterative{Phi: features.Spec{Size: 4}, Psi: features.Spec{Size: 4}}, Types: settingTypes,
		Legal:  []string{"Held"},
		Fields: map[string][]any{"Phi.Size": {3}, "Psi.Size": {3}, "Phi.Degree": {2}, "Psi.Degree": {2}, "Phi.Landmarks": {features.Uniform}, "Psi.Landmarks": {features.Uniform}},
		Use: func(m rr.Iterative) error {
			_, err := rr.Fit(context.Background(), tiny(), m, xu, uy)
			return err
		},
	})
}

// TestIterativeHasTheRiskOfTwoStep: cross-fitted by the models of the same passes, which are the closed form's to 1e-6, with the same nuisances.
func TestIterativeHasTheRiskOfTwoStep(t *testing.T) {
	ctx := context.Background()
	xu, uy := tablesOf(t, 300, 250, 4)
	spec := features.Spec{Size: 50}
	s := problem.Setup{Phi: spec, Psi: spec, Folds: 3}
	of := func(method rr.Method) (*rr.Model, *risk.Assessment) {
		c, err := search.ChoiceOfTables(ctx, s, method, risk.AssessOptions{}, xu, uy)
		if err != nil {
			t.Fatal(err)
		}
		m, err := mediant.FitChoice(ctx, c)
		if err != nil {
			t.Fatal(err)
		}
		return m.Model, m.Assessment
	}
	m, got := of(rr.Iterative{})
	_, want := of(rr.TwoStep{})
	if d := math.Abs(got.Risk.MSE - want.Risk.MSE); !(d < 1e-5*want.Risk.MSE) || math.Abs(got.Risk.SE-want.Risk.SE) > 1e-4*want.Risk.SE {
		t.Errorf("the risk is %g ± %g, want %g ± %g", got.Risk.MSE, got.Risk.SE, want.Risk.MSE, want.Risk.SE)
	}
	if len(m.WithoutFold()) != 3 {
		t.Errorf("%d models of folds, want 3", len(m.WithoutFold()))
	}
	c, err := search.ChoiceOfTables(ctx, s, rr.Iterative{}, risk.AssessOptions{}, xu, uy)
	if err != nil {
		t.Fatal(err)
	}
	alone, err := c.Assessment(ctx) // with a fit for each fold
	if err != nil {
		t.Fatal(err)
	}
	if d := math.Abs(alone.Risk.MSE - got.Risk.MSE); d > 1e-5*want.Risk.MSE {
		t.Errorf("the risk of fits of their own is %g, of the same passes %g", alone.Risk.MSE, got.Risk.MSE)
	}
}

// TestIterativeReports: iterations and residuals are in the file, and what has not converged is a warning with numbers.
func TestIterativeReports(t *testing.T) {
	xu, uy := tablesOf(t, 200, 200, 5)
	spec := features.Spec{Size: 60}
	setup := problem.Setup{Phi: spec, Psi: spec}
	m := fit(t, fittest.With(setup, rr.Iterative{}), xu, uy)
	if f := m.Iterations["f"]; len(m.Warnings) > 0 || !f.Converged || f.Iterations < 2 || f.Residual <= 0 || f.Off > 1e-6 || f.Condition < 1 {
		t.Errorf("%+v, warnings %q", m.Iterations, m.Warnings)
	}
	again, err := mediant.Load(bytes.NewReader(saved(t, m)))
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(again.Iterations, m.Iterations) {
		t.Errorf("loaded are %+v, want %+v", again.Iterations, m.Iterations)
	}
	m = fit(t, fittest.With(setup, rr.Iterative{Sample: 2, Conjugate: solvers.Conjugate{MaxIterations: 3}}), xu, uy)
	if f := m.Iterations["f"]; f.Converged || f.Iterations != 3 || f.Off < 1e-3 {
		t.Errorf("of three iterations: %+v", f)
	}
	if all := strings.Join(m.Warnings, "\n"); !strings.Contains(all, "3 iterations") || !strings.Contains(all, "slow convergence") {
		t.Errorf("warnings %q", m.Warnings)
	}
	// Without a penalty and with more features than rows the system is singular: whatever becomes of it is said.
	m = fit(t, fittest.With(problem.Setup{Phi: features.Spec{Size: 400}, Psi: spec}, rr.Iterative{LambdaF: rr.Value(0)}), xu, uy)
	if f := m.Iterations["f"]; !f.Converged && len(m.Warnings) == 0 {
		t.Errorf("without a penalty: %+v and no warning", f)
	}
}

// TestIterativeIsDeterministic: the same bytes for any number of threads, and whether features are held or not.
func TestIterativeIsDeterministic(t *testing.T) {
	xu, uy := tablesOf(t, 1500, 1300, 6)
	spec := features.Spec{Size: 30}
	landmarks := features.Spec{Kind: features.NystromFeatures, Size: 30}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for name, s := range map[string]problem.Setup{"fourier": {Phi: spec, Psi: spec, Folds: 2}, "sections": {Phi: landmarks, Psi: landmarks, Folds: 2}} {
		var want []byte
		for _, threads := range []int{1, 3} {
			for _, held := range []int64{-1, 1 << 20} {
				runtime.GOMAXPROCS(threads)
				got := saved(t, fit(t, fittest.With(s, rr.Iterative{Whitened: 1, Sample: 20, Held: held}), xu, uy))
				if want == nil {
					want = got
				}
				if !bytes.Equal(got, want) {
					t.Errorf("%s: another model by %d threads, held %d", name, threads, held)
				}
			}
		}
	}
}

// TestIterativeLandmarksThatSpan: of many landmarks on a line of few values those that span the others are enough, and more rows than 20,000 can be landmarks.
func TestIterativeLandmarksThatSpan(t *testing.T) {
	x := make([]float64, 25_000)
	for i := range x {
		x[i] = float64(i%50) / 25
	}
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = v * v
	}
	xu, uy := fixture.Table(t, "x", x, "u", x), fixture.Table(t, "u", x, "y", y)
	spec := features.Spec{Kind: features.NystromFeatures, Size: 22_000, Bandwidth: .5}
	s := problem.Setup{Phi: spec, Psi: spec, Copies: copies.Keep}
	m := fit(t, fittest.With(s, rr.Iterative{Sample: 100, LambdaF: rr.Value(1e-8), LambdaH: rr.Value(1e-8)}), xu, uy)
	if notes := strings.Join(m.Notes, "\n"); !strings.Contains(notes, "of 22000 landmarks span the others") {
		t.Errorf("notes %q", m.Notes)
	}
	if d := math.Abs(predictions(t, m, mat.NewDense(1, 1, []float64{1})).At(0, 0) - 1); d > .01 || len(m.Warnings) > 0 {
		t.Errorf("f(1) is off by %g, warnings %q", d, m.Warnings)
	}
}

func TestIterativeRefuses(t *testing.T) {
	ctx := context.Background()
	xu, uy := tablesOf(t, 60, 60, 1)
	if _, err := rr.Fit(ctx, problem.Setup{Shift: true}, rr.Iterative{}, xu, uy); err == nil || !strings.Contains(err.Error(), "ratio of the densities") {
		t.Errorf("error %v of weights for covariate shift", err)
	}
	p := problemtest.Prepared(t, tiny(), xu, uy)
	weighed, err := search.WeighByPrecision(ctx, p)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := (rr.Iterative{}).Fit(ctx, weighed); err == nil || !strings.Contains(err.Error(), "precision") {
		t.Errorf("error %v of weights by precision", err)
	}
}

func ExampleIterative() {
	var x, u, v, y []float64
	for i := range 400 {
		at := float64(i) / 100
		x, u = append(x, at), append(u, at+.1*math.Sin(float64(7*i)))
		v, y = append(v, at), append(y, at*at)
	}
	xu, _ := tables.FromColumns(tables.Numbers("x", x), tables.Numbers("u", u))
	uy, _ := tables.FromColumns(tables.Numbers("u", v), tables.Numbers("y", y))
	maps := features.Spec{Size: 1000}
	m, err := rr.Fit(context.Background(), problem.Setup{Phi: maps, Psi: maps}, rr.Iterative{LambdaF: rr.Value(1e-6), LambdaH: rr.Value(1e-6)}, xu, uy)
	if err != nil {
		fmt.Println(err)
		return
	}
	var f mat.Dense
	_ = m.PredictTo(&f, mat.NewDense(1, 1, []float64{2}))
	fmt.Printf("f(2) = %.1f, converged: %t\n", f.At(0, 0), m.Iterations["f"].Converged)
	// Output:
	// f(2) = 4.0, converged: true
}
