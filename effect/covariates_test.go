package effect

import (
	"context"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"mediant/features"
	"mediant/problem"
	"mediant/risk"
	"mediant/rr"
	"mediant/tables"
	"mediant/tables/copies"
)

// A study has the covariates x and z, a treatment of which x and z decide the probability p, and U = (u, v) of which the treatment moves u by 1/2, and v by 1/4 and as much as z in the mean. The
// cohort has Y = u + 2 v + noise. So the effect is 1.
type study struct{ t, x, z, p, u, v, ownU, ownV, y []float64 }

const studyEffect = 1

func drawStudy(n, m int, slope float64, seed uint64) (d study) {
	rnd := rand.New(rand.NewPCG(seed, 260))
	for range n {
		x, z := rnd.NormFloat64(), rnd.NormFloat64()
		p := 1 / (1 + math.Exp(-slope*(x+z)))
		t := 0.0
		if rnd.Float64() < p {
			t = 1
		}
		d.t, d.x, d.z, d.p = append(d.t, t), append(d.x, x), append(d.z, z), append(d.p, p)
		d.u, d.v = append(d.u, .5*t+x*x/2+x+rnd.NormFloat64()/2), append(d.v, .25*t+z*(1+t)/2+rnd.NormFloat64()/2)
	}
	for range m {
		u, v := .5+2*rnd.NormFloat64(), 1.5*rnd.NormFloat64()
		d.ownU, d.ownV, d.y = append(d.ownU, u), append(d.ownV, v), append(d.y, u+2*v+rnd.NormFloat64())
	}
	return d
}

func (d study) xu(t testing.TB, more ...tables.ColumnData) tables.Source {
	return sourceOf(t, append([]tables.ColumnData{tables.Numbers("t", d.t), tables.Numbers("x", d.x), tables.Numbers("z", d.z), tables.Numbers("p", d.p), tables.Numbers("u", d.u), tables.Numbers("v", d.v)}, more...)...)
}

func (d study) uy(t testing.TB) tables.Source {
	return sourceOf(t, tables.Numbers("u", d.ownU), tables.Numbers("v", d.ownV), tables.Numbers("y", d.y))
}

// off is how many standard errors an estimate is from the truth.
func off(r *Result) float64 { return math.Abs(r.Effects[0].Value-studyEffect) / r.Effects[0].SE }

// TestConfounding: the difference of arms is far off, and is not with a propensity, known or estimated. An estimate off by 3 standard errors has probability 0.003 for another seed.
func TestConfounding(t *testing.T) {
	d := drawStudy(1500, 1500, 1, 1)
	xu, uy := d.xu(t), d.uy(t)
	e := Estimator{Treatment: "t", Setup: straight(5)}
	if naive := estimated(t, e, xu, uy); off(naive) < 8 || naive.Propensity != nil || naive.X != nil {
		t.Errorf("the difference of arms is off by %.1f standard errors: %+v", off(naive), naive.Effects[0])
	}
	for _, own := range []Estimator{
		{Propensity: "p"}, {X: []string{"x", "z"}, Propensity: "p"}, {X: []string{"x", "z"}, Propensity: EstimatePropensity},
		{X: []string{"x,z"}, Propensity: EstimatePropensity, Trim: rr.Value(0)},
	} {
		own.Treatment, own.Setup = e.Treatment, e.Setup
		got := estimated(t, own, xu, uy)
		p := got.Propensity
		if off(got) > 3 || p == nil || p.Of != 1500 || len(p.Arms) != 2 || got.Treated+got.Control+p.Trimmed != 1500 {
			t.Errorf("%+v: off by %.1f: %+v, %+v", own, off(got), got.Effects[0], p)
		}
		treated := p.Arms[1]
		if !(treated.Own[3] > treated.Others[3]+.1) || treated.Own[0] < 0 || treated.Own[6] > 1 || !(treated.Effective > 100 && treated.Effective < float64(treated.Rows)) {
			t.Errorf("propensity %+v", treated)
		}
	}
}

