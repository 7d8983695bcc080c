package modelreport

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"mediant/crossfit"
	"mediant/features"
	"mediant/internal/fixture"
	"mediant/moments"
	"mediant/problem"
	"mediant/rr"
	"mediant/search"
	"mediant/tables"
)

// pairsOf are pairs of one output with weights.
func pairsOf(of, to, weights []float64) *pairs {
	p := &pairs{outputs: []int{0}, of: [][]float64{of}, to: [][]float64{to}}
	p.weights.Factor = weights
	for range of {
		p.weights.Frequency = append(p.weights.Frequency, 1)
	}
	return p
}

// TestBins: ten groups of equal size in the order of the predictions, equal ones in one group, with weighted means.
func TestBins(t *testing.T) {
	n := 200
	rnd := rand.New(rand.NewPCG(1, 1))
	of, to, w := make([]float64, n), make([]float64, n), make([]float64, n)
	for i, v := range rnd.Perm(n) {
		of[i], to[i], w[i] = float64(v), float64(v)+2, 1
	}
	bins := pairsOf(of, to, w).bins(0)
	if len(bins) != 10 {
		t.Fatalf("%d groups, want 10", len(bins))
	}
	for i, b := range bins {
		if want := 20*float64(i) + 9.5; len(b.rows) != 20 || b.of != want || math.Abs(b.gap.value-2) > 1e-12 || b.gap.margin > 1e-12 {
			t.Errorf("group %d: %d rows about %g, gap %+v; want 20 about %g, gap 2", i, len(b.rows), b.of, b.gap, want)
		}
	}
	for i := range of[:150] {
		of[i], to[i], w[i] = 1, float64(i), float64(i%2)+1
	}
	bins = pairsOf(of, to, w).bins(0)
	at := slices.IndexFunc(bins, func(b bin) bool { return len(b.rows) >= 150 })
	if at < 0 {
		t.Fatalf("150 equal predictions are in several of %d groups", len(bins))
	}
	if few := pairsOf(of[:9], to[:9], w[:9]).bins(0); len(few) != 1 {
		t.Errorf("9 rows are in %d groups", len(few))
	}
	// An interval is that of a mean: weights 1 are a plain sample.
	of, to, w = []float64{0, 0, 0, 0}, []float64{1, 2, 3, 6}, []float64{1, 1, 1, 1}
	got := pairsOf(of, to, w).bins(0)[0].gap
	if want := 3.182446305 * stat.StdDev(to, nil) / 2; math.Abs(got.value-3) > 1e-12 || math.Abs(got.margin-want) > 1e-6 { // Student's t of 3
		t.Errorf("the gap is %+v, want 3 ± %g", got, want)
	}
}

func TestCalibrationLine(t *testing.T) {
	x, w := []float64{1e6, 1e6 + 1, 1e6 + 2, 1e6 + 5}, []float64{1, 2, 1, 3}
	y := []float64{3, 5, 4, 9}
	intercept, slope, ok := pairsOf(x, y, w).line(0)
	alpha, beta := stat.LinearRegression([]float64{0, 1, 2, 5}, y, w, false)
	if !ok || math.Abs(slope-beta) > 1e-9 || math.Abs(intercept+slope*1e6-alpha) > 1e-8 {
		t.Errorf("%g + %g x, want %g + %g (x - 1e6)", intercept, slope, alpha, beta)
	}
	if _, _, ok := pairsOf([]float64{2, 2}, []float64{1, 5}, []float64{1, 1}).line(0); ok {
		t.Error("constant predictions have a line")
	}
}

func TestKolmogorov(t *testing.T) {
	nan := math.NaN()
	column := func(v []float64, w ...float64) *sampledColumn {
		if w == nil {
			w = slices.Repeat([]float64{1}, len(v))
		}
		return &sampledColumn{numbers: v, weights: w}
	}
	for _, c := range []struct {
		x, y *sampledColumn
		want float64
	}{
		{column([]float64{1, 2, 3}), column([]float64{3, 2, 1}), 0},
		{column([]float64{1, 2}), column([]float64{3, 4, 5}), 1},
		{column([]float64{1, 2, 3, 4}), column([]float64{3, 3, 9, 9}), .5},
		{column([]float64{1, 5}, 3, 1), column([]float64{1, 5, nan}), .25},
		{column([]float64{nan}), column([]float64{1}), 1},
		{column([]float64{nan}), column([]float64{nan, nan}), 0},
	} {
		if got := kolmogorov(c.x, c.y); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%g and %g: %g, want %g", c.x.numbers, c.y.numbers, got, c.want)
		}
	}
	rnd := rand.New(rand.NewPCG(2, 2))
	var x, y []float64
	for range 300 {
		x, y = append(x, rnd.NormFloat64()), append(y, .3+rnd.NormFloat64())
	}
	slices.Sort(x)
	slices.Sort(y)
	if got, want := kolmogorov(column(x), column(y)), stat.KolmogorovSmirnov(x, nil, y, nil); math.Abs(got-want) > 1e-12 {
		t.Errorf("%g, want %g", got, want)
	}
}

