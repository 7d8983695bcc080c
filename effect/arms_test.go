package effect

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
	"pgregory.net/rapid"

	"mediant/features"
	"mediant/internal/slow"
	"mediant/internal/weighted"
	"mediant/problem"
	"mediant/risk"
	"mediant/rr"
	"mediant/tables"
)

func sourceOf(t testing.TB, columns ...tables.ColumnData) tables.Source {
	t.Helper()
	src, err := tables.FromColumns(columns...)
	if err != nil {
		t.Fatal(err)
	}
	return src
}

// threeArms are rows of arms 0, 1 and 2, in which the means of u and v are moved by half of the arm and by its square, and rows of u, v and y = 5 + u + v + noise. So the effects
// of arms 1 and 2 against 0 are 1.5 and 5.
type threeArms struct{ arm, u, v, ownU, ownV, y, z []float64 }

var threeEffects = []float64{1.5, 5}

func drawArms(n, m int, seed uint64) (d threeArms) {
	rnd := rand.New(rand.NewPCG(seed, 26))
	for range n {
		arm := float64(rnd.IntN(3))
		d.arm, d.u, d.v = append(d.arm, arm), append(d.u, arm/2+rnd.NormFloat64()), append(d.v, arm*arm+rnd.NormFloat64())
	}
	for range m {
		u, v := .5+1.5*rnd.NormFloat64(), 1+2.5*rnd.NormFloat64()
		d.ownU, d.ownV = append(d.ownU, u), append(d.ownV, v)
		d.y, d.z = append(d.y, 5+u+v+rnd.NormFloat64()), append(d.z, u-v+rnd.NormFloat64())
	}
	return d
}

func (d threeArms) uy(t testing.TB) tables.Source {
	return sourceOf(t, tables.Numbers("u", d.ownU), tables.Numbers("v", d.ownV), tables.Numbers("y", d.y))
}

func (d threeArms) xu(t testing.TB, arm tables.ColumnData) tables.Source {
	return sourceOf(t, arm, tables.Numbers("u", d.u), tables.Numbers("v", d.v))
}

// words are the arms as text.
func (d threeArms) words(levels ...string) tables.ColumnData {
	cells := make([]string, len(d.arm))
	for i, arm := range d.arm {
		cells[i] = levels[int(arm)]
	}
	return tables.Strings("arm", cells)
}

func straight(folds int) problem.Setup {
	return problem.Setup{Psi: features.Spec{Kind: features.LinearFeatures}, Folds: folds, AllRows: true}
}