// TestCovariatesSharpen: of a randomised treatment the estimate stays where it is, and its error becomes less.
func TestCovariatesSharpen(t *testing.T) {
	d := drawStudy(1000, 2000, 0, 2)
	e := Estimator{Treatment: "t", Setup: straight(5)}
	plain := estimated(t, e, d.xu(t), d.uy(t))
	e.X = []string{"x", "z"}
	got := estimated(t, e, d.xu(t), d.uy(t))
	if off(plain) > 3 || off(got) > 3 || !(got.Effects[0].SE < .75*plain.Effects[0].SE) || !reflect.DeepEqual(got.X, []string{"x", "z"}) {
		t.Errorf("%+v without, %+v with covariates", plain.Effects[0], got.Effects[0])
	}
	if got.Treated != plain.Treated || got.Control != plain.Control || got.Probability != plain.Probability {
		t.Errorf("%+v, %+v", plain, got)
	}
	rnd, noise := rand.New(rand.NewPCG(1, 1)), make([]float64, 1000)
	for i := range noise {
		noise[i] = rnd.NormFloat64()
	}
	e.X = []string{"noise"}
	vain := estimated(t, e, d.xu(t, tables.Numbers("noise", noise)), d.uy(t))
	if ratio := vain.Effects[0].SE / plain.Effects[0].SE; math.Abs(ratio-1) > .03 || math.Abs(vain.Effects[0].Value-plain.Effects[0].Value) > plain.Effects[0].SE/2 {
		t.Errorf("%+v without, %+v with a covariate that predicts nothing", plain.Effects[0], vain.Effects[0])
	}
}

