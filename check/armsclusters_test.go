package check

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"mediant/tables"
)

// TestClusteredArms: a treatment that was drawn by what a column names is reported once, and one that was drawn by row, or that a column is a part of, is not.
func TestClusteredArms(t *testing.T) {
	const n = 400
	for _, c := range []struct {
		name    string
		cluster func(i int, rnd *rand.Rand) string // its arm is by its number, where by is set
		arm     func(i int, cluster string, rnd *rand.Rand) float64
		want    bool
	}{
		{"clinics", func(i int, rnd *rand.Rand) string { return fmt.Sprint("clinic ", rnd.IntN(8)) }, byCluster, true},
		{"four regions", func(i int, rnd *rand.Rand) string { return fmt.Sprint("region ", rnd.IntN(4)) }, byCluster, true},
		{"households of two", func(i int, _ *rand.Rand) string { return fmt.Sprint("family ", i/2) }, byCluster, true},
		{"classes in blocks", func(i int, _ *rand.Rand) string { return fmt.Sprint("class ", i/25) }, byCluster, true},
		{"of other sizes", func(i int, rnd *rand.Rand) string { return fmt.Sprint("town ", rnd.IntN(1+rnd.IntN(30))) }, byCluster, true},
		{"drawn by row", func(i int, rnd *rand.Rand) string { return fmt.Sprint("clinic ", rnd.IntN(8)) }, byRow, false},
		{"households drawn by row", func(i int, rnd *rand.Rand) string { return fmt.Sprint("family ", i/2) }, byRow, false},
		{"nearly all different", func(i int, rnd *rand.Rand) string { return fmt.Sprint("name ", rnd.IntN(100000)) }, byRow, false},
		{"doses of one arm", func(i int, rnd *rand.Rand) string { return fmt.Sprint("dose ", max(0, rnd.IntN(8)-3)) }, func(_ int, cluster string, _ *rand.Rand) float64 {
			if cluster == "dose 0" {
				return 0
			}
			return 1
		}, false},
		{"three sites", func(i int, rnd *rand.Rand) string { return fmt.Sprint("site ", rnd.IntN(3)) }, byCluster, false},
	} {
		for seed := range uint64(2) {
			rnd := rand.New(rand.NewPCG(seed, 41))
			var of []string
			var arm []float64
			for i := range n {
				of = append(of, c.cluster(i, rnd))
				arm = append(arm, c.arm(i, of[i], rnd))
			}
			normal := func(int) float64 { return rnd.NormFloat64() }
			for _, role := range []string{"beside", "U"} {
				x := []tables.ColumnData{numbers("t", n, at(arm)), text("where", n, at(of)), numbers("u", n, normal)}
				y := []tables.ColumnData{numbers("u", n, normal), numbers("y", n, normal)}
				if role == "U" {
					y = append(y, text("where", n, at(of)))
				}
				got := found(t, table(t, x...), table(t, y...), Options{Treatment: "t"})
				if slices.Contains(got, "warning grouped-rows where") != c.want || c.want && slices.Contains(got, "warning arms-differ where") {
					t.Errorf("%s, %s, seed %d: %q", c.name, role, seed, got)
				}
			}
		}
	}
}

// byCluster has the arm of a cluster, those of even numbers one and the others the other.
func byCluster(_ int, cluster string, _ *rand.Rand) float64 {
	if strings.ContainsAny(cluster[len(cluster)-1:], "02468") {
		return 0
	}
	return 1
}

func byRow(_ int, _ string, rnd *rand.Rand) float64 { return float64(rnd.IntN(2)) }
