package check

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"mediant/tables"
)

// TestWeightColumns: sampling weights that would be X or U are noted, unless a flag says what they are; weights of bodies and counts are not.
func TestWeightColumns(t *testing.T) {
	const n = 200
	rnd := rand.New(rand.NewPCG(1, 83))
	sampling := func(int) float64 { return []float64{.5, .5, 3}[rnd.IntN(3)] }
	body := func(int) float64 { return 75 + 15*rnd.NormFloat64() }
	normal := func(int) float64 { return rnd.NormFloat64() }
	for name, c := range map[string]struct {
		column string
		value  func(int) float64
		opt    tables.RoleOptions
		want   bool
	}{
		"sampling weights": {"weight", sampling, tables.RoleOptions{}, true},
		"of mean 1":        {"surveyWeight", func(int) float64 { return 1 + .1*rnd.NormFloat64() }, tables.RoleOptions{}, true},
		"set":              {"weight", sampling, tables.RoleOptions{WeightsXU: "weight", WeightsUY: "weight"}, false},
		"meant":            {"weight", sampling, tables.RoleOptions{U: []string{"u", "weight"}, X: []string{"x", "weight"}}, false},
		"bodies":           {"weight", body, tables.RoleOptions{}, false},
		"counts":           {"n", sampling, tables.RoleOptions{}, false},
		"another name":     {"dose", sampling, tables.RoleOptions{}, false},
		"below 0":          {"weight", normal, tables.RoleOptions{}, false},
	} {
		for _, both := range []bool{true, false} {
			first := []tables.ColumnData{numbers("x", n, normal), numbers("u", n, normal), numbers(c.column, n, c.value)}
			second := []tables.ColumnData{numbers("u", n, normal), numbers("y", n, normal)}
			opt := c.opt
			if both {
				second = append(second, numbers(c.column, n, c.value))
				opt.X = nil
			} else {
				opt.U, opt.WeightsUY = nil, ""
			}
			got := found(t, table(t, first...), table(t, second...), Options{Roles: opt})
			if slices.ContainsFunc(got, func(f string) bool { return strings.HasPrefix(f, "note weights-unused") }) != c.want {
				t.Errorf("%s (U: %v): %q", name, both, got)
			}
		}
	}
}