// TestConstantPropensity is the difference of arms, whatever the constant: weights have the mean 1 in each arm.
func TestConstantPropensity(t *testing.T) {
	d := drawStudy(300, 200, 0, 3)
	for i := range d.p {
		d.p[i] = .45
	}
	e := Estimator{Treatment: "t", Setup: straight(3)}
	want := estimated(t, e, d.xu(t), d.uy(t)).Effects[0]
	e.Propensity = "p"
	got := estimated(t, e, d.xu(t), d.uy(t)).Effects[0]
	if math.Abs(got.Value-want.Value) > 1e-9 || math.Abs(got.SE/want.SE-1) > .01 {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// TestTrimmedRowsAreNotThere: the estimate is that of a table without them.
func TestTrimmedRowsAreNotThere(t *testing.T) {
	d := drawStudy(200, 150, 1, 4)
	var short study
	for i, p := range d.p {
		if p >= .2 && p <= .8 {
			short.t, short.x, short.z, short.p = append(short.t, d.t[i]), append(short.x, d.x[i]), append(short.z, d.z[i]), append(short.p, p)
			short.u, short.v = append(short.u, d.u[i]), append(short.v, d.v[i])
		}
	}
	e := Estimator{Treatment: "t", Setup: straight(1), X: []string{"x"}, Propensity: "p", Trim: rr.Value(.2), LambdaH: rr.Value(0), Mu: rr.Value(1e-8)}
	e.Phi, e.NoStandardize = features.Spec{Kind: features.LinearFeatures}, true
	got, want := estimated(t, e, d.xu(t), d.uy(t)), estimated(t, e, short.xu(t), d.uy(t))
	if math.Abs(got.Effects[0].Value-want.Effects[0].Value) > 1e-6 || math.Abs(got.Effects[0].SE-want.Effects[0].SE) > 1e-6 {
		t.Errorf("%+v, want %+v", got.Effects[0], want.Effects[0])
	}
	if p := got.Propensity; p.Trimmed != 200-len(short.p) || p.Of != 200 || p.Trimmed != p.Arms[0].Trimmed+p.Arms[1].Trimmed || p.Trim != .2 || want.Propensity.Trimmed != 0 || got.DroppedXU != 0 {
		t.Errorf("%+v", p)
	}
}

// TestFrequenciesOfCovariates: a row of weight k is k rows.
func TestFrequenciesOfCovariates(t *testing.T) {
	d := drawStudy(120, 100, .5, 5)
	var weights []float64
	var long study
	for i := range d.t {
		weights = append(weights, float64(1+i%3))
		for range 1 + i%3 {
			long.t, long.x, long.z, long.p = append(long.t, d.t[i]), append(long.x, d.x[i]), append(long.z, d.z[i]), append(long.p, d.p[i])
			long.u, long.v = append(long.u, d.u[i]), append(long.v, d.v[i])
		}
	}
	e := Estimator{Treatment: "t", Setup: straight(1), X: []string{"x", "z"}, Propensity: EstimatePropensity, LambdaH: rr.Value(0), Mu: rr.Value(1e-8)}
	e.Phi, e.Copies = features.Spec{Kind: features.LinearFeatures}, copies.Keep
	want := estimated(t, e, long.xu(t), d.uy(t))
	e.Roles.WeightsXU = "w"
	got := estimated(t, e, d.xu(t, tables.Numbers("w", weights)), d.uy(t))
	if math.Abs(got.Effects[0].Value-want.Effects[0].Value) > 1e-5 || math.Abs(got.Effects[0].SE-want.Effects[0].SE) > 1e-5 || got.Propensity.Of != want.Propensity.Of {
		t.Errorf("%+v, want %+v", got.Effects[0], want.Effects[0])
	}
}

// TestClustersOfCovariates: rows that are there twice, as a cluster, tell as much as once.
func TestClustersOfCovariates(t *testing.T) {
	d := drawStudy(150, 120, .5, 18)
	var twice study
	var cluster []float64
	for i := range d.t {
		if i%4 == 0 {
			d.v[i] = math.NaN()
		}
		for range 2 {
			twice.t, twice.x, twice.z, twice.p = append(twice.t, d.t[i]), append(twice.x, d.x[i]), append(twice.z, d.z[i]), append(twice.p, d.p[i])
			twice.u, twice.v, cluster = append(twice.u, d.u[i]), append(twice.v, d.v[i]), append(cluster, float64(i))
		}
	}
	e := Estimator{Treatment: "t", Setup: straight(1), X: []string{"x", "z"}, Propensity: EstimatePropensity, CompleteU: true, WeighU: true, LambdaH: rr.Value(0), Mu: rr.Value(1e-8)}
	e.Phi, e.Copies = features.Spec{Kind: features.LinearFeatures}, copies.Keep
	want := estimated(t, e, d.xu(t), d.uy(t)).Effects[0]
	e.Roles.ClusterXU = "c"
	r := estimated(t, e, twice.xu(t, tables.Numbers("c", cluster)), d.uy(t))
	got := r.Effects[0]
	if math.Abs(got.Value-want.Value) > 1e-4 || math.Abs(got.SE/want.SE-1) > .01 || r.Clusters == nil || r.Clusters.XU != 150 {
		t.Errorf("%+v, want %+v; clusters %+v", got, want, r.Clusters)
	}
	e.Roles.ClusterXU = ""
	if rows := estimated(t, e, twice.xu(t), d.uy(t)).Effects[0]; !(rows.SE < .9*want.SE) {
		t.Errorf("without clusters the error is %g, of single rows %g", rows.SE, want.SE)
	}
}

// TestPropensityOfArms: three arms whose probabilities x decides, each with the effect of its own on u.
func TestPropensityOfArms(t *testing.T) {
	d := drawStudy(1500, 1500, 0, 6)
	rnd, arm := rand.New(rand.NewPCG(7, 7)), make([]string, 1500)
	for i, x := range d.x {
		e := []float64{1, math.Exp(x), math.Exp(-x)}
		at := rnd.Float64() * (e[0] + e[1] + e[2])
		level := 0
		for at > e[level] {
			at, level = at-e[level], level+1
		}
		arm[i] = []string{"none", "low", "high"}[level]
		d.u[i] = float64(level) + x + rnd.NormFloat64()/2
		d.v[i] = rnd.NormFloat64()
	}
	xu := sourceOf(t, tables.Strings("arm", arm), tables.Numbers("x", d.x), tables.Numbers("u", d.u), tables.Numbers("v", d.v))
	e := Estimator{Treatment: "arm", X: []string{"x"}, Propensity: EstimatePropensity, Setup: straight(5)}
	got := estimated(t, e, xu, d.uy(t))
	for _, of := range got.Effects {
		truth := map[string]float64{"low": 1, "high": 2}[of.Arm]
		if math.Abs(of.Value-truth) > 3*of.SE || of.Joint == nil || !(of.Joint.Lo < of.Lo && of.Hi < of.Joint.Hi) {
			t.Errorf("%+v, want %g", of, truth)
		}
	}
	if p := got.Propensity; len(p.Arms) != 3 || p.Arms[0].Level != "none" {
		t.Errorf("%+v", p)
	}
	e.X, e.Propensity = nil, "x"
	if _, err := e.Estimate(context.Background(), xu, d.uy(t)); err == nil || !strings.Contains(err.Error(), "for two arms") {
		t.Errorf("a column for three arms: %v", err)
	}
}

// TestCovariateOfBothTables: a column of U that was measured before the treatment adjusts as well if it is named, and a pattern passes over it.
func TestCovariateOfBothTables(t *testing.T) {
	d := drawStudy(1000, 1000, .7, 8)
	rnd := rand.New(rand.NewPCG(9, 9))
	own := make([]float64, 1000)
	for i := range own {
		own[i] = rnd.NormFloat64()
	}
	for i, x := range d.x {
		d.v[i] = .25*d.t[i] + x/2 + rnd.NormFloat64()/2
	}
	uy := sourceOf(t, tables.Numbers("u", d.ownU), tables.Numbers("v", d.ownV), tables.Numbers("x", own), tables.Numbers("y", d.y))
	e := Estimator{Treatment: "t", X: []string{"x", "z"}, Propensity: EstimatePropensity, Setup: straight(5)}
	got := estimated(t, e, d.xu(t), uy)
	if off(got) > 3 || !reflect.DeepEqual(got.X, []string{"x", "z"}) || !reflect.DeepEqual(got.U, []string{"x", "u", "v"}) {
		t.Errorf("off by %.1f: %+v, x %v, u %v", off(got), got.Effects[0], got.X, got.U)
	}
	e.X = []string{"*"}
	if got := estimated(t, e, d.xu(t), uy); !reflect.DeepEqual(got.X, []string{"z", "p"}) {
		t.Errorf("* names the covariates %v", got.X)
	}
}

// TestAdjustedWithinGroups: the effect in a group is that of its rows alone, up to the units of covariates, which are those of all rows, and those whose arms cannot be adjusted are left out. All groups have one effect.
func TestAdjustedWithinGroups(t *testing.T) {
	const n = 1200
	d := drawStudy(n, n, 1, 21)
	label, number, arm := make([]string, n), make([]float64, n), make([]string, n)
	for i := range label {
		label[i], number[i] = []string{"a", "b", "c"}[i%3], float64(i%3)
		arm[i] = []string{"control", "new"}[int(d.t[i])]
		if i%3 == 2 && i > 90 { // a group of 30 rows, 15 of them in two folds
			label[i] = ""
		}
	}
	xu := func(keep func(i int) bool) tables.Source {
		src, err := tables.Keep(context.Background(), d.xu(t, tables.Strings("group", label), tables.Numbers("number", number), tables.Strings("arm", arm)), countOf(n, keep), keep)
		if err != nil {
			t.Fatal(err)
		}
		return src
	}
	linear := features.Spec{Kind: features.LinearFeatures}
	setup := problem.Setup{Phi: linear, Psi: linear, NoStandardize: true, AllRows: true, Folds: 5, Roles: tables.RoleOptions{U: []string{"u", "v"}, Y: []string{"y"}}}
	for name, e := range map[string]Estimator{
		"covariates":          {X: []string{"x", "z"}},
		"known":               {Propensity: "p"},
		"estimated, trimmed":  {X: []string{"x", "z"}, Propensity: EstimatePropensity, Trim: rr.Value(.1)},
		"known, of two words": {Treatment: "arm", Control: "control", X: []string{"z"}, Propensity: "p"},
	} {
		if e.Treatment == "" {
			e.Treatment = "t"
		}
		e.Setup, e.LambdaH, e.Mu = setup, rr.Value(1e-4), rr.Value(1e-4)
		e.Fold = func(table, row int) int {
			if table == problem.TableXU {
				row /= 3
			}
			return row % 5
		}
		got, err := e.Portfolio(context.Background(), xu(func(int) bool { return true }), d.uy(t), "group")
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if len(got.Effects) < 2 || len(got.X) != len(e.X) || (got.Propensity == nil) != (e.Propensity == "") {
			t.Fatalf("%s: %+v", name, got)
		}
		own := e
		own.Fold = func(_, row int) int { return row % 5 }
		trimmed := 0
		for g, of := range got.Effects[:2] {
			one := estimated(t, own, xu(func(i int) bool { return i%3 == g }), d.uy(t))
			want := one.Effects[0]
			if math.Abs(of.Value-want.Value) > .1*want.SE || math.Abs(of.SE/want.SE-1) > .1 || of.Group != []string{"a", "b"}[g] {
				t.Errorf("%s, group %s: %.4g with an error of %.4g, of its rows alone %.4g with %.4g", name, of.Group, of.Value, of.SE, want.Value, want.SE)
			}
			if one.Propensity != nil {
				trimmed += one.Propensity.Trimmed
			}
			if gap := math.Abs(of.Value-studyEffect) / of.SE; gap > 4 && e.Propensity != "" {
				t.Errorf("%s, group %s: off by %.1f standard errors", name, of.Group, gap)
			}
		}
		if p := got.Propensity; p != nil && (p.Trimmed < trimmed*9/10 || p.Trimmed > trimmed*11/10+5) {
			t.Errorf("%s: %d rows are trimmed, and %d of groups alone", name, p.Trimmed, trimmed)
		}
		by, err := e.Subgroups(context.Background(), xu(func(i int) bool { return i%3 < 2 }), d.uy(t), "number")
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if len(by.Effects) != 2 || len(by.Tests) != 1 || !(by.Tests[0].P > 1e-4) {
			t.Errorf("%s: %+v", name, by)
		}
	}
}

func countOf(n int, keep func(i int) bool) (rows int) {
	for i := range n {
		if keep(i) {
			rows++
		}
	}
	return rows
}

// TestThinGroupsAreLeftOut: a group whose control is in one fold alone cannot be adjusted, and if all groups are so there is no estimate.
func TestThinGroupsAreLeftOut(t *testing.T) {
	const n = 600
	d := drawStudy(n, n, 0, 22)
	label := make([]string, n)
	for i := range label {
		label[i] = "wide"
		if i < 200 && (i%5 == 2 && d.t[i] == 0 || i%5 == 3 && d.t[i] == 1) {
			label[i] = "thin"
		}
	}
	e := Estimator{Treatment: "t", X: []string{"x"}, Setup: straight(5)}
	e.Fold = func(_, row int) int { return row % 5 }
	src := d.xu(t, tables.Strings("group", label))
	got, err := e.Portfolio(context.Background(), src, d.uy(t), "group")
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Effects) != 1 || got.Effects[0].Group != "wide" || len(got.LeftOut) != 1 || got.LeftOut[0].Group != "thin" || !strings.Contains(got.LeftOut[0].Reason, "each of 5 folds") {
		t.Errorf("%+v, left out %+v", got.Effects, got.LeftOut)
	}
	for i := range label {
		if label[i] == "wide" {
			label[i] = ""
		}
	}
	if _, err := e.Portfolio(context.Background(), d.xu(t, tables.Strings("group", label)), d.uy(t), "group"); err == nil || !strings.Contains(err.Error(), "to be adjusted") {
		t.Errorf("error %v", err)
	}
	e.X, e.CompleteU, e.WeighU = nil, true, true
	if _, err := e.Subgroups(context.Background(), src, d.uy(t), "group"); err == nil || !strings.Contains(err.Error(), "not within subgroups") {
		t.Errorf("error %v", err)
	}
}

func ignoring(names ...string) problem.Setup {
	return problem.Setup{Roles: tables.RoleOptions{Ignore: names}}
}

func TestAdjustmentsRefused(t *testing.T) {
	d := drawStudy(60, 60, .5, 10)
	bad := func(p float64) tables.ColumnData {
		column := slices.Clone(d.p)
		column[7] = p
		return tables.Numbers("bad", column)
	}
	inverse := make([]float64, len(d.p))
	for i, v := range d.t {
		inverse[i] = .95 - .9*v
	}
	far, middle := make([]float64, len(d.p)), [2]int{} // two rows of each arm overlap
	for i, v := range d.t {
		if far[i] = .1 + .8*v; middle[int(v)] < 2 {
			far[i] = .5
			middle[int(v)]++
		}
	}
	for name, c := range map[string]struct {
		e    Estimator
		more []tables.ColumnData
		says string
	}{
		"no such covariate":        {Estimator{X: []string{"w"}}, nil, `"w"`},
		"the treatment":            {Estimator{X: []string{"x,t"}}, nil, `"t" cannot be a covariate`},
		"its propensity":           {Estimator{X: []string{"p"}, Propensity: "p"}, nil, `"p" cannot be a covariate`},
		"outcomes alone":           {Estimator{X: []string{"?"}, Propensity: "p", Setup: ignoring("x", "z")}, nil, "no column that could be a covariate"},
		"no covariates":            {Estimator{Propensity: EstimatePropensity}, nil, "Estimator.X is empty"},
		"no such column":           {Estimator{Propensity: "pr"}, nil, `"pr"`},
		"a missing propensity":     {Estimator{Propensity: "bad"}, []tables.ColumnData{bad(math.NaN())}, `row 8: propensity "bad" is missing`},
		"a propensity of 0":        {Estimator{Propensity: "bad"}, []tables.ColumnData{bad(0)}, `row 8: propensity "bad" is 0, must be`},
		"a propensity of 1":        {Estimator{Propensity: "bad"}, []tables.ColumnData{bad(1)}, "is 1, must be"},
		"a propensity in per cent": {Estimator{Propensity: "bad"}, []tables.ColumnData{bad(42)}, "is 42, must be"},
		"of an outcome":            {Estimator{Propensity: "u"}, nil, "of the second table"},
		"text":                     {Estimator{Propensity: "text"}, []tables.ColumnData{tables.Strings("text", make([]string, 60))}, `"text"`},
		"of the other arm":         {Estimator{Propensity: "inverse"}, []tables.ColumnData{tables.Numbers("inverse", inverse)}, "is it the probability of being treated?"},
		"of another study":         {Estimator{Propensity: "low"}, []tables.ColumnData{tables.Numbers("low", slices.Repeat([]float64{.02}, 60))}, "0.02 in the mean"},
		"a large trim":             {Estimator{Propensity: "p", Trim: rr.Value(.5)}, nil, "Estimator.Trim is 0.5"},
		"a trim of nothing":        {Estimator{X: []string{"x"}, Trim: rr.Value(.1)}, nil, "Estimator.Propensity is empty"},
		"all trimmed":              {Estimator{Propensity: "low", Trim: rr.Value(.4)}, []tables.ColumnData{tables.Numbers("low", slices.Repeat([]float64{.3}, 60))}, "do not overlap in the propensity"},
		"nearly all trimmed":       {Estimator{Propensity: "far", Trim: rr.Value(.2)}, []tables.ColumnData{tables.Numbers("far", far)}, "56 of 60 rows were left out, in which an arm has a probability below 0.2"},
		"two probabilities":        {Estimator{X: []string{"x"}, Probability: rr.Value(.5)}, nil, "Estimator.Probability"},
	} {
		c.e.Treatment = "t"
		c.e.Folds, c.e.AllRows, c.e.Psi = 2, true, features.Spec{Kind: features.LinearFeatures}
		r, err := c.e.Estimate(context.Background(), d.xu(t, c.more...), d.uy(t))
		if err == nil || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, %v", name, err, r)
		}
	}
}

