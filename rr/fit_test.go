package rr_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"gonum.org/v1/gonum/mat"

	"mediant"
	"mediant/features"
	"mediant/internal/fittest"
	"mediant/kernels"
	"mediant/problem"
	"mediant/rr"
	"mediant/solvers"
	"mediant/tables"
)

// table makes a numeric source; names are a space-separated list.
func table(t testing.TB, names string, x mat.Matrix) tables.Source {
	t.Helper()
	src, err := tables.FromMatrix(strings.Fields(names), x)
	if err != nil {
		t.Fatal(err)
	}
	return src
}

// uniform draws an r×c matrix with entries in [-1, 1].
func uniform(rnd *rand.Rand, r, c int) *mat.Dense {
	d := mat.NewDense(r, c, nil)
	for i := range d.RawMatrix().Data {
		d.RawMatrix().Data[i] = 2*rnd.Float64() - 1
	}
	return d
}

// tablesOf draws the two tables of U = X³ + noise, Y = U'U + noise, in two dimensions.
func tablesOf(t testing.TB, n, m int, seed uint64) (xu, uy tables.Source) {
	t.Helper()
	rnd := rand.New(rand.NewPCG(seed, 1))
	draw := func(n int) *mat.Dense {
		rows := mat.NewDense(n, 5, nil)
		for i := range n {
			x1, x2 := 2*rnd.Float64()-1, 2*rnd.Float64()-1
			u1, u2 := x1*x1*x1+.3*rnd.NormFloat64(), x2*x2*x2+.3*rnd.NormFloat64()
			rows.SetRow(i, []float64{x1, x2, u1, u2, u1*u1 + u2*u2 + .1*rnd.NormFloat64()})
		}
		return rows
	}
	return table(t, "x1 x2 u1 u2", draw(n).Slice(0, n, 0, 4)), table(t, "u1 u2 y", draw(m).Slice(0, m, 2, 5))
}

func fit(t testing.TB, m any, xu, uy tables.Source) *mediant.Model {
	t.Helper()
	model, err := fitterOf(m).Fit(context.Background(), xu, uy)
	if err != nil {
		t.Fatal(err)
	}
	return model
}

func predictions(t testing.TB, m interface {
	PredictTo(*mat.Dense, mat.Matrix) error
}, x mat.Matrix) *mat.Dense {
	t.Helper()
	var dst mat.Dense
	if err := m.PredictTo(&dst, x); err != nil {
		t.Fatal(err)
	}
	return &dst
}

// off returns the largest difference of two matrices.
func off(a, b mat.Matrix) float64 {
	var d mat.Dense
	d.Sub(a, b)
	return mat.Norm(&d, math.Inf(1))
}

func linear() problem.Setup {
	l := features.Spec{Kind: features.LinearFeatures}
	return problem.Setup{Phi: l, Psi: l, NoIntercept: true, NoStandardize: true}
}

// nystrom has all rows as landmarks, and so is exact kernel regression.
func nystrom(bandwidth float64, landmarks int) features.Spec {
	return features.Spec{Kind: features.NystromFeatures, Kernel: "gaussian", Size: landmarks, Bandwidth: bandwidth, Landmarks: features.Uniform}
}

func TestLinearCaseByHand(t *testing.T) {
	// alpha = 116/93 (scikit-learn#4666): predictions are alpha x.
	xu := table(t, "x u", mat.NewDense(2, 2, []float64{1, 2, 2, 1}))
	uy := table(t, "u y", mat.NewDense(3, 2, []float64{1, 2, 2, 3, 3, 7}))
	half := rr.Value(.5)
	for _, c := range []struct {
		method fittest.Fitter
		alpha  float64
	}{
		{fittest.With(linear(), rr.TwoStep{LambdaF: half, LambdaH: half}), 116. / 93},
		{fittest.With(linear(), rr.Joint{W: half, LambdaF: half, LambdaH: half, Penalty: solvers.Paper}), 928. / 787},
		{fittest.With(linear(), rr.Joint{W: rr.Value(1), LambdaF: half, LambdaH: half}), 116. / 93},
	} {
		got := predictions(t, fit(t, c.method, xu, uy), mat.NewDense(1, 1, []float64{1}))
		if d := math.Abs(got.At(0, 0) - c.alpha); d > 1e-12 {
			t.Errorf("%T: alpha is off by %g", c.method, d)
		}
	}
}

