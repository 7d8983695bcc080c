package instrument_test

import (
	"bytes"
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant"
	"mediant/features"
	"mediant/instrument"
	"mediant/problem"
	"mediant/rr"
	"mediant/tables"
	"mediant/tables/copies"
)

// curved draws two tables in which z moves x, and a confounder both x and y = f(x) + e, with E[e|z] = 0.
func curved(t testing.TB, seed uint64, n int, f func(x float64) float64) (xz, zy *tables.Matrix) {
	rnd := rand.New(rand.NewPCG(seed, 9))
	draw := func() (z, x, y float64) {
		z = 3 * (2*rnd.Float64() - 1)
		confounder := rnd.NormFloat64()
		x = z + .5*confounder
		return z, x, f(x) + confounder + .2*rnd.NormFloat64()
	}
	return table(t, "z x", n, func(int) []float64 { z, x, _ := draw(); return []float64{z, x} }),
		table(t, "z y", n, func(int) []float64 { z, _, y := draw(); return []float64{z, y} })
}

// errorOf is the mean squared error of a model on a grid of x where both tables have many rows.
func errorOf(t testing.TB, m *rr.Model, f func(x float64) float64) float64 {
	t.Helper()
	const n = 81
	x, sum := mat.NewDense(n, 1, nil), 0.0
	for i := range n {
		x.Set(i, 0, -2.5+5*float64(i)/(n-1))
	}
	var got mat.Dense
	if err := m.PredictTo(&got, x); err != nil {
		t.Fatal(err)
	}
	for i := range n {
		d := got.At(i, 0) - f(x.At(i, 0))
		sum += d * d / n
	}
	return sum
}

