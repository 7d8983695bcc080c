package problem_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/encode"
	"mediant/features"
	"mediant/inference"
	"mediant/internal/problemtest"
	"mediant/moments"
	"mediant/problem"
	"mediant/risk"
	"mediant/rr"
	"mediant/search"
	"mediant/tables"
)

// halves draws tables of (x, u) and (u, y), y = u² + noise, and cuts each in two.
func halves(t *testing.T, n int) (xu, uy tables.Source, xus, uys [2]tables.Source) {
	t.Helper()
	return halvesOf(t, n)
}

func halvesOf(t testing.TB, n int) (xu, uy tables.Source, xus, uys [2]tables.Source) {
	t.Helper()
	rnd := rand.New(rand.NewPCG(5, 1))
	var x, u, v, y []float64
	for range n {
		x = append(x, rnd.NormFloat64())
		u = append(u, x[len(x)-1]+.5*rnd.NormFloat64())
		v = append(v, 1.2*rnd.NormFloat64())
		y = append(y, v[len(v)-1]*v[len(v)-1]+.3*rnd.NormFloat64())
	}
	of := func(lo, hi int) (tables.Source, tables.Source) {
		a, err := tables.FromColumns(tables.Numbers("x", x[lo:hi]), tables.Numbers("u", u[lo:hi]))
		if err != nil {
			t.Fatal(err)
		}
		b, err := tables.FromColumns(tables.Numbers("u", v[lo:hi]), tables.Numbers("y", y[lo:hi]))
		if err != nil {
			t.Fatal(err)
		}
		return a, b
	}
	xu, uy = of(0, n)
	cut := n / 3
	xus[0], uys[0] = of(0, cut)
	xus[1], uys[1] = of(cut, n)
	return xu, uy, xus, uys
}

func small() problem.Setup {
	spec := features.Spec{Size: 12, Bandwidth: 2}
	return problem.Setup{Phi: spec, Psi: spec, Folds: 5, Seed: 3}
}

