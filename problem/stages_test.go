package problem_test

import (
	"math"
	"reflect"
	"sync"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/features"
	"mediant/moments"
	"mediant/problem"
	"mediant/rr"
	"mediant/search"
	"mediant/tables"
)

// state is what can be seen of a stage.
func state(e *problem.Encoded) []any {
	s := e.Setup()
	return []any{s.Phi, s.Psi, s.Folds, e.Notes(), e.Dropped(), e.Folds(), e.HasAllFolds(), e.TableRows(), e.Counts(), e.Sources()}
}

// TestStagesDoNotChange: what is made of a stage, by several at once, leaves it as it was. Each of the makers adds notes: of a constant column, missing Y, a
// constant output.
func TestStagesDoNotChange(t *testing.T) {
	ctx := t.Context()
	n := 60
	x, c, u, y := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range n {
		x[i], u[i], y[i] = float64(i%7), float64(i%11), float64(i%5)
	}
	y[3] = math.NaN()
	xu, err := tables.FromColumns(tables.Numbers("x", x), tables.Numbers("c", c), tables.Numbers("u", u))
	if err != nil {
		t.Fatal(err)
	}
	uy, err := tables.FromColumns(tables.Numbers("u", u), tables.Numbers("y", y), tables.Numbers("z", c))
	if err != nil {
		t.Fatal(err)
	}
	nystrom := features.Spec{Kind: features.NystromFeatures, Kernel: "gaussian", Size: 5}
	e, err := problem.Encode(ctx, problem.Setup{Phi: nystrom, Psi: nystrom, Folds: 3}, xu, uy)
	if err != nil {
		t.Fatal(err)
	}
	m, err := e.Map(ctx)
	if err != nil {
		t.Fatal(err)
	}
	p, err := m.Sum(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if len(e.Notes()) == 0 || len(p.Notes()) < len(m.Notes())+2 {
		t.Fatalf("notes %q, then %q: nothing to see", e.Notes(), p.Notes())
	}
	other, err := features.NewNystrom(m.Phi().(*features.Nystrom).Kernel(), mat.NewDense(2, 1, []float64{0, 1}))
	if err != nil {
		t.Fatal(err)
	}
	before := [][]any{state(e), state(&m.Encoded), state(&p.Encoded)}
	landmarks := len(m.Splitter().Landmarks)
	var all sync.WaitGroup
	for range 3 {
		for name, do := range map[string]func() error{
			"map": func() error { _, err := e.Map(ctx); return err },
			"over": func() error {
				o := e.WithSources(uy, nil).CompleteIn(e.Y())
				return o.WalkXU(ctx, e.U(), e.U(), func(int, *mat.Dense, *mat.Dense, moments.Weights) {})
			},
			"load":    func() error { _, err := e.Loaded(ctx, problem.Footprint.Preparing); return err },
			"rows":    func() error { _, err := e.Rows(ctx); return err },
			"sum":     func() error { _, err := m.Sum(ctx); return err },
			"sum UY":  func() error { _, _, err := m.SumUY(ctx); return err },
			"phi":     func() error { _, err := m.WithPhi(ctx, other); return err },
			"without": func() error { _, err := p.Without(1); return err },
			"fit":     func() error { _, err := rr.TwoStep{H: rr.Ridge{}}.Fit(ctx, p); return err },
			"solve":   func() error { _, err := p.System(); return err },
			"search":  func() error { _, err := search.Search{}.ChooseOf(ctx, p); return err },
		} {
			all.Go(func() {
				if err := do(); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			})
		}
	}
	all.Wait()
	for i, now := range [][]any{state(e), state(&m.Encoded), state(&p.Encoded)} {
		if !reflect.DeepEqual(now, before[i]) {
			t.Errorf("stage %d is\n%v, was\n%v", i+1, now, before[i])
		}
	}
	if len(m.Splitter().Landmarks) != landmarks {
		t.Errorf("landmarks of %d maps, were %d", len(m.Splitter().Landmarks), landmarks)
	}
	p.Notes()[0] = "" // of a copy
	if !reflect.DeepEqual(state(&p.Encoded), before[2]) {
		t.Error("what a method returns is what the problem holds")
	}
}
