package search_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"mediant/features"
	"mediant/problem"
	"mediant/risk"
	"mediant/rr"
	"mediant/search"
	"mediant/tables"
)

// waves draws tables of (x, u) and (u, y): u = x + noise, y = sin 2u + noise.
func waves(t *testing.T, n int) (xu, uy tables.Source) {
	t.Helper()
	rnd := rand.New(rand.NewPCG(8, 1))
	var x, u, v, y []float64
	for range n {
		x = append(x, 2*rnd.NormFloat64())
		u = append(u, x[len(x)-1]+.3*rnd.NormFloat64())
		v = append(v, 2*rnd.NormFloat64()+.3*rnd.NormFloat64())
		y = append(y, math.Sin(2*v[len(v)-1])+.1*rnd.NormFloat64())
	}
	xu, err := tables.FromColumns(tables.Numbers("x", x), tables.Numbers("u", u))
	if err != nil {
		t.Fatal(err)
	}
	if uy, err = tables.FromColumns(tables.Numbers("u", v), tables.Numbers("y", y)); err != nil {
		t.Fatal(err)
	}
	return xu, uy
}

// TestPlanOfOneTable: whoever has S_Y alone makes a plan and sums; whoever has S_X chooses phi with them. The model is as good as
// one of both tables: the variance of Y given X is .01 + Var(sin 2u | x), which is .5 (1 - exp(-4·.09)) = .15 on average over phases.
func TestPlanOfOneTable(t *testing.T) {
	ctx := t.Context()
	xu, uy := waves(t, 500)
	few := []features.Spec{{Kind: features.LinearFeatures}, {Kernel: "gaussian", Multiple: 1}, {Kernel: "gaussian", Multiple: .25}}
	s := search.Search{Setup: problem.Setup{Roles: tables.RoleOptions{Y: []string{"y"}}, Seed: 1}, PsiCandidates: few}
	plan, err := s.Plan(ctx, nil, uy, false)
	if err != nil {
		t.Fatal(err)
	}
	if plan.X != nil || plan.Phi != nil || !slices.Equal(plan.Roles.U, []string{"u"}) || !slices.Equal(plan.Roles.Y, []string{"y"}) || len(plan.Roles.X) != 0 {
		t.Errorf("roles %+v, phi %v", plan.Roles, plan.Phi)
	}
	y, err := plan.SumUY(ctx, uy)
	if err != nil {
		t.Fatal(err)
	}
	x, trials, err := search.Search{PhiCandidates: few}.SumXU(ctx, y, xu)
	if err != nil {
		t.Fatal(err)
	}
	if len(trials) != len(few) || !slices.Equal(x.Plan.Roles.X, []string{"x"}) {
		t.Errorf("%d trials, roles %+v", len(trials), x.Plan.Roles)
	}
	for _, trial := range trials {
		if trial.Error != "" || trial.Chosen && strings.Contains(trial.Name, "linear") {
			t.Errorf("trial %+v", trial)
		}
	}
	sums, err := problem.MergeSums(x, y)
	if err != nil {
		t.Fatal(err)
	}
	p, err := sums.Problem()
	if err != nil {
		t.Fatal(err)
	}
	a, err := risk.Assess(ctx, p, risk.Fitted(rr.TwoStep{LambdaF: rr.Value(1e-5), LambdaH: rr.Value(1e-5)}), risk.AssessOptions{})
	if err != nil {
		t.Fatal(err)
	}
	// No f is better than .16, a constant has .51, and 500 rows cost some.
	if r := a.Risk; r.Hi < .16 || r.Hi > .4 || r.Lo > .25 {
		t.Errorf("the risk is %g, from %g to %g, want .16 to .25", r.MSE, r.Lo, r.Hi)
	}
}

// TestPlanOfX: whoever has S_X alone makes a plan without Y, which has Gaussian features of U.
func TestPlanOfX(t *testing.T) {
	xu, uy := waves(t, 300)
	s := search.Search{Setup: problem.Setup{Roles: tables.RoleOptions{U: []string{"u"}}, Phi: features.Spec{Size: 32}, Psi: features.Spec{Size: 16}}}
	plan, err := s.Plan(t.Context(), xu, nil, false)
	if err != nil {
		t.Fatal(err)
	}
	_, p := plan.Phi.Dims()
	if _, q := plan.Psi.Dims(); plan.Y != nil || p != 32 || q != 16 || plan.Grids[problem.TableUY] != nil {
		t.Errorf("%d and %d features, Y %v", p, q, plan.Y)
	}
	if _, err := plan.SumXU(t.Context(), xu); err != nil {
		t.Error(err)
	}
	if _, err := plan.SumUY(t.Context(), uy); err == nil {
		t.Error("sums of Y, which the plan lacks")
	}
}

// TestPlansRefused: with landmarks, of no table, and where it is open which columns are U.
func TestPlansRefused(t *testing.T) {
	xu, uy := waves(t, 100)
	nystrom := search.Search{Setup: problem.Setup{Psi: features.Spec{Kind: features.NystromFeatures, Kernel: "gaussian", Size: 10}, Phi: features.Spec{Kind: features.LinearFeatures}}}
	if _, err := nystrom.Plan(t.Context(), xu, uy, false); !errors.Is(err, search.ErrHoldsRows) {
		t.Errorf("landmarks: %v", err)
	}
	if _, err := nystrom.Plan(t.Context(), xu, uy, true); err != nil {
		t.Error(err)
	}
	for want, of := range map[string][2]tables.Source{"a plan needs": {}, "name U in RoleOptions.U, or Y": {nil, uy}, "name U in RoleOptions.U, or X": {xu, nil}} {
		if _, err := (search.Search{}).Plan(t.Context(), of[0], of[1], false); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want an error with %q, have %v", want, err)
		}
	}
}
