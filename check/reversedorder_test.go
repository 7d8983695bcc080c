package check

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"mediant/tables"
)

// TestReversedOrder: a column whose order is reversed in one table is named though its distribution is the same, and columns that depend on each other otherwise
// are not said to be reversed.
func TestReversedOrder(t *testing.T) {
	const n = 500
	code := func(v float64) float64 { return 3 + math.Round(max(-2, min(2, v))) }
	for _, c := range []struct {
		name   string
		spoil  func(m, b, d float64, table int, rnd *rand.Rand) (float64, float64, float64)
		want   string
		levels bool // codes are words
	}{
		{"codes in the second", func(m, b, d float64, table int, _ *rand.Rand) (float64, float64, float64) {
			if table == 1 {
				m = -m
			}
			return code(m), b, d
		}, "mood", false},
		{"codes in the first", func(m, b, d float64, table int, _ *rand.Rand) (float64, float64, float64) {
			if table == 0 {
				m = -m
			}
			return code(m), b, d
		}, "mood", false},
		{"words", func(m, b, d float64, table int, _ *rand.Rand) (float64, float64, float64) {
			return code(m * float64(1-2*table)), b, d
		}, "mood", true},
		{"words as they are", func(m, b, d float64, _ int, _ *rand.Rand) (float64, float64, float64) { return code(m), b, d }, "", true},
		{"words at random", func(m, b, d float64, table int, rnd *rand.Rand) (float64, float64, float64) {
			if table == 1 {
				m = rnd.NormFloat64()
			}
			return code(m), b, d
		}, "", true},
		{"a symmetric number", func(m, b, d float64, table int, _ *rand.Rand) (float64, float64, float64) {
			return m, b * float64(1-2*table), d
		}, "bp", false},
		{"of 0 and 1", func(m, b, d float64, table int, _ *rand.Rand) (float64, float64, float64) {
			if m = math.Copysign(.5, m) + .5; table == 1 {
				m = 1 - m
			}
			return m, b, d
		}, "mood", false},
		{"the third", func(m, b, d float64, table int, _ *rand.Rand) (float64, float64, float64) {
			return code(m), b, d * float64(1-2*table)
		}, "dose", false},
		{"nothing", func(m, b, d float64, _ int, _ *rand.Rand) (float64, float64, float64) { return code(m), b, d }, "", false},
		{"no dependence in one", func(m, b, d float64, table int, rnd *rand.Rand) (float64, float64, float64) {
			if table == 1 {
				m = rnd.NormFloat64()
			}
			return code(m), b, d
		}, "", false},
		{"a weaker one", func(m, b, d float64, table int, rnd *rand.Rand) (float64, float64, float64) {
			if table == 1 {
				m = .2*m - .98*rnd.NormFloat64()
			}
			return code(m), b, d
		}, "", false},
	} {
		for seed := range uint64(3) {
			rnd := rand.New(rand.NewPCG(seed, 43))
			var of [2][3][]float64
			for k := range 2 {
				for range n {
					f := rnd.NormFloat64()
					m, b, d := c.spoil(.8*f+.6*rnd.NormFloat64(), .7*f+.7*rnd.NormFloat64(), .6*f+.8*rnd.NormFloat64(), k, rnd)
					of[k][0], of[k][1], of[k][2] = append(of[k][0], m), append(of[k][1], b), append(of[k][2], d)
				}
			}
			u := func(k int) []tables.ColumnData {
				if c.levels {
					word := func(i int) string { return []string{"never", "seldom", "some", "often", "always"}[int(of[k][0][i])-1] }
					return []tables.ColumnData{text("mood", n, word), numbers("bp", n, at(of[k][1])), numbers("dose", n, at(of[k][2]))}
				}
				return []tables.ColumnData{numbers("mood", n, at(of[k][0])), numbers("bp", n, at(of[k][1])), numbers("dose", n, at(of[k][2]))}
			}
			normal := func(int) float64 { return rnd.NormFloat64() }
			got := found(t, table(t, append(u(0), numbers("x", n, normal))...), table(t, append(u(1), numbers("y", n, normal))...), Options{})
			i := slices.IndexFunc(got, func(f string) bool { return len(f) > 20 && f[:20] == "warning unit-differs" })
			if c.want == "" && i >= 0 || c.want != "" && !slices.Contains(got, "warning unit-differs "+c.want) {
				t.Errorf("%s, seed %d: %q", c.name, seed, got)
			}
		}
	}
}
