package check

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"mediant/tables"
)

// TestUnitByArm: an effect in an arm of few rows is no other unit, whatever the column looks like, and another unit is found in most such arms.
func TestUnitByArm(t *testing.T) {
	const draws = 300
	for what, of := range map[string]func(z float64) float64{
		"normal":        func(z float64) float64 { return z },
		"far from 0":    func(z float64) float64 { return 50 + 10*z },
		"whole numbers": func(z float64) float64 { return math.Round(50 + 10*z) },
		"five codes":    func(z float64) float64 { return min(4, math.Floor(5*math.Erfc(-z/math.Sqrt2)/2)) },
	} {
		for _, treated := range []int{4, 12, 20, 40} {
			rnd := rand.New(rand.NewPCG(uint64(treated), 1))
			reported := func(shift, factor float64) (hits int) {
				for range draws {
					u := &uColumn{name: "u", kind: tables.Numeric}
					for range 150 {
						u.numbers[0] = append(u.numbers[0], of(rnd.NormFloat64()))
					}
					for range treated {
						u.numbers[1] = append(u.numbers[1], factor*of(shift+rnd.NormFloat64()))
					}
					c := checker{report: &Report{}}
					c.unitByArm(&trial{treatment: "t", arms: [2]string{"0", "1"}}, u)
					if slices.ContainsFunc(c.report.Findings, func(f Finding) bool { return f.Code == UnitDiffers }) {
						hits++
					}
				}
				return hits
			}
			for _, effect := range []float64{0, .5, 1.5} {
				if k := reported(effect, 1); k > 0 {
					t.Errorf("%s, %d treated, an effect of %g: %d of %d", what, treated, effect, k, draws)
				}
			}
			if k := reported(.2, 100); treated > 4 && what != "normal" && k < draws*9/10 {
				t.Errorf("%s, %d treated, times 100: %d of %d", what, treated, k, draws)
			}
		}
	}
}
