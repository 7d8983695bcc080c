package rr_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/features"
	"mediant/internal/fixture"
	"mediant/moments"
	"mediant/problem"
	"mediant/rr"
	"mediant/tables"
)

// manyRows are tables of more rows than Auto arithmetic needs to be Mixed.
func manyRows(t *testing.T) (xu, uy tables.Source) {
	rnd := rand.New(rand.NewPCG(23, 2))
	const n = 20_000
	columns := func() (x, u, y []float64) {
		for range n {
			v := rnd.NormFloat64()
			x, u = append(x, v), append(u, math.Sin(2*v)+.3*rnd.NormFloat64())
			y = append(y, 100+u[len(u)-1]*u[len(u)-1]+.1*rnd.NormFloat64())
		}
		return x, u, y
	}
	x, u, _ := columns()
	_, v, y := columns()
	return fixture.Table(t, "x", x, "u", u), fixture.Table(t, "u", v, "y", y)
}

// TestAutoArithmetic: with many rows and features sums are in mixed arithmetic, with and without folds, and f and h are those of float64 but for rounding errors of the size of float64's. With a penalty for which mixed sums are too
// inexact they are in float64, and the model is the same to the bit.
func TestAutoArithmetic(t *testing.T) {
	xu, uy := manyRows(t)
	spec := features.Spec{Kernel: "gaussian", Bandwidth: 1, Size: 1024}
	fit := func(a moments.Arithmetic, folds int, lambda float64) *rr.Model {
		return fixture.Must[*rr.Model](t)(rr.Fit(t.Context(), problem.Setup{Phi: spec, Psi: spec, Arithmetic: a, Folds: folds}, rr.TwoStep{LambdaF: rr.Value(lambda), LambdaH: rr.Value(lambda)}, xu, uy))
	}
	exact := fit(moments.Float64, 0, 1e-4)
	want := predictionsOf(t, exact, xu)
	for _, folds := range []int{0, 2} {
		auto := fit("", folds, 1e-4)
		if auto.Params.Arithmetic != moments.Mixed || exact.Params.Arithmetic != "" || len(auto.Warnings) > 0 {
			t.Errorf("folds %d: arithmetic %q and %q, warnings %q", folds, auto.Params.Arithmetic, exact.Params.Arithmetic, auto.Warnings)
		}
		if d, scale := fixture.Distance(predictionsOf(t, auto, xu), want), spread(want); d == 0 || d > 1e-9*scale {
			t.Errorf("folds %d: predictions are off by %g, of standard deviation %g", folds, d, scale)
		}
	}
	auto, set := fit(moments.Auto, 0, 1e-8), fit(moments.Float64, 0, 1e-8)
	if auto.Params.Arithmetic != "" || !mat.Equal(predictionsOf(t, auto, xu), predictionsOf(t, set, xu)) {
		t.Errorf("a penalty of 1e-8: arithmetic %q, or other predictions than those of float64", auto.Params.Arithmetic)
	}
	if forced := fit(moments.Mixed, 0, 1e-12); len(forced.Warnings) == 0 {
		t.Errorf("a penalty of 1e-12 in mixed arithmetic has no warning; predictions are off by %g", fixture.Distance(predictionsOf(t, forced, xu), predictionsOf(t, fit(moments.Float64, 0, 1e-12), xu)))
	}
}

func predictionsOf(t *testing.T, m *rr.Model, src tables.Source) *mat.Dense {
	var all []float64
	for block, err := range m.Predict(t.Context(), src) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, block.Values.RawMatrix().Data...)
	}
	return mat.NewDense(len(all), 1, all)
}

func spread(v *mat.Dense) float64 {
	n, _ := v.Dims()
	mean, square := 0., 0.
	for i := range n {
		mean += v.At(i, 0) / float64(n)
	}
	for i := range n {
		square += (v.At(i, 0) - mean) * (v.At(i, 0) - mean) / float64(n)
	}
	return math.Sqrt(square)
}
