package effect

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"mediant/rr"
	"mediant/tables"
)

// experiments are rows of several experiments, in which U is moved by half of the effect of each, and 4,000 rows of (U, Y) with Y = 3 + 2 u + noise.
type experiments struct {
	name    []string
	arm, u  []float64
	effects map[string]float64
	uy      tables.Source
}

func drawExperiments(t testing.TB, n, rows int, mean, tau float64, seed uint64) (d experiments) {
	rnd := rand.New(rand.NewPCG(seed, 26))
	d.effects = make(map[string]float64)
	for e := range n {
		name := fmt.Sprintf("e%d", e+1)
		d.effects[name] = mean + tau*rnd.NormFloat64()
		level, share := rnd.NormFloat64()/2, .3+.4*rnd.Float64() // an experiment has people and a share of its own
		for range rows {
			arm := 0.
			if rnd.Float64() < share {
				arm = 1
			}
			d.name, d.arm, d.u = append(d.name, name), append(d.arm, arm), append(d.u, level+arm*d.effects[name]/2+rnd.NormFloat64())
		}
	}
	var u, y []float64
	for range 4000 {
		u = append(u, 2*rnd.NormFloat64())
		y = append(y, 3+2*u[len(u)-1]+rnd.NormFloat64())
	}
	d.uy = sourceOf(t, tables.Numbers("u", u), tables.Numbers("y", y))
	return d
}

func (d experiments) xu(t testing.TB) tables.Source {
	return sourceOf(t, tables.Strings("experiment", d.name), tables.Numbers("t", d.arm), tables.Numbers("u", d.u))
}

func (d experiments) truths(se float64) (truths []Truth) {
	for name, effect := range d.effects {
		truths = append(truths, Truth{Experiment: name, Output: "y", Effect: effect, SE: se})
	}
	return truths
}

func portfolioOf(t testing.TB, e Estimator, xu, uy tables.Source) *Portfolio {
	t.Helper()
	p, err := e.Portfolio(t.Context(), xu, uy, "experiment")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// near is for numbers of two ways of summing the same few hundred rows.
func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(1, math.Abs(b)) }

// TestOneExperiment: a portfolio of one experiment has its effect, error and interval.
func TestOneExperiment(t *testing.T) {
	d := drawExperiments(t, 1, 300, 1, 0, 1)
	e := Estimator{Setup: straight(3), Treatment: "t"}
	p := portfolioOf(t, e, d.xu(t), d.uy)
	want := estimated(t, e, sourceOf(t, tables.Numbers("t", d.arm), tables.Numbers("u", d.u)), d.uy)
	got, w := p.Effects[0], want.Effects[0]
	if len(p.Effects) != 1 || got.Group != "e1" || got.Arm != "" || !near(got.Value, w.Value) || !near(got.SE, w.SE) || !near(got.Lo, w.Lo) || got.Treated != want.Treated || got.Control != want.Control {
		t.Errorf("%+v, want %+v", got, w)
	}
	if got.Shrunken != nil || p.Shrinkages != nil || !slices.ContainsFunc(p.Notes, func(n string) bool { return strings.Contains(n, "needs at least 3") }) {
		t.Errorf("one effect is shrunken: %+v, notes %q", got.Shrunken, p.Notes)
	}
}

// TestPortfolioByHand: where h meets every Y, effects are twice the differences of means within the experiments, whatever the shares and levels of others.
func TestPortfolioByHand(t *testing.T) {
	d := drawExperiments(t, 4, 60, 1, 1, 2)
	xs := []float64{-6, -1, 0, 2, 5}
	var ys []float64
	for _, x := range xs {
		ys = append(ys, 3+2*x)
	}
	e := Estimator{Setup: straight(1), Treatment: "t", LambdaH: rr.Value(0), Mu: rr.Value(0)}
	p := portfolioOf(t, e, d.xu(t), sourceOf(t, tables.Numbers("u", xs), tables.Numbers("y", ys)))
	for _, got := range p.Effects {
		var arms [2][]float64
		for i, name := range d.name {
			if name == got.Group {
				arms[int(d.arm[i])] = append(arms[int(d.arm[i])], 2*d.u[i])
			}
		}
		m1, v1 := stat.MeanVariance(arms[1], nil)
		m0, v0 := stat.MeanVariance(arms[0], nil)
		if se := math.Sqrt(v1/float64(len(arms[1])) + v0/float64(len(arms[0]))); !near(got.Value, m1-m0) || !near(got.SE, se) {
			t.Errorf("%s: %g (%g), want %g (%g)", got.Group, got.Value, got.SE, m1-m0, se)
		}
	}
}

