package check

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"mediant/tables"
)

// TestGroupedRows: several rows of one person are told by the column that names persons, in either table and whatever flag leaves it out;
// one row of each, copies, and levels of many rows are not.
func TestGroupedRows(t *testing.T) {
	const n = 300
	for name, c := range map[string]struct {
		id   tables.ColumnData
		copy bool
		want bool
	}{
		"text":              {id: text("person_id", n, func(i int) string { return fmt.Sprintf("P%03d", i/5) }), want: true},
		"numbers":           {id: numbers("id", n, func(i int) float64 { return float64(100 + i/3) }), want: true},
		"another name":      {id: text("street", n, func(i int) string { return fmt.Sprintf("P%03d", i/5) })},
		"one each":          {id: numbers("id", n, func(i int) float64 { return float64(i) })},
		"ten slips":         {id: text("id", n, func(i int) string { return fmt.Sprint("P", min(i, n-10)) })},
		"schools":           {id: text("school id", n, func(i int) string { return fmt.Sprint("S", i%10) })},
		"pasted five times": {id: text("id", n, func(i int) string { return fmt.Sprint("P", i%60) }), copy: true},
	} {
		rnd := rand.New(rand.NewPCG(2, 9))
		var drawn []float64
		value := func(i int) float64 {
			if c.copy && i >= 60 {
				return drawn[i%60]
			}
			drawn = append(drawn, rnd.NormFloat64())
			return drawn[i]
		}
		u := numbers("u", n, value)
		x := numbers("x", n, func(i int) float64 { return math.Mod(float64(i%60)*.37, 1) })
		xu, uy := table(t, c.id, x, u), table(t, numbers("u", n, func(int) float64 { return rnd.NormFloat64() }), numbers("y", n, func(int) float64 { return rnd.NormFloat64() }))
		for _, roles := range []tables.RoleOptions{{}, {X: []string{"x"}}} {
			all := found(t, xu, uy, Options{Roles: roles})
			if got := slices.ContainsFunc(all, func(f string) bool { return strings.HasPrefix(f, "warning grouped-rows ") }); got != c.want {
				t.Errorf("%s: %q", name, all)
			}
		}
	}
}