func estimated(t testing.TB, e Estimator, xu, uy tables.Source) *Result {
	t.Helper()
	got, err := e.Estimate(context.Background(), xu, uy)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// TestArmsByHand: h meets every Y, so that effects are differences of means of U, whose variances are 1/3, 2/2 and 1/2, and the arm that is
// compared with both others is what their errors have in common.
func TestArmsByHand(t *testing.T) {
	xu := sourceOf(t, tables.Strings("arm", strings.Fields("c c c a a b b")), tables.Numbers("u", []float64{1, 2, 3, 3, 5, 8, 9}))
	uy := sourceOf(t, tables.Numbers("u", []float64{0, 2, 7, 9}), tables.Numbers("y", []float64{10, 12, 17, 19}))
	e := Estimator{Setup: straight(1), Treatment: "arm", Control: "c", LambdaH: rr.Value(0), Mu: rr.Value(0), Pairs: true}
	got := estimated(t, e, xu, uy)
	want := []struct {
		arm, against string
		value, se    float64
	}{{"a", "c", 2, math.Sqrt(1./3 + 1)}, {"b", "c", 6.5, math.Sqrt(1./3 + .25)}, {"b", "a", 4.5, math.Sqrt(1.25)}}
	for i, w := range want {
		if e := got.Effects[i]; e.Arm != w.arm || e.Against != w.against || math.Abs(e.Value-w.value) > 1e-12 || math.Abs(e.SE-w.se) > 1e-12 { // systems of condition below 100
			t.Errorf("%+v, want %+v", e, w)
		}
	}
	if len(got.Effects) != 3 || !reflect.DeepEqual(got.Arms, []Arm{{"c", 3, 0}, {"a", 2, 0}, {"b", 2, 0}}) || got.Treated != 4 || got.Control != 3 || math.Abs(got.Probability-4./7) > 1e-12 {
		t.Errorf("%+v", got)
	}
	e.Pairs = false
	if got := estimated(t, e, xu, uy); len(got.Effects) != 2 || got.Effects[1].Arm != "b" {
		t.Errorf("against the control: %+v", got.Effects)
	}
}

// TestArmsCovariance: two effects against one control have its variance in common, and outputs the covariance of their h; what r (y - h) of S_Y adds is that of
// its rows.
func TestArmsCovariance(t *testing.T) {
	d := drawArms(90, 60, 3)
	uy := sourceOf(t, tables.Numbers("u", d.ownU), tables.Numbers("v", d.ownV), tables.Numbers("y", d.y), tables.Numbers("z", d.z))
	e := Estimator{Setup: straight(3), Treatment: "arm", Control: "b"}
	xu := d.xu(t, d.words("a", "b", "c"))
	_, _, several, err := e.inArms(t.Context(), xu)
	if err != nil {
		t.Fatal(err)
	}
	run, err := e.prepare(t.Context(), several, xu, uy)
	if err != nil {
		t.Fatal(err)
	}
	if err := run.fit(t.Context()); err != nil {
		t.Fatal(err)
	}
	x, _, err := run.terms(t.Context(), run.contrasts, effectRows{run.p.Sources()[0], 1, func(_, _ int, h float64) float64 { return h }})
	if err != nil {
		t.Fatal(err)
	}
	y, err := run.corrections(t.Context(), run.r)
	if err != nil {
		t.Fatal(err)
	}
	cov, got := run.covariance(x, y, [2]bool{true, true}), estimated(t, e, xu, uy)
	for i, e := range got.Effects {
		if math.Abs(cov.At(i, i)/(e.SE*e.SE)-1) > 1e-9 {
			t.Errorf("effect %d has the variance %g, and %g among all", i, e.SE*e.SE, cov.At(i, i))
		}
	}
	control := x.joint[0].Covariance()
	for _, c := range []struct{ i, j, a, b int }{{0, 2, 0, 0}, {1, 3, 1, 1}, {0, 3, 0, 1}} { // of different arms
		if want := control.At(c.a, c.b) + y.joint.Covariance().At(c.i, c.j); math.Abs(cov.At(c.i, c.j)-want) > 1e-12 {
			t.Errorf("effects %d and %d have the covariance %g, want %g", c.i, c.j, cov.At(c.i, c.j), want)
		}
	}
}

// TestArmsInOtherWords: how arms are written does not change effects.
func TestArmsInOtherWords(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		d := drawArms(rapid.IntRange(60, 120).Draw(r, "n"), 60, rapid.Uint64Range(0, 1000).Draw(r, "seed"))
		e := Estimator{Setup: straight(2), Treatment: "arm", Control: "0", Pairs: rapid.Bool().Draw(r, "pairs")}
		want := estimated(t, e, d.xu(t, tables.Numbers("arm", d.arm)), d.uy(t))
		for _, c := range []struct {
			control string
			arm     tables.ColumnData
		}{
			{"0.0", tables.Numbers("arm", d.arm)}, {"0", d.words("0", "1", "2")}, {"a", d.words("a", "b", "c")}, {"", d.words("Placebo", "high", "low")},
			{"no drug", d.words("no drug", "a", "b")}, {"2.5", d.words("2.50", "10", "100")},
		} {
			e.Control = c.control
			got := estimated(t, e, d.xu(t, c.arm), d.uy(t))
			for i, w := range want.Effects {
				g := got.Effects[i]
				if g.Interval != w.Interval || *g.Joint != *w.Joint {
					r.Errorf("%q: %+v, want %+v", c.control, g, w)
				}
			}
		}
		// Another order of the levels is another order of the effects, up to rounding.
		e.Control, e.Pairs = "z", false
		got := estimated(t, e, d.xu(t, d.words("z", "b", "a")), d.uy(t))
		for i := range 2 {
			if g, w := got.Effects[1-i], want.Effects[i]; math.Abs(g.Value-w.Value) > 1e-9 || math.Abs(g.SE-w.SE) > 1e-9 {
				r.Errorf("in another order: %+v, want %+v", g, w)
			}
		}
	})
}

