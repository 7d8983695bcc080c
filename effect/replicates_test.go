package effect_test

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"

	"mediant/effect"
	"mediant/features"
	"mediant/problem"
	"mediant/rr"
	"mediant/tables"
)

// A survey is a first and a second table in columns, with replicate weights of each.
type survey struct {
	t, u, x, v, y []float64
	xu, uy        [][]float64 // by replicate
}

// drawSurvey draws n rows each; the effect is 1.
func drawSurvey(seed uint64, n int) *survey {
	rnd := rand.New(rand.NewPCG(seed, 3))
	s := &survey{}
	for i := range n {
		x := rnd.NormFloat64()
		s.t, s.x = append(s.t, float64(i%2)), append(s.x, x)
		s.u = append(s.u, float64(i%2)+x+rnd.NormFloat64())
		v := rnd.NormFloat64() + .5
		s.v, s.y = append(s.v, v), append(s.y, v+rnd.NormFloat64())
	}
	return s
}

// jackknife are the weights that leave out one row each.
func jackknife(n int) [][]float64 {
	var all [][]float64
	for r := range n {
		w := slices.Repeat([]float64{float64(n) / float64(n-1)}, n)
		w[r] = 0
		all = append(all, w)
	}
	return all
}

// sources are the tables without the rows that are left out, -1 for none.
func (s *survey) sources(t *testing.T, outXU, outUY int) (xu, uy tables.Source) {
	t.Helper()
	without := func(v []float64, out int) []float64 {
		if out < 0 {
			return v
		}
		return slices.Delete(slices.Clone(v), out, out+1)
	}
	a := []tables.ColumnData{tables.Numbers("t", without(s.t, outXU)), tables.Numbers("u", without(s.u, outXU)), tables.Numbers("x", without(s.x, outXU))}
	b := []tables.ColumnData{tables.Numbers("u", without(s.v, outUY)), tables.Numbers("y", without(s.y, outUY))}
	for r, w := range s.xu {
		a = append(a, tables.Numbers(fmt.Sprint("repwt", r+1), without(w, outXU)))
	}
	for r, w := range s.uy {
		b = append(b, tables.Numbers(fmt.Sprint("repwt", r+1), without(w, outUY)))
	}
	xu, err := tables.FromColumns(a...)
	if err != nil {
		t.Fatal(err)
	}
	if uy, err = tables.FromColumns(b...); err != nil {
		t.Fatal(err)
	}
	return xu, uy
}

func surveyEstimator() effect.Estimator {
	return effect.Estimator{Treatment: "t", Setup: problem.Setup{Psi: features.Spec{Kind: features.LinearFeatures}, Seed: 1, AllRows: true, NoStandardize: true,
		Roles: tables.RoleOptions{U: []string{"u"}, Y: []string{"y"}, Ignore: []string{"repwt*"}}}}
}

// withReplicates has an estimator use the columns of tables, with a method.
func withReplicates(e effect.Estimator, of effect.Replicates, xu, uy bool) effect.Estimator {
	e.Roles.Ignore = nil
	if xu {
		e.Roles.ReplicatesXU, e.ReplicatesXU = []string{"repwt*"}, of
	}
	if uy {
		e.Roles.ReplicatesUY, e.ReplicatesUY = []string{"repwt*"}, of
	}
	return e
}

