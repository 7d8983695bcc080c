package effect

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/crossfit"
	"mediant/features"
	"mediant/internal/fixture"
	"mediant/moments"
	"mediant/problem"
	"mediant/rr"
	"mediant/tables"
)

// TestEffectFromSums: the rows give the effect that the sums of the folds give with the same h and r.
func TestEffectFromSums(t *testing.T) {
	rnd := rand.New(rand.NewPCG(8, 8))
	a, b := fixture.Gaussian(rnd, 50, 2, 0), fixture.Gaussian(rnd, 70, 2, 0)
	for i := range 50 {
		a.Set(i, 0, float64(rnd.IntN(2)))
	}
	xu, err := tables.FromMatrix([]string{"t", "u"}, a)
	if err != nil {
		t.Fatal(err)
	}
	uy, err := tables.FromMatrix([]string{"u", "y"}, b)
	if err != nil {
		t.Fatal(err)
	}
	// Twelve features for sixty rows of noise: the h and r of other folds are quite others.
	e := Estimator{Setup: problem.Setup{Psi: features.Spec{Size: 12}, Folds: 3}, Treatment: "t", LambdaH: rr.Value(1e-4), Mu: rr.Value(1e-3)}
	run, err := e.prepare(context.Background(), nil, xu, uy)
	if err != nil {
		t.Fatal(err)
	}
	if err := run.fit(t.Context()); err != nil {
		t.Fatal(err)
	}
	got, err := run.estimate(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	p := run.probability
	kappa := crossfit.Affine{Coef: mat.NewDense(1, 1, []float64{1/p + 1/(1-p)}), Intercept: []float64{-1 / (1 - p)}}
	want := run.xu.Means(func(k int, held *moments.CoMoments) []float64 {
		var b mat.Dense
		b.Scale(-1, run.h[k].Coef)
		return held.Inner(kappa.Form(), moments.Form{B: &b, Offset: run.h[k].Intercept})
	}).Mean[0] - run.uy.Means(func(k int, held *moments.CoMoments) []float64 {
		return held.Inner(run.r[k].Form(), run.h[k].Residual(1))
	}).Mean[0]
	if d := math.Abs(got.Effects[0].Value - want); d > 1e-10 {
		t.Errorf("%g from rows, %g from sums", got.Effects[0].Value, want)
	}
}
