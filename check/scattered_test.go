package check

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"mediant/tables"
)

// TestScattered: cells that were put in from other rows are noted where U nearly determines the column; long tails, noise and rows of another kind are not.
func TestScattered(t *testing.T) {
	const n = 600
	for name, c := range map[string]struct {
		value func(u float64, rnd *rand.Rand) float64
		want  bool
	}{
		"from other rows": {func(u float64, rnd *rand.Rand) float64 {
			if rnd.Float64() < .3 {
				u = rnd.NormFloat64()
			}
			return u + .15*rnd.NormFloat64()
		}, true},
		"a narrow line": {func(u float64, rnd *rand.Rand) float64 { return u + .15*rnd.NormFloat64() }, false},
		"a wide line":   {func(u float64, rnd *rand.Rand) float64 { return u + rnd.NormFloat64() }, false},
		"unrelated":     {func(_ float64, rnd *rand.Rand) float64 { return rnd.NormFloat64() }, false},
		"heavy tails":   {func(u float64, rnd *rand.Rand) float64 { return u + .1*rnd.NormFloat64()/rnd.NormFloat64() }, false},
		"a part of noise": {func(u float64, rnd *rand.Rand) float64 {
			if rnd.Float64() < .3 {
				return u + rnd.NormFloat64()
			}
			return u + .15*rnd.NormFloat64()
		}, false},
		"another slope": {func(u float64, rnd *rand.Rand) float64 {
			if rnd.Float64() < .3 {
				u *= .3
			}
			return u + .15*rnd.NormFloat64()
		}, false},
	} {
		for seed := range uint64(6) {
			rnd := rand.New(rand.NewPCG(seed, 41))
			normal := func(int) float64 { return rnd.NormFloat64() }
			u, x := make([]float64, n), make([]float64, n)
			for i := range u {
				u[i] = rnd.NormFloat64()
				x[i] = c.value(u[i], rnd)
			}
			for k, tables := range [][]string{{"x", "y"}, {"y", "x"}} {
				related, other := table(t, numbers("u", n, at(u)), numbers(tables[k], n, at(x))), table(t, numbers("u", n, normal), numbers(tables[1-k], n, normal))
				if k == 1 {
					related, other = other, related
				}
				all := strings.Join(found(t, related, other, Options{}), "; ")
				if got := strings.Contains(all, "note misaligned-rows x"); got != c.want {
					t.Errorf("%s, seed %d, table %d: %q", name, seed, k, all)
				}
			}
		}
	}
}

// TestCurvedIsNotScattered: rows that the functions of U cannot fit, since it acts jointly, lie where it does so, and do not look as if they were from other rows.
func TestCurvedIsNotScattered(t *testing.T) {
	const n, d = 1000, 25
	for seed := range uint64(12) {
		rnd := rand.New(rand.NewPCG(seed, 7))
		normal := func(int) float64 { return rnd.NormFloat64() }
		u := make([][]float64, d)
		for j := range u {
			u[j] = make([]float64, n)
			for i := range u[j] {
				if u[j][i] = rnd.Float64(); j < 5 {
					u[j][i] += .2 * rnd.NormFloat64()
				}
			}
		}
		y := func(i int) float64 {
			return 10*math.Sin(math.Pi*u[0][i]*u[1][i]) + 20*(u[2][i]-.5)*(u[2][i]-.5) + 10*u[3][i] + 5*u[4][i] + .25*rnd.NormFloat64()
		}
		with := func(last tables.ColumnData) tables.Source {
			columns := []tables.ColumnData{last}
			for j := range u {
				columns = append(columns, numbers(fmt.Sprintf("u%d", j), n, at(u[j])))
			}
			return table(t, columns...)
		}
		if all := strings.Join(found(t, with(numbers("x", n, normal)), with(numbers("y", n, y)), Options{}), "; "); strings.Contains(all, "misaligned") {
			t.Errorf("seed %d: %s", seed, all)
		}
	}
}