// TestReplicatesAreDeleteOne: the jackknife by replicate weights is the one by tables without each row in turn, in the folds that the rows have among all.
func TestReplicatesAreDeleteOne(t *testing.T) {
	const n = 24
	s := drawSurvey(4, n)
	s.xu, s.uy = jackknife(n), jackknife(n)
	e := surveyEstimator()
	e.LambdaH, e.Mu, e.Folds = rr.Value(1e-3), rr.Value(1e-2), 3
	folds := func(outXU, outUY int) func(table, row int) int {
		return func(table, row int) int {
			if out := []int{outXU, outUY}[table]; out >= 0 && row >= out {
				row++
			}
			return (row / 2) % 3
		}
	}
	e.Fold = folds(-1, -1)
	xu, uy := s.sources(t, -1, -1)
	all := mustEstimate(t, e, xu, uy)
	sums := [2]float64{}
	for table := range sums {
		for r := range n {
			out := [2]int{-1, -1}
			out[table] = r
			own := e
			own.Fold = folds(out[0], out[1])
			xu, uy := s.sources(t, out[0], out[1])
			gap := mustEstimate(t, own, xu, uy).Effects[0].Value - all.Effects[0].Value
			sums[table] += gap * gap * (n - 1) / n
		}
	}
	of := func(method effect.ReplicateMethod, ofXU, ofUY bool) *effect.Result {
		return mustEstimate(t, withReplicates(e, effect.Replicates{Method: method}, ofXU, ofUY), xu, uy)
	}
	got, want, square := of(effect.JK1, true, true), sums[0]+sums[1], func(v float64) float64 { return v * v }
	if got.Effects[0].Value != all.Effects[0].Value {
		t.Errorf("replicate weights move the estimate from %g to %g", all.Effects[0].Value, got.Effects[0].Value)
	}
	if v := square(got.Effects[0].SE); math.Abs(v-want) > 1e-9*want {
		t.Errorf("variance %g, without each row in turn %g", v, want)
	}
	if r := got.Replicates; r.XU == nil || r.XU.Columns != n || r.XU.Freedom != n-1 {
		t.Errorf("%+v, want %d columns of rank %d", r.XU, n, n-1)
	}
	// The jackknife of one stratum is the one without strata.
	if v := square(of(effect.JKn, true, true).Effects[0].SE); math.Abs(v-want) > 1e-9*want {
		t.Errorf("jkn: variance %g, want %g", v, want)
	}
	// Of one table alone the variance is the sum of the jackknifed part and that of the other table's rows.
	apart := square(of(effect.JK1, true, false).Effects[0].SE) + square(of(effect.JK1, false, true).Effects[0].SE) - square(all.Effects[0].SE)
	if math.Abs(apart-want) > 1e-9*want {
		t.Errorf("variances of one table each give %g, want %g", apart, want)
	}
}

