package mediant

import (
	"context"
	"math"
	"math/rand/v2"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/diagnose"
	"mediant/encode"
	"mediant/features"
	"mediant/internal/problemtest"
	"mediant/problem"
	"mediant/risk"
	"mediant/rr"
	"mediant/tables"
)

// weighedSource is a table with weights, and the same with its rows written out; x, u and y are noisy copies of each other, and so
// many rows have no weight.
func weighedSource(t testing.TB, rows int, seed uint64, names ...string) (weighed, written tables.Source) {
	t.Helper()
	rnd := rand.New(rand.NewPCG(seed, 4))
	columns, copies := make([][]float64, len(names)+1), make([][]float64, len(names))
	for range rows {
		a, w := rnd.NormFloat64(), rnd.IntN(4)
		for j := range names {
			v := a + .5*rnd.NormFloat64()
			columns[j] = append(columns[j], v)
			for range w {
				copies[j] = append(copies[j], v)
			}
		}
		columns[len(names)] = append(columns[len(names)], float64(w))
	}
	var of [2][]tables.ColumnData
	for j, name := range names {
		of[0], of[1] = append(of[0], tables.Numbers(name, columns[j])), append(of[1], tables.Numbers(name, copies[j]))
	}
	of[0] = append(of[0], tables.Numbers("w", columns[len(names)]))
	var out [2]tables.Source
	for i, c := range of {
		src, err := tables.FromColumns(c...)
		if err != nil {
			t.Fatal(err)
		}
		out[i] = src
	}
	weighed, err := tables.Weigh(context.Background(), out[0], "w")
	if err != nil {
		t.Fatal(err)
	}
	return weighed, out[1]
}

// alike reports whether a and b differ by rounding.
func alike(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(1, math.Abs(b)) }

// TestEvaluateCountsWeights: errors, variance and numbers of rows on coupled rows with weights are those of the rows written out.
func TestEvaluateCountsWeights(t *testing.T) {
	ctx := context.Background()
	xu, _ := weighedSource(t, 60, 1, "x", "u")
	uy, _ := weighedSource(t, 60, 2, "u", "y")
	m, err := rr.Fit(ctx, problem.Setup{Roles: tables.RoleOptions{X: []string{"x"}, U: []string{"u"}, Y: []string{"y"}}}, rr.TwoStep{}, xu, uy)
	if err != nil {
		t.Fatal(err)
	}
	weighed, written := weighedSource(t, 50, 3, "x", "y")
	got, err := m.Evaluate(ctx, weighed)
	if err != nil {
		t.Fatal(err)
	}
	want, err := m.Evaluate(ctx, written)
	if err != nil {
		t.Fatal(err)
	}
	if got.Rows != want.Rows || !alike(got.MSE, want.MSE) || !alike(*got.R2, *want.R2) {
		t.Errorf("%d rows, MSE %g, R² %g, want %d, %g, %g", got.Rows, got.MSE, *got.R2, want.Rows, want.MSE, *want.R2)
	}
	labels, err := tables.FromColumns(tables.Numbers("x", []float64{1, 1, 1}), tables.Strings("y", []string{"a", "b", ""}), tables.Numbers("w", []float64{3, 1, 2}))
	if err != nil {
		t.Fatal(err)
	}
	if labels, err := tables.Weigh(ctx, labels, "w"); err != nil {
		t.Fatal(err)
	} else {
		y, err := encode.FitTargets(ctx, labels, []string{"y"}, encode.Classify)
		if err != nil {
			t.Fatal(err)
		}
		of := &rr.Model{X: m.X, Y: y, F: constantPredictor{1, 0}}
		s, err := of.Evaluate(ctx, labels)
		if err != nil || s.Rows != 4 || s.Dropped != 2 || *s.Accuracy != .75 {
			t.Errorf("%+v, %v, want 4 rows, 2 left out, accuracy 0.75", s, err)
		}
	}
}

// constantPredictor predicts the same of every row.
type constantPredictor []float64

func (c constantPredictor) PredictTo(dst *mat.Dense, x mat.Matrix) {
	n, _ := x.Dims()
	if dst.IsEmpty() {
		dst.ReuseAs(n, len(c))
	}
	for i := range n {
		dst.SetRow(i, c)
	}
}