func TestAllRowsAsLandmarksIsKernelRidge(t *testing.T) {
	// The dual of two kernel ridge regressions, without features: h = K_Y c, (K_Y + m lambda) c = y,
	// then f = K_X a, (K_X + n lambda) a = h(U).
	const n, m, lambda, bx, bu = 40, 30, 1e-3, .7, .9
	rnd := rand.New(rand.NewPCG(4, 4))
	x, u, u2, y, query := uniform(rnd, n, 2), uniform(rnd, n, 3), uniform(rnd, m, 3), uniform(rnd, m, 2), uniform(rnd, 7, 2)
	var xu, uy mat.Dense
	xu.Augment(x, u)
	uy.Augment(u2, y)
	setup := problem.Setup{Phi: nystrom(bx, n), Psi: nystrom(bu, n+m), NoIntercept: true, NoStandardize: true}
	method := fittest.With(setup, rr.TwoStep{LambdaF: rr.Value(lambda), LambdaH: rr.Value(lambda)})
	model := fit(t, method, table(t, "x1 x2 u1 u2 u3", &xu), table(t, "u1 u2 u3 y1 y2", &uy))

	gram := func(b float64, x, y mat.Matrix) *mat.Dense {
		k, err := kernels.NewGaussian(b)
		if err != nil {
			t.Fatal(err)
		}
		var g mat.Dense
		k.GramTo(&g, x, y)
		return &g
	}
	ridge := func(k *mat.Dense, target mat.Matrix) *mat.Dense {
		r, _ := k.Dims()
		var shifted, c mat.Dense
		shifted.CloneFrom(k)
		for i := range r {
			shifted.Set(i, i, k.At(i, i)+float64(r)*lambda)
		}
		if err := c.Solve(&shifted, target); err != nil {
			t.Fatal(err)
		}
		return &c
	}
	var h, want mat.Dense
	h.Mul(gram(bu, u, u2), ridge(gram(bu, u2, u2), y))
	want.Mul(gram(bx, query, x), ridge(gram(bx, x, x), &h))
	// Gram matrices of 40 points have condition 1/lambda·n at most here; folding the whitening into
	// the coefficients costs the square root of the smallest pivot, about 1e-4.
	if d := off(predictions(t, model, query), &want); d > 1e-9 {
		t.Errorf("differs from kernel ridge by %g", d)
	}
}

func TestRepeatedRowsWithoutPenalty(t *testing.T) {
	// Singular Gram matrices (scikit-learn PR #3942): h interpolates the means of repeated rows, and is
	// the least-norm interpolant between them.
	xu := table(t, "x u", mat.NewDense(3, 2, []float64{0, 0, 1, 1, 2, .5}))
	uy := table(t, "u y", mat.NewDense(4, 2, []float64{0, 1, 0, 3, 1, 10, 1, 20}))
	b := math.Sqrt(.5) // exp(-d²)
	setup := problem.Setup{Phi: nystrom(b, 10), Psi: nystrom(b, 10), NoIntercept: true, NoStandardize: true}
	zero := rr.Value(0)
	model := fit(t, fittest.With(setup, rr.TwoStep{LambdaF: zero, LambdaH: zero}), xu, uy)
	want := mat.NewDense(3, 1, []float64{2, 15, 9.678932889637972})
	if d := off(predictions(t, model, mat.NewDense(3, 1, []float64{0, 1, 2})), want); d > 1e-6 {
		t.Errorf("f is off by %g", d)
	}
	if len(model.Warnings) == 0 || !strings.Contains(model.Warnings[0], "singular") {
		t.Errorf("warnings %q do not mention the singular system", model.Warnings)
	}
}

func TestRidgeRegressorsAreTheDefault(t *testing.T) {
	xu, uy := tablesOf(t, 300, 200, 7)
	setup := problem.Setup{Phi: features.Spec{Bandwidth: 1, Size: 64}, Psi: features.Spec{Bandwidth: 1.2, Size: 32}, Seed: 3}
	ridge := func(s features.Spec, purpose string) rr.Regressor {
		return rr.Ridge{Spec: s, Seed: setup.Seed, Purpose: purpose}
	}
	want := fit(t, fittest.With(setup, rr.TwoStep{}), xu, uy)
	query := uniform(rand.New(rand.NewPCG(1, 1)), 20, 2)
	for name, m := range map[string]rr.TwoStep{
		"both":   {F: ridge(setup.Phi, "phi"), H: ridge(setup.Psi, "psi")},
		"f only": {F: ridge(setup.Phi, "phi")},
		"h only": {H: ridge(setup.Psi, "psi")},
	} {
		got := fit(t, fittest.With(setup, m), xu, uy)
		// The same systems from sums over blocks of other rows; their condition is below 1e6.
		if d := off(predictions(t, got, query), predictions(t, want, query)); d > 1e-9 {
			t.Errorf("%s: off by %g", name, d)
		}
		if got.Rows != want.Rows {
			t.Errorf("%s: rows %+v, want %+v", name, got.Rows, want.Rows)
		}
	}
}

