package risk_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat"

	"mediant/features"
	"mediant/problem"
	"mediant/risk"
	"mediant/rr"
	"mediant/tables"
)

// drawSchools draws tables of so many schools of so many rows, in which rows of a school share an error of Y (S_Y), or of U (S_X); with shared the schools of both tables are the same.
func drawSchools(t *testing.T, seed uint64, schools, rows int, shared bool) (xu, uy tables.Source) {
	t.Helper()
	rnd := rand.New(rand.NewPCG(seed, 3))
	var names [2][]string
	var x, u, v, y []float64
	for g := range schools {
		ofU, ofY := .5*rnd.NormFloat64(), rnd.NormFloat64()
		for range rows {
			x = append(x, rnd.NormFloat64())
			u = append(u, x[len(x)-1]+ofU+.5*rnd.NormFloat64())
			v = append(v, 1.2*rnd.NormFloat64())
			y = append(y, v[len(v)-1]+ofY+.3*rnd.NormFloat64())
			names[0], names[1] = append(names[0], fmt.Sprint("a", g)), append(names[1], fmt.Sprint(map[bool]string{true: "a", false: "b"}[shared], g))
		}
	}
	first, err := tables.FromColumns(tables.Strings("school", names[0]), tables.Numbers("x", x), tables.Numbers("u", u))
	if err != nil {
		t.Fatal(err)
	}
	second, err := tables.FromColumns(tables.Strings("school", names[1]), tables.Numbers("u", v), tables.Numbers("y", y))
	if err != nil {
		t.Fatal(err)
	}
	return first, second
}

// schoolRisk is the risk of 2Step-RR with linear features, with clusters or without.
func schoolRisk(t *testing.T, xu, uy tables.Source, clustered bool) *risk.Assessment {
	t.Helper()
	linear := features.Spec{Kind: features.LinearFeatures}
	setup := problem.Setup{Phi: linear, Psi: linear, Folds: 5, AllRows: true, Roles: tables.RoleOptions{Ignore: []string{"school"}}}
	if clustered {
		setup.Roles = tables.RoleOptions{ClusterXU: "school", ClusterUY: "school"}
	}
	p, err := problem.Prepare(context.Background(), setup, xu, uy)
	if err != nil {
		t.Fatal(err)
	}
	a, err := risk.Assess(context.Background(), p, risk.Fitted(rr.TwoStep{}), risk.AssessOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// TestClusteredRisk: over draws the standard error of clusters agrees with the standard deviation of the risk, and that of rows is too small. The squares of 40 errors of schools have a kurtosis
// near 3.3, so that the standard deviation of 40 draws has a relative standard error of 12 %; the bounds are three of them.
func TestClusteredRisk(t *testing.T) {
	const draws = 40
	var values []float64
	var ses [2]float64
	for seed := range uint64(draws) {
		xu, uy := drawSchools(t, seed, 40, 15, false)
		for i, clustered := range []bool{false, true} {
			a := schoolRisk(t, xu, uy, clustered)
			ses[i] += a.Risk.SE / draws
			if clustered {
				values = append(values, a.Risk.MSE)
				if *a.Clusters != (problem.Clusters{XU: 40, UY: 40}) || !(a.Risk.Freedom < 80) {
					t.Fatalf("clusters %+v, %g degrees of freedom", *a.Clusters, a.Risk.Freedom)
				}
			}
		}
	}
	sd := stat.StdDev(values, nil)
	if ratio := ses[1] / sd; ratio < .64 || ratio > 1.36 {
		t.Errorf("with clusters the mean standard error is %.2f of the standard deviation %.3f", ratio, sd)
	}
	if ratio := ses[0] / sd; ratio > .5 {
		t.Errorf("without clusters the mean standard error is %.2f of the standard deviation %.3f", ratio, sd)
	}
	// E (Y - x)² = 1 + .09 + .25 + .25 for the best f(x) = x.
	if mean := stat.Mean(values, nil); math.Abs(mean-1.59) > 4*sd/math.Sqrt(draws) {
		t.Errorf("the mean risk is %.3f, want 1.59", mean)
	}
}

// TestClustersOfTwoTables: schools of both tables are one cluster.
func TestClustersOfTwoTables(t *testing.T) {
	xu, uy := drawSchools(t, 1, 23, 4, true)
	if a := schoolRisk(t, xu, uy, true); *a.Clusters != (problem.Clusters{XU: 23, UY: 23, Shared: 23}) {
		t.Errorf("clusters %+v", *a.Clusters)
	}
}
