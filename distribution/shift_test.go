package distribution_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/distribution"
	"mediant/features"
	"mediant/internal/fixture"
	"mediant/internal/sparsetest"
	"mediant/problem"
	"mediant/risk"
	"mediant/rr"
	"mediant/tables"
)

// shiftedRows draws U = X + noise and Y = U + noise in proportion to exp(U), or rows of U that are the more frequent the larger U is.
func shiftedRows(rnd *rand.Rand, n int, shifted bool) (x, u, y []float64) {
	for len(x) < n {
		a := 2*rnd.Float64() - 1
		b := a + .3*rnd.NormFloat64()
		c := b + .5*math.Exp(b)*rnd.NormFloat64()
		if !shifted || rnd.Float64() < 1/(1+math.Exp(-3*b)) {
			x, u, y = append(x, a), append(u, b), append(y, c)
		}
	}
	return x, u, y
}

// TestCovariateShift: where U has another distribution in S_Y, the CRPS of a fit with weights for it, and that of form 2, are those of coupled rows within 4 standard errors, and form 1
// without weights is 20 % too high; the coverage is right in all of them.
func TestCovariateShift(t *testing.T) {
	rnd := rand.New(rand.NewPCG(2, 1))
	x, u, _ := shiftedRows(rnd, 800, false)
	_, uY, y := shiftedRows(rnd, 800, true)
	xC, _, yC := shiftedRows(rnd, 5000, false)
	xu, uy, xy := fixture.Table(t, "x", x, "u", u), fixture.Table(t, "u", uY, "y", y), fixture.Table(t, "x", xC, "y", yC)
	spec := features.Spec{Size: 16}
	for _, c := range []struct {
		name  string
		shift bool
		form  risk.Form
		right bool
	}{{"form 1", false, 0, false}, {"weights", true, 0, true}, {"form 2", false, risk.CovariateShift, true}} {
		p := fixture.Must[*problem.Problem](t)(problem.Prepare(t.Context(), problem.Setup{Phi: spec, Psi: spec, Seed: 3, Folds: 5, Shift: c.shift}, xu, uy))
		d := fixture.Must[*distribution.CDF](t)(distribution.Fit(t.Context(), p, distribution.Options{Thresholds: 20, Assess: distribution.AssessOptions{Form: c.form}}))
		m := fixture.Must[*rr.Model](t)(rr.TwoStep{}.Fit(t.Context(), p))
		truth := fixture.Must[*distribution.Score](t)(distribution.Evaluate(t.Context(), m, d, xy))
		e := d.Assessment.CRPS
		if far := math.Abs(e.Value - truth.CRPS); (far <= 4*e.SE && e.Value < 1.2*truth.CRPS) != c.right || e.Form != c.form || (e.Bracket == nil) != (c.form == risk.CovariateShift) {
			t.Errorf("%s: CRPS %+v, coupled rows say %g", c.name, e, truth.CRPS)
		}
		tuned := truth.Levels[len(truth.Levels)-1]
		if _, cover := d.Assessment.Tune(.9); math.Abs(tuned.Coverage-.9) > 4*cover.SE+.01 {
			t.Errorf("%s: tuned to %+v, coupled rows say %g", c.name, cover, tuned.Coverage)
		}
	}
}

// TestSparseX: rows of X that are stored sparsely, elements of which are not to be had one by one, give the distribution of the same rows as numbers, but for the order of sums.
func TestSparseX(t *testing.T) {
	const n, columns = 120, 6
	rnd := rand.New(rand.NewPCG(4, 4))
	rows := mat.NewDense(n, columns, nil)
	var cells tables.SparseRows
	places := []int{0, 1, 2, 3, 4, 5}
	u, y := make([]float64, n), make([]float64, n)
	for i := range n {
		for j := range columns {
			if rnd.Float64() < .4 {
				rows.Set(i, j, rnd.NormFloat64())
			}
			u[i] += rows.At(i, j)
		}
		y[i] = u[i] + rnd.NormFloat64()
		if err := cells.Add(places, rows.RawRowView(i)); err != nil {
			t.Fatal(err)
		}
	}
	predicted := func(rows mat.Matrix, ofX ...tables.ColumnData) *mat.Dense {
		xu := fixture.Must[tables.Source](t)(tables.FromColumns(append(ofX, tables.Numbers("u", u))...))
		spec := features.Spec{Kind: features.LinearFeatures}
		p := fixture.Must[*problem.Problem](t)(problem.Prepare(t.Context(), problem.Setup{Phi: spec, Psi: spec, Folds: 3, NoStandardize: true}, xu, fixture.Table(t, "u", u, "y", y)))
		d := fixture.Must[*distribution.CDF](t)(distribution.Fit(t.Context(), p, distribution.Options{Thresholds: 9, LambdaF: rr.Value(1e-3), LambdaH: rr.Value(1e-3)}))
		var cdf mat.Dense
		d.PredictTo(&cdf, rows)
		return &cdf
	}
	var numbers []tables.ColumnData
	for j := range places {
		numbers = append(numbers, tables.Numbers(fmt.Sprint("x", j), mat.Col(nil, j, rows)))
	}
	got, want := predicted(sparsetest.Of(rows), tables.Vectors("x", cells)), predicted(rows, numbers...)
	if !mat.EqualApprox(got, want, 1e-9) {
		t.Errorf("the first distributions are %v, want %v", got.RawRowView(0), want.RawRowView(0))
	}
}
