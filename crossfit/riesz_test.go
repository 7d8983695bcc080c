package crossfit

import (
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/internal/fixture"
	"mediant/moments"
	"mediant/solvers"
)

func TestKeptRieszFactorsGiveTheSameWeights(t *testing.T) {
	rnd := rand.New(rand.NewPCG(8, 9))
	folds := make([]*moments.CoMoments, 3)
	for k := range folds {
		psi, y := mat.NewDense(12, 4, nil), mat.NewDense(12, 1, nil)
		for _, m := range []*mat.Dense{psi, y} {
			for i := range m.RawMatrix().Data {
				m.RawMatrix().Data[i] = rnd.NormFloat64()
			}
		}
		folds[k] = moments.NewCoMoments(moments.ID{}, moments.ID{})
		folds[k].Add(psi, y, nil)
	}
	uy, err := Splitter{}.Split(t.Context(), folds)
	if err != nil {
		t.Fatal(err)
	}
	fresh, kept := Riesz{UY: uy, Mus: Mus}, Riesz{UY: uy, Mus: Mus}
	kept.CacheFactors()
	first := make([]*solvers.Factor, len(folds))
	for call := range 3 {
		target := mat.NewDense(5, 2, nil)
		for i := range target.RawMatrix().Data {
			target.RawMatrix().Data[i] = rnd.NormFloat64()
		}
		for k := range folds {
			a, b := fixture.Must[[]Affine](t)(fresh.Solve(t.Context(), k, target)), fixture.Must[[]Affine](t)(kept.Solve(t.Context(), k, target))
			for i := range a {
				if !mat.Equal(a[i].Coef, b[i].Coef) || !slices.Equal(a[i].Intercept, b[i].Intercept) {
					t.Errorf("call %d, fold %d, mu %g: kept factors give other weights", call, k, Mus[i])
				}
			}
			if len(kept.kept.of[k]) != len(Mus) {
				t.Fatalf("fold %d keeps %d factors, want %d", k, len(kept.kept.of[k]), len(Mus))
			}
			if call == 0 {
				first[k] = kept.kept.of[k][0]
			} else if kept.kept.of[k][0] != first[k] {
				t.Errorf("call %d made the factors of fold %d anew", call, k)
			}
		}
	}
	wide := moments.NewCoMoments(moments.ID{}, moments.ID{})
	wide.Add(mat.NewDense(1, 1500, nil), mat.NewDense(1, 1, nil), nil)
	large := Riesz{UY: Splits{Held: []*moments.CoMoments{wide}}, Mus: Mus}
	if large.CacheFactors(); large.kept != nil {
		t.Error("8 factors of order 1,501, 144 MB, are kept")
	}
}

// TestFirstFoldChooses: with the penalties that the first fold alone chooses, weights and fits are those of these penalties set.
func TestFirstFoldChooses(t *testing.T) {
	rnd := rand.New(rand.NewPCG(8, 10))
	normal := func(r, c int) *mat.Dense {
		m := mat.NewDense(r, c, nil)
		for i := range m.RawMatrix().Data {
			m.RawMatrix().Data[i] = rnd.NormFloat64()
		}
		return m
	}
	folds := make([]*moments.CoMoments, 3)
	for k := range folds {
		folds[k] = moments.NewCoMoments(moments.ID{}, moments.ID{})
		psi, y := normal(20, 6), normal(20, 2)
		for i := range 20 {
			y.Set(i, 0, y.At(i, 0)+9*psi.At(i, 0)) // small penalties are best for one output, large ones for the other
		}
		folds[k].Add(psi, y, nil)
	}
	uy := fixture.Must[Splits](t)(Splitter{}.Split(t.Context(), folds))
	u := fixture.Must[Units](t)(UnitsOf(folds, false))
	first := fixture.Must[Curve](t)(CrossValidate(t.Context(), Splits{uy.Train[:1], uy.Held[:1]}, u, Lambdas, true))
	_, want := first.BestFits()
	for _, units := range []Units{u, {}} {
		curve := fixture.Must[Curve](t)(CrossValidate(t.Context(), uy, units, Lambdas, true))
		if lambda, err := LeastPenalty(t.Context(), uy, units, Lambdas, true); err != nil || lambda != curve.Lambda() {
			t.Errorf("the least penalty of all is %g, want %g; error %v", lambda, curve.Lambda(), err)
		}
	}
	fits, chosen, err := ChooseByFirst(t.Context(), uy, u, Lambdas, true)
	if err != nil || !slices.Equal(chosen, want) || chosen[0] == chosen[1] {
		t.Fatalf("penalties %v, want %v, two that differ; error %v", chosen, want, err)
	}
	for j, lambda := range chosen {
		alone := fixture.Must[Curve](t)(CrossValidate(t.Context(), uy, u, []float64{lambda}, true))
		for k := range folds {
			if !mat.Equal(fits[k].Coef.ColView(j), alone.Fits[0][k].Coef.ColView(j)) {
				t.Errorf("output %d, fold %d: another fit than with %g set", j, k, lambda)
			}
		}
	}

	train, held := []*mat.Dense{normal(7, 2), normal(7, 2), normal(7, 2)}, []*mat.Dense{normal(7, 2), normal(7, 2), normal(7, 2)}
	alone := Riesz{UY: Splits{uy.Train[:1], uy.Held[:1]}, Mus: Mus}
	_, mus, err := alone.Weights(t.Context(), train[:1], held[:1])
	if err != nil {
		t.Fatal(err)
	}
	got, chosen, err := Riesz{UY: uy, Mus: Mus, FirstFold: true}.Weights(t.Context(), train, held)
	if err != nil || !slices.Equal(chosen, mus) {
		t.Fatalf("mus %v, want %v; error %v", chosen, mus, err)
	}
	for j, mu := range mus {
		set, _, err := Riesz{UY: uy, Mus: []float64{mu}}.Weights(t.Context(), train, held)
		if err != nil {
			t.Fatal(err)
		}
		for k := range folds {
			if !mat.Equal(got[k].Coef.ColView(j), set[k].Coef.ColView(j)) {
				t.Errorf("functional %d, fold %d: other weights than with %g set", j, k, mu)
			}
		}
	}
}
