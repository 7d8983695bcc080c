package baselines

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"mediant/features"
	"mediant/problem"
	"mediant/tables"
)

// folded is a problem with X in one dimension and U = X + noise, whose rows weigh what
// weight says of their fold.
func folded(t *testing.T, n, folds int, seed uint64, weight func(row int) float64) *problem.Problem {
	t.Helper()
	rnd := rand.New(rand.NewPCG(seed, 4))
	x, u, w := make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range n {
		x[i] = 2*rnd.Float64() - 1
		u[i] = x[i] + .5*rnd.NormFloat64()
		w[i] = weight(i)
	}
	xu, err := tables.FromColumns(tables.Numbers("x", x), tables.Numbers("u", u), tables.Numbers("w", w))
	if err != nil {
		t.Fatal(err)
	}
	uy, err := tables.FromColumns(tables.Numbers("u", u), tables.Numbers("y", u))
	if err != nil {
		t.Fatal(err)
	}
	spec := features.Spec{Size: 16, Bandwidth: 1}
	setup := problem.Setup{Phi: spec, Psi: spec, Folds: folds, Roles: tables.RoleOptions{X: []string{"x"}, U: []string{"u"}, WeightsXU: "w"}}
	p, err := problem.Prepare(context.Background(), setup, xu, uy)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// best is the candidate of least error on one held-out fold.
func best(t *testing.T, p *problem.Problem, train, held int) float64 {
	t.Helper()
	_, q := p.Psi().Dims()
	g := directions(q, p.Setup().Seed)
	lambda, least := 0.0, 0.0
	for i, l := range embeddingLambdas {
		if v := newEmbeddingFold(p.FoldsXU()[train], p.FoldsXU()[held], g).loss(l); i == 0 || v < least {
			lambda, least = l, v
		}
	}
	return lambda
}

// counting is a context that counts how often it is asked whether to go on, which is once a candidate.
type counting struct {
	context.Context
	asked int
}

func (c *counting) Err() error { c.asked++; return nil }

func TestEnoughRowsEndTheChoice(t *testing.T) {
	one := func(int) float64 { return 1 }
	for _, c := range []struct{ rows, folds, used int }{
		{2 * enoughRows, 2, 1},   // the first fold is enough
		{2*enoughRows - 2, 2, 2}, // one row short
		{1500, 3, 3},
	} {
		p := folded(t, c.rows, c.folds, 1, one)
		ctx := &counting{Context: context.Background()}
		chosen, err := chooseLambda(ctx, p)
		if err != nil {
			t.Fatal(err)
		}
		if got := ctx.asked / len(embeddingLambdas); got != c.used {
			t.Errorf("%d rows in %d folds: %d folds held out, want %d", c.rows, c.folds, got, c.used)
		}
		if want := best(t, p, 1, 0); c.used == 1 && chosen != want {
			t.Errorf("lambda %g, the first fold alone says %g", chosen, want)
		}
	}
}

func TestChoiceNeedsFolds(t *testing.T) {
	p := folded(t, 30, 1, 3, func(int) float64 { return 1 })
	if _, err := chooseLambda(context.Background(), p); err == nil || !strings.Contains(err.Error(), "at least 2 folds") {
		t.Errorf("error %v", err)
	}
}