// mean predicts the mean of y: the simplest regressor that is not ours.
type mean struct{ value []float64 }

func (mean) Fit(_ context.Context, _, y *mat.Dense, _ []float64) (rr.Predictor, error) {
	n, k := y.Dims()
	m := mean{make([]float64, k)}
	for j := range k {
		m.value[j] = mat.Sum(y.ColView(j)) / float64(n)
	}
	return m, nil
}

func (m mean) PredictTo(dst *mat.Dense, x mat.Matrix) {
	n, _ := x.Dims()
	dst.ReuseAs(n, len(m.value))
	for i := range n {
		dst.SetRow(i, m.value)
	}
}

func TestAnyRegressorPlugsIn(t *testing.T) {
	xu, uy := tablesOf(t, 100, 150, 2)
	model := fit(t, rr.TwoStep{F: mean{}, H: mean{}}, xu, uy)
	var total float64
	for b, err := range uy.Batches(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		total += mat.Sum(b.Num.ColView(2))
	}
	if got := predictions(t, model, mat.NewDense(1, 2, nil)).At(0, 0); math.Abs(got-total/150) > 1e-12 {
		t.Errorf("f = %g, want the mean of Y, %g", got, total/150)
	}
	if err := model.Save(new(strings.Builder)); err == nil || !strings.Contains(err.Error(), "rr_test.mean") {
		t.Errorf("saving a foreign predictor gives %v", err)
	}
}