// TestPortfolioOfKnownEffects: 40 experiments of 200 rows with effects of mean .5 and standard deviation .4. Chances are of the fixed seed; 38 of 40 intervals are expected to hold.
func TestPortfolioOfKnownEffects(t *testing.T) {
	d := drawExperiments(t, 40, 200, .5, .4, 3)
	p := portfolioOf(t, Estimator{Setup: straight(5), Treatment: "t"}, d.xu(t), d.uy)
	if len(p.Effects) != 40 || len(p.LeftOut) != 0 || p.Effects[1].Group != "e2" || p.Effects[39].Group != "e40" {
		t.Fatalf("%d effects, left out %v", len(p.Effects), p.LeftOut)
	}
	if err := p.Backtest(d.truths(0)); err != nil {
		t.Fatal(err)
	}
	b, s := p.Backtests[0], p.Shrinkages[0]
	if b.Compared != 40 || b.Unknown != 0 || len(b.Unmatched) != 0 || *b.Raw.Coverage.Value < .85 || *b.Shrunken.Coverage.Value < .85 {
		t.Errorf("raw %+v, coverage %g and %g", b, *b.Raw.Coverage.Value, *b.Shrunken.Coverage.Value)
	}
	if raw, shrunken := *b.Raw.RMSE.Value, *b.Shrunken.RMSE.Value; shrunken >= raw || raw < .2 || raw > .45 { // an effect has the standard error 2 sqrt(4/200) or a little more
		t.Errorf("RMSE %g, shrunken %g", raw, shrunken)
	}
	if s.Mean.Lo > .5 || s.Mean.Hi < .5 || math.Abs(s.Tau-.4) > .15 || s.P > .01 {
		t.Errorf("shrinkage %+v", s)
	}
}

// TestPortfolioLeavesOut: what cannot be estimated is listed with its reason, and changes no other effect but for the common h.
func TestPortfolioLeavesOut(t *testing.T) {
	d := drawExperiments(t, 4, 80, 1, 1, 4)
	add := func(name string, arm, u float64, times int) {
		for i := range times {
			d.name, d.arm, d.u = append(d.name, name), append(d.arm, arm), append(d.u, u+float64(i)/100)
		}
	}
	add("one arm", 1, 0, 30)
	add("no control", 1, 0, 1)
	add("small", 0, 0, 40)
	add("small", 1, 0, 9)
	add("", 1, 0, 7)
	setup := straight(3)
	setup.AllRows = false
	add("far", 0, 0, 40)
	add("far", 1, 1000, 40)
	p := portfolioOf(t, Estimator{Setup: setup, Treatment: "t"}, d.xu(t), d.uy)
	reasons := make(map[string]string)
	for _, l := range p.LeftOut {
		reasons[l.Group] = fmt.Sprint(l.Rows, " ", l.Reason)
	}
	want := map[string]string{"one arm": "30 it has one arm alone, 1", "no control": "1 it has one arm alone, 1", "small": "49 its treated arms have 9 rows at most, at least 10 are needed",
		"far": "80 the second table lacks the U of 40 of the 40 rows of arm 1"}
	if !reflect.DeepEqual(reasons, want) || p.Unlabeled != 7 {
		t.Errorf("left out %v, want %v; %d rows without experiment", reasons, want, p.Unlabeled)
	}
	if len(p.Effects) != 4 || p.Rows.XU != 4*80+80 { // rows of "far" are read, and in no effect
		t.Errorf("%d effects of %+v", len(p.Effects), p.Rows)
	}
}

// TestPortfolioOfArms: each experiment has arms of its own, of which the small one is left out alone.
func TestPortfolioOfArms(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 26))
	var name, arm []string
	var u []float64
	add := func(experiment, level string, shift float64, n int) {
		for range n {
			name, arm, u = append(name, experiment), append(arm, level), append(u, shift+rnd.NormFloat64())
		}
	}
	add("first", "control", 0, 100)
	add("first", "A", 1, 100)
	add("first", "B", 2, 100)
	add("second", "control", 3, 100)
	add("second", "C", 4, 100)
	add("second", "A", 4, 5)
	uy := drawExperiments(t, 1, 20, 0, 0, 6).uy
	p := portfolioOf(t, Estimator{Setup: straight(3), Treatment: "t"}, sourceOf(t, tables.Strings("experiment", name), tables.Strings("t", arm), tables.Numbers("u", u)), uy)
	if !reflect.DeepEqual(p.LeftOut, []GroupLeftOut{{"second", "A", 5, "the arm has 5 rows, at least 10 are needed"}}) {
		t.Errorf("left out %+v", p.LeftOut)
	}
	for i, want := range []struct {
		group, arm string
		effect     float64
	}{{"first", "A", 2}, {"first", "B", 4}, {"second", "C", 2}} {
		if e := p.Effects[i]; e.Group != want.group || e.Arm != want.arm || e.Against != "control" || math.Abs(e.Value-want.effect) > 3.5*e.SE || e.Joint == nil {
			t.Errorf("%+v, want %+v", e, want)
		}
	}
}