// TestTwoArmsAreArms: of two arms the way of several gives the effect, its interval and its bounds that the one of two gives.
func TestTwoArmsAreArms(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		d := drawArms(rapid.IntRange(100, 160).Draw(r, "n"), 80, rapid.Uint64Range(0, 1000).Draw(r, "seed"))
		for i := range d.arm {
			d.arm[i] = min(d.arm[i], 1)
			if i%9 == 0 {
				d.u[i] += 30 // where the second table has no row
			}
		}
		e := Estimator{Setup: straight(3), Treatment: "arm"}
		e.AllRows = false
		xu, uy := d.xu(t, tables.Numbers("arm", d.arm)), d.uy(t)
		want := estimated(t, e, xu, uy)
		got, err := e.estimateAll(context.Background(), newArms(tables.Column{Name: "arm", Kind: tables.Numeric}, []string{"0", "1"}, 0), xu, uy)
		if err != nil {
			t.Fatal(err)
		}
		a, b := got.Effects[0], want.Effects[0]
		if a.Bounds == nil || b.Bounds == nil || got.Arms[1].NoOverlap != want.NoOverlap.Treated || *got.NoOverlap != *want.NoOverlap {
			t.Fatalf("bounds %v and %v", a.Bounds, b.Bounds)
		}
		for i, pair := range [][2]float64{{a.Value, b.Value}, {a.SE, b.SE}, {a.Lo, b.Lo}, {a.Hi, b.Hi}, {a.Joint.Lo, b.Lo}, {a.Joint.Hi, b.Hi}, {a.Bounds.Lo, b.Bounds.Lo}, {a.Bounds.Hi, b.Bounds.Hi},
			{a.Bounds.Lower, b.Bounds.Lower}, {a.Bounds.Upper, b.Bounds.Upper}, {got.Probability, want.Probability}, {got.Mu, want.Mu}} {
			if math.Abs(pair[0]-pair[1]) > 1e-8*(1+math.Abs(pair[1])) {
				r.Errorf("number %d is %g of several arms and %g of two", i, pair[0], pair[1])
			}
		}
		// The level that is named says which of two is treated, whether it is this one or the other, to the bit.
		levels := d.xu(t, d.words("old", "new", ""))
		treated, control := e, e
		treated.Treated, control.Control = "new", "old"
		one, other := estimated(t, treated, levels, uy), estimated(t, control, levels, uy)
		if !reflect.DeepEqual(one, other) || one.Effects[0].Interval != want.Effects[0].Interval || one.Arms != nil || one.Effects[0].Joint != nil {
			r.Errorf("%+v and %+v, want %+v", one, other, want)
		}
	})
}

// TestJointQuantile: of one effect it is that of one, of effects without a correlation that of independent ones, and of effects that are one and
// the same that of one.
func TestJointQuantile(t *testing.T) {
	equal, none := mat.NewSymDense(3, nil), mat.NewSymDense(3, nil)
	for i := range 3 {
		none.SetSym(i, i, float64(i+1))
		for j := range 3 {
			equal.SetSym(i, j, 4)
		}
	}
	// A quantile of 20,000 draws has the standard error sqrt(.05 .95/20000)/density = 0.013: the density of the greatest is about .12.
	independent := distuv.UnitNormal.Quantile((1 + math.Pow(.95, 1./3)) / 2)
	for _, c := range []struct {
		cov       *mat.SymDense
		want, tol float64
	}{{mat.NewSymDense(1, []float64{7}), weighted.Normal95, 0}, {equal, weighted.Normal95, .06}, {none, independent, .06}} {
		if got := jointQuantile(c.cov, 1); math.Abs(got-c.want) > c.tol {
			t.Errorf("the quantile is %g, want %g", got, c.want)
		}
	}
	single := risk.NewInterval(2, 9, 12)
	if got := jointInterval(single, 12, weighted.Normal95); math.Abs(got.Lo-single.Lo) > 1e-9 || math.Abs(got.Hi-single.Hi) > 1e-9 {
		t.Errorf("the joint interval of one effect is %+v, want %+v", got, single)
	}
}