// merged sums the parts of both tables and merges them.
func merged(t *testing.T, plan problem.Plan, xus, uys []tables.Source) *problem.Sums {
	t.Helper()
	var parts []*problem.Sums
	for _, src := range xus {
		s, err := plan.SumXU(t.Context(), src)
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, s)
	}
	for _, src := range uys {
		s, err := plan.SumUY(t.Context(), src)
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, s)
	}
	all, err := problem.MergeSums(parts...)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func planOf(t *testing.T, p *problem.Problem) problem.Plan {
	t.Helper()
	plan, err := p.Plan(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

func ofSums(t *testing.T, s *problem.Sums) *problem.Problem {
	t.Helper()
	p, err := s.Problem()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestSumsOfTwoPartiesAreTheProblem: where one party has S_X, the other S_Y, and folds have one block each, fit and values of the risk are to the bit
// those of a problem with rows: the same sums are made in the same order.
func TestSumsOfTwoPartiesAreTheProblem(t *testing.T) {
	xu, uy, _, _ := halves(t, 300)
	p := problemtest.Prepared(t, small(), xu, uy)
	plan := planOf(t, p)
	plan.Blocks = 1
	q := ofSums(t, merged(t, plan, []tables.Source{xu}, []tables.Source{uy}))
	for _, method := range []rr.Method{rr.TwoStep{}, rr.Joint{W: rr.Value(.5)}} {
		want, got := coefficients(t, method, p), coefficients(t, method, q)
		if !mat.Equal(got, want) {
			t.Errorf("%T: coefficients\n%v, want\n%v", method, mat.Formatted(got), mat.Formatted(want))
		}
	}
	a, err := search.Search{Precision: search.Never}.ChooseOf(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	b, err := search.Search{}.ChooseOf(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	if a.Method != b.Method || len(a.Trials) != len(b.Trials) {
		t.Errorf("chosen from sums: %+v of %d, want %+v of %d", b.Method, len(b.Trials), a.Method, len(a.Trials))
	}
}

func coefficients(t *testing.T, method rr.Method, p *problem.Problem) *mat.Dense {
	t.Helper()
	m, err := method.Fit(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	return m.F.(*rr.Linear).Coef
}

// TestMergedSumsAreTheSumsOfAllRows: four parts of two tables give what all rows give. Sums that are formed in another order differ by
// n eps of their size, and coefficients by that times the condition number of the system, 1/lambda = 1e4 at most, since features have norm 1:
// 300 · 2.2e-16 · 1e4 = 7e-10 of the coefficients.
func TestMergedSumsAreTheSumsOfAllRows(t *testing.T) {
	xu, uy, xus, uys := halves(t, 300)
	p := problemtest.Prepared(t, small(), xu, uy)
	q := ofSums(t, merged(t, planOf(t, p), xus[:], uys[:]))
	want, got := coefficients(t, rr.TwoStep{}, p), coefficients(t, rr.TwoStep{}, q)
	var d mat.Dense
	d.Sub(got, want)
	if off, tol := mat.Norm(&d, 2), 7e-10*mat.Norm(want, 2); off > tol {
		t.Errorf("coefficients differ by %g, tolerance %g", off, tol)
	}
	m, err := rr.TwoStep{}.Fit(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	if m.Rows.XU != 300 || m.Rows.UY != 300 || m.Learned != nil {
		t.Errorf("the model knows rows %+v and a profile %v", m.Rows, m.Learned)
	}
}

// TestRiskOfSums: the risk from blocks is that from rows where folds are the same, and its standard error about that over rows, within three of its own
// relative standard errors, 1/sqrt(2·19) = 0.16, and what Student's t of 19 degrees of freedom has heavier.
func TestRiskOfSums(t *testing.T) {
	xu, uy, _, _ := halves(t, 2000)
	setup := small()
	plan := planOf(t, problemtest.Prepared(t, setup, xu, uy))
	q := ofSums(t, merged(t, plan, []tables.Source{xu}, []tables.Source{uy}))
	// The same folds for rows: of 20 parts that a run of 20 rows is dealt out to, every fifth one is of a fold.
	parts := partsOf(t, 2000, setup.Folds*problem.DefaultBlocks)
	setup.Fold = func(_, row int) int { return parts[row] % setup.Folds }
	p := problemtest.Prepared(t, setup, xu, uy)
	want, err := risk.Assess(t.Context(), p, risk.Fitted(rr.TwoStep{}), risk.AssessOptions{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := risk.Assess(t.Context(), q, risk.Fitted(rr.TwoStep{}), risk.AssessOptions{})
	if err != nil {
		t.Fatal(err)
	}
	// Values of both are the same sums in another order.
	for name, v := range map[string][2]float64{
		"MSE": {got.Risk.MSE, want.Risk.MSE}, "bracket": {got.Bracket.Hi, want.Bracket.Hi}, "tight bracket": {got.Tight.Lo, want.Tight.Lo},
	} {
		if math.Abs(v[0]-v[1]) > 1e-8*math.Abs(v[1]) {
			t.Errorf("%s is %.12g from sums, %.12g from rows", name, v[0], v[1])
		}
	}
	if ratio := got.Risk.SE / want.Risk.SE; ratio < .5 || ratio > 1.5 {
		t.Errorf("the standard error is %g from sums, %g from rows", got.Risk.SE, want.Risk.SE)
	}
	if got.Risk.Freedom < 19 || got.Risk.Freedom > 38 {
		t.Errorf("%g degrees of freedom, want those of 20 blocks of one table to those of both", got.Risk.Freedom)
	}
	rest, err := q.Without(0)
	if err != nil {
		t.Fatal(err)
	}
	blocks, _ := rest.Blocks(0)
	if sum, err := moments.Sum(blocks...); err != nil || sum.Weight() != rest.FoldsXU()[0].Weight() || !slices.Equal(sum.MeanA(), rest.FoldsXU()[0].MeanA()) {
		t.Errorf("without fold 1 the blocks of the next are not those of its sums (%v)", err)
	}
	if len(got.Notes) != 1 || !strings.Contains(got.Notes[0], "16 %") {
		t.Errorf("notes %q do not say how crude that is", got.Notes)
	}
}

// partsOf are the parts that a pass with seed 3 gives n rows.
func partsOf(t *testing.T, n, parts int) []int {
	t.Helper()
	index := make([]float64, n)
	for i := range index {
		index[i] = float64(i)
	}
	src, err := tables.FromColumns(tables.Numbers("i", index))
	if err != nil {
		t.Fatal(err)
	}
	e, err := encode.FitEncoder(t.Context(), src.Columns(), encode.EncoderOptions{NoStandardize: true}, src)
	if err != nil {
		t.Fatal(err)
	}
	out := make([]int, n)
	_, err = problem.Walk(t.Context(), src, e, e, problem.PassOptions{Folds: parts, Seed: 3}, func(k int, a, _ *mat.Dense, _ moments.Weights) {
		rows, _ := a.Dims()
		for i := range rows {
			out[int(math.Round(a.At(i, 0)))] = k
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestWhatNeedsRows: each names itself.
func TestWhatNeedsRows(t *testing.T) {
	ctx := t.Context()
	xu, uy, xus, uys := halves(t, 300)
	whole := problemtest.Prepared(t, small(), xu, uy)
	p := ofSums(t, merged(t, planOf(t, whole), xus[:], uys[:]))
	m, err := rr.TwoStep{}.Fit(ctx, p)
	if err != nil {
		t.Fatal(err)
	}
	if p.HasRows() || !whole.HasRows() {
		t.Errorf("HasRows is %v and %v", p.HasRows(), whole.HasRows())
	}
	for what, do := range map[string]func() error{
		"standard errors of f": func() error { _, err := inference.Estimate(ctx, p, m, inference.Corrected); return err },
		"form 2": func() error {
			_, err := risk.Assess(ctx, p, risk.Fitted(rr.TwoStep{}), risk.AssessOptions{Form: risk.CovariateShift})
			return err
		},
		"not linear": func() error {
			_, err := risk.Assess(ctx, p, func(ctx context.Context, train *problem.Problem) (rr.Predictor, error) { return constant{}, nil }, risk.AssessOptions{})
			return err
		},
		"precision": func() error {
			_, err := search.Search{Precision: search.Always}.ChooseOf(ctx, p)
			return err
		},
		"rows":           func() error { _, err := rr.TwoStep{H: rr.Ridge{}}.Fit(ctx, p); return err },
		"other products": func() error { _, err := p.CoMomentsXU(ctx, p.U()); return err },
		"a pass": func() error {
			return p.WalkUY(ctx, p.SidePsi(), p.Y(), func(int, *mat.Dense, *mat.Dense, moments.Weights) {})
		},
	} {
		if err := do(); !errors.Is(err, problem.ErrNeedsRows) || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

type constant struct{}

func (constant) PredictTo(dst *mat.Dense, x mat.Matrix) {
	n, _ := x.Dims()
	dst.ReuseAs(n, 1)
}

// TestSumsRefuse: what does not belong together is named.
func TestSumsRefuse(t *testing.T) {
	xu, uy, _, _ := halves(t, 60)
	p := problemtest.Prepared(t, small(), xu, uy)
	plan := planOf(t, p)
	good := merged(t, plan, []tables.Source{xu}, []tables.Source{uy})
	other := plan
	other.Psi = problemtest.Prepared(t, problem.Setup{Phi: small().Phi, Psi: features.Spec{Size: 12, Bandwidth: 3}, Folds: 5, Seed: 4}, xu, uy).Psi()
	foreign := merged(t, other, []tables.Source{xu}, []tables.Source{uy})
	fewer := plan
	fewer.Folds = 3
	folds := merged(t, fewer, []tables.Source{xu}, []tables.Source{uy})
	fewer.Folds, fewer.Blocks = 5, 2
	blocks := merged(t, fewer, []tables.Source{xu}, []tables.Source{uy})
	for name, c := range map[string]struct {
		do   func() error
		want string
	}{
		"other maps":    {func() error { _, err := problem.MergeSums(good, foreign); return err }, "sums 2 of 2"},
		"folds":         {func() error { _, err := problem.MergeSums(good, folds); return err }, "another number of folds"},
		"blocks":        {func() error { _, err := problem.MergeSums(good, blocks); return err }, "another number of blocks"},
		"none":          {func() error { _, err := problem.MergeSums(); return err }, "no sums"},
		"one table":     {func() error { _, err := (&problem.Sums{Plan: plan, XU: good.XU}).Problem(); return err }, "S_X have 5 folds, those of S_Y 0"},
		"nothing":       {func() error { _, err := (&problem.Sums{Plan: plan}).Problem(); return err }, "missing"},
		"another plan":  {func() error { _, err := (&problem.Sums{Plan: other, XU: good.XU, UY: good.UY}).Problem(); return err }, "other maps"},
		"no plan":       {func() error { _, err := (&problem.Sums{}).Problem(); return err }, "lacks the encoder of U"},
		"too many":      {func() error { q := plan; q.Blocks = 1 << 24; return q.Validate() }, "Plan.Blocks"},
		"negative":      {func() error { q := plan; q.Folds = -1; _, err := q.SumXU(t.Context(), xu); return err }, "Plan.Folds"},
		"without a map": {func() error { q := plan; q.Phi = nil; _, err := q.SumUY(t.Context(), uy); return err }, "Phi without the other"},
	} {
		if err := c.do(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}
