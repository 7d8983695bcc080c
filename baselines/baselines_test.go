package baselines_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant"
	"mediant/baselines"
	"mediant/features"
	"mediant/internal/fittest"
	"mediant/problem"
	"mediant/rr"
	"mediant/tables"
)

var (
	ctx = context.Background()
	_   = []rr.Method{baselines.Naive{}, baselines.MeanEmbedding{}, baselines.Oracle{}}
)

// A sample is n rows of X in [-1, 1], U = X + noise and Y = U² + noise.
type sample struct{ x, u, y []float64 }

func draw(n int, seed uint64) sample {
	rnd := rand.New(rand.NewPCG(seed, 2))
	s := sample{make([]float64, n), make([]float64, n), make([]float64, n)}
	for i := range n {
		s.x[i] = 2*rnd.Float64() - 1
		s.u[i] = s.x[i] + .5*rnd.NormFloat64()
		s.y[i] = s.u[i]*s.u[i] + .1*rnd.NormFloat64()
	}
	return s
}

func source(columns ...tables.ColumnData) tables.Source {
	src, err := tables.FromColumns(columns...)
	if err != nil {
		panic(err) // equal lengths and finite numbers always make a table
	}
	return src
}

func (s sample) xu() tables.Source {
	return source(tables.Numbers("x", s.x), tables.Numbers("u", s.u))
}

func (s sample) uy() tables.Source {
	return source(tables.Numbers("u", s.u), tables.Numbers("y", s.y))
}

func (s sample) xy() tables.Source {
	return source(tables.Numbers("x", s.x), tables.Numbers("y", s.y))
}

func predict(t testing.TB, m *mediant.Model, x ...float64) []float64 {
	t.Helper()
	var dst mat.Dense
	if err := m.PredictTo(&dst, mat.NewDense(len(x), 1, x)); err != nil {
		t.Fatal(err)
	}
	return dst.RawMatrix().Data
}

func fit(t testing.TB, m any, xu, uy tables.Source) *mediant.Model {
	t.Helper()
	model, err := fittest.Of(m).Fit(ctx, xu, uy)
	if err != nil {
		t.Fatal(err)
	}
	return model
}

func TestNaiveUnderestimatesConvexTargets(t *testing.T) {
	// E[Y|x] = x² + 1/4, but h*(E[U|x]) = x²: the naive limit is 1/4 too low (Jensen), and 2Step-RR is
	// not. Errors of fits to 2,000 rows are below 0.05 here.
	xu, uy := draw(2000, 1).xu(), draw(2000, 2).uy()
	naive := predict(t, fit(t, baselines.Naive{}, xu, uy), -.5, 0, .5)
	two := predict(t, fit(t, rr.TwoStep{}, xu, uy), -.5, 0, .5)
	for i, x := range []float64{-.5, 0, .5} {
		if d := naive[i] - x*x; math.Abs(d) > .08 {
			t.Errorf("naive f(%g) is %+.3f off its limit", x, d)
		}
		if d := two[i] - x*x - .25; math.Abs(d) > .08 {
			t.Errorf("2Step f(%g) is %+.3f off E[Y|x]", x, d)
		}
	}
}

func TestNaiveIsTheChainOfTwoRidges(t *testing.T) {
	// Linear features: g(x) = a x + b by least squares with penalty, then h of it, worked out here.
	a, b := draw(50, 3), draw(40, 4)
	l := features.Spec{Kind: features.LinearFeatures}
	setup := problem.Setup{Phi: l, Psi: l, NoIntercept: true, NoStandardize: true}
	model := fit(t, fittest.With(setup, baselines.Naive{LambdaG: rr.Value(.1), LambdaH: rr.Value(.2)}), a.xu(), b.uy())
	slope := func(x, y []float64, lambda float64) float64 {
		var xx, xy float64
		for i := range x {
			xx, xy = xx+x[i]*x[i]/float64(len(x)), xy+x[i]*y[i]/float64(len(x))
		}
		return xy / (xx + lambda)
	}
	want := slope(a.x, a.u, .1) * slope(b.u, b.y, .2)
	if got := predict(t, model, 1)[0]; math.Abs(got-want) > 1e-12 {
		t.Errorf("f(1) = %g, want %g", got, want)
	}
}

func TestMeanEmbeddingIsTwoStepWithItsRidge(t *testing.T) {
	a, b := draw(300, 5), draw(200, 6)
	for _, intercept := range []bool{true, false} {
		setup := problem.Setup{NoIntercept: !intercept, Seed: 4, Phi: features.Spec{Size: 64}, Psi: features.Spec{Size: 64}}
		cme := fit(t, fittest.With(setup, baselines.MeanEmbedding{Lambda: rr.Value(1e-3)}), a.xu(), b.uy())
		p, err := problem.Prepare(ctx, setup, a.xu(), b.uy())
		if err != nil {
			t.Fatal(err)
		}
		two, err := rr.TwoStep{LambdaF: rr.Value(1e-3)}.Fit(ctx, p)
		if err != nil {
			t.Fatal(err)
		}
		x := []float64{-1, 0, .3}
		for i, v := range predict(t, &mediant.Model{Model: two}, x...) {
			if got := predict(t, cme, x...)[i]; got != v {
				t.Errorf("intercept %v: f(%g) = %g, 2Step has %g", intercept, x[i], got, v)
			}
		}
	}
}

