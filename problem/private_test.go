package problem_test

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/internal/problemtest"
	"mediant/moments"
	"mediant/problem"
	"mediant/risk"
	"mediant/rr"
	"mediant/search"
	"mediant/solvers"
	"mediant/tables"
)

// privately sums both tables with noise of this epsilon, from random numbers of a seed.
func privately(t *testing.T, plan problem.Plan, epsilon float64, seed byte, xu, uy tables.Source) (x, y *problem.Sums) {
	t.Helper()
	x, err := problem.SumPrivatelyFrom(plan, t.Context(), problem.TableXU, xu, problem.Privacy{Epsilon: epsilon, Delta: 1e-6}, rand.NewChaCha8([32]byte{seed, 0}))
	if err != nil {
		t.Fatal(err)
	}
	y, err = problem.SumPrivatelyFrom(plan, t.Context(), problem.TableUY, uy, problem.Privacy{Epsilon: epsilon, Delta: 1e-6, Clip: []problem.Range{{Lo: -1, Hi: 6}}}, rand.NewChaCha8([32]byte{seed, 1}))
	if err != nil {
		t.Fatal(err)
	}
	return x, y
}

func both(t *testing.T, parts ...*problem.Sums) *problem.Sums {
	t.Helper()
	s, err := problem.MergeSums(parts...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestPrivateSumsTravel: files keep the noise of each run; sums with and without noise merge in any order, and those of equal rows are not known as such.
func TestPrivateSumsTravel(t *testing.T) {
	xu, uy, _, uys := halves(t, 3000)
	plan := planOf(t, problemtest.Prepared(t, small(), xu, uy))
	_, first := privately(t, plan, 2, 1, xu, uys[0])
	_, again := privately(t, plan, 2, 2, xu, uys[0])
	plain, err := plan.SumUY(t.Context(), uys[1])
	if err != nil {
		t.Fatal(err)
	}
	got := reread(t, written(t, first))
	run := got.Runs[0].Private
	if run == nil || run.Epsilon != 2 || run.Delta != 1e-6 || !slices.Equal(run.Clip, []problem.Range{{Lo: -1, Hi: 6}}) || run.Noise != first.Runs[0].Private.Noise || run.Noise.AA <= 0 {
		t.Errorf("read back, the run is %+v", run)
	}
	one, other := written(t, both(t, first, again, plain)), written(t, both(t, plain, first, again))
	if !bytes.Equal(one, other) {
		t.Error("another order of merging gives other bytes")
	}
	if s := reread(t, one); len(s.Runs) != 3 || len(s.Private(problem.TableUY)) != 2 || len(s.Private(problem.TableXU)) != 0 {
		t.Errorf("%d runs, %d with noise", len(s.Runs), len(s.Private(problem.TableUY)))
	}
	if _, err := problem.MergeSums(plain, plain); err == nil {
		t.Error("the same run without noise is merged twice")
	}
	damaged := *first
	damaged.Runs = slices.Clone(first.Runs)
	spoilt := *first.Runs[0].Private
	spoilt.Noise.AA = -1
	damaged.Runs[0].Private = &spoilt
	if _, err := problem.ReadSums(bytes.NewReader(written(t, &damaged))); err == nil || !strings.Contains(err.Error(), "noise that no sums can have") {
		t.Errorf("a negative standard deviation: %v", err)
	}
	half := both(t, first)
	half.Plan.X, half.Plan.Phi, half.Plan.Grids[problem.TableXU] = nil, nil, nil
	half.Runs = append(slices.Clone(half.Runs), problem.Run{ID: moments.ID{1}, Table: problem.TableXU, Private: first.Runs[0].Private})
	if _, err := problem.ReadSums(bytes.NewReader(written(t, half))); err == nil || !strings.Contains(err.Error(), "a private run and no sums of X and U") {
		t.Errorf("a private run of a table that the plan lacks: %v", err)
	}
}

// floors are the penalties that a fit of 2Step-RR adds to those of 0.
func floors(p *problem.Problem) (f, h float64) {
	of := func(m *moments.CoMoments, folds int) float64 {
		left, _ := p.Splitter().NoiseOf(m).Floor(m, folds)
		return left / m.Weight()
	}
	return of(p.XU(), len(p.FoldsXU())), of(p.UY(), len(p.FoldsUY()))
}

// TestFitKnowsTheNoise: a fit to sums with noise is that of their matrices with the floor on the diagonal, and no system is singular; the variances of runs add, and a
// discount counts as its square.
func TestFitKnowsTheNoise(t *testing.T) {
	xu, uy, _, _ := halves(t, 3000)
	plan := planOf(t, problemtest.Prepared(t, small(), xu, uy))
	x, y := privately(t, plan, 1, 1, xu, uy)
	p := ofSums(t, both(t, x, y))
	floorF, floorH := floors(p)
	if !p.HasNoise() || !(floorF > 0 && floorH > 0) || len(p.Notes()) < 2 || !strings.Contains(p.Notes()[0], "is added to lambda_f") || !strings.Contains(p.Notes()[1], "is added to lambda_h") {
		t.Errorf("floors %g and %g, notes %q", floorF, floorH, p.Notes())
	}
	m, err := rr.TwoStep{LambdaF: rr.Value(1e-9), LambdaH: rr.Value(1e-9)}.Fit(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	want, err := solvers.Ridge(p.UY(), floorH+1e-9, true)
	if err != nil {
		t.Fatal(err)
	}
	got := m.H.(*rr.Linear).Coef
	// The two add the floor before and after the division by the rows: eps·cond, and cond is 1e3 at most.
	if diff := mat.Norm(subtracted(got, want.Coef), 2); diff > 1e-12*mat.Norm(want.Coef, 2)*1e3 {
		t.Errorf("h differs by %g from ridge regression with the floor", diff)
	}
	if len(m.Warnings) > 0 {
		t.Errorf("warnings %q", m.Warnings)
	}

	_, second := privately(t, plan, 1, 2, xu, uy)
	twice := ofSums(t, both(t, x, y, second))
	ratio := func(of, to *problem.Problem) float64 {
		a, _ := of.Splitter().NoiseOf(of.UY()).Floor(of.UY(), 5)
		b, _ := to.Splitter().NoiseOf(to.UY()).Floor(to.UY(), 5)
		return a / b
	}
	// Means of features differ by the noise, by which the floor depends on them a little.
	if r := ratio(twice, p); math.Abs(r-math.Sqrt2) > .02 {
		t.Errorf("with two runs the floor is %g times that of one, want sqrt(2)", r)
	}
	old, err := y.Discounted(.25)
	if err != nil {
		t.Fatal(err)
	}
	if r := ratio(ofSums(t, both(t, x, old)), p); math.Abs(r-.25) > .01 {
		t.Errorf("discounted to a quarter the floor is %g times what it was", r)
	}
}

func subtracted(a, b mat.Matrix) *mat.Dense {
	var d mat.Dense
	d.Sub(a, b)
	return &d
}

// TestSearchOfPrivateSums chooses penalties and w, and the risk has an interval, which is wider than without noise.
func TestSearchOfPrivateSums(t *testing.T) {
	xu, uy, _, _ := halves(t, 6000)
	plan := planOf(t, problemtest.Prepared(t, small(), xu, uy))
	plan.Blocks = 1
	x, y := privately(t, plan, 4, 1, xu, uy)
	widths := make([]float64, 0, 2)
	for _, s := range []*problem.Sums{both(t, x, y), merged(t, plan, []tables.Source{xu}, []tables.Source{uy})} {
		c, err := search.Search{}.ChooseOf(t.Context(), ofSums(t, s))
		if err != nil {
			t.Fatal(err)
		}
		a, err := c.Assessment(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if m, err := c.Fit(t.Context()); err != nil || len(m.Warnings) > 0 {
			t.Errorf("%v, warnings %q", err, m.Warnings)
		}
		widths = append(widths, a.Risk.Hi-a.Risk.Lo)
	}
	if widths[0] < 1.2*widths[1] {
		t.Errorf("the interval is %g wide with noise and %g without", widths[0], widths[1])
	}
}

// TestBracketsNeedSquares: where noise makes a mean of squares negative the brackets are left out, and the risk is there: in 12 draws of little data one is negative.
func TestBracketsNeedSquares(t *testing.T) {
	xu, uy, _, _ := halves(t, 900)
	plan := planOf(t, problemtest.Prepared(t, small(), xu, uy))
	plan.Blocks = 1
	without := 0
	for seed := range byte(12) {
		x, y := privately(t, plan, .5, seed, xu, uy)
		a, err := risk.Assess(t.Context(), ofSums(t, both(t, x, y)), risk.Fitted(rr.TwoStep{}), risk.AssessOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if math.IsNaN(a.Risk.SE) || a.Bracket != nil && math.IsNaN(a.Bracket.Lo+a.Bracket.Hi+a.Tight.Lo+a.Tight.Hi) {
			t.Fatalf("%+v", a)
		}
		if a.Bracket == nil {
			without++
			if !strings.Contains(strings.Join(a.Notes, "; "), "brackets, which need no assumption, are left out") {
				t.Errorf("notes %q", a.Notes)
			}
		}
	}
	if without == 0 {
		t.Error("no mean of squares is negative in 12 of 12 draws")
	}
}
