package check

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/tables"
)

// TestMixedGivenU: part of Y in another unit is seen from U where the humps of Y run into each other; what U does not explain otherwise is not.
func TestMixedGivenU(t *testing.T) {
	const n = 400
	of := func(u, v float64, group string, rnd *rand.Rand) float64 {
		y := 30 + 6*u + 2*v*v + rnd.NormFloat64()
		if group == "b" {
			y += 5
		}
		return max(2, y)
	}
	times := func(share, f float64) func(y float64, rnd *rand.Rand) float64 {
		return func(y float64, rnd *rand.Rand) float64 {
			if rnd.Float64() < share {
				return f * y
			}
			return y
		}
	}
	for name, c := range ordered(map[string]struct {
		spoil func(y float64, rnd *rand.Rand) float64
		want  bool
	}{
		"pounds in a fifth":     {times(.2, 2.2046), true},
		"pounds in half":        {times(.5, 2.2046), true},
		"miles":                 {times(.3, 1/1.609344), true},
		"inches":                {times(.1, 1/2.54), true},
		"one unit":              {times(0, 1), false},
		"1.3 times":             {times(.3, 1.3), false},
		"of any size":           {func(y float64, rnd *rand.Rand) float64 { return y * math.Exp(rnd.NormFloat64()) }, false},
		"uniformly larger":      {func(y float64, rnd *rand.Rand) float64 { return y * (1 + 2*rnd.Float64()) }, false},
		"a step that U has not": {func(y float64, rnd *rand.Rand) float64 { return y + 12*float64(rnd.IntN(2)) }, false},
	}) {
		rnd := rand.New(rand.NewPCG(3, 7))
		var u, v, y [2][]float64
		var g [2][]string
		for k := range 2 {
			for range n {
				u[k], v[k] = append(u[k], rnd.NormFloat64()), append(v[k], rnd.NormFloat64())
				g[k] = append(g[k], string(rune('a'+rnd.IntN(3))))
				y[k] = append(y[k], c.spoil(of(u[k][len(u[k])-1], v[k][len(v[k])-1], g[k][len(g[k])-1], rnd), rnd))
			}
		}
		at := func(v []float64) func(int) float64 { return func(i int) float64 { return v[i] } }
		level := func(k int) func(int) string { return func(i int) string { return g[k][i] } }
		xu := table(t, numbers("x", n, func(int) float64 { return rnd.NormFloat64() }), numbers("u", n, at(u[0])), numbers("v", n, at(v[0])), text("g", n, level(0)))
		uy := table(t, numbers("u", n, at(u[1])), numbers("v", n, at(v[1])), text("g", n, level(1)), numbers("y", n, at(y[1])))
		if got := found(t, xu, uy, Options{}); slices.Contains(got, "warning mixed-units y") != c.want {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// TestFunctionsOfUAreKept: columns without missing values have one matrix, and each with some has that of its own rows.
func TestFunctionsOfUAreKept(t *testing.T) {
	const n = 100
	rnd := rand.New(rand.NewPCG(4, 7))
	normal := func(int) float64 { return rnd.NormFloat64() }
	some := func(i int) float64 {
		if i < 40 {
			return math.NaN()
		}
		return float64(i)
	}
	look, err := look(t.Context(), table(t, numbers("u", n, normal), numbers("a", n, normal), numbers("b", n, normal), numbers("c", n, some)), 0)
	if err != nil {
		t.Fatal(err)
	}
	c := checker{uy: look, roles: tables.Roles{U: []string{"u"}}}
	of := func(name string) (*mat.Dense, int) {
		x, values := c.functionsOfU(look, look.of(name), n, lineFunctions, true)
		return x, len(values)
	}
	a, _ := of("a")
	missing, rows := of("c")
	b, _ := of("b")
	if height, _ := missing.Dims(); a != b || height != 60 || rows != 60 {
		t.Errorf("one matrix for all: %v; of 60 rows %d and %d", a == b, height, rows)
	}
}