// TestOverlapOrder: the column that differs is first, with the share of rows beyond the second table; levels by the sum of the differences of their shares.
func TestOverlapOrder(t *testing.T) {
	a := compared{name: "a", x: sampledColumn{kind: tables.Text, cells: []string{"p", "p", "q", "r"}, weights: []float64{1, 1, 1, 1}},
		y: sampledColumn{kind: tables.Text, cells: []string{"p", "q", "q", "q"}, weights: []float64{1, 1, 1, 1}}}
	a.compare()
	if math.Abs(a.distance-.5) > 1e-12 || math.Abs(a.lacking-.25) > 1e-12 { // |1/2-1/4| + |1/4-3/4| + 1/4, by 2; r
		t.Errorf("levels: distance %g, lacking %g", a.distance, a.lacking)
	}
	b := compared{x: sampledColumn{numbers: []float64{0, 1, 9, math.NaN()}, weights: []float64{1, 1, 1, 1}}, y: sampledColumn{numbers: []float64{0, 1, 2, 3}, weights: []float64{1, 1, 1, 1}}}
	b.compare()
	if b.lacking != .5 { // 9 and the missing one
		t.Errorf("numbers: lacking %g", b.lacking)
	}
	xu, uy, _ := drawn(t, kind{shift: 1.5}, 300, 300)
	s := fitted(t, xu, uy, options{method: fixed, folds: 3})
	rows := section(t, document(t, s), "U in the two tables").Tables[0].Rows
	if rows[0][0].Text != "u1" || *rows[0][1].Value < .5 || *rows[0][4].Value > -1.5 {
		t.Errorf("first is %+v", rows[0])
	}
	for _, c := range []struct {
		values, centres, want []float64
	}{
		{[]float64{-5, 0, 1.4, 1.6, 9, math.NaN(), 3, 3}, []float64{1, 2, 3}, []float64{3. / 8, 1. / 8, 3. / 8}},
	} {
		one := sampledColumn{numbers: c.values, weights: slices.Repeat([]float64{2}, len(c.values))}
		if got := one.binShares(c.centres); !slices.Equal(got, c.want) {
			t.Errorf("shares of %g at %g are %g, want %g", c.values, c.centres, got, c.want)
		}
	}
}

// TestConstants: the error of the mean is the variance, that of the best constant the variance of h(U) in S_X and the error of h.
func TestConstants(t *testing.T) {
	xu, uy, _ := drawn(t, kind{several: true}, 300, 280)
	s := fitted(t, xu, uy, options{method: fixed, folds: 3})
	b := &builder{Subject: s}
	for _, step := range []error{b.encode(t.Context()), b.findConstants(t.Context()), b.predict(t.Context())} {
		if step != nil {
			t.Fatal(step)
		}
	}
	var means, variances []float64
	want, wantOfH := 0., 0.
	y := problemColumns(t, s.Choice.Problem, problem.TableUY)
	for j := range 2 {
		mean, v := stat.PopMeanVariance(y[j], nil)
		means, variances = append(means, mean), append(variances, v)
		want += v
	}
	for j := range 2 {
		if math.Abs(b.base.means[j]-means[j]) > 1e-9*math.Abs(means[j]) || math.Abs(b.base.variances[j]-variances[j]) > 1e-9*variances[j] {
			t.Errorf("output %d: mean %g, variance %g, want %g, %g", j, b.base.means[j], b.base.variances[j], means[j], variances[j])
		}
		_, spread := stat.PopMeanVariance(b.held.x.to[j], nil)
		rest := 0.
		for i, h := range b.held.y.of[j] {
			rest += (b.held.y.to[j][i] - h) * (b.held.y.to[j][i] - h) / float64(len(b.held.y.of[j]))
		}
		wantOfH += spread + rest
	}
	if math.Abs(b.base.mean.value-want) > 1e-9*want || math.Abs(b.held.best.value-wantOfH) > 1e-9*wantOfH {
		t.Errorf("the mean has %g, the best constant %g; want %g and %g", b.base.mean.value, b.held.best.value, want, wantOfH)
	}
	folds := s.Choice.Problem.FoldsUY()
	if sum := crossfit.VariancesOf(fixture.Must[*moments.CoMoments](t)(moments.Sum(folds...))); math.Abs(sum[1]-variances[1]) > 1e-9*variances[1] {
		t.Errorf("sums have the variance %g, rows %g", sum[1], variances[1])
	}
}