// TestJointIntervalsAreWider: about the same estimate, by one factor if rows are many.
func TestJointIntervalsAreWider(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		d := drawArms(rapid.IntRange(60, 150).Draw(r, "n"), 70, rapid.Uint64Range(0, 1000).Draw(r, "seed"))
		e := Estimator{Setup: straight(2), Treatment: "arm", Control: "a", Pairs: rapid.Bool().Draw(r, "pairs")}
		for _, e := range estimated(t, e, d.xu(t, d.words("a", "b", "c")), d.uy(t)).Effects {
			ratio := (e.Joint.Hi - e.Joint.Lo) / (e.Hi - e.Lo)
			if !(ratio > 1.05 && ratio < 1.35) || math.Abs(e.Joint.Hi+e.Joint.Lo-2*e.Value) > 1e-9 { // Bonferroni of three is 1.22, and more of few rows
				r.Errorf("%+v of %+v: ratio %g", e.Joint, e.Interval, ratio)
			}
		}
	})
}

// TestArmsForAnyThreads: the same bits.
func TestArmsForAnyThreads(t *testing.T) {
	d := drawArms(200, 200, 4)
	e := Estimator{Setup: problem.Setup{Psi: features.Spec{Size: 32}}, Treatment: "arm", Control: "a", Pairs: true}
	run := func(threads int) *Result {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(threads))
		return estimated(t, e, d.xu(t, d.words("a", "b", "c")), d.uy(t))
	}
	if one, three := run(1), run(3); !reflect.DeepEqual(one, three) {
		t.Errorf("%+v by one thread, %+v by three", one, three)
	}
}

func TestArmsRefuse(t *testing.T) {
	d := drawArms(60, 40, 5)
	text := d.words("a", "b", "c")
	lone := make([]string, 60)
	many := make([]float64, 60)
	for i := range lone {
		lone[i], many[i] = []string{"a", "b"}[i%2], float64(i)
	}
	lone[7] = "c"
	for _, c := range []struct {
		e    Estimator
		arm  tables.ColumnData
		says string
	}{
		{Estimator{Control: "x"}, text, `no level "x": it has the levels "a", "b", "c"`},
		{Estimator{}, text, `which of them is the control is not set`},
		{Estimator{}, d.words("control", "none", "c"), `which of them is the control is not set`},
		{Estimator{Treated: "b"}, text, "must have two"},
		{Estimator{Treated: "b", Control: "a"}, text, "both set"},
		{Estimator{Control: "a", Probability: rr.Value(.5)}, text, "is of two arms"},
		{Estimator{Control: "a"}, tables.Strings("arm", lone), `"c" in 1 rows`},
		{Estimator{Control: "1"}, tables.Numbers("arm", many), "more than 50 levels"},
		{Estimator{}, tables.Numbers("arm", d.arm), "must be 0 or 1"},
		{Estimator{}, d.words("", "", ""), "missing in every row"},
		{Estimator{Control: "a", Setup: problem.Setup{Memory: 20000}}, text, "raise the limit"},
	} {
		c.e.Treatment, c.e.Psi = "arm", features.Spec{Kind: features.LinearFeatures}
		if _, err := c.e.Estimate(context.Background(), d.xu(t, c.arm), d.uy(t)); err == nil || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v, want one that says %s", err, c.says)
		}
	}
	for i, arm := range d.arm {
		if arm == 2 {
			d.u[i] += 50
		}
	}
	if _, err := (Estimator{Treatment: "arm", Control: "a"}).Estimate(context.Background(), d.xu(t, text), d.uy(t)); err == nil || !strings.Contains(err.Error(), `"c" rows`) {
		t.Errorf("an arm without overlap: %v", err)
	}
}