// TestCMICountsWeights: the test on coupled rows with whole weights is that on the rows written out; others are refused.
func TestCMICountsWeights(t *testing.T) {
	if testing.Short() {
		t.Skip("many fits, which find no race that few do not")
	}
	ctx := context.Background()
	_, xu := weighedSource(t, 80, 1, "x", "u")
	_, uy := weighedSource(t, 80, 2, "u", "y")
	m, err := rr.Fit(ctx, problem.Setup{}, rr.TwoStep{}, xu, uy)
	if err != nil {
		t.Fatal(err)
	}
	weighed, written := weighedSource(t, 60, 3, "x", "u", "y")
	var got, want diagnose.Diagnosis
	if err := got.AddCMI(ctx, m, xu, uy, weighed, tables.RoleOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := want.AddCMI(ctx, m, xu, uy, written, tables.RoleOptions{}); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got.CMI, want.CMI)
	}
	sampled, err := tables.FromColumns(tables.Numbers("x", []float64{1, 2}), tables.Numbers("u", []float64{1, 2}), tables.Numbers("y", []float64{1, 2}), tables.Numbers("w", []float64{1, .5}))
	if err != nil {
		t.Fatal(err)
	}
	if src, err := tables.Weigh(ctx, sampled, "w"); err != nil {
		t.Fatal(err)
	} else if err := got.AddCMI(ctx, m, xu, uy, src, tables.RoleOptions{}); err == nil || !strings.Contains(err.Error(), "sampling weights") {
		t.Errorf("sampling weights: %v", err)
	}
}

// TestSourcesThatHaveWeights: tables that come from tables.Weigh are as good as a named column of weights, for fits, risks and diagnoses.
func TestSourcesThatHaveWeights(t *testing.T) {
	ctx := context.Background()
	plain := func(seed uint64, names ...string) (named, weighed tables.Source) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		data := make([][]float64, 3)
		for i := range 20 {
			a := rnd.NormFloat64()
			for j, v := range []float64{a, a + .3*rnd.NormFloat64(), float64(i % 3 * 40)} {
				data[j] = append(data[j], v)
			}
		}
		named, err := tables.FromColumns(tables.Numbers(names[0], data[0]), tables.Numbers(names[1], data[1]), tables.Numbers("w", data[2]))
		if err != nil {
			t.Fatal(err)
		}
		if weighed, err = tables.Weigh(ctx, named, "w"); err != nil {
			t.Fatal(err)
		}
		return named, weighed
	}
	roles := tables.RoleOptions{X: []string{"x"}, U: []string{"u"}, Y: []string{"y"}}
	named := roles
	named.WeightsXU, named.WeightsUY = "w", "w"
	l := features.Spec{Kind: features.LinearFeatures}
	var risks [2]float64
	var diagnoses [2]*diagnose.Diagnosis
	for form, r := range []tables.RoleOptions{named, roles} {
		xn, xw := plain(1, "x", "u")
		yn, yw := plain(2, "u", "y")
		xu, uy := []tables.Source{xn, xw}[form], []tables.Source{yn, yw}[form]
		setup := problem.Setup{Roles: r, Phi: l, Psi: l, Folds: 20, AllRows: true}
		p := problemtest.Prepared(t, setup, xu, uy)
		if p.Setup().Folds != 13 { // of 13 and 13 rows with a weight
			t.Errorf("%d folds", p.Setup().Folds)
		}
		m, err := rr.Fit(ctx, setup, rr.TwoStep{}, xu, uy)
		if err != nil {
			t.Fatal(err)
		}
		a, err := risk.AssessModel(ctx, m, xu, uy, r, risk.AssessOptions{})
		if err != nil {
			t.Fatal(err)
		}
		risks[form] = a.Risk.MSE
		if diagnoses[form], err = diagnose.Diagnose(ctx, m, xu, uy, r); err != nil {
			t.Fatal(err)
		}
		if notes := strings.Join(p.Notes(), " "); !strings.Contains(notes, "13 rows count as") {
			t.Errorf("notes %s", notes)
		}
	}
	if risks[0] != risks[1] || !reflect.DeepEqual(diagnoses[0], diagnoses[1]) {
		t.Errorf("risks %v, diagnoses %+v and %+v", risks, diagnoses[0], diagnoses[1])
	}
}