func TestEmbeddingWeightsGiveTheSamePrediction(t *testing.T) {
	// The other way round: weights on the rows of S_X from x alone, times the values h(u_i), is what
	// the closed form on moments predicts. Nothing is shared but the feature map.
	a, b := draw(150, 7), draw(200, 8)
	const lambda = 1e-3
	setup := problem.Setup{Phi: features.Spec{Size: 32}, Psi: features.Spec{Size: 32}, NoStandardize: true}
	p, err := problem.Prepare(ctx, setup, a.xu(), b.uy())
	if err != nil {
		t.Fatal(err)
	}
	model, err := rr.TwoStep{LambdaF: rr.Value(lambda)}.Fit(ctx, p)
	if err != nil {
		t.Fatal(err)
	}
	e, err := baselines.NewEmbedding(ctx, p.Phi(), mat.NewDense(150, 1, a.x), nil, lambda)
	if err != nil {
		t.Fatal(err)
	}
	query := mat.NewDense(4, 1, []float64{-1, -.2, .4, 2})
	var h, got, want, w mat.Dense
	model.H.PredictTo(&h, mat.NewDense(150, 1, a.u))
	e.ExpectTo(&got, query, &h)
	model.F.PredictTo(&want, query)
	got.Sub(&got, &want)
	if d := mat.Norm(&got, math.Inf(1)); d > 1e-9 { // condition below 1e4
		t.Errorf("weights predict something else by %g", d)
	}
	e.WeightsTo(&w, query)
	for i := range 4 {
		if sum := mat.Sum(w.RowView(i)); math.Abs(sum-1) > 1e-10 {
			t.Errorf("weights of row %d sum to %g", i, sum)
		}
	}
	// An h outside every span: the indicator of u > 0. E[1{U>0}|x] rises from 0 to 1 with x.
	for i, u := range a.u {
		h.Set(i, 0, 0)
		if u > 0 {
			h.Set(i, 0, 1)
		}
	}
	var share mat.Dense
	e.ExpectTo(&share, mat.NewDense(2, 1, []float64{-.8, .8}), &h)
	if lo, hi := share.At(0, 0), share.At(1, 0); lo > .25 || hi < .75 {
		t.Errorf("P(U > 0) is %.2f at x = -0.8 and %.2f at 0.8", lo, hi)
	}
}

func TestEmbeddingWithWeightsIsRepetition(t *testing.T) {
	phi := features.NewLinear(1)
	once, err := baselines.NewEmbedding(ctx, phi, mat.NewDense(3, 1, []float64{1, 2, 4}), []float64{1, 2, 0}, .1)
	if err != nil {
		t.Fatal(err)
	}
	twice, err := baselines.NewEmbedding(ctx, phi, mat.NewDense(3, 1, []float64{1, 2, 2}), nil, .1)
	if err != nil {
		t.Fatal(err)
	}
	var a, b mat.Dense
	query := mat.NewDense(1, 1, []float64{3})
	once.WeightsTo(&a, query)
	twice.WeightsTo(&b, query)
	if d := math.Abs(a.At(0, 1) - b.At(0, 1) - b.At(0, 2)); d > 1e-13 {
		t.Errorf("a weight of 2 differs from two rows by %g", d)
	}
	if _, err := baselines.NewEmbedding(ctx, phi, mat.NewDense(1, 1, nil), []float64{0}, 1); err == nil {
		t.Error("rows of no weight were accepted")
	}
}

func TestMeanEmbeddingChoosesItsRidge(t *testing.T) {
	// More noise in U given X asks for more ridge. The choice is one of the candidates, for few
	// features (all directions scored) and for many (random ones).
	for _, size := range []int{32, 200} {
		setup := problem.Setup{Phi: features.Spec{Size: 200}, Psi: features.Spec{Size: size}}
		m := fit(t, fittest.With(setup, baselines.MeanEmbedding{}), draw(400, 1).xu(), draw(300, 2).uy())
		if l := *m.Params.LambdaF; l < 1e-5 || l > 1e-1 {
			t.Errorf("%d features: lambda %g for 400 noisy rows", size, l)
		}
		if m.Method != "cme" {
			t.Errorf("method %q", m.Method)
		}
	}
	p, err := problem.Prepare(ctx, problem.Setup{}, draw(30, 1).xu(), draw(30, 2).uy())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := (baselines.MeanEmbedding{}).Fit(ctx, p); err == nil || !strings.Contains(err.Error(), "folds") {
		t.Errorf("without folds: %v", err)
	}
}

