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

// TestNotWithinGroups: an adjustment is of one effect.
func TestNotWithinGroups(t *testing.T) {
	d := drawStudy(60, 60, 0, 17)
	e := Estimator{Treatment: "t", Setup: straight(2), X: []string{"x"}}
	if _, err := e.Subgroups(context.Background(), d.xu(t), d.uy(t), "z"); err == nil || !strings.Contains(err.Error(), "not within subgroups") {
		t.Errorf("%v", err)
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

// TestAdjustmentRefuses: coupled rows are not adjusted.
func TestAdjustmentRefuses(t *testing.T) {
	d := drawStudy(60, 60, 0, 17)
	e := Estimator{Treatment: "t", Setup: straight(2), X: []string{"x"}}
	if _, err := e.Coupled(context.Background(), d.xu(t), d.xu(t), d.uy(t)); err == nil || !strings.Contains(err.Error(), "not adjusted") {
		t.Errorf("coupled rows: %v", err)
	}
}
