package problem_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/encode"
	"mediant/moments"
	"mediant/problem"
	"mediant/tables"
)

// schoolTables are tables of rows of schools 0 to 22 and of schools 10 to 40, in an order of the seed.
func schoolTables(t *testing.T, seed uint64) (xu, uy tables.Source) {
	t.Helper()
	var sources [2]tables.Source
	for side, c := range []struct{ from, to int }{{0, 23}, {10, 41}} {
		rnd := rand.New(rand.NewPCG(seed, uint64(side)))
		order := rnd.Perm(200)
		var schools []string
		var u, other []float64
		for _, i := range order {
			schools = append(schools, fmt.Sprint("school ", c.from+i%(c.to-c.from)))
			u, other = append(u, float64(i%17)), append(other, float64(i*i%23)+float64(i)/1000)
		}
		src, err := tables.FromColumns(tables.Strings("school", schools), tables.Numbers("u", u), tables.Numbers([]string{"x", "y"}[side], other))
		if err != nil {
			t.Fatal(err)
		}
		sources[side] = src
	}
	return sources[0], sources[1]
}

// foldsOf are the fold of each school of a table, by its number, and the rows in all.
func foldsOf(t *testing.T, e *problem.Encoded, table int) (map[int32]int, int) {
	t.Helper()
	of, rows := make(map[int32]int), 0
	walk, sides := e.WalkXU, [2]encode.Side{e.X(), e.U()}
	if table == problem.TableUY {
		walk, sides = e.WalkUY, [2]encode.Side{e.U(), e.Y()}
	}
	err := walk(t.Context(), sides[0], sides[1], func(k int, a, _ *mat.Dense, w moments.Weights) {
		n, _ := a.Dims()
		rows += n
		for i := range n {
			if fold, known := of[w.Cluster[i]]; known && fold != k {
				t.Fatalf("cluster %d is in the folds %d and %d", w.Cluster[i], fold, k)
			}
			of[w.Cluster[i]] = k
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return of, rows
}

// TestFoldsOfClusters: each cluster is in one fold of both tables, folds have equal numbers of clusters, and a sample of rows has the folds of all.
func TestFoldsOfClusters(t *testing.T) {
	setup := problem.Setup{Folds: 4, Seed: 9, AllRows: true, Roles: tables.RoleOptions{ClusterXU: "school", ClusterUY: "school"}}
	xu, uy := schoolTables(t, 1)
	e, err := problem.Encode(t.Context(), setup, xu, uy)
	if err != nil {
		t.Fatal(err)
	}
	if got := *e.Clusters(); got != (problem.Clusters{XU: 23, UY: 31, Shared: 13}) {
		t.Errorf("clusters %+v", got)
	}
	some, err := e.Subset(t.Context(), 80, "test")
	if err != nil {
		t.Fatal(err)
	}
	var all [2]map[int32]int
	for table, schools := range []int{23, 31} {
		var rows int
		all[table], rows = foldsOf(t, e, table)
		counts := make([]int, 4)
		for _, fold := range all[table] {
			counts[fold]++
		}
		for _, n := range counts {
			if n < schools/4 || n > schools/4+1 || rows != 200 {
				t.Errorf("table %d: folds have %v clusters, in %d rows", table, counts, rows)
			}
		}
		sampled, rows := foldsOf(t, some, table)
		for cluster, fold := range sampled {
			if all[table][cluster] != fold {
				t.Errorf("table %d: cluster %d is in fold %d, and in fold %d of a sample", table, cluster, all[table][cluster], fold)
			}
		}
		if rows != 80 {
			t.Errorf("%d rows were sampled", rows)
		}
	}
	for cluster, fold := range all[0] {
		if other, both := all[1][cluster]; both && other != fold {
			t.Errorf("cluster %d is in fold %d of the first and %d of the second table", cluster, fold, other)
		}
	}
	seeds := setup
	seeds.Seed = 10
	if e, err = problem.Encode(t.Context(), seeds, xu, uy); err != nil {
		t.Fatal(err)
	}
	if other, _ := foldsOf(t, e, 0); maps.Equal(other, all[0]) {
		t.Error("another seed gives the same folds")
	}
}

// TestPlansHaveNoClusters: sums by a plan would have the errors of independent rows.
func TestPlansHaveNoClusters(t *testing.T) {
	xu, uy := schoolTables(t, 1)
	p, err := problem.Prepare(t.Context(), problem.Setup{AllRows: true, Roles: tables.RoleOptions{ClusterXU: "school", ClusterUY: "school"}}, xu, uy)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Plan(t.Context()); err == nil {
		t.Error("a plan with clusters")
	}
}