// TestReplicatesOfEveryEstimate: by the jackknife of independent rows the standard errors of every kind of estimate are near those of rows. Both are estimates of one figure from 400 rows, whose ratio has a standard deviation of a few per
// cent; the bounds are 25 % apart.
func TestReplicatesOfEveryEstimate(t *testing.T) {
	const n = 200
	s := drawSurvey(9, n)
	rnd := rand.New(rand.NewPCG(9, 9))
	weights, replicates := make([]float64, n), 25
	for i := range weights {
		weights[i] = .5 + rnd.Float64()
	}
	// Groups of eight rows are left out: a jackknife of 25 columns, with sampling weights in it.
	for g := range replicates {
		w := make([]float64, n)
		for i := range w {
			if i%replicates != g {
				w[i] = weights[i] * float64(replicates) / float64(replicates-1)
			}
		}
		s.xu, s.uy = append(s.xu, w), append(s.uy, w)
	}
	xu, uy := s.sources(t, -1, -1)
	arms, part := make([]string, n), make([]string, n)
	p, holes := make([]float64, n), slices.Clone(s.u)
	for i := range arms {
		arms[i], part[i] = []string{"placebo", "a", "b"}[i/2%3], []string{"p", "q", "r"}[i/3%3]
		p[i] = .5
		if i%9 == 4 {
			holes[i] = math.NaN()
		}
	}
	beside := func(src tables.Source, data ...tables.ColumnData) tables.Source {
		more, err := tables.FromColumns(data...)
		if err != nil {
			t.Fatal(err)
		}
		both, err := tables.HStack(src, more)
		if err != nil {
			t.Fatal(err)
		}
		return both
	}
	wide := make([]float64, n) // the U of ten rows is beyond that of the second table
	for i, v := range s.u {
		wide[i] = v
		if i%20 == 3 {
			wide[i] = 40 + v
		}
	}
	xu = beside(xu, tables.Strings("arm", arms), tables.Strings("part", part), tables.Numbers("p", p), tables.Numbers("w", weights), tables.Numbers("holes", holes), tables.Numbers("wide", wide))
	uy = beside(uy, tables.Numbers("w", weights), tables.Numbers("holes", s.v), tables.Numbers("wide", s.v))
	for name, set := range map[string]func(e *effect.Estimator){
		"two arms":   func(*effect.Estimator) {},
		"three arms": func(e *effect.Estimator) { e.Treatment = "arm" },
		"covariates": func(e *effect.Estimator) { e.X = []string{"x"} },
		"propensity": func(e *effect.Estimator) { e.X, e.Propensity = []string{"x"}, effect.EstimatePropensity },
		"known":      func(e *effect.Estimator) { e.Propensity = "p" },
		"complete":   func(e *effect.Estimator) { e.Roles.U, e.CompleteU = []string{"holes"}, true },
		"weighed": func(e *effect.Estimator) {
			e.Roles.U, e.CompleteU, e.WeighU, e.X = []string{"holes"}, true, true, []string{"x"}
		},
		"no overlap": func(e *effect.Estimator) { e.Roles.U, e.AllRows = []string{"wide"}, false },
	} {
		e := surveyEstimator()
		e.Phi = features.Spec{Kind: features.LinearFeatures}
		e.Roles.WeightsXU, e.Roles.WeightsUY = "w", "w"
		set(&e)
		rows := mustEstimate(t, e, xu, uy)
		got := mustEstimate(t, withReplicates(e, effect.Replicates{Method: effect.JK1}, true, true), xu, uy)
		for i, of := range got.Effects {
			own := rows.Effects[i]
			if of.Value != own.Value {
				t.Errorf("%s: replicate weights move the estimate from %g to %g", name, own.Value, of.Value)
			}
			// Where h is extrapolated, replicates alone see the error of its slope.
			if ratio := of.SE / own.SE; ratio < .7 || ratio > 1.45 && own.Bounds == nil {
				t.Errorf("%s: standard error %g, by rows %g", name, of.SE, own.SE)
			}
			if (of.Joint == nil) != (own.Joint == nil) || of.Joint != nil && of.Joint.Hi < of.Hi {
				t.Errorf("%s: joint interval %+v beside %+v", name, of.Joint, of.Interval)
			}
			if b := of.Bounds; (b == nil) != (own.Bounds == nil) || b != nil && (b.Lo != own.Bounds.Lo || b.Hi != own.Bounds.Hi || math.Abs((b.Upper-b.Hi)/(own.Bounds.Upper-own.Bounds.Hi)-1) > .5) {
				t.Errorf("%s: bounds %+v, by rows %+v", name, b, own.Bounds)
			}
		}
		if name == "no overlap" && rows.Effects[0].Bounds == nil {
			t.Error("no row is without overlap")
		}
	}
	e := surveyEstimator()
	e.Roles.WeightsXU, e.Roles.WeightsUY = "w", "w"
	by, err := withReplicates(e, effect.Replicates{Method: effect.JK1}, true, true).Subgroups(context.Background(), xu, uy, "part")
	if err != nil {
		t.Fatal(err)
	}
	rows, err := e.Subgroups(context.Background(), xu, uy, "part")
	if err != nil {
		t.Fatal(err)
	}
	for i, of := range by.Effects {
		if ratio := of.SE / rows.Effects[i].SE; ratio < .6 || ratio > 1.6 {
			t.Errorf("subgroup %s: standard error %g, by rows %g", of.Group, of.SE, rows.Effects[i].SE)
		}
	}
}

