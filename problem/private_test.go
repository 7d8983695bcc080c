package problem_test

import (
	"bytes"
	"math"
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

// privately sums both tables with noise of this epsilon.
func privately(t *testing.T, plan problem.Plan, epsilon float64, xu, uy tables.Source) (x, y *problem.Sums) {
	t.Helper()
	x, err := plan.SumPrivately(t.Context(), problem.TableXU, xu, problem.Privacy{Epsilon: epsilon, Delta: 1e-6})
	if err != nil {
		t.Fatal(err)
	}
	y, err = plan.SumPrivately(t.Context(), problem.TableUY, uy, problem.Privacy{Epsilon: epsilon, Delta: 1e-6, Clip: []problem.Range{{Lo: -1, Hi: 6}}})
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
	_, first := privately(t, plan, 2, xu, uys[0])
	_, again := privately(t, plan, 2, xu, uys[0])
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

// TestFitKnowsTheNoise: a fit to sums with noise is that of their matrices with the floor on the diagonal; the variances of runs add, and a discount counts as its square.
func TestFitKnowsTheNoise(t *testing.T) {
	xu, uy, _, _ := halves(t, 3000)
	plan := planOf(t, problemtest.Prepared(t, small(), xu, uy))
	x, y := privately(t, plan, 1, xu, uy)
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

	_, second := privately(t, plan, 1, xu, uy)
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

// TestFloorOfNoise: systems with the floor are not singular. It is a bound of noise from crypto/rand that one draw of 200 exceeds here, so that three or more of twelve do in 3 of 100,000 runs.
func TestFloorOfNoise(t *testing.T) {
	xu, uy, _, _ := halves(t, 3000)
	plan := planOf(t, problemtest.Prepared(t, small(), xu, uy))
	warned := 0
	for range 12 {
		x, y := privately(t, plan, 1, xu, uy)
		m, err := rr.TwoStep{LambdaF: rr.Value(1e-9), LambdaH: rr.Value(1e-9)}.Fit(t.Context(), ofSums(t, both(t, x, y)))
		if err != nil {
			t.Fatal(err)
		}
		if len(m.Warnings) > 0 {
			warned++
			t.Logf("warnings %q", m.Warnings)
		}
	}
	if warned > 2 {
		t.Errorf("%d of 12 draws have warnings", warned)
	}
}

func subtracted(a, b mat.Matrix) *mat.Dense {
	var d mat.Dense
	d.Sub(a, b)
	return &d
}

// TestSearchOfPrivateSums chooses penalties and w, and the risk has an interval, which is wider than without noise. The noise is from crypto/rand: of 300 draws 8 are less than 1.2 times as wide, so
// that the median of nine is so in 2 of a million; and the floor is exceeded in 1 of 900.
func TestSearchOfPrivateSums(t *testing.T) {
	xu, uy, _, _ := halves(t, 6000)
	plan := planOf(t, problemtest.Prepared(t, small(), xu, uy))
	plan.Blocks = 1
	warned := 0
	width := func(s *problem.Sums) float64 {
		c, err := search.Search{}.ChooseOf(t.Context(), ofSums(t, s))
		if err != nil {
			t.Fatal(err)
		}
		a, err := c.Assessment(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		m, err := c.Fit(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if len(m.Warnings) > 0 {
			warned++
			t.Logf("warnings %q", m.Warnings)
		}
		return a.Risk.Hi - a.Risk.Lo
	}
	var widths []float64
	for range 9 {
		x, y := privately(t, plan, 4, xu, uy)
		widths = append(widths, width(both(t, x, y)))
	}
	slices.Sort(widths)
	if with, without := widths[4], width(merged(t, plan, []tables.Source{xu}, []tables.Source{uy})); with < 1.2*without {
		t.Errorf("the median interval is %g wide with noise, and %g without", with, without)
	}
	if warned > 2 {
		t.Errorf("%d of 10 fits have warnings", warned)
	}
}

// TestBracketsNeedSquares: where noise makes a mean of squares negative the brackets are left out, and the risk is there. The noise is from crypto/rand: in 12 draws of little data one is negative
// but for far less than 1 in 1000.
func TestBracketsNeedSquares(t *testing.T) {
	xu, uy, _, _ := halves(t, 900)
	plan := planOf(t, problemtest.Prepared(t, small(), xu, uy))
	plan.Blocks = 1
	without := 0
	for range 12 {
		x, y := privately(t, plan, .5, xu, uy)
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
