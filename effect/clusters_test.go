package effect_test

import (
	"context"
	"fmt"
	"math"
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

// trial is a first table of a treatment that is drawn by clinic and a second one of other clinics, whose rows share an error of U and of Y each.
type trial struct {
	xu, uy []trialRow
}

type trialRow struct {
	clinic  string
	t, u, y float64
}

// drawTrial draws tables of so many clinics each, of so many rows. In pairs the clinics of the second table are those of the first, with one error of Y
// and U. The effect is 1.
func drawTrial(seed uint64, clinics, rows int, byClinic, same bool) trial {
	rnd := rand.New(rand.NewPCG(seed, 7))
	var d trial
	for g := range clinics {
		own, of := rnd.NormFloat64(), rnd.NormFloat64()
		arm := float64(g % 2)
		for i := range rows {
			if !byClinic {
				arm = float64(i % 2)
			}
			d.xu = append(d.xu, trialRow{fmt.Sprint("a", g), arm, arm + own + rnd.NormFloat64(), 0})
		}
		name := fmt.Sprint("b", g)
		if same {
			name, of = fmt.Sprint("a", g), own
		}
		for range rows {
			u := rnd.NormFloat64() + .5
			if same {
				u += arm - .5
			}
			d.uy = append(d.uy, trialRow{name, 0, u, u + of + rnd.NormFloat64()})
		}
	}
	return d
}

// tables returns both tables, in the order of perm, nil for that in which they were drawn.
func (d trial) tables(t *testing.T, perm func(n int) []int) (xu, uy tables.Source) {
	t.Helper()
	column := func(rows []trialRow, order []int, value func(trialRow) float64) []float64 {
		var out []float64
		for _, i := range order {
			out = append(out, value(rows[i]))
		}
		return out
	}
	var sources [2]tables.Source
	for side, rows := range [][]trialRow{d.xu, d.uy} {
		order := make([]int, len(rows))
		for i := range order {
			order[i] = i
		}
		if perm != nil {
			order = perm(len(rows))
		}
		var clinics []string
		for _, i := range order {
			clinics = append(clinics, rows[i].clinic)
		}
		u := tables.Numbers("u", column(rows, order, func(r trialRow) float64 { return r.u }))
		name, other := "t", func(r trialRow) float64 { return r.t }
		if side == problem.TableUY {
			name, other = "y", func(r trialRow) float64 { return r.y }
		}
		src, err := tables.FromColumns(tables.Strings("clinic", clinics), u, tables.Numbers(name, column(rows, order, other)))
		if err != nil {
			t.Fatal(err)
		}
		sources[side] = src
	}
	return sources[0], sources[1]
}

func trialEstimator(clustered bool) effect.Estimator {
	e := effect.Estimator{Treatment: "t", Setup: problem.Setup{Psi: features.Spec{Kind: features.LinearFeatures}, Seed: 1, AllRows: true, Roles: tables.RoleOptions{Ignore: []string{"clinic"}}}}
	if clustered {
		e.Roles = tables.RoleOptions{ClusterXU: "clinic", ClusterUY: "clinic"}
	}
	return e
}

func mustEstimate(t *testing.T, e effect.Estimator, xu, uy tables.Source) *effect.Result {
	t.Helper()
	r, err := e.Estimate(context.Background(), xu, uy)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestClusteredErrors: over draws the standard error of clusters agrees with the standard deviation of the estimate, and that of rows is too small where the treatment is drawn by
// clusters. The standard deviation of 60 draws has a relative standard error of 9 %, so that three of them are 27 %.
func TestClusteredErrors(t *testing.T) {
	for name, c := range map[string]struct {
		byClinic, same bool
		rows           [2]float64 // bounds of the ratio without clusters
	}{
		"treatment by clinic":                 {true, false, [2]float64{.2, .6}},
		"treatment by row":                    {false, false, [2]float64{0, 1.5}},
		"the clinics of both tables the same": {true, true, [2]float64{.2, .6}},
	} {
		t.Run(name, func(t *testing.T) {
			var values []float64
			var ses [2]float64
			const draws = 60
			for seed := range uint64(draws) {
				xu, uy := drawTrial(seed, 30, 20, c.byClinic, c.same).tables(t, nil)
				for i, clustered := range []bool{false, true} {
					r := mustEstimate(t, trialEstimator(clustered), xu, uy)
					ses[i] += r.Effects[0].SE / draws
					if clustered {
						values = append(values, r.Effects[0].Value)
					}
				}
			}
			sd := stat.StdDev(values, nil)
			if ratio := ses[1] / sd; ratio < .73 || ratio > 1.3 {
				t.Errorf("with clusters the mean standard error is %.2f of the standard deviation %.3f", ratio, sd)
			}
			if ratio := ses[0] / sd; ratio < c.rows[0] || ratio > c.rows[1] {
				t.Errorf("without clusters the mean standard error is %.2f of the standard deviation %.3f, want %v", ratio, sd, c.rows)
			}
			if mean := stat.Mean(values, nil); math.Abs(mean-1) > 4*sd/math.Sqrt(draws) {
				t.Errorf("the mean of the estimates is %.3f, want 1", mean)
			}
		})
	}
}

// TestClustersOfBothTables: clinics that both tables have are one cluster, whose errors in both tables add up here; under other names in the second table they would not, and the error
// would be too small.
func TestClustersOfBothTables(t *testing.T) {
	var ses [2]float64
	for seed := range uint64(10) {
		for i := range ses {
			d := drawTrial(seed, 30, 20, true, true)
			for j := range d.uy {
				d.uy[j].clinic = []string{"", "other "}[i] + d.uy[j].clinic
			}
			xu, uy := d.tables(t, nil)
			r := mustEstimate(t, trialEstimator(true), xu, uy)
			ses[i] += r.Effects[0].SE
			if want := []int{30, 0}[i]; r.Clusters.Shared != want {
				t.Fatalf("%d clusters are shared, want %d", r.Clusters.Shared, want)
			}
		}
	}
	if ses[0] < 1.08*ses[1] {
		t.Errorf("the mean standard error is %.3f, and %.3f if the clusters of the tables are independent", ses[0]/10, ses[1]/10)
	}
}

// TestClustersOfOneRow: with clusters of one row and one fold the estimate and its error are those of rows, up to rounding.
func TestClustersOfOneRow(t *testing.T) {
	d := drawTrial(3, 12, 5, false, false)
	for i := range d.xu {
		d.xu[i].clinic = fmt.Sprint("x", i)
	}
	for i := range d.uy {
		d.uy[i].clinic = fmt.Sprint("y", i)
	}
	xu, uy := d.tables(t, nil)
	for _, probability := range []float64{0, .5} {
		var got [2]effect.Estimate
		for i := range got {
			e := trialEstimator(i == 1)
			e.Folds = 1
			if probability > 0 {
				e.Probability = rr.Value(probability)
			}
			got[i] = mustEstimate(t, e, xu, uy).Effects[0]
		}
		for what, v := range map[string][2]float64{"estimate": {got[0].Value, got[1].Value}, "standard error": {got[0].SE, got[1].SE}, "end": {got[0].Hi, got[1].Hi}} {
			if math.Abs(v[0]-v[1]) > 1e-10 {
				t.Errorf("probability %g: the %s is %.12g without clusters and %.12g with", probability, what, v[0], v[1])
			}
		}
	}
}

// TestClustersInAnyOrder: another order of rows gives the same result, up to rounding: folds depend on the values of clusters alone.
func TestClustersInAnyOrder(t *testing.T) {
	d := drawTrial(5, 21, 6, true, false)
	xu, uy := d.tables(t, nil)
	want := mustEstimate(t, trialEstimator(true), xu, uy)
	rnd := rand.New(rand.NewPCG(1, 2))
	xu, uy = d.tables(t, rnd.Perm)
	got := mustEstimate(t, trialEstimator(true), xu, uy)
	if a, b := got.Effects[0], want.Effects[0]; math.Abs(a.Value-b.Value) > 1e-9 || math.Abs(a.SE-b.SE) > 1e-9 {
		t.Errorf("in another order %v, else %v", a.Interval, b.Interval)
	}
	if *want.Clusters != (problem.Clusters{XU: 21, UY: 21}) {
		t.Errorf("clusters: %+v", *want.Clusters)
	}
}

// TestClustersOfArms: with several arms the joint intervals are from the covariance over clusters, whose diagonal is that of single ones.
func TestClustersOfArms(t *testing.T) {
	d := drawTrial(8, 30, 9, false, true)
	var arms []string
	var xuRows []trialRow
	for i, r := range d.xu {
		arms = append(arms, []string{"control", "low", "high"}[i%3])
		xuRows = append(xuRows, r)
	}
	d.xu = xuRows
	xu, uy := d.tables(t, nil)
	levels, err := tables.FromColumns(tables.Strings("arm", arms))
	if err != nil {
		t.Fatal(err)
	}
	if xu, err = tables.HStack(xu, levels); err != nil {
		t.Fatal(err)
	}
	e := trialEstimator(true)
	e.Treatment, e.Roles.Ignore, e.Pairs = "arm", []string{"t"}, true
	r := mustEstimate(t, e, xu, uy)
	if *r.Clusters != (problem.Clusters{XU: 30, UY: 30, Shared: 30}) {
		t.Errorf("clusters: %+v", *r.Clusters)
	}
	for _, of := range r.Effects {
		if wide := (of.Joint.Hi - of.Joint.Lo) / (of.Hi - of.Lo); wide < 1 || wide > 1.4 { // of 3 independent effects 2.39/1.96
			t.Errorf("%s against %s: the joint interval is %.2f times as wide", of.Arm, of.Against, wide)
		}
	}
}

// TestClusterFaults: columns that are no clusters, and too few of them, are errors of one line.
func TestClusterFaults(t *testing.T) {
	few := drawTrial(1, 4, 10, true, false)
	some := drawTrial(1, 20, 10, true, false)
	missing := some
	missing.xu = slices.Clone(some.xu)
	missing.xu[3].clinic = ""
	for name, c := range map[string]struct {
		of    trial
		roles tables.RoleOptions
		want  []string
	}{
		"fewer than folds": {few, tables.RoleOptions{ClusterXU: "clinic", ClusterUY: "clinic"}, []string{"4 clusters", "clinic", "5 folds"}},
		"missing":          {missing, tables.RoleOptions{ClusterXU: "clinic", ClusterUY: "clinic"}, []string{"row 4", "clinic", "missing"}},
		"no such column":   {some, tables.RoleOptions{ClusterXU: "clinics", ClusterUY: "clinic"}, []string{"clinics", "first table"}},
		"one of U":         {some, tables.RoleOptions{ClusterXU: "clinic", ClusterUY: "clinic", U: []string{"u", "clinic"}}, []string{"clinic", "both clusters and U"}},
		"weights":          {some, tables.RoleOptions{ClusterXU: "t", WeightsXU: "t", Ignore: []string{"clinic"}}, []string{`"t"`, "weights", "clusters"}},
	} {
		t.Run(name, func(t *testing.T) {
			xu, uy := c.of.tables(t, nil)
			e := trialEstimator(false)
			e.Roles = c.roles
			_, err := e.Estimate(context.Background(), xu, uy)
			if err == nil {
				t.Fatal("no error")
			}
			for _, word := range c.want {
				if !strings.Contains(err.Error(), word) {
					t.Errorf("%q lacks %q", err, word)
				}
			}
		})
	}
}

// TestClustersOfSubgroups: subgroups of clinics have clustered errors, and no test that they are equal where clusters are too few for their covariance.
func TestClustersOfSubgroups(t *testing.T) {
	d := drawTrial(2, 30, 24, false, false)
	xu, uy := d.tables(t, nil)
	sexes := make([]string, len(d.xu))
	for i := range sexes {
		sexes[i] = []string{"f", "m"}[i/2%2]
	}
	column, err := tables.FromColumns(tables.Strings("sex", sexes))
	if err != nil {
		t.Fatal(err)
	}
	if xu, err = tables.HStack(xu, column); err != nil {
		t.Fatal(err)
	}
	var ses [2]float64
	for i, clustered := range []bool{false, true} {
		s, err := trialEstimator(clustered).Subgroups(context.Background(), xu, uy, "sex")
		if err != nil {
			t.Fatal(err)
		}
		if len(s.Effects) != 2 || len(s.Tests) != 1 || !(s.Effects[0].SE > 0) {
			t.Fatalf("%+v", s)
		}
		ses[i] = s.Effects[0].SE
	}
	if ratio := ses[1] / ses[0]; ratio > .98 || ratio < .5 { // arms were drawn within clinics
		t.Errorf("standard errors %v", ses)
	}
	e := trialEstimator(true)
	e.Folds = 2
	few := drawTrial(2, 2, 200, false, false)
	few.uy = drawTrial(2, 20, 20, false, false).uy
	if xu, uy = few.tables(t, nil); err != nil {
		t.Fatal(err)
	}
	if column, err = tables.FromColumns(tables.Strings("sex", sexes[:len(few.xu)])); err != nil {
		t.Fatal(err)
	}
	if xu, err = tables.HStack(xu, column); err != nil {
		t.Fatal(err)
	}
	s, err := e.Subgroups(context.Background(), xu, uy, "sex")
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Tests) != 0 || !slices.ContainsFunc(s.Notes, func(n string) bool { return strings.Contains(n, "2 clusters, want more than the 2 effects") }) {
		t.Errorf("tests %v, notes %q", s.Tests, s.Notes)
	}
}