// TestKernelRecoversCurves: kernel instrumental variables find a nonlinear f under confounding, with less than a quarter of the error of the linear f and half of that of the regression of
// E[Y|Z] on X, which takes z for a mediator.
func TestKernelRecoversCurves(t *testing.T) {
	for name, f := range map[string]func(x float64) float64{"sin": func(x float64) float64 { return math.Sin(2 * x) }, "absolute value": math.Abs} {
		xz, zy := curved(t, 1, 3000, f)
		setup := problem.Setup{Phi: features.Spec{Size: 60}, Psi: features.Spec{Size: 60}}
		r, err := instrument.Kernel{Setup: setup}.Estimate(t.Context(), xz, zy)
		if err != nil {
			t.Fatal(err)
		}
		two, err := rr.Fit(t.Context(), setup, rr.TwoStep{LambdaF: rr.Value(1e-4), LambdaH: rr.Value(1e-4)}, xz, zy)
		if err != nil {
			t.Fatal(err)
		}
		own, linear, mediator := errorOf(t, r.Model, f), errorOf(t, estimate(t, instrument.TS2SLS{}, xz, zy).Model, f), errorOf(t, two, f)
		t.Logf("%s: kernel %.4f, linear %.4f, 2Step-RR %.4f; lambda_xu %g, lambda_f %g, explained %.3f", name, own, linear, mediator, *r.LambdaXU, *r.LambdaF, *r.Explained)
		if !(4*own < linear && 2*own < mediator) {
			t.Errorf("%s: errors %.4f of the kernel, %.4f of the linear f, %.4f of 2Step-RR", name, own, linear, mediator)
		}
		if r.Coefficients != nil || r.FirstStage != nil || !(*r.Explained > .1 && *r.Explained < 1) || len(r.Warnings) != 0 || r.Rows.XU != 3000 {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

// TestKernelOfLinearMaps: with linear maps and no penalties it is TS2SLS, with a control and without intercepts too, and so is its E[f(X)|Z].
func TestKernelOfLinearMaps(t *testing.T) {
	xz, zy := golden(t)
	linear := features.Spec{Kind: features.LinearFeatures}
	e := instrument.Kernel{Setup: problem.Setup{Phi: linear, Psi: linear, Roles: tables.RoleOptions{Controls: []string{"w"}}}, LambdaXU: rr.Value(0), LambdaF: rr.Value(0)}
	r, err := e.Estimate(t.Context(), xz, zy)
	if err != nil {
		t.Fatal(err)
	}
	two := estimate(t, controlled(), xz, zy)
	var got, want mat.Dense
	x := mat.NewDense(3, 2, []float64{0, 0, 1, 2, -5, 4})
	for m, to := range map[*rr.Model]*mat.Dense{r.Model: &got, two.Model: &want} {
		if err := m.PredictTo(to, x); err != nil {
			t.Fatal(err)
		}
	}
	if !mat.EqualApprox(&got, &want, 1e-9) {
		t.Errorf("f is %v, want %v", mat.Formatted(&got), mat.Formatted(&want))
	}
	var h, k mat.Dense
	z := mat.NewDense(2, 3, []float64{1, 2, 3, 10, -4, 0})
	for m, to := range map[*rr.Model]*mat.Dense{r.Model: &h, two.Model: &k} {
		rows, _, err := m.U.EncodeMatrix(z)
		if err != nil {
			t.Fatal(err)
		}
		m.H.PredictTo(to, rows)
	}
	if !mat.EqualApprox(&h, &k, 1e-9) {
		t.Errorf("h is %v, want %v", mat.Formatted(&h), mat.Formatted(&k))
	}
	e.NoIntercept = true
	if r, err = e.Estimate(t.Context(), xz, zy); err != nil {
		t.Fatal(err)
	}
	var zero mat.Dense
	r.Model.F.PredictTo(&zero, mat.NewDense(1, 2, nil))
	if zero.At(0, 0) != 0 {
		t.Errorf("f is %g where phi is 0, want no intercept", zero.At(0, 0))
	}
}

// TestKernelRows: whole weights are numbers of rows, and the model can be saved.
func TestKernelRows(t *testing.T) {
	xz, zy := curved(t, 2, 200, math.Sin)
	repeated := func(of *tables.Matrix, last string, repeat bool) *tables.Matrix {
		rows := rowsOf(t, of)
		var all []float64
		for i := range of.Rows() {
			k, w := 1, float64(1+i%2)
			if repeat {
				k, w = int(w), 1
			}
			for range k {
				all = append(append(all, rows.RawRowView(i)...), w)
			}
		}
		src, err := tables.FromMatrix([]string{"z", last, "s"}, mat.NewDense(len(all)/3, 3, all))
		if err != nil {
			t.Fatal(err)
		}
		return src
	}
	spec := features.Spec{Size: 20, Bandwidth: 1}
	e := instrument.Kernel{LambdaXU: rr.Value(1e-3), LambdaF: rr.Value(1e-3), Setup: problem.Setup{Phi: spec, Psi: spec, Copies: copies.Keep, Roles: tables.RoleOptions{WeightsXU: "s", WeightsUY: "s"}}}
	predict := func(repeat bool) *mat.Dense {
		r, err := e.Estimate(t.Context(), repeated(xz, "x", repeat), repeated(zy, "y", repeat))
		if err != nil {
			t.Fatal(err)
		}
		var file bytes.Buffer
		if err := (&mediant.Model{Model: r.Model}).Save(&file); err != nil {
			t.Fatal(err)
		}
		m, err := mediant.Load(&file)
		if err != nil {
			t.Fatal(err)
		}
		if m.Method != "kernel-iv" || m.Params.LambdaXU == nil || *m.Params.LambdaXU != 1e-3 || m.H == nil {
			t.Errorf("loaded %q, %+v", m.Method, m.Params)
		}
		var got mat.Dense
		if err := m.PredictTo(&got, mat.NewDense(3, 1, []float64{-1, 0, 2})); err != nil {
			t.Fatal(err)
		}
		return &got
	}
	if a, b := predict(false), predict(true); !mat.EqualApprox(a, b, 1e-8) {
		t.Errorf("weights give %v, repeated rows %v", mat.Formatted(a), mat.Formatted(b))
	}
}

// TestKernelWeak: an instrument that is noise explains nothing, and that is said.
func TestKernelWeak(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 3))
	noise := func(int) []float64 { return []float64{rnd.NormFloat64(), rnd.NormFloat64()} }
	r, err := instrument.Kernel{Setup: problem.Setup{Phi: features.Spec{Size: 20}, Psi: features.Spec{Size: 20}}}.Estimate(t.Context(), table(t, "z x", 300, noise), table(t, "z y", 300, noise))
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0], "the first stage is weak: the instruments explain ") {
		t.Errorf("%v of the variance is explained, warnings %q", *r.Explained, r.Warnings)
	}
}

func TestKernelRefuses(t *testing.T) {
	xz, zy := golden(t)
	for says, e := range map[string]instrument.Kernel{
		"Kernel.Shift":          {Setup: problem.Setup{Shift: true}},
		"Kernel.Folds is 1":     {Setup: problem.Setup{Folds: 1}},
		"Kernel.LambdaXU":       {LambdaXU: rr.Value(-1)},
		"Kernel.LambdaF":        {LambdaF: rr.Value(math.NaN())},
		"raise the limit":       {Setup: problem.Setup{Memory: 1}},
		"no instrument is left": {Setup: problem.Setup{Roles: tables.RoleOptions{Controls: []string{"*"}}}},
	} {
		if _, err := e.Estimate(t.Context(), xz, zy); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %q", err, says)
		}
	}
	constant := table(t, "z w x", 50, func(i int) []float64 { return []float64{float64(i), float64(i % 7), 3} })
	y := table(t, "z w y", 50, func(i int) []float64 { return []float64{float64(i), float64(i % 7), float64(i % 3)} })
	beside := instrument.Kernel{Setup: problem.Setup{Roles: tables.RoleOptions{Controls: []string{"w"}}}}
	if _, err := beside.Estimate(t.Context(), constant, y); err == nil || !strings.Contains(err.Error(), "no column of X varies") {
		t.Errorf("constant X beside a control: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := (instrument.Kernel{}).Estimate(ctx, xz, zy); err != context.Canceled {
		t.Errorf("cancelled: %v", err)
	}
}
