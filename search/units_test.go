package search

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/crossfit"
	"mediant/diagnose"
	"mediant/effect"
	"mediant/features"
	"mediant/internal/fixture"
	"mediant/internal/problemtest"
	"mediant/internal/risktest"
	"mediant/problem"
	"mediant/risk"
	"mediant/rr"
	"mediant/tables"
)

// outputTables are tables whose Y are three columns: y, z, and noise; each is multiplied by a factor, and they stand in the
// given order under the given names.
func outputTables(t testing.TB, seed uint64, factors [3]float64, order [3]int, names [3]string) (xu, uy tables.Source) {
	t.Helper()
	rnd := rand.New(rand.NewPCG(seed, 4))
	var x, u, v, t01 []float64
	for i := range 90 {
		a := 2*rnd.Float64() - 1
		x, u, t01 = append(x, a), append(u, a*a+.2*rnd.NormFloat64()), append(t01, float64(i%2))
	}
	y := make([][]float64, 3)
	for range 110 {
		a := 1.5 * rnd.NormFloat64()
		v = append(v, a)
		for j, value := range []float64{a + .2*rnd.NormFloat64(), math.Sin(2*a) + .3*rnd.NormFloat64(), rnd.NormFloat64()} {
			y[j] = append(y[j], factors[j]*value)
		}
	}
	columns := []tables.ColumnData{tables.Numbers("u", v)}
	for _, j := range order {
		columns = append(columns, tables.Numbers(names[j], y[j]))
	}
	var err error
	if xu, err = tables.FromColumns(tables.Numbers("x", x), tables.Numbers("t", t01), tables.Numbers("u", u)); err != nil {
		t.Fatal(err)
	}
	if uy, err = tables.FromColumns(columns...); err != nil {
		t.Fatal(err)
	}
	return xu, uy
}

