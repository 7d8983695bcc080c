package risk

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"mediant/crossfit"
	"mediant/features"
	"mediant/internal/problemtest"
	"mediant/moments"
	"mediant/problem"
	"mediant/rr"
	"mediant/tables"
)

// TestFunctionalsOfErrors: the errors of risk and accuracy to first order in an error d of h, and in one of v, are those of sums over rows,
//
//	form 1:    2 E_SX (h-f) d + 2 E_SY (r-h) d
//	form 2:    2 E_SY r d - 2 E_SX f d,   (E_SX - E_SY omega) of the error of v
//	accuracy:  E_SX 1{c = argmax f} d_c - E_SY hit_c d_c
func TestFunctionalsOfErrors(t *testing.T) {
	const n, m, q, k = 30, 40, 4, 3
	rnd := rand.New(rand.NewPCG(1, 8))
	x, y := normal(rnd, n, q), normal(rnd, m, q)
	f, d := normal(rnd, n, k), crossfit.Affine{Coef: normal(rnd, q, k), Intercept: []float64{.3, -1, 2}}
	function := func(outputs int) crossfit.Affine {
		return crossfit.Affine{Coef: normal(rnd, q, outputs), Intercept: normal(rnd, 1, outputs).RawMatrix().Data}
	}
	xu, uy := new(moments.CoMoments), new(moments.CoMoments)
	xu.Add(normal(rnd, n, 1), x, nil)
	uy.Add(y, normal(rnd, m, k), nil)
	for _, shifted := range []bool{false, true} {
		for _, classes := range []bool{false, true} {
			of := nuisances{h: function(k), r: function(k)}
			given := mat.NewDense(n, 0+k, nil)
			given.Copy(f)
			add := func(columns *mat.Dense) {
				var all mat.Dense
				all.Augment(given, columns)
				given = &all
			}
			hits := mat.NewDense(n, k, nil)
			argmaxTo(hits, f)
			if classes {
				of.hit = function(k)
				add(hits)
			}
			if shifted {
				of.omega = function(1)
				ones := mat.NewDense(n, 1, nil)
				for i := range n {
					ones.Set(i, 0, 1)
				}
				add(ones)
			}
			held := newTargets(1, given.RawMatrix().Cols, q)
			held.add(0, x, moments.Weights{}, false, func(int) *mat.Dense { return given })
			held.trainWeight[0] = 1
			_, means := held.means()
			var ofH mat.Dense
			ofH.Mul(xu.RightWithBias(), crossfit.WithBias(of.h))
			l := of.functionals(&ofH, uy, means[0], make([]float64, k))

			var hx, hy, rx, dx, dy, hit, omega mat.Dense
			of.h.ApplyTo(&hx, x)
			of.h.ApplyTo(&hy, y)
			of.r.ApplyTo(&rx, y)
			d.ApplyTo(&dx, x)
			d.ApplyTo(&dy, y)
			if classes {
				of.hit.ApplyTo(&hit, y)
			}
			if shifted {
				of.omega.ApplyTo(&omega, y)
			}
			applied := func(column, j int) float64 {
				b := crossfit.WithBias(d)
				return floats.Dot(mat.Col(nil, column, l), mat.Col(nil, j, b))
			}
			for j := range k {
				risk, accuracy, ofV := 0., 0., 0.
				for i := range n {
					e := dx.At(i, j)
					if !shifted {
						risk += 2 * hx.At(i, j) * e / n
					}
					risk -= 2 * f.At(i, j) * e / n
					accuracy += hits.At(i, j) * e / n
					ofV += e / n
				}
				for i := range m {
					e := dy.At(i, j)
					if !shifted {
						risk -= 2 * hy.At(i, j) * e / m
					}
					risk += 2 * rx.At(i, j) * e / m
					if classes {
						accuracy -= hit.At(i, j) * e / m
					}
					if shifted {
						ofV -= omega.At(i, 0) * e / m
					}
				}
				name := fmt.Sprintf("form 2 %v, classes %v, output %d", shifted, classes, j)
				if got := applied(j, j); math.Abs(got-risk) > 1e-12 {
					t.Errorf("%s: the risk errs by %g, want %g", name, got, risk)
				}
				if got := applied(min(k+j, l.RawMatrix().Cols-1), j); classes && math.Abs(got-accuracy) > 1e-12 {
					t.Errorf("%s: the accuracy errs by %g, want %g", name, got, accuracy)
				}
				if got := applied(l.RawMatrix().Cols-1, j); shifted && math.Abs(got-ofV) > 1e-12 {
					t.Errorf("%s: v adds %g, want %g", name, got, ofV)
				}
			}
		}
	}
}

