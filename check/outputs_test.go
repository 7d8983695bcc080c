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
		{"Häufigkeit", func(i int) float64 { return float64(1 + i%7) }, tables.RoleOptions{}, []string{"warning several-y Häufigkeit"}, `--weights-uy "Häufigkeit"`},
		{"leak", func(i int) float64 { return u[i] + .05*rnd.NormFloat64() }, tables.RoleOptions{Y: []string{"leak"}}, []string{"warning y-repeats u"}, `"u" of U explains 99.9`},
		{"near", func(i int) float64 { return u[i] + .5*rnd.NormFloat64() }, tables.RoleOptions{Y: []string{"near"}}, nil, ""},
		{"tail", func(i int) float64 { // one far value makes the line, not the others
			if i == 0 {
				return 1e5
			}
			return rnd.NormFloat64()
		}, tables.RoleOptions{Y: []string{"tail"}}, nil, ""},
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

// TestMeansOfRows: whole weights of a table in which each U is there once are doubted, and so is the advice to take them, but not where U is there
// several times, or could hardly be.
func TestMeansOfRows(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 18))
	draw := func() float64 { return float64(rnd.IntN(7)) }
	xu := table(t, numbers("x", 300, func(int) float64 { return rnd.NormFloat64() }), numbers("u", 300, func(int) float64 { return draw() }),
		numbers("v", 300, func(int) float64 { return draw() }), numbers("w", 300, func(int) float64 { return draw() }))
	for _, c := range []struct {
		name     string
		step     int // rows of each U
		fraction float64
		weights  string
		want     []string
	}{
		{"means", 1, 0, "n", []string{"warning grouped-rows n"}},
		{"advice", 1, 0, "", []string{"warning several-y n"}},
		{"sampling weights", 1, .5, "n", nil},
		{"rows", 2, 0, "n", nil},
	} {
		const n = 343 // 7 values of each of 3 columns
		at := func(i, place int) float64 { return float64(i / c.step / place % 7) }
		uy := table(t, numbers("u", n, func(i int) float64 { return at(i, 1) }), numbers("v", n, func(i int) float64 { return at(i, 7) }),
			numbers("w", n, func(i int) float64 { return at(i, 49) }), numbers("y", n, func(i int) float64 { return at(i, 1) + rnd.NormFloat64() }),
			numbers("n", n, func(i int) float64 { return float64(1+i%5) + c.fraction }))
		report, err := Tables(context.Background(), xu, uy, Options{Roles: tables.RoleOptions{WeightsUY: c.weights}})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range report.Findings {
			if f.Code == SeveralY || f.Code == GroupedRows {
				got = append(got, fmt.Sprintf("%s %s %s", f.Severity, f.Code, f.column()))
				if !strings.Contains(f.Remedy, "averaged") {
					t.Errorf("%s: %q", c.name, f)
				}
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestReversedScaleInWords: the sentence on a scale that is reversed about its median, or differs in shape alone, has two numbers that differ.
func TestReversedScaleInWords(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 19))
	scale := func() float64 { return []float64{1, 1, 1, 2, 2, 3, 3, 3, 3, 3, 4, 5}[rnd.IntN(12)] }
	xu := table(t, numbers("x", 600, func(int) float64 { return rnd.NormFloat64() }), numbers("u", 600, func(int) float64 { return scale() }))
	uy := table(t, numbers("u", 600, func(int) float64 { return 6 - scale() }), numbers("y", 600, func(int) float64 { return rnd.NormFloat64() }))
	report, err := Tables(context.Background(), xu, uy, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Findings) != 1 || !strings.Contains(report.Findings[0].What, `"u" is at most 3 in 86 % of`) || !strings.Contains(report.Findings[0].What, "reversed") {
		t.Errorf("%v", report.Findings)
	}
	if got, want := contrast([]float64{1, 1, 1, 3, 5, 5, 5}, []float64{0, 1, 1, 3, 5, 5, 6}), "it is at most 0 in none of the rows of the first and in 14.3 % of those of the second, with about the same median, mean and spread"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
