package search

import (
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/features"
	"mediant/internal/problemtest"
	"mediant/problem"
	"mediant/tables"
)

// TestNoComponentsOfPrivateSums: fits by components, whose tests know nothing of noise, are compared for sums without noise alone.
func TestNoComponentsOfPrivateSums(t *testing.T) {
	const rows = 900
	rnd := rand.New(rand.NewPCG(3, 3))
	both := mat.NewDense(rows, 5, nil)
	for i := range rows {
		a, b := rnd.NormFloat64(), rnd.NormFloat64()
		u, v := a+.5*rnd.NormFloat64(), b+rnd.NormFloat64()
		both.SetRow(i, []float64{a, b, u, v, u + v*v})
	}
	xu, err := tables.FromMatrix([]string{"a", "b", "u", "v"}, both.Slice(0, rows, 0, 4))
	if err != nil {
		t.Fatal(err)
	}
	uy, err := tables.FromMatrix([]string{"u", "v", "y"}, both.Slice(0, rows, 2, 5))
	if err != nil {
		t.Fatal(err)
	}
	spec := features.Spec{Kind: features.AdditiveFeatures, Kernel: "gaussian", Size: 8}
	plan, err := problemtest.Prepared(t, problem.Setup{Phi: spec, Psi: spec, Folds: 4}, xu, uy).Plan(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	plan.Blocks = 1
	plain, err := plan.SumUY(t.Context(), uy)
	if err != nil {
		t.Fatal(err)
	}
	// With little noise only that there is noise can be the reason.
	noisy, err := plan.SumPrivately(t.Context(), problem.TableUY, uy, problem.Privacy{Epsilon: 50, Delta: .1, Clip: []problem.Range{{Lo: -5, Hi: 20}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		uy   *problem.Sums
		want bool
	}{{plain, true}, {noisy, false}} {
		x, err := plan.SumXU(t.Context(), xu)
		if err != nil {
			t.Fatal(err)
		}
		s, err := problem.MergeSums(x, c.uy)
		if err != nil {
			t.Fatal(err)
		}
		p, err := s.Problem()
		if err != nil {
			t.Fatal(err)
		}
		choice, err := Search{}.ChooseOf(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		if got := slices.ContainsFunc(choice.Trials, func(t Trial) bool { return t.Components }); got != c.want {
			t.Errorf("fits by components are compared: %v, want %v", got, c.want)
		}
	}
}