// degenerate are tables whose Y are the given functions of u, with x = u; columns of text are labels.
func degenerate(t *testing.T, rows int, u func(i int) float64, y ...func(i int, u float64) any) (xu, uy tables.Source) {
	t.Helper()
	values := make([]float64, rows)
	for i := range values {
		values[i] = u(i)
	}
	columns := []tables.ColumnData{tables.Numbers("u", values)}
	for j, of := range y {
		var numbers []float64
		var labels []string
		for i, v := range values {
			switch v := of(i, v).(type) {
			case float64:
				numbers = append(numbers, v)
			case string:
				labels = append(labels, v)
			}
		}
		if name := fmt.Sprint("y", j); labels != nil {
			columns = append(columns, tables.Strings(name, labels))
		} else {
			columns = append(columns, tables.Numbers(name, numbers))
		}
	}
	xu, err := tables.FromColumns(tables.Numbers("x", values), columns[0])
	if err != nil {
		t.Fatal(err)
	}
	if uy, err = tables.FromColumns(columns...); err != nil {
		t.Fatal(err)
	}
	return xu, uy
}

// TestRiskOfDegenerateTables: the bias from thin overlap is finite where Y is constant, exact, of one column that is, where there is one feature, few
// rows, equal rows or a class of one row, in both forms and with a ratio that weighs S_Y.
func TestRiskOfDegenerateTables(t *testing.T) {
	if testing.Short() {
		t.Skip("many fits, which find no race that few do not")
	}
	scattered := func(i int) float64 { return math.Sin(float64(7 * i)) }
	constant := func(int, float64) any { return 3.1 }
	exact := func(_ int, u float64) any { return 2*u + 1 }
	noisy := func(i int, u float64) any { return u + math.Cos(float64(11*i)) }
	fourier := features.Spec{Size: 30}
	for name, c := range map[string]struct {
		rows int
		u    func(i int) float64
		y    []func(int, float64) any
		psi  features.Spec
	}{
		"constant":             {40, scattered, []func(int, float64) any{constant}, fourier},
		"one column constant":  {40, scattered, []func(int, float64) any{noisy, constant}, fourier},
		"all columns constant": {40, scattered, []func(int, float64) any{constant, constant}, fourier},
		"exact":                {40, scattered, []func(int, float64) any{exact}, features.Spec{Kind: features.LinearFeatures}},
		"exact and constant":   {40, scattered, []func(int, float64) any{exact, constant}, features.Spec{Kind: features.LinearFeatures}},
		"two values of U":      {40, func(i int) float64 { return float64(i / 3 % 2) }, []func(int, float64) any{noisy}, features.Spec{Kind: features.LinearFeatures}},
		"four rows":            {4, scattered, []func(int, float64) any{noisy}, fourier},
		"one landmark":         {40, scattered, []func(int, float64) any{noisy}, features.Spec{Kind: features.NystromFeatures, Kernel: "gaussian", Size: 1}},
		"all landmarks":        {40, scattered, []func(int, float64) any{noisy}, features.Spec{Kind: features.NystromFeatures, Kernel: "gaussian", Size: 80}},
		"a class of one row":   {40, scattered, []func(int, float64) any{func(i int, _ float64) any { return []string{"a", "b", "rare"}[min(2, i%2+(i+1)/40*9)] }}, fourier},
		"equal rows":           {40, func(i int) float64 { return float64(min(i, 1)) }, []func(int, float64) any{noisy}, fourier},
	} {
		for _, form := range []Form{SameDistribution, CovariateShift} {
			for _, shift := range []bool{false, true} {
				for _, folds := range []int{2, c.rows} {
					xu, uy := degenerate(t, c.rows, c.u, c.y...)
					p, err := problem.Prepare(context.Background(), problem.Setup{Phi: fourier, Psi: c.psi, Folds: folds, Shift: shift}, xu, uy)
					if err != nil {
						t.Fatalf("%s: %v", name, err)
					}
					a, err := Assess(context.Background(), p, Fitted(rr.TwoStep{}), AssessOptions{Form: form})
					if err != nil {
						t.Fatalf("%s: %v", name, err)
					}
					for _, r := range append(a.Risk.Outputs, a.Risk.Estimate) {
						if v := r.MSE + r.SE + r.Lo + r.Hi; math.IsNaN(v) || math.IsInf(v, 0) {
							t.Errorf("%s, form %d, shift %v, %d folds: %+v", name, form, shift, folds, r)
						}
					}
					if a.Accuracy != nil && !(a.Accuracy.SE >= 0) {
						t.Errorf("%s, form %d: accuracy %+v", name, form, a.Accuracy)
					}
				}
			}
		}
	}
}