func TestJointAtOneIsTwoStep(t *testing.T) {
	xu, uy := tablesOf(t, 400, 300, 9)
	query := uniform(rand.New(rand.NewPCG(1, 1)), 9, 2)
	p, err := problem.Prepare(context.Background(), problem.Setup{}, xu, uy)
	if err != nil {
		t.Fatal(err)
	}
	solve := func(s rr.Method) *rr.Model {
		m, err := s.Fit(context.Background(), p)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	two, joint := solve(rr.TwoStep{}), solve(rr.Joint{W: rr.Value(1)})
	if !mat.Equal(predictions(t, two, query), predictions(t, joint, query)) {
		t.Error("w = 1 gives other bytes than 2Step-RR")
	}
}

// Fit makes only the moments that 2Step-RR needs, by another way than Prepare and Solve.
func TestTwoStepInTurnIsTwoStep(t *testing.T) {
	const n, m = 400, 300
	rnd := rand.New(rand.NewPCG(2, 2))
	x, u2, query := uniform(rnd, n, 5), uniform(rnd, m, 6), uniform(rnd, 9, 2)
	for i := range n {
		x.Set(i, 4, 2+x.At(i, 4)) // weights
	}
	for i := range m {
		u2.Set(i, 4, 2+u2.At(i, 4))
		if i%7 == 0 {
			u2.Set(i, 2, math.NaN()) // no Y
		}
	}
	xu, uy := table(t, "x1 x2 u1 u2 w", x), table(t, "u1 u2 y1 y2 w z", u2)
	for _, noIntercept := range []bool{false, true} {
		for _, nystroem := range []bool{false, true} {
			setup := problem.Setup{NoIntercept: noIntercept, Phi: features.Spec{Size: 60}, Psi: features.Spec{Size: 40},
				Roles: tables.RoleOptions{X: []string{"x*"}, U: []string{"u*"}, Y: []string{"y*"}, WeightsXU: "w", WeightsUY: "w"}}
			if nystroem {
				setup.Phi, setup.Psi = nystrom(2, 30), nystrom(2, 20)
			}
			method := rr.TwoStep{LambdaF: rr.Value(1e-3), LambdaH: rr.Value(1e-2)}
			p, err := problem.Prepare(context.Background(), setup, xu, uy)
			if err != nil {
				t.Fatal(err)
			}
			want, err := method.Fit(context.Background(), p)
			if err != nil {
				t.Fatal(err)
			}
			got := fit(t, fittest.With(setup, method), xu, uy)
			// Features are at most 1, so condition numbers are below 60/1e-3, and rounding errors times that
			// some 1e-11.
			if d := off(predictions(t, got, query), predictions(t, want, query)); !(d < 1e-10) {
				t.Errorf("without intercept %v, nystrom %v: differs by %g", noIntercept, nystroem, d)
			}
			if diff := cmp.Diff(want.Rows, got.Rows) + cmp.Diff(want.Params, got.Params) + cmp.Diff(want.Notes, got.Notes) +
				cmp.Diff(want.Condition, got.Condition, cmpopts.EquateApprox(1e-6, 0)); diff != "" {
				t.Errorf("without intercept %v, nystrom %v: other words (-solved +fitted):\n%s", noIntercept, nystroem, diff)
			}
		}
	}
}

func TestItLearns(t *testing.T) {
	// 2Step-RR and Joint-RR estimate E[Y|X] = Σ x⁶ + 0.18; a constant is off by its standard
	// deviation, 0.4. The bound is three times what seeds 1 to 5 gave at most (0.06).
	xu, uy := tablesOf(t, 1500, 1500, 1)
	query := uniform(rand.New(rand.NewPCG(3, 3)), 500, 2)
	for _, m := range []rr.Method{rr.TwoStep{}, rr.Joint{}} {
		got := predictions(t, fit(t, m, xu, uy), query)
		var sum float64
		for i := range 500 {
			d := got.At(i, 0) - .18 - math.Pow(query.At(i, 0), 6) - math.Pow(query.At(i, 1), 6)
			sum += d * d
		}
		if rmse := math.Sqrt(sum / 500); rmse > .2 {
			t.Errorf("%T: RMSE to the true regression is %.3f", m, rmse)
		}
	}
}

func TestWeightsAreRepetitions(t *testing.T) {
	// Integer weights and repeated rows are the same data: linear features, nothing data-dependent.
	rnd := rand.New(rand.NewPCG(8, 1))
	rows := func(n, c int) (weighted, repeated *mat.Dense) {
		x := uniform(rnd, n, c)
		weighted = mat.NewDense(n, c+1, nil)
		var data []float64
		for i := range n {
			w := i % 3
			weighted.SetRow(i, append(append([]float64{}, x.RawRowView(i)...), float64(w)))
			for range w {
				data = append(data, x.RawRowView(i)...)
			}
		}
		return weighted, mat.NewDense(len(data)/c, c, data)
	}
	wxu, rxu := rows(20, 4)
	wuy, ruy := rows(17, 3)
	setup := linear()
	setup.NoIntercept = false
	plain := fit(t, fittest.With(setup, rr.Joint{}), table(t, "x1 x2 u1 u2", rxu), table(t, "u1 u2 y", ruy))
	setup.Roles = tables.RoleOptions{WeightsXU: "w", WeightsUY: "w"}
	weighted := fit(t, fittest.With(setup, rr.Joint{}), table(t, "x1 x2 u1 u2 w", wxu), table(t, "u1 u2 y w", wuy))
	query := uniform(rnd, 5, 2)
	if d := off(predictions(t, weighted, query), predictions(t, plain, query)); d > 1e-10 {
		t.Errorf("weights differ from repetitions by %g", d)
	}
	if len(weighted.Roles.U) != 2 {
		t.Errorf("U is %v: weights must have no role", weighted.Roles.U)
	}
}

func TestRowsWithoutYAreDropped(t *testing.T) {
	rnd := rand.New(rand.NewPCG(8, 2))
	xu, all := uniform(rnd, 30, 4), uniform(rnd, 25, 4)
	all.Set(3, 3, math.NaN())
	all.Set(24, 2, math.NaN())
	kept := mat.NewDense(23, 4, nil)
	for i, to := 0, 0; i < 25; i++ {
		if i != 3 && i != 24 {
			kept.SetRow(to, all.RawRowView(i))
			to++
		}
	}
	setup := linear()
	setup.NoIntercept = false
	const names = "u1 u2 y1 y2"
	want := fit(t, fittest.With(setup, rr.Joint{}), table(t, "x1 x2 u1 u2", xu), table(t, names, kept))
	got := fit(t, fittest.With(setup, rr.Joint{}), table(t, "x1 x2 u1 u2", xu), table(t, names, all))
	if got.Rows.Dropped != 2 || got.Rows.UY != 23 {
		t.Errorf("rows %+v, want 23 kept and 2 dropped", got.Rows)
	}
	query := uniform(rnd, 5, 2)
	if d := off(predictions(t, got, query), predictions(t, want, query)); d > 1e-12 {
		t.Errorf("differs from the table without those rows by %g", d)
	}
}

func TestFoldsAddUpToTheWhole(t *testing.T) {
	xu, uy := tablesOf(t, 2500, 1100, 5)
	var whole, folded *problem.Problem
	for _, p := range []struct {
		dst   **problem.Problem
		folds int
	}{{&whole, 0}, {&folded, 5}} {
		problem, err := problem.Prepare(context.Background(), problem.Setup{Folds: p.folds, Phi: features.Spec{Size: 32}, Psi: features.Spec{Size: 32}}, xu, uy)
		if err != nil {
			t.Fatal(err)
		}
		*p.dst = problem
	}
	for i, f := range folded.FoldsXU() {
		if f.Rows() != 500 {
			t.Errorf("fold %d has %d rows, want 500", i, f.Rows())
		}
	}
	if whole.XU().Rows() != 2500 || folded.XU().Rows() != 2500 || folded.UY().Rows() != 1100 {
		t.Errorf("rows %d, %d, %d", whole.XU().Rows(), folded.XU().Rows(), folded.UY().Rows())
	}
	var a, b mat.Dense
	whole.XU().CrossTo(&a, true)
	folded.XU().CrossTo(&b, true)
	if d := off(&a, &b); d > 1e-12 { // 2,500 products below 1 of rounding 1e-16
		t.Errorf("moments differ by %g", d)
	}
}

func TestPrepareRefuses(t *testing.T) {
	xu, uy := tablesOf(t, 20, 20, 1)
	empty := mat.NewDense(3, 2, []float64{1, math.NaN(), 2, math.NaN(), 3, math.NaN()})
	for want, try := range map[string]struct {
		method any
		xu, uy tables.Source
	}{
		"KiB":                    {fittest.With(problem.Setup{Memory: 1000}, rr.Joint{}), xu, uy},
		"Joint.W is 2":           {rr.Joint{W: rr.Value(2)}, xu, uy},
		"TwoStep.LambdaF is -1":  {rr.TwoStep{LambdaF: rr.Value(-1)}, xu, uy},
		"TwoStep.LambdaH is NaN": {rr.TwoStep{LambdaH: rr.Value(math.NaN())}, xu, uy},
		"in common":              {rr.Joint{}, table(t, "a b", mat.NewDense(2, 2, nil)), uy},
		"no column varies":       {rr.Joint{}, table(t, "x u1 u2", mat.NewDense(2, 3, []float64{1, 2, 3, 1, 4, 5})), uy},
		"weight":                 {fittest.With(problem.Setup{Roles: tables.RoleOptions{WeightsXU: "x1"}}, rr.Joint{}), xu, uy},
		"Y is missing":           {rr.Joint{}, table(t, "x u", mat.NewDense(2, 2, []float64{1, 2, 3, 4})), table(t, "u y", empty)},
	} {
		_, err := fitterOf(try.method).Fit(context.Background(), try.xu, try.uy)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one about %q", err, want)
		}
	}
}

