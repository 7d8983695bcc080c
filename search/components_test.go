package search

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/features"
	"mediant/internal/problemtest"
	"mediant/problem"
	"mediant/rr"
	"mediant/tables"
)

// TestTuningScreensTheOtherFolds: what a search scores on a fold is the fit by components of the problem without it, to
// the bit, groups included, though the fold's own rows keep other groups.
func TestTuningScreensTheOtherFolds(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 3))
	draw := func(n int) *mat.Dense {
		rows := mat.NewDense(n, 5, nil)
		for i := range n {
			a, b := rnd.NormFloat64(), rnd.NormFloat64()
			u, v := a+.5*rnd.NormFloat64(), b+.4*a+rnd.NormFloat64()
			rows.SetRow(i, []float64{a, b, u, v, u + v*v})
		}
		return rows
	}
	xu, err := tables.FromMatrix([]string{"a", "b", "u", "v"}, draw(80).Slice(0, 80, 0, 4))
	if err != nil {
		t.Fatal(err)
	}
	uy, err := tables.FromMatrix([]string{"u", "v", "y"}, draw(80).Slice(0, 80, 2, 5))
	if err != nil {
		t.Fatal(err)
	}
	spec := features.Spec{Kind: features.AdditiveFeatures, Kernel: "gaussian", Size: 8}
	p := problemtest.Prepared(t, problem.Setup{Phi: spec, Psi: spec, Folds: 4}, xu, uy)
	n, err := newHyperparameters(t.Context(), p, rr.Auto, problem.Footprint.Preparing)
	if err != nil {
		t.Fatal(err)
	}
	groups, err := rr.GroupsOf(p)
	if err != nil {
		t.Fatal(err)
	}
	g := grid{lambdaF: []float64{1e-3}, lambdaH: []float64{1e-4}, w: []float64{1}, components: groups}
	tuned, err := n.comparison.tune(context.Background(), n.xu.Train, n.xu, g, true)
	if err != nil {
		t.Fatal(err)
	}
	others := false
	for k := range 4 {
		rest, err := p.Without(k)
		if err != nil {
			t.Fatal(err)
		}
		m, err := rr.TwoStep{LambdaF: rr.Value(1e-3), LambdaH: rr.Value(1e-4), Components: true}.Fit(context.Background(), rest)
		if err != nil {
			t.Fatal(err)
		}
		got, want := tuned.fits[0][k], m.F.(*rr.Linear)
		if !mat.Equal(got.Coef, want.Coef) || !slices.Equal(got.Intercept, want.Intercept) {
			t.Errorf("fold %d: coefficients differ", k)
		}
		own, other := groups.Screen(n.xu.Held[k]).Kept, groups.Screen(rest.XU()).Kept
		others = others || !slices.EqualFunc(own, other, slices.Equal[[]int])
	}
	if !others {
		t.Error("these tables cannot tell")
	}
}
