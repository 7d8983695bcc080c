package rr_test

import (
	"context"
	"errors"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/baselines"
	"mediant/diagnose"
	"mediant/encode"
	"mediant/features"
	"mediant/internal/fittest"
	"mediant/kernels"
	"mediant/problem"
	"mediant/rr"
	"mediant/tables"
)

// TestPairsOfAFoldedProblemHaveAllRows: what a method sums anew is of the whole table, not of a fold.
func TestPairsOfAFoldedProblemHaveAllRows(t *testing.T) {
	xu, uy := tablesOf(t, 1500, 900, 3)
	query := uniform(rand.New(rand.NewPCG(2, 2)), 20, 2)
	spec := features.Spec{Size: 32, Bandwidth: 1}
	var want *mat.Dense
	for _, folds := range []int{1, 5} {
		p, err := problem.Prepare(context.Background(), problem.Setup{Folds: folds, Phi: spec, Psi: spec}, xu, uy)
		if err != nil {
			t.Fatal(err)
		}
		pair, err := p.CoMomentsXU(context.Background(), p.U())
		if err != nil {
			t.Fatal(err)
		}
		if pair.Rows() != 1500 {
			t.Errorf("%d folds: the pair has %d rows, want 1500", folds, pair.Rows())
		}
		m, err := baselines.Naive{}.Fit(context.Background(), p)
		if err != nil {
			t.Fatal(err)
		}
		got := predictions(t, m, query)
		if want == nil {
			want = got
		} else if d := off(got, want); d > 1e-9 { // sums in another order; condition below 1e5
			t.Errorf("5 folds predict something else by %g", d)
		}
	}
}

func TestNotesOfMapsReachTheModel(t *testing.T) {
	// 20 landmarks of a kernel of rank 3 are in the span of a few of them, which both maps note.
	xu, uy := tablesOf(t, 40, 40, 1)
	spec := features.Spec{Kind: features.NystromFeatures, Kernel: "polynomial", Degree: 1, Size: 20, Landmarks: features.Uniform}
	m := fit(t, fittest.With(problem.Setup{Phi: spec, Psi: spec}, rr.TwoStep{}), xu, uy)
	for _, purpose := range []string{"phi: ", "psi: "} {
		if !slices.ContainsFunc(m.Notes, func(n string) bool { return strings.HasPrefix(n, purpose) && strings.Contains(n, "landmarks") }) {
			t.Errorf("notes %q say nothing of the landmarks of %s", m.Notes, purpose)
		}
	}
}