// TestCoupledAdjusted: of a treatment that was not randomised the direct effect and the one through U are both far off, and are not if they are adjusted. All of the effect runs through U, and the difference is 0. An estimate off by 3
// standard errors has probability 0.003 for another seed.
func TestCoupledAdjusted(t *testing.T) {
	const n = 1500
	d := drawStudy(n, n, 1, 31)
	rnd, y := rand.New(rand.NewPCG(31, 2)), make([]float64, n)
	for i := range y {
		y[i] = d.u[i] + 2*d.v[i] + rnd.NormFloat64()
	}
	e := Estimator{Treatment: "t", Setup: straight(5)}
	coupled := d.xu(t, tables.Numbers("y", y))
	for _, adjusted := range []bool{false, true} {
		if adjusted {
			e.X, e.Propensity = []string{"x", "z"}, EstimatePropensity
		}
		got, err := e.Coupled(context.Background(), coupled, d.xu(t), d.uy(t))
		if err != nil {
			t.Fatal(err)
		}
		of := got.Effects[0]
		for what, v := range map[string]risk.Interval{"direct": of.Direct, "through U": of.Surrogate} {
			if far := math.Abs(v.Value-studyEffect) > 3*v.SE; far == adjusted {
				t.Errorf("adjusted %t, %s: %+v", adjusted, what, v)
			}
		}
		if math.Abs(of.Difference.Value) > 3*of.Difference.SE || adjusted && got.Rows == 0 {
			t.Errorf("adjusted %t: difference %+v of %d rows", adjusted, of.Difference, got.Rows)
		}
	}
}

