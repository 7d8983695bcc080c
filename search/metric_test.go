package search

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"mediant/features"
	"mediant/internal/fixture"
	"mediant/metric"
	"mediant/problem"
	"mediant/rr"
	"mediant/tables"
)

// metricTables are X of d uniform columns, U = X + noise, and Y = h(U) + N(0, .25).
func metricTables(t *testing.T, n, d int, seed uint64, h func(u []float64) float64) (xu, uy tables.Source) {
	t.Helper()
	rnd := rand.New(rand.NewPCG(seed, 8))
	var names [3][]string
	for j := range d {
		names[0], names[1] = append(names[0], "x"+string(rune('a'+j))), append(names[1], "u"+string(rune('a'+j)))
	}
	draw := func() (both, second *mat.Dense) {
		both, second = mat.NewDense(n, 2*d, nil), mat.NewDense(n, d+1, nil)
		for i := range n {
			for j := range d {
				x := 2*rnd.Float64() - 1
				u := x + .2*rnd.NormFloat64()
				both.Set(i, j, x)
				both.Set(i, d+j, u)
				second.Set(i, j, u)
			}
			second.Set(i, d, h(second.RawRowView(i)[:d])+.5*rnd.NormFloat64())
		}
		return both, second
	}
	first, _ := draw()
	_, second := draw()
	xu = fixture.Must[tables.Source](t)(tables.FromMatrix(append(names[0], names[1]...), first))
	return xu, fixture.Must[tables.Source](t)(tables.FromMatrix(append(names[1], "y"), second))
}

// TestMetricWhereFewColumnsMatter: of an interaction of three of eight columns that is no polynomial of low degree the search takes a learned metric on both sides.
func TestMetricWhereFewColumnsMatter(t *testing.T) {
	xu, uy := metricTables(t, 400, 8, 1, func(u []float64) float64 { return 3 * math.Cos(2*(u[2]+u[5]+u[6])) })
	c, err := Search{Setup: problem.Setup{Phi: features.Spec{Size: 64}, Psi: features.Spec{Size: 64}, Seed: 1}, W: rr.Value(1), Precision: Never}.Choose(t.Context(), xu, uy)
	if err != nil {
		t.Fatal(err)
	}
	for side, m := range map[string]features.Map{"X": c.Problem.Phi(), "U": c.Problem.Psi()} {
		of := features.MetricOf(m)
		if of == nil {
			t.Errorf("%s: the map is %s", side, features.Describe(m))
			continue
		}
		if s := of.Shares(); s[2]+s[5]+s[6] < .9 {
			t.Errorf("%s: the three columns have a share of %g", side, s[2]+s[5]+s[6])
		}
	}
	kinds := map[string]int{}
	for _, trial := range c.Trials {
		if strings.Contains(trial.Name, "metric:") {
			kinds[trial.Stage]++
		}
	}
	if kinds["psi"] != 2 || kinds["phi"] != 2 {
		t.Errorf("%v trials with a metric, want the best diagonal and the best full one of each side", kinds)
	}
}

// TestAdaptiveWhereFewMonomialsCount: of a product of three of six columns the search takes a polynomial on both sides, whose largest coefficient is that of the product.
func TestAdaptiveWhereFewMonomialsCount(t *testing.T) {
	xu, uy := metricTables(t, 300, 6, 1, func(u []float64) float64 { return 6 * u[0] * u[2] * u[5] })
	c, err := Search{Setup: problem.Setup{Phi: features.Spec{Size: 64}, Psi: features.Spec{Size: 64}, Seed: 1}, W: rr.Value(1), Precision: Never}.Choose(t.Context(), xu, uy)
	if err != nil {
		t.Fatal(err)
	}
	m, err := c.Fit(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for side, of := range map[string]rr.Predictor{"a": m.F, "u": m.H} {
		l := rr.LinearOf(of)
		terms, err := metric.Terms(l.Map, l.Coef, []string{"a", "b", "c", "d", "e", "f"})
		if err != nil || len(terms) == 0 || terms[0].Name != "a·c·f" || math.Abs(terms[0].Value) < 2*math.Abs(terms[1].Value) {
			t.Errorf("%s: %s, the largest terms are %v (%v)", side, features.Describe(l.Map), terms[:min(3, len(terms))], err)
		}
	}
}

// TestAdaptiveOfHeavyTails: of columns with Cauchy noise predictions stay within some ranges of Y, whatever is chosen, also far outside.
func TestAdaptiveOfHeavyTails(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 3))
	rows := func(n int, y bool) *mat.Dense {
		out := mat.NewDense(n, 4, nil)
		for i := range n {
			a, b := rnd.NormFloat64()/rnd.NormFloat64(), rnd.NormFloat64()/rnd.NormFloat64()
			out.SetRow(i, []float64{a, b, a + rnd.NormFloat64(), b + rnd.NormFloat64()})
			if y {
				out.SetRow(i, []float64{a, b, math.Atan(a) * math.Atan(b), 0})
			}
		}
		return out
	}
	xu := fixture.Must[tables.Source](t)(tables.FromMatrix([]string{"a", "b", "u", "v"}, rows(400, false)))
	uy := fixture.Must[tables.Source](t)(tables.FromMatrix([]string{"u", "v", "y"}, mat.DenseCopyOf(rows(400, true).Slice(0, 400, 0, 3))))
	spec := features.Spec{Kind: features.AdaptiveFeatures, Degree: 3}
	c, err := Search{Setup: problem.Setup{Phi: spec, Psi: spec, Seed: 1}, W: rr.Value(1), Precision: Never}.Choose(t.Context(), xu, uy)
	if err != nil {
		t.Fatal(err)
	}
	m, err := c.Fit(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	f := fixture.Must[*mat.Dense](t)(rr.Predictions("far", m.F, mat.NewDense(3, 2, []float64{1e3, 1e3, -1e6, 1, 1e9, -1e9}), 1))
	for i := range 3 {
		if v := f.At(i, 0); math.Abs(v) > 30 { // Y is within 2.5
			t.Errorf("row %d: a prediction of %g", i, v)
		}
	}
}