// TestArmsJointly: of 300 draws 285 are expected to have all three effects in their joint intervals, with a standard deviation of 3.8; fewer than 272 or
// more than 296 has odds below 2e-3. All three of single intervals hold in fewer.
func TestArmsJointly(t *testing.T) {
	slow.Only(t)
	const draws = 300
	joint, single := 0, 0
	truth := append(slices.Clone(threeEffects), threeEffects[1]-threeEffects[0])
	for seed := range draws {
		d := drawArms(240, 300, uint64(1000+seed))
		got := estimated(t, Estimator{Setup: straight(4), Treatment: "arm", Control: "a", Pairs: true}, d.xu(t, d.words("a", "b", "c")), d.uy(t))
		all, each := true, true
		for i, e := range got.Effects {
			all = all && e.Joint.Lo <= truth[i] && truth[i] <= e.Joint.Hi
			each = each && e.Lo <= truth[i] && truth[i] <= e.Hi
		}
		if all {
			joint++
		}
		if each {
			single++
		}
	}
	t.Logf("joint intervals hold in %d, single ones in %d of %d draws", joint, single, draws)
	if joint < 272 || joint > 296 || single > joint-8 {
		t.Errorf("joint intervals hold in %d, single ones in %d of %d draws", joint, single, draws)
	}
}

// surrogates draws case 55 of the collection of cases: two scores that carry the effect, of which a share is missing at random in both tables.
func surrogates(n, m int, share float64, seed uint64) (treated, s1, s2, own1, own2, y []float64) {
	rnd := rand.New(rand.NewPCG(seed, 55))
	missing := func(v float64) float64 {
		if rnd.Float64() < share {
			return math.NaN()
		}
		return v
	}
	for range n {
		t := float64(rnd.IntN(2))
		treated, s1, s2 = append(treated, t), append(s1, missing(.6*t+1.5*rnd.NormFloat64())), append(s2, missing(.5*t+rnd.NormFloat64()))
	}
	for range m {
		a, b := .3+1.6*rnd.NormFloat64(), .2+1.2*rnd.NormFloat64()
		own1, own2, y = append(own1, missing(a)), append(own2, missing(b)), append(y, 15+2*a+2*b+rnd.NormFloat64())
	}
	return treated, s1, s2, own1, own2, y
}

// TestMissingSurrogates is of the kind of case 55: with 30 % of two surrogates missing the estimate is three standard errors below the effect of 2.2, which is said with what
// is missing and what complete rows give, and complete rows alone hold it.
func TestMissingSurrogates(t *testing.T) {
	treated, s1, s2, own1, own2, y := surrogates(4000, 6000, .3, 1)
	xu := sourceOf(t, tables.Numbers("t", treated), tables.Numbers("s1", s1), tables.Numbers("s2", s2))
	uy := sourceOf(t, tables.Numbers("s1", own1), tables.Numbers("s2", own2), tables.Numbers("y", y))
	e := Estimator{Setup: problem.Setup{Psi: features.Spec{Kind: features.PolynomialFeatures, Degree: 2}}, Treatment: "t"}
	all := estimated(t, e, xu, uy)
	e.CompleteU = true
	complete := estimated(t, e, xu, uy)
	if one := all.Effects[0]; one.Hi > 2.2 {
		t.Errorf("with missing U: %+v, which holds 2.2: the test shows nothing", one)
	}
	if one := complete.Effects[0]; one.Lo > 2.2 || one.Hi < 2.2 {
		t.Errorf("of complete rows: %+v, which should hold 2.2", one)
	}
	count := func(of ...[]float64) (n int) {
		for i := range of[0] {
			if slices.ContainsFunc(of, func(c []float64) bool { return math.IsNaN(c[i]) }) {
				n++
			}
		}
		return n
	}
	want := &MissingU{Columns: []MissingColumn{{"s1", count(s1), count(own1)}, {"s2", count(s2), count(own2)}}, XU: MissingRows{count(s1, s2), 4000}, UY: MissingRows{count(own1, own2), 6000}, Complete: complete.Effects}
	if !reflect.DeepEqual(all.Missing, want) {
		t.Errorf("missing %+v, want %+v", all.Missing, want)
	}
	want.LeftOut, want.Complete = true, nil
	if !reflect.DeepEqual(complete.Missing, want) || complete.Treated+complete.Control != 4000-want.XU.Rows || complete.Rows.UY != 6000-want.UY.Rows {
		t.Errorf("complete: %+v", complete)
	}
	// They are what tables of these rows alone give.
	keep := func(all []float64, of ...[]float64) (left []float64) {
		for i, v := range all {
			if !slices.ContainsFunc(of, func(c []float64) bool { return math.IsNaN(c[i]) }) {
				left = append(left, v)
			}
		}
		return left
	}
	e.CompleteU = false
	alone := estimated(t, e, sourceOf(t, tables.Numbers("t", keep(treated, s1, s2)), tables.Numbers("s1", keep(s1, s1, s2)), tables.Numbers("s2", keep(s2, s1, s2))),
		sourceOf(t, tables.Numbers("s1", keep(own1, own1, own2)), tables.Numbers("s2", keep(own2, own1, own2)), tables.Numbers("y", keep(y, own1, own2))))
	if !reflect.DeepEqual(alone.Effects, complete.Effects) || alone.Missing != nil {
		t.Errorf("tables without these rows: %+v, want %+v", alone, complete)
	}
}