// TestMemoryCountsRowsThatThereAre: a weight needs no memory.
func TestMemoryCountsRowsThatThereAre(t *testing.T) {
	ones := make([]float64, 40)
	many := make([]float64, 40)
	for i := range many {
		ones[i], many[i] = float64(i), 1e9
	}
	table := func(a, b string) tables.Source {
		src, err := tables.FromColumns(tables.Numbers(a, ones), tables.Numbers(b, ones), tables.Numbers("w", many))
		if err != nil {
			t.Fatal(err)
		}
		return src
	}
	s := problem.Setup{Memory: 41 << 20, Roles: tables.RoleOptions{WeightsXU: "w", WeightsUY: "w"}}
	e, err := problem.ReadRows(context.Background(), s, table("x", "u"), table("u", "y"))
	if err != nil {
		t.Fatal(err)
	}
	if m := rr.NewModelOfRows(e, "own"); m.Rows.XU != 40e9 {
		t.Errorf("%d rows", m.Rows.XU)
	}
}

// TestWeightsAreNoColumnOfTheModel: a column that a model knows cannot weigh rows that it is evaluated on.
func TestWeightsAreNoColumnOfTheModel(t *testing.T) {
	_, xu := weighedSource(t, 40, 1, "x", "u")
	_, uy := weighedSource(t, 40, 2, "u", "y")
	m, err := rr.Fit(context.Background(), problem.Setup{}, rr.TwoStep{}, xu, uy)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"x", "u", "y"} {
		if _, err := risk.AssessModel(context.Background(), m, xu, uy, tables.RoleOptions{WeightsXU: name}, risk.AssessOptions{}); err == nil || !strings.Contains(err.Error(), "cannot be weights") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestSidesWithOneMap: X and U that have the same features have their own landmarks, also in regressions on rows in memory.
func TestSidesWithOneMap(t *testing.T) {
	ctx := context.Background()
	values := []float64{1, 2, 3, 4, 5, 6}
	table := func(a, b string, second []float64) tables.Source {
		src, err := tables.FromColumns(tables.Numbers(a, values), tables.Numbers(b, second))
		if err != nil {
			t.Fatal(err)
		}
		return src
	}
	xu, uy := table("x", "u", values), table("u", "y", values)
	spec := features.Spec{Kind: features.NystromFeatures, Kernel: "gaussian", Bandwidth: 1, LandmarkRows: mat.NewDense(2, 1, []float64{1, 4})}
	setup := problem.Setup{Phi: spec, Psi: spec, Folds: 2, NoStandardize: true}
	fold := func(table, row int) int { return (row + table) % 2 } // landmarks of U are in both folds, those of X in one
	setup.Fold = fold
	p := problemtest.Prepared(t, setup, xu, uy)
	if p.Phi().ID() != p.Psi().ID() {
		t.Fatal("the maps differ: nothing to see")
	}
	train, err := p.Without(0)
	if err != nil {
		t.Fatal(err)
	}
	want, err := rr.TwoStep{}.Fit(t.Context(), train)
	if err != nil {
		t.Fatal(err)
	}
	own, err := rr.TwoStep{H: given{want.H}}.Fit(ctx, train) // f by ridge regression on rows
	if err != nil {
		t.Fatal(err)
	}
	var a, b mat.Dense
	query := mat.NewDense(3, 1, []float64{1, 2.5, 5})
	want.F.PredictTo(&a, query)
	own.F.PredictTo(&b, query)
	a.Sub(&a, &b)
	if d := mat.Norm(&a, 2); d > 1e-9 {
		t.Errorf("fits from sums and from rows differ by %g", d)
	}
}

// given is the Regressor that has learned already.
type given struct{ rr.Predictor }

func (g given) Fit(context.Context, *mat.Dense, *mat.Dense, []float64) (rr.Predictor, error) {
	return g.Predictor, nil
}

// TestLandmarksOfRowsWithoutY: a row without Y that equals a landmark does not keep it in the fit of the fold that has it.
func TestLandmarksOfRowsWithoutY(t *testing.T) {
	values := []float64{1, 2, 3, 4, 5, 6}
	xu, err := tables.FromColumns(tables.Numbers("x", values), tables.Numbers("u", []float64{7, 8, 9, 10, 11, 12}))
	if err != nil {
		t.Fatal(err)
	}
	uy, err := tables.FromColumns(tables.Numbers("u", []float64{1, 1, 2, 3, 4, 5}), tables.Numbers("y", []float64{1, math.NaN(), 2, 3, 4, 5}))
	if err != nil {
		t.Fatal(err)
	}
	setup := problem.Setup{Psi: features.Spec{Kind: features.NystromFeatures, Kernel: "gaussian", LandmarkRows: mat.NewDense(2, 1, []float64{1, 2})}, Phi: features.Spec{Kind: features.LinearFeatures}, Folds: 2, NoStandardize: true}
	setup.Fold = func(_, row int) int { return row % 2 }
	p := problemtest.Prepared(t, setup, xu, uy)
	if l := p.Splitter().Landmarks[p.SidePsi().ID()]; len(l.Folds) != 2 || !reflect.DeepEqual(l.Folds, [][]int{{0}, {0}}) {
		t.Errorf("landmarks are in folds %v, want 0 alone", l.Folds)
	}
}

// TestSamplingWeightsAreNoCopies: with very unequal sampling weights that have nothing to do with U the test of its distributions rejects
// no more often than it should. With copies of rows it did every time.
func TestSamplingWeightsAreNoCopies(t *testing.T) {
	ctx := context.Background()
	rejected := 0
	const draws = 30
	for seed := range uint64(draws) {
		rnd := rand.New(rand.NewPCG(seed, 12))
		table := func(a, b string) tables.Source {
			var u, v, w []float64
			for range 300 {
				c := rnd.NormFloat64()
				u, v, w = append(u, c), append(v, c+rnd.NormFloat64()), append(w, math.Exp(1.5*rnd.NormFloat64()))
			}
			src, err := tables.FromColumns(tables.Numbers(a, v), tables.Numbers(b, u), tables.Numbers("w", w))
			if err != nil {
				t.Fatal(err)
			}
			return src
		}
		xu, uy := table("x", "u"), table("y", "u")
		roles := tables.RoleOptions{WeightsXU: "w", WeightsUY: "w"}
		l := features.Spec{Kind: features.LinearFeatures}
		m, err := rr.Fit(ctx, problem.Setup{Phi: l, Psi: l, Roles: roles, Seed: seed}, rr.TwoStep{}, xu, uy)
		if err != nil {
			t.Fatal(err)
		}
		d, err := diagnose.Diagnose(ctx, m, xu, uy, roles)
		if err != nil {
			t.Fatal(err)
		}
		if d.DistributionOfU.PValue <= .1 {
			rejected++
		}
	}
	if rejected > 11 { // of Binomial(30, 0.1) more than 11 have odds of 1e-5
		t.Errorf("%d of %d tests at 10 %% see a difference that is not there", rejected, draws)
	}
}

// TestEncodersWithoutNumbersOfRows: a model whose file does not say how many rows its encoders have seen is assessed as any other.
func TestEncodersWithoutNumbersOfRows(t *testing.T) {
	if testing.Short() {
		t.Skip("many fits, which find no race that few do not")
	}
	ctx := context.Background()
	_, xu := weighedSource(t, 40, 1, "x", "u")
	_, uy := weighedSource(t, 40, 2, "u", "y")
	m, err := rr.Fit(ctx, problem.Setup{}, rr.TwoStep{}, xu, uy)
	if err != nil {
		t.Fatal(err)
	}
	want, err := risk.AssessModel(ctx, m, xu, uy, tables.RoleOptions{}, risk.AssessOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, rows := range []string{"", `"rows":[7],`, `"rows":[1,2,3],`} {
		raw, err := m.U.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		text := regexp.MustCompile(`"rows":\[[^]]*\],`).ReplaceAllString(string(raw), rows)
		if text == string(raw) {
			t.Fatal("the encoder has no numbers of rows")
		}
		of := *m
		of.U = new(encode.Encoder)
		if err := of.U.UnmarshalJSON([]byte(text)); err != nil {
			t.Fatal(err)
		}
		got, err := risk.AssessModel(ctx, &of, xu, uy, tables.RoleOptions{}, risk.AssessOptions{})
		if err != nil || got.Risk.MSE != want.Risk.MSE {
			t.Errorf("rows %q: %v, want %g", rows, err, want.Risk.MSE)
		}
		if _, err := diagnose.Diagnose(ctx, &of, xu, uy, tables.RoleOptions{}); err != nil {
			t.Errorf("rows %q: %v", rows, err)
		}
	}
}