// TestRiskOfAMetricOfNoise: where Y is noise a full metric of 10 columns fits that of its rows, so that the risk with a metric of all rows is too low. The risk that a Choice reports is not: over 12
// draws its mean is the variance .25 of Y and what f has of it, to within 3 standard errors of such a mean.
func TestRiskOfAMetricOfNoise(t *testing.T) {
	const draws, n = 12, 100
	spec := features.Spec{Kind: features.MetricFeatures, Full: true, Size: 64}
	var plain, corrected []float64
	for seed := range uint64(draws) {
		xu, uy := metricTables(t, n, 10, seed, func([]float64) float64 { return 0 })
		c, err := Search{Setup: problem.Setup{Phi: spec, Psi: spec, Seed: seed}, W: rr.Value(1), PhiCandidates: []features.Spec{spec}, PsiCandidates: []features.Spec{spec}, Precision: Never}.Choose(t.Context(), xu, uy)
		if err != nil {
			t.Fatal(err)
		}
		a, err := c.Assessment(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		own, err := c.metricOptimism(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		plain, corrected = append(plain, a.Risk.MSE-own[0]), append(corrected, a.Risk.MSE)
	}
	se := func(v []float64) float64 { return stat.StdDev(v, nil) / math.Sqrt(draws) }
	if got := stat.Mean(corrected, nil); got < .25-3*se(corrected) {
		t.Errorf("the mean risk is %g, with a standard error of %g; no f has less than .25", got, se(corrected))
	}
	if got := stat.Mean(plain, nil); got > stat.Mean(corrected, nil)-.01 {
		t.Errorf("with a metric of all rows the risk is %g, and %g without: there is nothing to see", got, stat.Mean(corrected, nil))
	}
}

// TestMetricOptimismIsOfMetricsAlone, and of a sample where rows are many.
func TestMetricOptimismIsOfMetricsAlone(t *testing.T) {
	xu, uy := metricTables(t, 120, 4, 1, func(u []float64) float64 { return 3 * u[0] * u[1] })
	choose := func(spec features.Spec) *Choice {
		return fixture.Must[*Choice](t)(ChoiceOfTables(t.Context(), problem.Setup{Phi: spec, Psi: spec, Folds: 4}, rr.TwoStep{LambdaF: rr.Value(1e-3), LambdaH: rr.Value(1e-3)}, Search{}.Assess, xu, uy))
	}
	none, err := choose(features.Spec{Size: 16}).metricOptimism(t.Context())
	if err != nil || none != nil {
		t.Errorf("%v, %v for maps without a metric", none, err)
	}
	c := choose(features.Spec{Kind: features.MetricFeatures, Full: true, Size: 16})
	all, err := c.metricOptimism(t.Context())
	if err != nil || len(all) != 1 || all[0] == 0 {
		t.Errorf("%v, %v", all, err)
	}
	defer func(rows int) { optimismRows = rows }(optimismRows)
	optimismRows = 60
	half, err := c.metricOptimism(t.Context())
	if err != nil || len(half) != 1 || half[0] == all[0] {
		t.Errorf("of half of the rows: %v, %v", half, err)
	}
}