// problemColumns are the columns of Y of the rows that have all.
func problemColumns(t *testing.T, p *problem.Problem, table int) [][]float64 {
	columns := make([][]float64, p.Y().Len())
	err := p.Encoded.WalkUY(t.Context(), p.Constant(), p.Y(), func(_ int, _, y *mat.Dense, _ moments.Weights) {
		for i := range y.RawMatrix().Rows {
			for j := range columns {
				columns[j] = append(columns[j], y.At(i, j))
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return columns
}

// TestHeldOut: each row is predicted by f and h that were fitted to the other folds.
func TestHeldOut(t *testing.T) {
	xu, uy, _ := drawn(t, kind{}, 150, 140)
	s := fitted(t, xu, uy, options{method: fixed, folds: 3})
	b := &builder{Subject: s, base: &constants{means: []float64{0}, variances: []float64{1}}}
	if err := b.encode(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := b.predict(t.Context()); err != nil {
		t.Fatal(err)
	}
	p := s.Choice.Problem
	var models []*rr.Model
	for k := range 3 {
		models = append(models, fixture.Must[*rr.Model](t)(rr.FitWith(t.Context(), fixed, fixture.Must[*problem.Problem](t)(p.Without(k)))))
	}
	at := 0
	err := p.WalkXU(t.Context(), p.X(), p.U(), func(k int, x, u *mat.Dense, _ moments.Weights) {
		var f, h mat.Dense
		models[k].F.PredictTo(&f, x)
		models[k].H.PredictTo(&h, u)
		for i := range f.RawMatrix().Rows {
			if b.held.x.of[0][at] != f.At(i, 0) || b.held.x.to[0][at] != h.At(i, 0) {
				t.Fatalf("row %d: f %g, h %g, want %g, %g", at, b.held.x.of[0][at], b.held.x.to[0][at], f.At(i, 0), h.At(i, 0))
			}
			at++
		}
	})
	if err != nil || at != b.held.x.rows() || b.held.y.rows() != 140-9 { // those without Y
		t.Errorf("%v; %d and %d rows", err, b.held.x.rows(), b.held.y.rows())
	}
}

// TestDependence: strengths and curves of a linear f are known: half the mean square of a_j (x_j - x'_j) over the variance, and lines of slope a_j.
func TestDependence(t *testing.T) {
	n := 380
	rnd := rand.New(rand.NewPCG(5, 5))
	var a, c, u []float64
	for i := range n {
		a, c = append(a, rnd.NormFloat64()), append(c, float64(i%4))
		u = append(u, 3*a[i]+2*c[i]+.01*rnd.NormFloat64())
	}
	xu := fixture.Columns(t, tables.Numbers("noise", func() (v []float64) {
		for range n {
			v = append(v, rnd.NormFloat64())
		}
		return v
	}()), tables.Numbers("a", a), tables.Numbers("c", c), tables.Numbers("u", u))
	uy := fixture.Columns(t, tables.Numbers("u", u), tables.Numbers("y", u))
	s := fitted(t, xu, uy, options{method: rr.TwoStep{LambdaF: rr.Value(0), LambdaH: rr.Value(0)}, folds: 3, se: true})
	linear := features.Spec{Kind: features.LinearFeatures}
	p := fixture.Must[*problem.Problem](t)(problem.Prepare(t.Context(), problem.Setup{Phi: linear, Psi: linear, Folds: 3}, xu, uy))
	s.Choice = fixture.Must[*search.Choice](t)(search.ChoiceOf(p, rr.TwoStep{LambdaF: rr.Value(1e-9), LambdaH: rr.Value(1e-9)}, riskOptions))
	m := fixture.Must[*rr.Model](t)(s.Choice.Fit(t.Context()))
	s.Model.Model = m
	s.Model.SetErrors(errorsOf(t, p, m))
	d := section(t, document(t, s), "What f depends on")
	var order []string
	for _, row := range d.Tables[0].Rows {
		order = append(order, row[0].Text)
	}
	if got := strings.Join(order, " "); got != "a c noise" {
		t.Errorf("the order of strengths is %s", got)
	}
	// Var f = 9 + 4·5/4; the columns are independent, and the sample is all rows: 0.1 is four standard errors of a mean of 380 squares.
	for i, want := range []float64{9. / 14, 5. / 14, 0} {
		if got := *d.Tables[0].Rows[i][1].Value; math.Abs(got-want) > .1 {
			t.Errorf("strength of %s is %.3f, want %.3f", order[i], got, want)
		}
	}
	for i, slope := range []float64{3, 2} {
		curve := d.Charts[i].Series[0]
		last := len(curve.X) - 1
		if got := (curve.Y[last] - curve.Y[0]) / (curve.X[last] - curve.X[0]); math.Abs(got-slope) > .02 {
			t.Errorf("the slope along %s is %.3f, want %g", order[i], got, slope)
		}
		if len(curve.Err) != last+1 || curve.Err[0] <= 0 {
			t.Errorf("standard errors along %s are %g", order[i], curve.Err)
		}
		if d.Charts[i].ReachY[0] != d.Charts[0].ReachY[0] {
			t.Error("the charts have several scales")
		}
	}
	if x := d.Charts[1].Series[0].X; !slices.Equal(x, []float64{0, 1, 2, 3}) {
		t.Errorf("few values are drawn at %g", x)
	}
}