func TestPortfolioRefuses(t *testing.T) {
	d := drawExperiments(t, 2, 30, 1, 0, 7)
	many := make([]string, 1100)
	manyArms := make([]float64, len(many))
	for i := range many {
		many[i], manyArms[i] = fmt.Sprint("e", i), float64(i%2)
	}
	for _, c := range []struct {
		e      Estimator
		xu     tables.Source
		column string
		want   string
	}{
		{Estimator{Treatment: "t"}, d.xu(t), "site", `no column "site"`},
		{Estimator{Treatment: "t"}, d.xu(t), "t", `experiment and treatment are one column, "t"`},
		{Estimator{Treatment: "t", Probability: rr.Value(.5)}, d.xu(t), "experiment", "within experiments the share of the treated is used"},
		{Estimator{Treatment: "t"}, sourceOf(t, tables.Strings("experiment", many), tables.Numbers("t", manyArms), tables.Numbers("u", make([]float64, 1100))), "experiment", "more than 1000 values"},
		{Estimator{Treatment: "t"}, sourceOf(t, tables.Strings("experiment", d.name), tables.Numbers("t", make([]float64, 60)), tables.Numbers("u", d.u)), "experiment", "has the levels \"0\""},
		{Estimator{Treatment: "t"}, sourceOf(t, tables.Strings("experiment", make([]string, 60)), tables.Numbers("t", d.arm), tables.Numbers("u", d.u)), "experiment", "is missing in every row with a treatment"},
	} {
		c.e.Setup = straight(2)
		_, err := c.e.Portfolio(t.Context(), c.xu, d.uy, c.column)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}

// TestShrinkBalanced: of equal variances v the restricted likelihood has the sample variance less v, and shrinks by v/(v + tau²).
func TestShrinkBalanced(t *testing.T) {
	y, v := []float64{1, 2, 4, 9}, mat.NewSymDense(4, nil) // mean 4, variance 38/3
	for i := range 4 {
		v.SetSym(i, i, 2)
	}
	s, err := Shrink(y, v)
	if err != nil {
		t.Fatal(err)
	}
	tau2 := 38./3 - 2
	b := tau2 / (tau2 + 2)
	if math.Abs(s.Tau*s.Tau-tau2) > 1e-6 || !near(s.Mean.Value, 4) || math.Abs(s.Mean.SE-math.Sqrt(38./12)) > 1e-6 || !near(s.Q, 19) {
		t.Errorf("%+v, want tau² %g", s, tau2)
	}
	for i, e := range s.Effects {
		se := math.Sqrt(b*2 + (1-b)*(1-b)*38/12)
		if math.Abs(e.Value-(4+b*(y[i]-4))) > 1e-6 || math.Abs(e.SE-se) > 1e-6 || math.Abs(e.Hi-e.Value-1.959964*se) > 1e-5 {
			t.Errorf("effect %d: %+v", i, e)
		}
	}
	for i := range 4 {
		v.SetSym(i, i, 50)
	}
	if s, err = Shrink(y, v); err != nil || s.Tau != 0 || !near(s.Effects[3].Value, 4) || !near(s.Effects[3].SE, math.Sqrt(12.5)) {
		t.Errorf("less than the errors explain: %+v, %v", s, err)
	}
}

// TestShrinkBCG has the published estimates of the 13 trials of the BCG vaccine, log relative risks [Viechtbauer, Journal of Statistical Software 36(3), 2010]: mu -0.7145 (0.1798), tau² 0.3132, Q 152.2330.
func TestShrinkBCG(t *testing.T) {
	counts := [][4]float64{{4, 119, 11, 128}, {6, 300, 29, 274}, {3, 228, 11, 209}, {62, 13536, 248, 12619}, {33, 5036, 47, 5761}, {180, 1361, 372, 1079}, {8, 2537, 10, 619},
		{505, 87886, 499, 87892}, {29, 7470, 45, 7232}, {17, 1699, 65, 1600}, {186, 50448, 141, 27197}, {5, 2493, 3, 2338}, {27, 16886, 29, 17825}}
	y, v := make([]float64, 13), mat.NewSymDense(13, nil)
	for i, c := range counts {
		y[i] = math.Log(c[0]/(c[0]+c[1])) - math.Log(c[2]/(c[2]+c[3]))
		v.SetSym(i, i, 1/c[0]-1/(c[0]+c[1])+1/c[2]-1/(c[2]+c[3]))
	}
	s, err := Shrink(y, v)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ got, want, tol float64 }{{s.Mean.Value, -.7145, 5e-5}, {s.Mean.SE, .1798, 5e-5}, {s.Tau * s.Tau, .3132, 5e-5}, {s.Q, 152.2330, 5e-5}} {
		if math.Abs(c.got-c.want) > c.tol {
			t.Errorf("%g, want %g", c.got, c.want)
		}
	}
}