// TestMissingOfWeightsAndArms: rows count by their weight, an arm or a table without a complete row is an error that says so, and no error where complete rows are
// only beside the estimate.
func TestMissingOfWeightsAndArms(t *testing.T) {
	d := drawArms(120, 60, 8)
	weights := make([]float64, 120)
	rows := 0
	for i := range d.u {
		weights[i] = float64(i % 4)
		if d.arm[i] == 1 {
			d.u[i] = math.NaN()
			rows += i % 4
		}
	}
	d.ownU[3] = math.NaN()
	e := Estimator{Setup: straight(2), Treatment: "arm", Control: "a"}
	e.Roles.WeightsXU = "w"
	xu := sourceOf(t, d.words("a", "b", "c"), tables.Numbers("u", d.u), tables.Numbers("v", d.v), tables.Numbers("w", weights))
	got := estimated(t, e, xu, d.uy(t))
	if m := got.Missing; m == nil || m.XU != (MissingRows{rows, 180}) || m.UY != (MissingRows{1, 60}) || m.Complete != nil || !strings.Contains(m.NoComplete, `"b" in no row`) || !reflect.DeepEqual(m.Columns, []MissingColumn{{"u", rows, 1}}) {
		t.Errorf("missing %+v, want %d of 180 rows", m, rows)
	}
	e.CompleteU = true
	if _, err := e.Estimate(context.Background(), xu, d.uy(t)); err == nil || !strings.Contains(err.Error(), `"b" in no row`) {
		t.Errorf("an arm without complete rows: %v", err)
	}
	for i := range d.ownV {
		d.ownV[i] = math.NaN()
	}
	if _, err := e.Estimate(context.Background(), xu, d.uy(t)); err == nil || !strings.Contains(err.Error(), `complete in no row of the table of U and Y: "v" is missing in 60 of 60 rows`) {
		t.Errorf("a table without complete rows: %v", err)
	}
}

// TestMissingText: text has missing cells, too, and no U that is missing is nothing to say.
func TestMissingText(t *testing.T) {
	text := make([]string, 60)
	u, y, arm := make([]float64, 60), make([]float64, 60), make([]float64, 60)
	for i := range text {
		text[i], arm[i], y[i] = fmt.Sprint("l", i%3), float64(i/3%2), float64(i%5)
		u[i] = float64(i % 7)
	}
	run := func() *Result {
		return estimated(t, Estimator{Setup: straight(2), Treatment: "t"}, sourceOf(t, tables.Numbers("t", arm), tables.Strings("word", text), tables.Numbers("u", u)),
			sourceOf(t, tables.Strings("word", text), tables.Numbers("u", u), tables.Numbers("y", y)))
	}
	if got := run(); got.Missing != nil {
		t.Errorf("missing %+v, want none", got.Missing)
	}
	text[4], text[9] = "", ""
	if got := run(); got.Missing == nil || !reflect.DeepEqual(got.Missing.Columns, []MissingColumn{{"word", 2, 2}}) || len(got.Missing.Complete) != 1 {
		t.Errorf("missing %+v, want 2 and 2 of word", got.Missing)
	}
}