// clusteredBootstrap are replicate weights that draw all clusters but one with replacement, of which the rows are consecutive [Rao, Wu and Yue, Survey Methodology 18, 1992].
func clusteredBootstrap(rnd *rand.Rand, clusters, rows, replicates int) [][]float64 {
	var all [][]float64
	for range replicates {
		times := make([]float64, clusters)
		for range clusters - 1 {
			times[rnd.IntN(clusters)]++
		}
		var w []float64
		for _, k := range times {
			w = append(w, slices.Repeat([]float64{k * float64(clusters) / float64(clusters-1)}, rows)...)
		}
		all = append(all, w)
	}
	return all
}

// surveyOf has the rows of a trial whose treatment is drawn by clinic (drawTrial), whose second table is of the same clinics if shared is true, without weights.
func surveyOf(seed uint64, clinics, rows int, shared bool) *survey {
	s := &survey{}
	trial := drawTrial(seed, clinics, rows, true, shared)
	for i := range trial.xu {
		s.t, s.u, s.x = append(s.t, trial.xu[i].t), append(s.u, trial.xu[i].u), append(s.x, 0)
		s.v, s.y = append(s.v, trial.uy[i].u), append(s.y, trial.uy[i].y)
	}
	return s
}

// TestReplicatesCover: of a treatment that is drawn by clinic, intervals by bootstrap replicate weights hold the effect as often as they say, and intervals by rows do not. Of 60 draws 57 hold it in the mean, with a standard
// deviation of 1.7: fewer than 51 would be one of 500 seeds. By rows it is about 39, with one of 3.7.
func TestReplicatesCover(t *testing.T) {
	const draws, clinics, rows = 60, 30, 12
	held, naive := 0, 0
	for d := range draws {
		s, rnd := surveyOf(uint64(d), clinics, rows, false), rand.New(rand.NewPCG(uint64(d), 77))
		s.xu, s.uy = clusteredBootstrap(rnd, clinics, rows, 40), clusteredBootstrap(rnd, clinics, rows, 40)
		xu, uy := s.sources(t, -1, -1)
		e := surveyEstimator()
		holds := func(e effect.Estimator) int {
			if of := mustEstimate(t, e, xu, uy).Effects[0]; of.Lo <= 1 && 1 <= of.Hi {
				return 1
			}
			return 0
		}
		naive += holds(e)
		held += holds(withReplicates(e, effect.Replicates{Method: effect.Bootstrap}, true, true))
	}
	if held < 51 {
		t.Errorf("%d of %d intervals by replicate weights hold the effect", held, draws)
	}
	if naive > 48 {
		t.Errorf("%d of %d intervals by rows hold the effect: the clusters do not matter", naive, draws)
	}
	t.Logf("%d of %d intervals by replicate weights hold the effect, %d by rows", held, draws, naive)
}

// TestReplicatesOfOneSurvey: the second table is of the clinics of the first, whose errors are in both; replicates of both together see that, and those of each do not.
func TestReplicatesOfOneSurvey(t *testing.T) {
	const draws, clinics, rows = 60, 40, 6
	var values, joint, apart []float64
	for d := range draws {
		s, rnd := surveyOf(uint64(d), clinics, rows, true), rand.New(rand.NewPCG(uint64(d), 78))
		s.xu = clusteredBootstrap(rnd, clinics, rows, 30)
		s.uy = s.xu
		xu, uy := s.sources(t, -1, -1)
		e := withReplicates(surveyEstimator(), effect.Replicates{Method: effect.Bootstrap}, true, true)
		of := mustEstimate(t, e, xu, uy).Effects[0]
		values, apart = append(values, of.Value), append(apart, of.SE)
		e.ReplicatesJoint = true
		r := mustEstimate(t, e, xu, uy)
		joint = append(joint, r.Effects[0].SE)
		if !r.Replicates.Joint || r.Replicates.UY == nil {
			t.Fatalf("%+v", r.Replicates)
		}
	}
	// The standard deviation of 60 draws has a relative standard error of 9 %.
	sd := stat.StdDev(values, nil)
	if ratio := stat.Mean(joint, nil) / sd; ratio < .75 || ratio > 1.35 {
		t.Errorf("standard error %g of both together, standard deviation %g", stat.Mean(joint, nil), sd)
	}
	if ratio := stat.Mean(apart, nil) / stat.Mean(joint, nil); ratio > .9 {
		t.Errorf("standard error %g of each, %g of both together: the clusters in common do not matter", stat.Mean(apart, nil), stat.Mean(joint, nil))
	}
}