// TestShrinkCorrelated compares with the formulas in matrices as they are written, at the tau² that was found, which no other exceeds in likelihood.
func TestShrinkCorrelated(t *testing.T) {
	rnd := rand.New(rand.NewPCG(8, 26))
	const n = 6
	y, v, ones := mat.NewVecDense(n, nil), mat.NewSymDense(n, nil), mat.NewVecDense(n, nil)
	root := mat.NewDense(n, n, nil)
	for i := range n {
		ones.SetVec(i, 1)
		y.SetVec(i, 2*rnd.NormFloat64())
		for j := range n {
			root.Set(i, j, rnd.NormFloat64()/2)
		}
	}
	v.SymOuterK(1, root)
	s, err := Shrink(y.RawVector().Data, v)
	if err != nil {
		t.Fatal(err)
	}
	likelihood := func(tau2 float64) (loss float64, w *mat.Dense, mean, variance float64) {
		var total, inverse mat.Dense
		total.CloneFrom(v)
		for i := range n {
			total.Set(i, i, total.At(i, i)+tau2)
		}
		if err := inverse.Inverse(&total); err != nil {
			t.Fatal(err)
		}
		variance = 1 / mat.Inner(ones, &inverse, ones)
		mean = variance * mat.Inner(ones, &inverse, y)
		e := mat.NewVecDense(n, nil)
		e.AddScaledVec(y, -mean, ones)
		det, _ := mat.LogDet(&total)
		return det - math.Log(variance) + mat.Inner(e, &inverse, e), &inverse, mean, variance
	}
	tau2 := s.Tau * s.Tau
	best, w, mean, variance := likelihood(tau2)
	for other := 0.; other < 20; other += .01 {
		if loss, _, _, _ := likelihood(other); loss < best-1e-9 {
			t.Fatalf("tau² %g has %g, and %g has %g", tau2, best, other, loss)
		}
	}
	for i, got := range s.Effects {
		value, own, left := mean, tau2, 1.
		for j := range n {
			value += tau2 * w.At(i, j) * (y.AtVec(j) - mean)
			left -= tau2 * w.At(i, j)
		}
		own -= tau2 * tau2 * w.At(i, i)
		if !near(got.Value, value) || !near(got.SE, math.Sqrt(own+left*left*variance)) {
			t.Errorf("effect %d: %+v, want %g (%g)", i, got, value, math.Sqrt(own+left*left*variance))
		}
	}
}

