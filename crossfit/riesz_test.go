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