func TestFitStopsWhenAsked(t *testing.T) {
	xu, uy := tablesOf(t, 50, 50, 1)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := rr.Fit(ctx, problem.Setup{}, rr.Joint{}, xu, uy); err == nil {
		t.Error("a cancelled fit gave a model")
	}
}

func Example() {
	x := []float64{-1, -.5, 0, .5, 1, .2, -.7, .9} // S_X: U = X², with errors
	u := []float64{.9, .3, .1, .2, 1.1, 0, .5, .8}
	u2 := []float64{0, .2, .4, .6, .8, 1, 1.2, .1} // S_Y: Y = 2U
	y := []float64{0, .4, .8, 1.2, 1.6, 2, 2.4, .2}
	xu, err := tables.FromColumns(tables.Numbers("x", x), tables.Numbers("u", u))
	if err != nil {
		panic(err)
	}
	uy, err := tables.FromColumns(tables.Numbers("u", u2), tables.Numbers("y", y))
	if err != nil {
		panic(err)
	}
	model, err := rr.Fit(context.Background(), problem.Setup{}, rr.Joint{LambdaF: rr.Value(1e-2)}, xu, uy)
	if err != nil {
		panic(err)
	}
	var f mat.Dense
	if err := model.PredictTo(&f, mat.NewDense(3, 1, []float64{-1, 0, 1})); err != nil {
		panic(err)
	}
	fmt.Printf("%.1f\n", f.RawMatrix().Data)
	// Output: [1.6 0.2 1.8]
}