// halfSamples are the weights of half samples by the columns of a Hadamard matrix, with Fay's coefficient k: a stratum is a row and the second next, which have one arm, with 2 - k in
// one of them and k in the other. n is a multiple of 4.
func halfSamples(n int, k float64) [][]float64 {
	order := 1
	for order <= n/2 {
		order *= 2
	}
	var all [][]float64
	for r := range order {
		w := make([]float64, n)
		for i := range w {
			w[i] = k
			if (bits.OnesCount(uint(r&(i/4*2+i%2+1)))+i/2)%2 == 0 {
				w[i] = 2 - k
			}
		}
		all = append(all, w)
	}
	return all
}

// TestScalesOfMethods: the variance of each method over that of scale=1 is the factor of its formula.
func TestScalesOfMethods(t *testing.T) {
	const n = 24
	for _, c := range []struct {
		method string
		xu     [][]float64
		want   float64
	}{
		{"jk1", jackknife(n), (n - 1.) / n}, {"jkn", jackknife(n), (n - 1.) / n}, {"jk2", jackknife(n), 1},
		{"brr", halfSamples(n, 0), 1. / 16}, {"bootstrap", halfSamples(n, 0), 1. / 16}, {"FAY=0", halfSamples(n, 0), 1. / 16},
		{"fay=0.5", halfSamples(n, .5), 4. / 16}, {"sdr", halfSamples(n, .5), 4. / 16}, {"scale=.25", jackknife(n), .25},
	} {
		s := drawSurvey(4, n)
		s.xu = c.xu
		xu, uy := s.sources(t, -1, -1)
		variance := func(text string) float64 {
			of, err := effect.ParseReplicates(text)
			if err != nil {
				t.Fatal(err)
			}
			e := withReplicates(surveyEstimator(), of, true, false)
			e.Folds = 2 // a half sample may have no row of a smaller one
			se := mustEstimate(t, e, xu, uy).Effects[0].SE
			return se * se
		}
		// Scales .5 and 1 tell the variance of the other table.
		half, one := variance("scale=.5"), variance("scale=1")
		if got := 1 + (variance(c.method)-one)/(2*(one-half)); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%s: %g, want %g", c.method, got, c.want)
		}
	}
}