func TestOracleIsSupervisedRidge(t *testing.T) {
	a, b := draw(200, 1), draw(100, 2)
	m := fit(t, baselines.Oracle{Pairs: a.xy()}, a.xu(), b.uy())
	for _, x := range []float64{-.7, 0, .6} {
		if d := predict(t, m, x)[0] - x*x - .25; math.Abs(d) > .25 { // 200 rows of noise 0.6
			t.Errorf("f(%g) is off by %g", x, d)
		}
	}
	if m.Rows.XY != 200 || m.H != nil {
		t.Errorf("%d pairs, h %v", m.Rows.XY, m.H)
	}
	pairs, err := tables.FromColumns(tables.Numbers("x", []float64{0, 1, 2}), tables.Numbers("y", []float64{1, 2, 3}), tables.Numbers("w", []float64{4, 1, 2}))
	if err != nil {
		t.Fatal(err)
	}
	weighed, err := tables.Weigh(ctx, pairs, "w")
	if err != nil {
		t.Fatal(err)
	}
	if m := fit(t, baselines.Oracle{Pairs: weighed}, a.xu(), b.uy()); m.Rows.XY != 7 {
		t.Errorf("%d pairs, want 7: a row of weight k is k", m.Rows.XY)
	}
	if _, err := rr.Fit(ctx, problem.Setup{}, baselines.Oracle{}, a.xu(), b.uy()); err == nil || !strings.Contains(err.Error(), "Oracle.Pairs is nil") {
		t.Errorf("without pairs: %v", err)
	}
}

func TestLearnersTakeThePlaceOfRidge(t *testing.T) {
	// U is observed by the learners as by moments: in encoded columns. A ridge regression of next to no penalty fits
	// the parabola h and the line g.
	xu, uy := draw(2000, 1).xu(), draw(2000, 2).uy()
	ridge := rr.Ridge{}
	for _, m := range []rr.Method{baselines.Naive{G: ridge, H: ridge}, baselines.MeanEmbedding{H: ridge}} {
		model := fit(t, m, xu, uy)
		limit := 0.
		if model.Method == "cme" {
			limit = .25
		}
		for i, got := range predict(t, model, -.5, 0, .5) {
			x := -.5 + .5*float64(i)
			if d := got - x*x - limit; math.Abs(d) > .08 { // as in TestNaiveUnderestimatesConvexTargets
				t.Errorf("%s: f(%g) is %+.3f off its limit", model.Method, x, d)
			}
		}
		if model.Rows.XU != 2000 || model.Rows.UY != 2000 {
			t.Errorf("%s: rows %+v", model.Method, model.Rows)
		}
	}
	p, err := problem.Prepare(ctx, problem.Setup{}, xu, uy)
	if err != nil {
		t.Fatal(err)
	}
	solved, err := baselines.Naive{G: ridge, H: ridge}.Fit(ctx, p)
	if err != nil {
		t.Fatal(err)
	}
	fitted := fit(t, baselines.Naive{G: ridge, H: ridge}, xu, uy)
	if a, b := predict(t, &mediant.Model{Model: solved}, .3)[0], predict(t, fitted, .3)[0]; a != b {
		t.Errorf("from a problem %g, from tables %g", a, b)
	}
	for _, n := range []baselines.Naive{{G: ridge}, {H: ridge}} {
		if _, err := rr.Fit(ctx, problem.Setup{}, n, xu, uy); err == nil || !strings.Contains(err.Error(), "must have both or neither") {
			t.Errorf("one learner: %v", err)
		}
	}
}

func TestNegativeLambdasAreRefused(t *testing.T) {
	xu, uy := draw(20, 1).xu(), draw(20, 2).uy()
	bad := rr.Value(-1)
	for _, m := range []rr.Method{
		baselines.Naive{LambdaG: bad}, baselines.Naive{LambdaH: bad}, baselines.MeanEmbedding{Lambda: bad},
		baselines.MeanEmbedding{Lambda: rr.Value(1), LambdaH: bad}, baselines.Oracle{Pairs: draw(5, 1).xy(), Lambda: bad},
	} {
		if _, err := rr.Fit(ctx, problem.Setup{}, m, xu, uy); err == nil || !strings.Contains(err.Error(), "is -1") {
			t.Errorf("%T: %v", m, err)
		}
	}
}

func ExampleNaive() {
	a, b := draw(500, 1), draw(500, 2)
	for _, m := range []rr.Method{baselines.Naive{}, rr.TwoStep{}} {
		model, err := rr.Fit(ctx, problem.Setup{}, m, a.xu(), b.uy())
		if err != nil {
			panic(err)
		}
		score, err := model.Evaluate(ctx, draw(500, 3).xy())
		if err != nil {
			panic(err)
		}
		fmt.Printf("%s: MSE %.2f\n", model.Method, score.MSE)
	}
	// Output:
	// naive: MSE 0.53
	// 2step: MSE 0.48
}