// TestCoupledColumns: coupled rows without the columns that adjust or weigh are refused, and so are weights of complete rows.
func TestCoupledColumns(t *testing.T) {
	d := drawStudy(60, 60, 0, 17)
	coupled := sourceOf(t, tables.Numbers("t", d.t), tables.Numbers("u", d.u), tables.Numbers("v", d.v), tables.Numbers("y", d.y))
	for says, set := range map[string]func(e *Estimator){
		`"x"`:               func(e *Estimator) { e.X = []string{"x"} },
		`"p"`:               func(e *Estimator) { e.Propensity = "p" },
		`"z"`:               func(e *Estimator) { e.Roles.WeightsXU = "z" },
		"Estimator.WeighU":  func(e *Estimator) { e.CompleteU, e.WeighU = true, true },
		"replicate weights": func(e *Estimator) { e.Roles.ReplicatesXU, e.ReplicatesXU.Method = []string{"x", "z"}, JK1 },
	} {
		e := Estimator{Treatment: "t", Setup: straight(2)}
		set(&e)
		if _, err := e.Coupled(context.Background(), coupled, d.xu(t), d.uy(t)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("error %v, want %q", err, says)
		}
	}
}

// TestCoupledWeights: coupled rows of whole weights are rows that are there so often.
func TestCoupledWeights(t *testing.T) {
	d := drawStudy(80, 80, 0, 18)
	k := make([]float64, 80)
	var often [4][]float64
	for i := range k {
		k[i] = float64(i % 3)
		for range i % 3 {
			for c, v := range [][]float64{d.t, d.u, d.v, d.y} {
				often[c] = append(often[c], v[i])
			}
		}
	}
	e := Estimator{Treatment: "t", Setup: straight(1), LambdaH: rr.Value(1e-3), Mu: rr.Value(1e-3)}
	e.Copies, e.NoStandardize = copies.Keep, true
	rows, err := e.Coupled(context.Background(), sourceOf(t, tables.Numbers("t", often[0]), tables.Numbers("u", often[1]), tables.Numbers("v", often[2]), tables.Numbers("y", often[3])), d.xu(t), d.uy(t))
	if err != nil {
		t.Fatal(err)
	}
	e.Roles.WeightsXU = "k"
	got, err := e.Coupled(context.Background(), sourceOf(t, tables.Numbers("t", d.t), tables.Numbers("u", d.u), tables.Numbers("v", d.v), tables.Numbers("y", d.y), tables.Numbers("k", k)), d.xu(t, tables.Numbers("k", k)), d.uy(t))
	if err != nil {
		t.Fatal(err)
	}
	a, b := rows.Effects[0], got.Effects[0]
	if rows.Rows != got.Rows || math.Abs(a.Direct.Value-b.Direct.Value) > 1e-9 || math.Abs(a.Surrogate.Value-b.Surrogate.Value) > 1e-9 || math.Abs(a.Direct.SE-b.Direct.SE) > 1e-9 {
		t.Errorf("%d rows, %+v; by weights %d rows, %+v", rows.Rows, a, got.Rows, b)
	}
}
