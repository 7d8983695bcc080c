package rr

import (
	"context"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/features"
	"mediant/kernels"
	"mediant/problem"
)

// TestGramByBlocks: lambda K_ZZ v by blocks above the diagonal is that of the whole matrix, for fewer, as many and more landmarks than blocks hold.
func TestGramByBlocks(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 1))
	k, err := kernels.ByName("gaussian", 1.5)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []int{1, problem.SectionRows, problem.SectionRows + 1, 2*problem.SectionRows + 40} {
		draw := func(n, d int) *mat.Dense {
			out := mat.NewDense(n, d, nil)
			for i := range out.RawMatrix().Data {
				out.RawMatrix().Data[i] = rnd.NormFloat64()
			}
			return out
		}
		z, v := draw(m, 3), draw(m, 2)
		sections, err := features.NewSections(k, z)
		if err != nil {
			t.Fatal(err)
		}
		e := ridgeEquations{sections: sections, landmarks: z, lambda: []float64{.5, 2}}
		got := mat.NewDense(m, 2, nil)
		if err := e.addGram(context.Background(), got, v); err != nil {
			t.Fatal(err)
		}
		var gram, want mat.Dense
		k.GramTo(&gram, z, z)
		want.Mul(&gram, v)
		for i := range m {
			e0 := want.RawRowView(i)
			e0[0], e0[1] = e.lambda[0]*e0[0], e.lambda[1]*e0[1]
		}
		// Of m terms of size 1 in another order.
		if !mat.EqualApprox(got, &want, 1e-15*float64(m)) {
			t.Errorf("%d landmarks: another product", m)
		}
	}
	done, cancel := context.WithCancel(context.Background())
	cancel()
	e := ridgeEquations{lambda: []float64{1}}
	if err := e.addGram(done, mat.NewDense(2, 1, nil), mat.NewDense(2, 1, nil)); err == nil {
		t.Error("no error of a context that is done")
	}
}
