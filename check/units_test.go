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

// TestUnits: numbers of one table in another unit, scale or code.
func TestUnits(t *testing.T) {
	mass := normal(70, 10)
	temperature := normal(18, 6)
	few := func(rnd *rand.Rand) any { return 1 + math.Min(4, math.Floor(rnd.ExpFloat64()*1.2)) }
	age := by(normal(45, 12), math.Round)
	const wrong, doubtful = "error unit-differs u", "warning unit-differs u"
	cases := map[string]spoilt{
		"Celsius and Fahrenheit": {temperature, by(temperature, func(v float64) float64 { return 1.8*v + 32 }), wrong},
		"kelvins":                {by(temperature, func(v float64) float64 { return v + 273.15 }), temperature, wrong},
		"logarithm":              {by(skew, math.Log), skew, wrong},
		"decimal logarithm":      {skew, by(skew, math.Log10), wrong},
		"logarithm of one more":  {by(skew, func(v float64) float64 { return math.Log1p(9 * v) }), by(skew, func(v float64) float64 { return 9 * v }), wrong},
		"sign":                   {by(skew, func(v float64) float64 { return -v }), skew, wrong},
		"sign or shift":          {normal(-1, 1), normal(1, 1), doubtful},
		"sign, one side of 0":    {normal(-8, 1), normal(8, 1), wrong},
		"year of birth":          {by(age, func(v float64) float64 { return 2019 - v }), age, wrong},
		"two digits":             {by(age, func(v float64) float64 { return v + 1900 }), age, wrong},
		"codes from 0":           {wholeFrom(0, 4), wholeFrom(1, 5), wrong},
		"codes of two from 1":    {wholeFrom(1, 2), wholeFrom(0, 1), wrong},
		"codes reversed":         {few, by(few, func(v float64) float64 { return 6 - v }), wrong},
		"kilograms and pounds":   {mass, by(mass, func(v float64) float64 { return v / .45359237 }), wrong},
		"inches":                 {mass, by(mass, func(v float64) float64 { return v * 2.54 }), wrong},
		"miles":                  {skew, by(skew, func(v float64) float64 { return v * 1.609344 }), doubtful},
	}
	for _, f := range factors {
		if f.factor >= grossFactor {
			cases[fmt.Sprint("normal times ", f.factor)] = spoilt{normal(0, 1), normal(0, f.factor), wrong}
			cases[fmt.Sprint("skew by ", f.factor)] = spoilt{skew, by(skew, func(v float64) float64 { return v / f.factor }), wrong}
		}
	}
	tryPairs(t, spoiltRows, cases)
}

// TestCodesAreNoLogarithms: 1 and 2 in one table and 0 and 1 in the other are reported as codes.
func TestCodesAreNoLogarithms(t *testing.T) {
	const n = 200
	code := func(from int) func(int) float64 { return func(i int) float64 { return float64(from + i*i%7%2) } }
	for _, from := range [][2]int{{0, 1}, {1, 0}} {
		xu := table(t, numbers("x", n, func(i int) float64 { return float64(i) / 8 }), numbers("u", n, code(from[0])))
		uy := table(t, numbers("u", n, code(from[1])), numbers("y", n, func(i int) float64 { return float64(i) / 8 }))
		r, err := Tables(context.Background(), xu, uy, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if f := r.Findings[0]; f.Code != UnitDiffers || !strings.Contains(f.What, "codes begin at 0") {
			t.Errorf("%v: %s", from, f)
		}
	}
}

// TestUnitBesidesShift: a factor of units is reported where the populations differ too.
func TestUnitBesidesShift(t *testing.T) {
	for _, factor := range []float64{1000, 100, 60, 12, .01} {
		xu, uy := pairOf(t, 2000, spoilt{x: normal(.2, 1.1), y: normal(0, factor)}, 3)
		if got := found(t, xu, uy, Options{}); !slices.Equal(got, []string{"error unit-differs u"}) {
			t.Errorf("factor %g: %q", factor, got)
		}
	}
}

// TestChanceIsNoUnit: samples of one distribution that are far from each other by chance are not said to be in another unit, reversed, or of the other sign, though some
// conversion brings most of them together. By the level of the distance one of 40,000 pairs may be.
func TestChanceIsNoUnit(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for what, of := range map[string]func(z float64) float64{
		"normal":     func(z float64) float64 { return z },
		"skew":       math.Exp,
		"five codes": func(z float64) float64 { return min(4, math.Floor(5*math.Erfc(-z/math.Sqrt2)/2)) },
	} {
		said := 0
		for k := range 10_000 {
			u := &uColumn{name: "u", kind: tables.Numeric}
			for t, rows := range []int{[]int{12, 20, 40, 100}[k%4], 60} {
				for range rows {
					u.numbers[t] = append(u.numbers[t], of(rnd.NormFloat64()))
				}
			}
			if kolmogorov(distance(u.present(0), u.present(1)), u.rows(0), u.rows(1)) > .01 { // a permutation test has found a difference before
				continue
			}
			c := comparer{checker: &checker{report: &Report{}}, settled: make(map[string]bool)}
			if c.units(u) {
				said++
			}
		}
		if said > 1 {
			t.Errorf("%s: %d of 10,000 pairs are said to be in another unit", what, said)
		}
	}
}