// TestPosteriorIsFreeOfUnits: the bias of one output changes neither with the units of another nor with a column that is constant.
func TestPosteriorIsFreeOfUnits(t *testing.T) {
	u := func(i int) float64 { return math.Sin(float64(7 * i)) }
	first := func(i int, u float64) any { return math.Sin(3*u) + .3*math.Cos(float64(11*i)) }
	scaled := func(factor, plus float64) func(int, float64) any {
		return func(i int, u float64) any { return plus + factor*(u*u+.5*math.Cos(float64(13*i))) }
	}
	assess := func(form Form, y ...func(int, float64) any) []Estimate {
		xu, uy := degenerate(t, 120, u, y...)
		p := problemtest.Prepared(t, problem.Setup{Phi: features.Spec{Size: 30}, Psi: features.Spec{Size: 30}, Folds: 4}, xu, uy)
		a, err := Assess(context.Background(), p, Fitted(rr.TwoStep{}), AssessOptions{Form: form})
		if err != nil {
			t.Fatal(err)
		}
		return a.Risk.Outputs
	}
	for _, form := range []Form{SameDistribution, CovariateShift} {
		want := assess(form, first, scaled(1, 0))
		for name, got := range map[string][]Estimate{
			"a million times": assess(form, first, scaled(1e6, 0)),
			"a millionth":     assess(form, first, scaled(1e-6, 0)),
			"and a constant":  assess(form, first, scaled(1, 0), func(int, float64) any { return .1 }),
		} {
			if d := math.Abs(got[0].MSE - want[0].MSE); d > 1e-9 || math.Abs(got[0].SE-want[0].SE) > 1e-9 {
				t.Errorf("form %d, %s: %+v, want %+v", form, name, got[0], want[0])
			}
		}
	}
}

// TestUnknownOfAConstantWithWeights: sampling weights leave rounding in the mean of a constant column of Y, which says nothing of the others.
func TestUnknownOfAConstantWithWeights(t *testing.T) {
	outputs := func(constant bool) []Estimate {
		var u, y, k, w []float64
		for i := range 120 {
			v := math.Sin(float64(7 * i))
			u, y, k, w = append(u, v), append(y, math.Sin(3*v)+.3*math.Cos(float64(11*i))), append(k, .1), append(w, .3+math.Abs(v))
		}
		columns := []tables.ColumnData{tables.Numbers("u", u), tables.Numbers("y", y), tables.Numbers("z", u), tables.Numbers("w", w)}
		if constant {
			columns = append(columns, tables.Numbers("k", k))
		}
		xu, err := tables.FromColumns(tables.Numbers("x", u), tables.Numbers("u", u))
		if err != nil {
			t.Fatal(err)
		}
		uy, err := tables.FromColumns(columns...)
		if err != nil {
			t.Fatal(err)
		}
		p := problemtest.Prepared(t, problem.Setup{Phi: features.Spec{Size: 30}, Psi: features.Spec{Size: 30}, Folds: 4, Roles: tables.RoleOptions{WeightsUY: "w"}}, xu, uy)
		a, err := Assess(context.Background(), p, Fitted(rr.TwoStep{}), AssessOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return a.Risk.Outputs
	}
	want, got := outputs(false), outputs(true)
	for j, w := range want {
		if math.Abs(got[j].MSE-w.MSE) > 1e-12 || math.Abs(got[j].SE-w.SE) > 1e-12 {
			t.Errorf("output %d: %+v, want %+v", j, got[j], w)
		}
	}
}