// TestReplicatesRefuse goes through the ways of refusing.
func TestReplicatesRefuse(t *testing.T) {
	const n = 24
	for _, c := range []struct {
		want string
		set  func(e *effect.Estimator, s *survey)
	}{
		{`Replicates.Method is ""`, func(e *effect.Estimator, _ *survey) { e.ReplicatesXU.Method = "" }},
		{`Replicates.Method is "brrr"`, func(e *effect.Estimator, _ *survey) { e.ReplicatesXU.Method = "brrr" }},
		{"Replicates.Fay is 1", func(e *effect.Estimator, _ *survey) { e.ReplicatesXU = effect.Replicates{Method: effect.Fay, Fay: 1} }},
		{"Replicates.Scales is empty", func(e *effect.Estimator, _ *survey) { e.ReplicatesXU.Method = effect.OtherScales }},
		{"Replicates.Scales has -1", func(e *effect.Estimator, _ *survey) {
			e.ReplicatesXU = effect.Replicates{Method: effect.OtherScales, Scales: []float64{-1}}
		}},
		{"has 2 numbers for 24 columns", func(e *effect.Estimator, _ *survey) {
			e.ReplicatesXU = effect.Replicates{Method: effect.OtherScales, Scales: []float64{1, 1}}
		}},
		{"names no columns", func(e *effect.Estimator, _ *survey) { e.Roles.ReplicatesXU = nil }},
		{"not named for both tables", func(e *effect.Estimator, _ *survey) { e.ReplicatesJoint = true }},
		{`column "repwt25"`, func(e *effect.Estimator, _ *survey) { e.Roles.ReplicatesXU = []string{"repwt1-repwt25"} }},
		{"1 column of replicate weights", func(e *effect.Estimator, _ *survey) {
			e.Roles.ReplicatesXU = []string{"repwt1"}
			e.Roles.Ignore = []string{"repwt*"}
		}},
		{`row 3`, func(_ *effect.Estimator, s *survey) { s.xu[4][2] = -1 }},
		{`"repwt5" is missing`, func(_ *effect.Estimator, s *survey) { s.xu[4][2] = math.NaN() }},
		{`"repwt5" is 0 in every row`, func(_ *effect.Estimator, s *survey) { clear(s.xu[4]) }},
		{`with the replicate weights "repwt5": effect: treatment`, func(_ *effect.Estimator, s *survey) {
			copy(s.xu[4], s.t)
		}},
		{"no weights are set", func(_ *effect.Estimator, s *survey) {
			for _, w := range s.xu {
				for i := range w {
					w[i] *= 1 + float64(i%3)
				}
			}
		}},
		{"do not leave out one cluster", func(e *effect.Estimator, s *survey) {
			e.ReplicatesXU.Method = effect.JKn
			s.xu[4][2] = 1.02
		}},
		{"by method brr the replicate weights give the weight of a row a variance of 0.0435", func(e *effect.Estimator, _ *survey) { e.ReplicatesXU.Method = effect.BRR }},
		{"by method fay", func(e *effect.Estimator, s *survey) {
			e.ReplicatesXU, s.xu = effect.Replicates{Method: effect.Fay, Fay: .5}, halfSamples(n, 0)
		}},
		{"by method jk2", func(e *effect.Estimator, s *survey) { e.ReplicatesXU.Method, s.xu = effect.JK2, halfSamples(n, 0) }},
		{"by method brr", func(e *effect.Estimator, s *survey) { e.ReplicatesXU.Method, s.xu = effect.BRR, halfSamples(n, .5) }},
		{"by method scale", func(e *effect.Estimator, _ *survey) {
			e.ReplicatesXU = effect.Replicates{Method: effect.OtherScales, Scales: []float64{1e300}}
		}},
		{"by method scale", func(e *effect.Estimator, _ *survey) {
			e.ReplicatesXU = effect.Replicates{Method: effect.OtherScales, Scales: []float64{0}}
		}},
		{`with the replicate weights "repwt1": effect: the weights are 0 in all rows`, func(e *effect.Estimator, s *survey) {
			e.ReplicatesXU.Method, s.xu = effect.BRR, halfSamples(n, 0)
			e.Folds, e.Fold = 2, func(_, row int) int { return row / 2 % 2 }
		}},
		{"are the weights themselves", func(_ *effect.Estimator, s *survey) {
			for _, w := range s.xu {
				for i := range w {
					w[i] = 1
				}
			}
		}},
	} {
		s := drawSurvey(4, n)
		s.xu = jackknife(n)
		e := withReplicates(surveyEstimator(), effect.Replicates{Method: effect.JK1}, true, false)
		c.set(&e, s)
		xu, uy := s.sources(t, -1, -1)
		if _, err := e.Estimate(context.Background(), xu, uy); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want one with %q", err, c.want)
		}
	}
	for _, text := range []string{"", "fay", "fay=x", "brr=2", "scale", "jackknife"} {
		if _, err := effect.ParseReplicates(text); err == nil {
			t.Errorf("%q is a method", text)
		}
	}
}