func TestShrinkRefuses(t *testing.T) {
	for want, v := range map[string]*mat.SymDense{"at least 3": mat.NewSymDense(2, []float64{1, 0, 0, 1}), "singular": mat.NewSymDense(3, nil), "not finite": mat.NewSymDense(3, []float64{1, 0, 0, 0, math.NaN(), 0, 0, 0, 1})} {
		if _, err := Shrink(make([]float64, v.SymmetricDim()), v); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// TestBacktestByHand has six effects of the standard error 1, of which two are significant: one rightly, one where the truth is 0.
func TestBacktestByHand(t *testing.T) {
	p := &Portfolio{Experiment: "experiment", Treatment: "t"}
	for i, v := range []float64{3, 4, -1, 1, 0, 1} {
		p.Effects = append(p.Effects, ExperimentEffect{GroupEffect: GroupEffect{Group: fmt.Sprint(i + 1), Estimate: Estimate{Output: "y", Interval: normalInterval(v, 1)}}})
	}
	truth := func(se float64, effects ...float64) (truths []Truth) {
		for i, v := range effects {
			truths = append(truths, Truth{Experiment: fmt.Sprint(i + 1), Output: "y", Effect: v, SE: se})
		}
		return append(truths, Truth{Experiment: "other", Output: "y"})
	}
	if err := p.Backtest(truth(0, 2, 0, 1, 2, 1)); err != nil {
		t.Fatal(err)
	}
	b := p.Backtests[0]
	is := func(what string, m Measured, value, se float64) {
		t.Helper()
		if m.Value == nil || math.Abs(*m.Value-value) > 1e-12 || m.SE == nil || math.Abs(*m.SE-se) > 1e-12 {
			t.Errorf("%s: %v", what, m)
		}
	}
	if b.Compared != 5 || b.Unknown != 1 || !reflect.DeepEqual(b.Unmatched, []string{"other"}) || b.Raw.Significant != 2 || b.Shrunken != nil {
		t.Errorf("%+v", b)
	}
	plusFour := func(count, of float64) float64 {
		p := (count + 2) / (of + 4)
		return math.Sqrt(p * (1 - p) / (of + 4))
	}
	is("coverage", b.Raw.Coverage, 3./5, plusFour(3, 5)) // misses 1, 4, -2, -1, -1
	is("signs", b.Raw.Signs, 2./4, plusFour(2, 4))       // right, (0), wrong, right, 0 is no sign
	is("false positives", b.Raw.FalsePositives, 1./2, plusFour(1, 2))
	is("mean error", b.Raw.MeanError, 1./5, stat.StdDev([]float64{1, 4, -2, -1, -1}, nil)/math.Sqrt(5))
	rmse := math.Sqrt(23. / 5)
	is("rmse", b.Raw.RMSE, rmse, stat.StdDev([]float64{1, 16, 4, 1, 1}, nil)/math.Sqrt(5)/(2*rmse))
	r := stat.Correlation([]float64{3, 4, -1, 1, 0}, []float64{2, 0, 1, 2, 1}, nil)
	is("correlation", b.Raw.Correlation, r, (1-r*r)/math.Sqrt(2))
	// With an error of 1.5 a difference of 3.53 is within chance, squares are less 2.25, and a truth of 2 is no effect.
	if err := p.Backtest(truth(1.5, 2, 0, 1, 2, 1)); err != nil {
		t.Fatal(err)
	}
	b = p.Backtests[0]
	is("coverage", b.Raw.Coverage, 4./5, plusFour(4, 5))
	is("false positives", b.Raw.FalsePositives, 1, plusFour(2, 2))
	if want := math.Sqrt(23./5 - 2.25); math.Abs(*b.Raw.RMSE.Value-want) > 1e-12 {
		t.Errorf("rmse %g, want %g", *b.Raw.RMSE.Value, want)
	}
	for want, truths := range map[string][]Truth{
		"two known effects": append(truth(0, 1), Truth{Experiment: "1", Output: "y"}),
		"must be finite":    truth(math.NaN(), 1),
		"none of the 1":     truth(0),
	} {
		if err := p.Backtest(truths); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

func TestReadTruths(t *testing.T) {
	p := &Portfolio{Experiment: "experiment", Treatment: "t", Effects: []ExperimentEffect{{GroupEffect: GroupEffect{Group: "1", Estimate: Estimate{Output: "y"}}}}}
	read := func(columns ...tables.ColumnData) ([]Truth, error) {
		return p.ReadTruths(t.Context(), sourceOf(t, columns...))
	}
	nan := math.NaN()
	got, err := read(tables.Numbers("experiment", []float64{1, 2}), tables.Numbers("effect", []float64{3, nan}), tables.Numbers("se", []float64{.5, nan}))
	if want := []Truth{{Experiment: "1", Output: "y", Effect: 3, SE: .5}}; err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, %v", got, err)
	}
	if got, err = read(tables.Strings("experiment", []string{"a"}), tables.Numbers("y", []float64{3})); err != nil || got[0].Effect != 3 || got[0].SE != 0 {
		t.Errorf("%v, %v", got, err)
	}
	for want, columns := range map[string][]tables.ColumnData{
		`experiment`:              {tables.Numbers("effect", []float64{1})},
		`"effect" is text`:        {tables.Strings("experiment", []string{"a"}), tables.Strings("effect", []string{"large"})},
		"no column":               {tables.Strings("experiment", []string{"a"}), tables.Numbers("lift", []float64{1})},
		"is NaN, must be":         {tables.Strings("experiment", []string{"a"}), tables.Numbers("effect", []float64{1}), tables.Numbers("se", []float64{nan})},
		`"experiment" is missing`: {tables.Strings("experiment", []string{""}), tables.Numbers("effect", []float64{1})},
	} {
		if _, err := read(columns...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	p.Effects[0].Arm = "high"
	if _, err := read(tables.Strings("experiment", []string{"a"}), tables.Numbers("effect", []float64{1})); err == nil || !strings.Contains(err.Error(), `"t"`) {
		t.Errorf("without arms: %v", err)
	}
}
