package check

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestImputed: missing values that a regression on U was put in for are reported, and nothing else that repeats or is a function of U.
func TestImputed(t *testing.T) {
	to := func(step, v float64) float64 { return math.Round(v/step) * step }
	noise := func(rnd *rand.Rand) float64 { return 10 * rnd.NormFloat64() }
	line := func(u, v float64, level int) float64 { return 40.13 + .317*u + 2.71*v + 4.3*float64(level) }
	instead := func(share, step float64) func(u, v float64, level int, rnd *rand.Rand) float64 {
		return func(u, v float64, level int, rnd *rand.Rand) float64 {
			y := line(u, v, level)
			if rnd.Float64() > share {
				return to(.1, y+noise(rnd))
			}
			return to(step, y)
		}
	}
	measured := func(u, v float64, level int, rnd *rand.Rand) float64 { return to(.1, line(u, v, level)+noise(rnd)) }
	for name, c := range ordered(map[string]struct {
		y    func(u, v float64, level int, rnd *rand.Rand) float64
		want string
	}{
		"in half":         {instead(.5, .1), "warning"},
		"in a sixth":      {instead(.17, .1), "warning"},
		"in most":         {instead(.8, .1), "warning"},
		"with all digits": {instead(.2, 1e-9), "warning"},
		"with more":       {instead(.3, .001), "warning"},
		"of one column": {func(u, v float64, level int, rnd *rand.Rand) float64 {
			if rnd.Float64() < .3 {
				return to(.1, 44.43+.317*u)
			}
			return measured(u, v, level, rnd)
		}, "warning"},
		"carried forward": {func(u, v float64, level int, rnd *rand.Rand) float64 {
			if rnd.Float64() < .3 {
				return u
			}
			return measured(u, v, level, rnd)
		}, "note"},
		"a total": {func(u, v float64, level int, rnd *rand.Rand) float64 {
			return to(.1, u+v+50*rnd.ExpFloat64()*float64(rnd.IntN(2)))
		}, "note"},
		"measured": {measured, ""},
		"rounded":  {func(u, v float64, level int, rnd *rand.Rand) float64 { return to(5, measured(u, v, level, rnd)) }, ""},
		"zeros": {func(u, v float64, level int, rnd *rand.Rand) float64 {
			return max(0, measured(u, v, level, rnd)-50) * float64(rnd.IntN(2))
		}, ""},
		"heavy tails": {func(u, v float64, level int, rnd *rand.Rand) float64 {
			return to(.1, line(u, v, level)+rnd.NormFloat64()/rnd.NormFloat64())
		}, ""},
		"a narrow line": {func(u, v float64, level int, rnd *rand.Rand) float64 {
			return to(.1, line(u, v, level)+.2*rnd.NormFloat64())
		}, ""},
		"all of it": {func(u, v float64, level int, rnd *rand.Rand) float64 { return to(.1, line(u, v, level)) }, ""},
		"a copy": {func(u, _ float64, _ int, rnd *rand.Rand) float64 {
			if rnd.IntN(50) == 0 {
				return to(.1, noise(rnd))
			}
			return u
		}, ""},
		"counts": {func(u, v float64, level int, rnd *rand.Rand) float64 {
			return math.Floor(math.Exp(1+v/2) * rnd.ExpFloat64())
		}, ""},
	}) {
		for seed := range uint64(3) {
			const n = 400
			rnd := rand.New(rand.NewPCG(seed, 71))
			var us, vs, ys [2][]float64
			var ls [2][]string
			for k := range 2 {
				for range n {
					u, v, level := math.Round(50+12*rnd.NormFloat64()), to(.01, rnd.NormFloat64()), rnd.IntN(3)
					us[k], vs[k], ls[k] = append(us[k], u), append(vs[k], v), append(ls[k], []string{"a", "b", "c"}[level])
					ys[k] = append(ys[k], c.y(u, v, level, rnd))
				}
			}
			xu := table(t, numbers("x", n, func(i int) float64 { return rnd.NormFloat64() }), numbers("u", n, at(us[0])), numbers("v", n, at(vs[0])), text("l", n, at(ls[0])))
			uy := table(t, numbers("u", n, at(us[1])), numbers("v", n, at(vs[1])), text("l", n, at(ls[1])), numbers("y", n, at(ys[1])))
			r, err := Tables(t.Context(), xu, uy, Options{})
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			for _, f := range r.Findings {
				if strings.Contains(f.What, "one linear function of U") && f.Columns[0] == "y" {
					got = f.Severity.String()
				}
			}
			if got != c.want {
				t.Errorf("%s, seed %d: %q, want %q: %q", name, seed, got, c.want, r.Findings)
				break
			}
		}
	}
}

// at are the elements of a slice.
func at[T any](values []T) func(i int) T { return func(i int) T { return values[i] } }