// outcome is what a search, its model, its risk, a diagnosis and an effect find of each output, in units of the factors, and
// what they choose.
func outcome(t testing.TB, seed uint64, factors [3]float64, order [3]int, names [3]string) (numbers map[string]float64, chosen string) {
	t.Helper()
	xu, uy := outputTables(t, seed, factors, order, names)
	candidates := []features.Spec{{Kind: features.LinearFeatures}, {Size: 16, Multiple: 1}}
	roles := tables.RoleOptions{X: []string{"x"}}
	choice, err := Search{Setup: problem.Setup{Roles: roles}, PhiCandidates: candidates, PsiCandidates: candidates}.Choose(context.Background(), xu, uy)
	if err != nil {
		t.Fatal(err)
	}
	m, err := choice.Fit(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	a, err := choice.Assessment(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	numbers = make(map[string]float64)
	of := map[string]string{}
	for _, trial := range choice.Trials {
		if !trial.Chosen {
			continue
		}
		at := slices.Index(m.Y.Names(), trial.Output)
		if at < 0 {
			of[trial.Stage] = trial.Name
			numbers["risk of "+trial.Stage] = *trial.Risk
			continue
		}
		j := order[at]
		of[fmt.Sprint(trial.Stage, " of ", j)] = trial.Name
		numbers[fmt.Sprint("risk of ", trial.Stage, " of ", j)] = *trial.Risk / (factors[j] * factors[j])
	}
	chosen = fmt.Sprint(of)
	var f mat.Dense
	if err := m.PredictTo(&f, mat.NewDense(2, 1, []float64{-.3, .8})); err != nil {
		t.Fatal(err)
	}
	d, err := diagnose.Diagnose(context.Background(), m, xu, uy, roles)
	if err != nil {
		t.Fatal(err)
	}
	numbers["share of Y"], numbers["share of h"] = d.UPredictsY.R2, d.XPredictsH.R2
	e, err := effect.Estimator{Setup: problem.Setup{Psi: features.Spec{Size: 16}, Roles: tables.RoleOptions{Y: m.Roles.Y}}, Treatment: "t"}.Estimate(context.Background(), xu, uy)
	if err != nil {
		t.Fatal(err)
	}
	for at, j := range order {
		square := factors[j] * factors[j]
		numbers[fmt.Sprint("prediction of ", j)] = f.At(1, at) / factors[j]
		numbers[fmt.Sprint("risk of ", j)] = a.Risk.Outputs[at].MSE / square
		numbers[fmt.Sprint("error of the risk of ", j)] = a.Risk.Outputs[at].SE / square
		numbers[fmt.Sprint("lambda_h of ", j)], numbers[fmt.Sprint("mu of ", j)] = a.Risk.LambdasH[at], a.Risk.Mu[at]
		numbers[fmt.Sprint("effect on ", j)], numbers[fmt.Sprint("its error ", j)] = e.Effects[at].Value/factors[j], e.Effects[at].SE/math.Abs(factors[j])
	}
	return numbers, chosen
}

// TestUnitsOfYDoNotMatter: rescaling, reordering and renaming the columns of Y changes no choice, and predictions, risks,
// effects and errors by the factor alone. A factor is exact if it is a power of two, and rounds each step to 1e-16 if not;
// order changes sums over outputs by as much. Penalties of 1e-9 leave seven digits, of which half are asked for.
func TestUnitsOfYDoNotMatter(t *testing.T) {
	if testing.Short() {
		t.Skip("many fits, which find no race that few do not")
	}
	const tol = 1e-4
	plain, in := [3]string{"y", "z", "noise"}, [3]int{0, 1, 2}
	want, choice := outcome(t, 1, [3]float64{1, 1, 1}, in, plain)
	for _, c := range []struct {
		factors [3]float64
		order   [3]int
		names   [3]string
	}{
		{[3]float64{1, 1, 1024}, in, plain}, {[3]float64{1, 1, 1e6}, in, plain}, {[3]float64{1e-6, 1, -3}, in, plain}, {[3]float64{1e6, 1e-6, 1}, in, plain},
		{[3]float64{1, 1, 1}, [3]int{2, 0, 1}, plain}, {[3]float64{1, 1, 1}, [3]int{2, 1, 0}, [3]string{"c", "b", "a"}},
		{[3]float64{1e3, 1e3, 1e3}, [3]int{1, 2, 0}, [3]string{"a", "c", "b"}},
	} {
		got, chosen := outcome(t, 1, c.factors, c.order, c.names)
		if chosen != choice {
			t.Errorf("%v: chosen is %s, want %s", c, chosen, choice)
		}
		for name, v := range want {
			if d := math.Abs(got[name] - v); !(d <= tol*max(.01, math.Abs(v))) {
				t.Errorf("%v: %s is %.10g, want %.10g", c, name, got[name], v)
			}
		}
	}
}

// TestUnitsWorkedExample: classes and a single column are one unit, columns count by their variances, and one that does not vary
// for nothing.
func TestUnitsWorkedExample(t *testing.T) {
	u := crossfit.Units{Scale: []float64{1, .25, 0}}
	if got := u.Total(u.Split([]float64{2, 8, 5})); got != 4 {
		t.Errorf("total %g, want 2 + 8/4", got)
	}
	if got := u.Square([]float64{3, -4, 5}); got != 13 {
		t.Errorf("square %g, want 9 + 16/4", got)
	}
	var one crossfit.Units
	if got := one.Total(one.Split([]float64{2, 8, 5})); got != 15 || one.Square([]float64{3, -4, 5}) != 50 {
		t.Errorf("one unit: total %g and square %g, want 15 and 50", got, one.Square([]float64{3, -4, 5}))
	}
	_, uy := outputTables(t, 1, [3]float64{1, 8, 0}, [3]int{0, 1, 2}, [3]string{"y", "z", "constant"})
	xu, _ := outputTables(t, 1, [3]float64{1, 1, 1}, [3]int{0, 1, 2}, [3]string{"y", "z", "noise"})
	p, err := problem.Prepare(context.Background(), problem.Setup{Phi: features.Spec{Size: 8}, Psi: features.Spec{Size: 8}, Folds: 3, Roles: tables.RoleOptions{X: []string{"x"}}}, xu, uy)
	if err != nil {
		t.Fatal(err)
	}
	if u, err = p.Units(p.FoldsUY()); err != nil {
		t.Fatal(err)
	}
	var second mat.SymDense
	p.UY().RightTo(&second, true)
	for j, want := range []float64{1 / second.At(0, 0), 1 / second.At(1, 1), 0} {
		if math.Abs(u.Scale[j]-want) > 1e-12*want {
			t.Errorf("output %d counts %g, want %g", j, u.Scale[j], want)
		}
	}
}

// TestZeroOfYDoesNotMatter: Y plus a constant has the same risk of form 1, standard error and brackets, in a search and for methods that
// are not affine in the features.
func TestZeroOfYDoesNotMatter(t *testing.T) {
	assess := func(offset float64, opaqueF bool) map[string]float64 {
		xu, uy := fixture.Surrogates(t, 90, 80, false)
		shifted, err := tables.Load(context.Background(), uy)
		if err != nil {
			t.Fatal(err)
		}
		var columns []tables.ColumnData
		for j, c := range shifted.Columns() {
			var values []float64
			for b, err := range shifted.Batches(context.Background()) {
				if err != nil {
					t.Fatal(err)
				}
				values = append(values, mat.Col(nil, j, b.Num)...)
			}
			if c.Name == "y" || c.Name == "z" {
				for i := range values {
					values[i] += offset
				}
			}
			columns = append(columns, tables.Numbers(c.Name, values))
		}
		moved, err := tables.FromColumns(columns...)
		if err != nil {
			t.Fatal(err)
		}
		p := problemtest.Prepared(t, problemtest.Setup(features.FourierFeatures), xu, moved)
		a, err := risk.Assess(context.Background(), p, func(ctx context.Context, train *problem.Problem) (rr.Predictor, error) {
			m, err := rr.TwoStep{LambdaF: rr.Value(1e-3), LambdaH: rr.Value(1e-3)}.Fit(ctx, train)
			if err == nil && opaqueF {
				return risktest.Opaque{Predictor: m.F}, nil
			}
			return m.F, err
		}, risk.AssessOptions{})
		if err != nil {
			t.Fatal(err)
		}
		j, err := comparisonOf(context.Background(), &p.Mapped, p.FoldsUY(), []float64{1e-3}, problem.Footprint.Preparing)
		if err != nil {
			t.Fatal(err)
		}
		xs, err := p.Splitter().Split(context.Background(), p.FoldsXU())
		if err != nil {
			t.Fatal(err)
		}
		tuned, err := j.tune(context.Background(), xs.Train, xs, grid{lambdaF: []float64{1e-3}, lambdaH: []float64{1e-3}, w: []float64{1, .5}}, true)
		if err != nil {
			t.Fatal(err)
		}
		out := risktest.Numbers(a)
		out["risk in a search"] = tuned.verdicts[1].Risk
		return out
	}
	want := assess(0, false)
	for _, offset := range []float64{0, 1e4, -300} {
		for _, opaqueF := range []bool{false, true} {
			for name, v := range assess(offset, opaqueF) {
				if d := math.Abs(v - want[name]); d > 1e-7*max(1, math.Abs(want[name])) { // 1e4² has 1e-8 of rounding in squares
					t.Errorf("Y + %g, opaque %v: %s is %.10g, want %.10g", offset, opaqueF, name, v, want[name])
				}
			}
		}
	}
}
