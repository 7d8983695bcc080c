package check

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"mediant/tables"
)

// TestGroupedRows: several rows of one person are reported by the column that names persons, in either table and whatever flag leaves it out;
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
		x := numbers("x", n, func(i int) float64 { return float64(i * i % 60 % 7) })
		xu, uy := table(t, c.id, x, u), table(t, numbers("u", n, func(int) float64 { return rnd.NormFloat64() }), numbers("y", n, func(int) float64 { return rnd.NormFloat64() }))
		for _, roles := range []tables.RoleOptions{{}, {X: []string{"x"}}} {
			all := found(t, xu, uy, Options{Roles: roles})
			if got := slices.ContainsFunc(all, func(f string) bool { return strings.HasPrefix(f, "warning grouped-rows ") }); got != c.want {
				t.Errorf("%s: %q", name, all)
			}
		}
	}
}

// TestSameParts: rows of one person that no column names, and copies that were edited, are reported; designs and discrete columns are not.
func TestSameParts(t *testing.T) {
	const n = 300
	rnd := rand.New(rand.NewPCG(6, 9))
	normal := func(int) float64 { return rnd.NormFloat64() }
	each := func(k int, of []float64) func(int) float64 { return func(i int) float64 { return of[i/k] } }
	draws := make([]float64, n)
	for i := range draws {
		draws[i] = rnd.NormFloat64()
	}
	design := func(i int) float64 { return float64(i % 25) }
	for _, c := range []struct {
		name    string
		x, u, v func(int) float64
		want    []string
	}{
		{"five rows a person", each(5, draws), normal, normal, []string{"warning grouped-rows x"}},
		{"two rows a person", each(2, draws), normal, normal, []string{"warning grouped-rows x"}},
		{"edited copies of U", normal, normal, each(4, draws), []string{"warning grouped-rows u"}},
		{"clean", normal, normal, normal, nil},
		{"a design", design, normal, normal, nil},
		{"levels", func(i int) float64 { return float64(rnd.IntN(4)) }, normal, normal, nil},
		{"rounded", func(int) float64 { return float64(rnd.IntN(90)) }, normal, normal, nil},
	} {
		xu := table(t, numbers("x", n, c.x), numbers("u", n, c.u))
		uy := table(t, numbers("u", n, c.v), numbers("y", n, normal))
		var got []string
		for _, f := range found(t, xu, uy, Options{}) {
			if strings.Contains(f, string(GroupedRows)) {
				got = append(got, f)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
