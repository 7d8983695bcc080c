package check

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"mediant/tables"
)

// TestSeveralY: columns that only the second table has are Y together, and are named where no flag names them; one that is another one, or one
// of U, in another scale is doubted.
func TestSeveralY(t *testing.T) {
	const n = 300
	rnd := rand.New(rand.NewPCG(7, 18))
	u, y := make([]float64, n), make([]float64, n)
	for i := range y {
		u[i] = math.Round(1000*rnd.NormFloat64()) / 100
		y[i] = math.Round(100*(20+u[i]+rnd.NormFloat64())) / 100
	}
	round := func(v float64, digits int) float64 {
		return math.Round(v*math.Pow10(digits)) / math.Pow10(digits)
	}
	xu := table(t, numbers("x", n, func(int) float64 { return rnd.NormFloat64() }), numbers("u", n, func(int) float64 { return rnd.NormFloat64() * 10 }))
	const several = "note several-y y"
	for _, c := range []struct {
		name  string
		value func(i int) float64
		roles tables.RoleOptions
		want  []string
		say   string
	}{
		{"tax", func(i int) float64 { return round(1.19*y[i], 2) }, tables.RoleOptions{}, []string{"warning y-repeats tax", several}, `"tax" is "y" times 1.19 in all rows`},
		{"copy", func(i int) float64 { return y[i] }, tables.RoleOptions{}, []string{"warning y-repeats copy", several}, `"copy" is equal to "y"`},
		{"scale", func(i int) float64 { return 32 + 1.8*u[i] }, tables.RoleOptions{}, []string{"warning y-repeats scale", several}, `"scale" is "u" times 1.8 plus 32`},
		{"whole", func(i int) float64 { return round(10*y[i], 0) }, tables.RoleOptions{}, []string{"warning y-repeats whole", several}, "times 10"},
		{"score", func(i int) float64 { return round(y[i]+.1*rnd.NormFloat64(), 2) }, tables.RoleOptions{}, []string{several}, `Y is taken to be "y" and "score"`},
		{"log", func(i int) float64 { return math.Log(y[i] + 40) }, tables.RoleOptions{}, []string{several}, "--y names those"},
		{"sampling weight", func(i int) float64 { return 1 + rnd.Float64() }, tables.RoleOptions{}, []string{"warning several-y sampling weight"}, `--weights-uy "sampling weight"`},
		{"score", func(i int) float64 { return rnd.NormFloat64() }, tables.RoleOptions{Y: []string{"y", "score"}}, nil, ""},
		{"score", func(i int) float64 { return rnd.NormFloat64() }, tables.RoleOptions{Y: []string{"y"}}, nil, ""},
		{"weight", func(i int) float64 { return 1 + rnd.Float64() }, tables.RoleOptions{WeightsUY: "weight"}, nil, ""},
	} {
		uy := table(t, numbers("u", n, func(i int) float64 { return u[i] }), numbers("y", n, func(i int) float64 { return y[i] }), numbers(c.name, n, c.value))
		report, err := Tables(context.Background(), xu, uy, Options{Roles: c.roles})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		said := c.say == ""
		for _, f := range report.Findings {
			if f.Code == SeveralY || f.Code == YRepeats {
				got = append(got, fmt.Sprintf("%s %s %s", f.Severity, f.Code, f.column()))
				said = said || strings.Contains(f.String(), c.say)
			}
		}
		if !slices.Equal(got, c.want) || !said {
			t.Errorf("%s: %q, want %q that say %q: %v", c.name, got, c.want, c.say, report.Findings)
		}
	}
}