func TestEqualRowsHaveBandwidthOne(t *testing.T) {
	// The median rule looks at a sample of 20,000 rows. All but one of 20,001 rows are equal, and that
	// one is the row which the sample leaves out.
	const n = 20001
	rnd := rand.New(rand.NewPCG(3, 3))
	x, u := make([]float64, n), make([]float64, n)
	for i := range u {
		u[i] = rnd.NormFloat64()
	}
	x[leftOut(n)] = 1
	xu := source(t, tables.Numbers("x", x), tables.Numbers("u", u))
	uy := source(t, tables.Numbers("u", u[:50]), tables.Numbers("y", u[:50]))
	p, err := problem.Prepare(context.Background(), problem.Setup{Phi: features.Spec{Size: 4}, Psi: features.Spec{Size: 4, Bandwidth: 1}}, xu, uy)
	if err != nil {
		t.Fatal(err)
	}
	m, err := rr.TwoStep{}.Fit(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	if d, err := kernels.Describe(p.Phi().(*features.Fourier).Kernel()); err != nil || d.Bandwidth != 1 {
		t.Errorf("bandwidth %g (%v), want 1", d.Bandwidth, err)
	}
	if !slices.ContainsFunc(m.Notes, func(n string) bool { return strings.HasPrefix(n, "phi: ") && strings.Contains(n, "bandwidth") }) {
		t.Errorf("notes %q do not tell of the bandwidth", m.Notes)
	}
}

// TestAConstantYIsNoted: where Y does not vary, which a mean of 0.1s shows to rounding only, the model and the
// diagnosis say so; another output that does is not named.
func TestAConstantYIsNoted(t *testing.T) {
	const n = 300
	rnd := rand.New(rand.NewPCG(8, 1))
	u, same := make([]float64, n), make([]float64, n)
	for i := range u {
		u[i], same[i] = rnd.NormFloat64(), .1
	}
	xu := source(t, tables.Numbers("x", u), tables.Numbers("u", u))
	linear := features.Spec{Kind: features.LinearFeatures}
	for _, c := range []struct {
		name string
		problem.Setup
		uy   tables.Source
		says bool // of all of Y
	}{
		{"one pass", problem.Setup{}, source(t, tables.Numbers("u", u), tables.Numbers("same", same)), true},
		{"folds", problem.Setup{Folds: 3}, source(t, tables.Numbers("u", u), tables.Numbers("same", same)), true},
		{"two outputs", problem.Setup{}, source(t, tables.Numbers("u", u), tables.Numbers("same", same), tables.Numbers("y", u)), false},
	} {
		c.Phi, c.Psi = linear, linear
		m := fit(t, fittest.With(c.Setup, rr.TwoStep{LambdaF: rr.Value(1e-6), LambdaH: rr.Value(1e-6)}), xu, c.uy)
		if notes := strings.Join(m.Notes, "\n"); strings.Count(notes, `"same" is the same in all rows`) != 1 || strings.Contains(notes, `"y"`) {
			t.Errorf("%s: notes %q, want one of the constant output alone", c.name, notes)
		}
		d, err := diagnose.Diagnose(context.Background(), m.Model, xu, c.uy, tables.RoleOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range []*diagnose.Explained{d.XPredictsH, d.UPredictsY} {
			if says := strings.Contains(e.Text, "is the same in all rows"); says != c.says {
				t.Errorf("%s: %q", c.name, e.Text)
			}
		}
	}
}

func source(t testing.TB, columns ...tables.ColumnData) tables.Source {
	t.Helper()
	src, err := tables.FromColumns(columns...)
	if err != nil {
		t.Fatal(err)
	}
	return src
}

// leftOut returns the row that the sample of n-1 of n rows of X leaves out for seed 0.
func leftOut(n int) int {
	index := mat.NewDense(n, 1, nil)
	for i := range n {
		index.Set(i, 0, float64(i))
	}
	rows := problem.SampleRows(index, nil, n-1, 0, "phi")
	for i := range n - 1 {
		if rows.At(i, 0) != float64(i) {
			return i
		}
	}
	return n - 1
}

func TestSeedChoosesTheSample(t *testing.T) {
	// Above 20,000 rows bandwidths and landmarks come from a sample.
	const n = 20500
	rnd := rand.New(rand.NewPCG(3, 5))
	x, u := make([]float64, n), make([]float64, n)
	for i := range u {
		x[i], u[i] = rnd.NormFloat64(), rnd.NormFloat64()
	}
	xu := source(t, tables.Numbers("x", x), tables.Numbers("u", u))
	sample := func(seed uint64) *mat.Dense {
		e, err := encode.FitEncoder(context.Background(), xu.Columns()[:1], encode.EncoderOptions{NoStandardize: true}, xu)
		if err != nil {
			t.Fatal(err)
		}
		rows, err := encode.Sample(context.Background(), e, e.SourceRows(), 20000, seed, "phi", xu)
		if err != nil {
			t.Fatal(err)
		}
		return rows.(*mat.Dense)
	}
	if mat.Equal(sample(1), sample(2)) || !mat.Equal(sample(1), sample(1)) {
		t.Error("the sample is not that of the seed")
	}
	bandwidth := func(seed uint64) float64 {
		p, err := problem.Prepare(context.Background(), problem.Setup{Seed: seed, NoStandardize: true, Phi: features.Spec{Size: 2}, Psi: features.Spec{Size: 2}}, xu, source(t, tables.Numbers("u", u[:50]), tables.Numbers("y", u[:50])))
		if err != nil {
			t.Fatal(err)
		}
		// What the map was fitted on, fitted again.
		want, _, err := features.Spec{Size: 2}.Fit(sample(seed), seed, "phi")
		if err != nil {
			t.Fatal(err)
		}
		if p.Phi().ID() != want.ID() {
			t.Errorf("seed %d: phi is not fitted on the sample of that seed", seed)
		}
		d, err := kernels.Describe(p.Phi().(*features.Fourier).Kernel())
		if err != nil {
			t.Fatal(err)
		}
		return d.Bandwidth
	}
	if bandwidth(1) == bandwidth(2) {
		t.Error("two seeds give the same bandwidth")
	}
}

func TestEvaluateCountsSurprises(t *testing.T) {
	xu, uy := labelled(t)
	m := fit(t, fittest.With(problem.Setup{Phi: features.Spec{Size: 8}, Psi: features.Spec{Size: 8}}, rr.Joint{}), xu, uy)
	const n = 1500 // two batches, a surprise in each
	x, mood := make([]float64, n), slices.Repeat([]string{"1"}, n)
	src := func() tables.Source { return source(t, tables.Numbers("x", x), tables.Strings("mood", mood)) }
	score, err := m.Evaluate(context.Background(), src())
	if err != nil || len(m.X.Warnings(score.Counts)) != 0 {
		t.Fatalf("warnings %q, %v", m.X.Warnings(score.Counts), err)
	}
	x[3], x[1400] = math.NaN(), math.NaN()
	if score, err = m.Evaluate(context.Background(), src()); err != nil {
		t.Fatal(err)
	}
	if got := m.X.Warnings(score.Counts); len(got) != 1 || !strings.Contains(got[0], "2 missing") {
		t.Errorf("warnings %q, want one of 2 missing", got)
	}
}

// shrinking is a table whose passes from the second on lack the last batch.
type shrinking struct {
	tables.Source
	passes int
}

func (s *shrinking) Batches(ctx context.Context) iter.Seq2[tables.Batch, error] {
	return func(yield func(tables.Batch, error) bool) {
		s.passes++
		pass := s.passes
		for b, err := range s.Source.Batches(ctx) {
			if pass > 1 && b.Start > 0 || !yield(b, err) {
				return
			}
		}
	}
}

func TestEvaluateRefusesASourceThatEndsEarly(t *testing.T) {
	xu, uy := tablesOf(t, 50, 50, 1)
	m := fit(t, fittest.With(linear(), rr.Joint{}), xu, uy)
	rows := &shrinking{Source: table(t, "x1 x2 y", mat.NewDense(1500, 3, nil))}
	score, err := m.Evaluate(context.Background(), rows)
	if err == nil || !strings.Contains(err.Error(), "ends before row 1025") {
		t.Errorf("score %+v, error %v", score, err)
	}
}

// recording is a regressor that keeps the weights it gets, and predicts 0.
type recording struct{ weights *[]float64 }

var errRefused = errors.New("refused")

func (r recording) Fit(_ context.Context, x, y *mat.Dense, weights []float64) (rr.Predictor, error) {
	if n, _ := x.Dims(); weights != nil && len(weights) != n {
		return nil, errRefused
	}
	*r.weights = slices.Clone(weights)
	_, k := y.Dims()
	return mean{make([]float64, k)}, nil
}

func TestRegressorsGetWeights(t *testing.T) {
	xu := table(t, "x u w", mat.NewDense(3, 3, []float64{1, 2, 1, 2, 1, 0, 3, 3, 2.5}))
	// The second row lacks Y: its weight is dropped with it.
	uy := table(t, "u y v", mat.NewDense(4, 3, []float64{1, 2, 4, 2, math.NaN(), 5, 3, 7, 6, 4, 1, 0}))
	var f, h []float64
	m := rr.TwoStep{F: recording{&f}, H: recording{&h}}
	fit(t, fittest.With(problem.Setup{Roles: tables.RoleOptions{WeightsXU: "w", WeightsUY: "v"}}, m), xu, uy)
	// Those of 1 and 2.5 are no frequencies, so that they are divided by their mean; rows of weight 0 are not there.
	if !slices.Equal(f, []float64{1 / 1.75, 2.5 / 1.75}) || !slices.Equal(h, []float64{4, 6}) {
		t.Errorf("f got the weights %v, h %v", f, h)
	}
	fit(t, fittest.With(problem.Setup{Roles: tables.RoleOptions{X: []string{"x"}, U: []string{"u"}, Y: []string{"y"}}}, m), xu, uy)
	if f != nil || h != nil {
		t.Errorf("without weights f got %v, h %v", f, h)
	}
}

func TestDefaultRegressorsObeyNoIntercept(t *testing.T) {
	// Y is 5 everywhere and features are linear: only an intercept can predict it at u = 0.
	xu := table(t, "x u", mat.NewDense(3, 2, []float64{-1, 1, 0, 0, 1, -1}))
	uy := table(t, "u y", mat.NewDense(3, 2, []float64{-1, 5, 0, 5, 1, 5}))
	var ignored []float64
	for _, none := range []bool{true, false} {
		setup := linear()
		setup.NoIntercept = none
		want := 5.
		if none {
			want = 0
		}
		for name, p := range map[string]rr.Predictor{
			"h": fit(t, fittest.With(setup, rr.TwoStep{F: recording{&ignored}}), xu, uy).H,
			"f": fit(t, fittest.With(setup, rr.TwoStep{H: constant{5}}), xu, uy).F,
		} {
			var at mat.Dense
			p.PredictTo(&at, mat.NewDense(1, 1, nil))
			if d := at.At(0, 0) - want; d > 1e-12 || d < -1e-12 {
				t.Errorf("NoIntercept %v: %s(0) = %g, want %g", none, name, at.At(0, 0), want)
			}
		}
	}
}

// constant is a regressor that predicts a number.
type constant struct{ value float64 }

func (c constant) Fit(context.Context, *mat.Dense, *mat.Dense, []float64) (rr.Predictor, error) {
	return mean{[]float64{c.value}}, nil
}
