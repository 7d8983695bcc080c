package check

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestLongForm: repeated measurements are reported by the column that says which, one after the other or in parts, whether or not some are lost; factors of an
// experiment, rows in the order of a site and a column in turn are not.
func TestLongForm(t *testing.T) {
	type row struct {
		arm, sex, visit string
		u               float64
	}
	persons := func(visits ...string) func(*rand.Rand) []row {
		return func(rnd *rand.Rand) (rows []row) {
			for range 150 {
				arm, sex := string("AB"[rnd.IntN(2)]), string("MF"[rnd.IntN(2)])
				for _, v := range visits {
					rows = append(rows, row{arm, sex, v, rnd.NormFloat64()})
				}
			}
			return rows
		}
	}
	for name, c := range ordered(map[string]struct {
		rows func(*rand.Rand) []row
		want bool
	}{
		"two":   {persons("baseline", "week 52"), true},
		"three": {persons("v1", "v2", "v3"), true},
		"some are lost": {func(rnd *rand.Rand) []row {
			left := false // a person who leaves has no more visits
			return slices.DeleteFunc(persons("v1", "v2", "v3")(rnd), func(r row) bool {
				left = r.visit != "v1" && (left || rnd.IntN(5) == 0)
				return left
			})
		}, true},
		"in parts": {func(rnd *rand.Rand) []row {
			rows := persons("v1", "v2")(rnd)
			slices.SortStableFunc(rows, func(a, b row) int { return int(a.visit[1]) - int(b.visit[1]) })
			return rows
		}, true},
		"in any order": {func(rnd *rand.Rand) []row {
			rows := persons("v1", "v2")(rnd)
			rnd.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
			return rows
		}, false},
		"factors": {func(rnd *rand.Rand) (rows []row) {
			for range 30 {
				for _, arm := range []string{"A", "B"} {
					for _, sex := range []string{"F", "M"} {
						for _, v := range []string{"v1", "v2", "v3"} {
							rows = append(rows, row{arm, sex, v, rnd.NormFloat64()})
						}
					}
				}
			}
			return rows
		}, false},
		"by site": {func(rnd *rand.Rand) []row {
			rows := persons("v1", "v2")(rnd)
			for i := range rows {
				rows[i].arm, rows[i].sex, rows[i].visit = string(rune('a'+i/40)), "F", []string{"v1", "v2"}[rnd.IntN(2)]
			}
			return rows
		}, false},
		"in turn": {func(rnd *rand.Rand) []row {
			rows := persons("v1", "v2")(rnd)
			for i := range rows {
				rows[i].sex = string("MF"[rnd.IntN(2)])
			}
			return rows
		}, false},
	}) {
		rnd := rand.New(rand.NewPCG(7, 2))
		rows := c.rows(rnd)
		n := len(rows)
		xu := table(t, text("arm", n, func(i int) string { return rows[i].arm }), text("sex", n, func(i int) string { return rows[i].sex }),
			text("visit", n, func(i int) string { return rows[i].visit }), numbers("u", n, func(i int) float64 { return rows[i].u }))
		uy := table(t, numbers("u", 200, func(int) float64 { return rnd.NormFloat64() }), numbers("y", 200, func(int) float64 { return rnd.NormFloat64() }))
		for _, treatment := range []string{"", "arm"} {
			got := slices.Contains(found(t, xu, uy, Options{Treatment: treatment}), "warning grouped-rows visit")
			if got != c.want {
				t.Errorf("%s, treatment %q: told %v, want %v: %q", name, treatment, got, c.want, found(t, xu, uy, Options{Treatment: treatment}))
			}
		}
	}
}
