package problem_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/features"
	"mediant/internal/problemtest"
	"mediant/problem"
	"mediant/tables"
)

// metricTables are those of X, of which only a matters, U, of which only u does, and Y of two columns. A third of the weights of S_Y is 0.
func metricTables(t *testing.T, n int) (xu, uy tables.Source) {
	rnd := rand.New(rand.NewPCG(5, 5))
	draw := func() (one, two *mat.Dense) {
		one, two = mat.NewDense(n, 4, nil), mat.NewDense(n, 5, nil)
		for i := range n {
			a, b, v := rnd.NormFloat64(), rnd.NormFloat64(), rnd.NormFloat64()
			u := a + .2*rnd.NormFloat64()
			y, w := math.Sin(2*u), float64(1+i%2)
			if i%3 == 0 {
				y, w = math.Sin(2*v), 0
			}
			one.SetRow(i, []float64{a, b, u, v})
			two.SetRow(i, []float64{u, v, y, 100 * y, w})
		}
		return one, two
	}
	rows, _ := draw()
	xu, err := tables.FromMatrix([]string{"a", "b", "u", "v"}, rows)
	if err != nil {
		t.Fatal(err)
	}
	_, rows = draw()
	if uy, err = tables.FromMatrix([]string{"u", "v", "y", "z", "w"}, rows); err != nil {
		t.Fatal(err)
	}
	return xu, uy
}

// TestMapLearnsMetrics of U from Y and of X from h(U), with the weights of rows; the columns that do not matter have nearly no share.
func TestMapLearnsMetrics(t *testing.T) {
	xu, uy := metricTables(t, 300)
	for _, full := range []bool{false, true} {
		spec := features.Spec{Kind: features.MetricFeatures, Full: full, Size: 32}
		setup := problem.Setup{Phi: spec, Psi: spec, Folds: 3, Seed: 1, Roles: tables.RoleOptions{WeightsUY: "w"}}
		p := problemtest.Prepared(t, setup, xu, uy)
		for side, m := range map[string]features.Map{"X": p.Phi(), "U": p.Psi()} {
			if got := features.MetricOf(m).Shares()[0]; got < .95 || features.MetricOf(m).IsDiagonal() == full {
				t.Errorf("%s: the first column has a share of %g", side, got)
			}
		}
		again := problemtest.Prepared(t, setup, xu, uy)
		if again.SidePhi().ID() != p.SidePhi().ID() || again.SidePsi().ID() != p.SidePsi().ID() {
			t.Error("another fit of the same tables has other maps")
		}
		m, err := p.MapX(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if m.SidePhi().ID() != p.SidePhi().ID() {
			t.Error("phi alone has another metric")
		}
	}
}

// TestMetricsOfOtherFolds: the metric without a fold does not depend on its rows.
func TestMetricsOfOtherFolds(t *testing.T) {
	spec := features.Spec{Kind: features.MetricFeatures, Size: 16}
	encoded := func(change float64) *problem.Encoded {
		xu, uy := metricTables(t, 90)
		table, err := tables.Load(t.Context(), uy)
		if err != nil {
			t.Fatal(err)
		}
		own := mat.NewDense(90, 5, nil)
		for b, err := range table.Batches(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			own.Copy(b.Num)
		}
		for i := 1; i < 90; i += 3 {
			own.Set(i, 2, own.At(i, 2)+change*float64(i%5))
		}
		if uy, err = tables.FromMatrix([]string{"u", "v", "y", "z", "w"}, own); err != nil {
			t.Fatal(err)
		}
		e, err := problem.Encode(t.Context(), problem.Setup{Folds: 3, Fold: func(_, row int) int { return row % 3 }, Roles: tables.RoleOptions{Y: []string{"y"}}}, xu, uy)
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	learn := func(e *problem.Encoded) *mat.SymDense {
		s, err := e.LearnPsi(t.Context(), spec)
		if err != nil {
			t.Fatal(err)
		}
		return s.Metric.Matrix()
	}
	plain, changed := encoded(0), encoded(1)
	if !mat.Equal(learn(plain.WithoutFold(1)), learn(changed.WithoutFold(1))) {
		t.Error("the metric without the fold changes with its Y")
	}
	if mat.Equal(learn(plain), learn(changed)) || mat.Equal(learn(plain.WithoutFold(0)), learn(changed.WithoutFold(0))) {
		t.Error("the metric of all folds does not change with Y")
	}
	if n := len(plain.WithoutFold(1).Folds()); n != 2 || len(plain.Folds()) != 3 {
		t.Errorf("%d folds are left", n)
	}
}

// TestNoMetricOfText: features in a metric are not for hashed text.
func TestNoMetricOfText(t *testing.T) {
	words, others := make([]string, 300), make([]string, 300)
	x := make([]float64, 300)
	for i := range words {
		words[i] = string(rune('a'+i%26)) + " word " + string(rune('a'+i/26)) + " of text"
		others[i] = "another " + words[i]
		x[i] = float64(i % 7)
	}
	xu, err := tables.FromColumns(tables.Numbers("x", x), tables.Strings("u", words))
	if err != nil {
		t.Fatal(err)
	}
	uy, err := tables.FromColumns(tables.Strings("u", others), tables.Numbers("y", x))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := problem.Prepare(t.Context(), problem.Setup{Psi: features.Spec{Kind: features.MetricFeatures}}, xu, uy); err == nil {
		t.Error("no error")
	}
}
