package check

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"mediant/tables"
)

// TestCovariatesAreLookedAt: the columns that adjust an effect are looked at as X is in a fit: identifiers and dates, units in the cells, markers of missing values. Others of the first table alone are not.
func TestCovariatesAreLookedAt(t *testing.T) {
	const n = 200
	rnd := rand.New(rand.NewPCG(5, 6))
	normal := func(int) float64 { return rnd.NormFloat64() }
	xu := table(t, numbers("arm", n, func(i int) float64 { return float64(i % 2) }), numbers("u", n, normal), numbers("age", n, normal),
		numbers("id", n, func(i int) float64 { return float64(i + 1) }),
		text("when", n, func(i int) string { return time.Date(2020, 1, 1+i, 0, 0, 0, 0, time.UTC).Format(time.DateOnly) }),
		text("weight", n, func(i int) string { return fmt.Sprintf("%d kg", 60+i%19) }),
		numbers("pressure", n, func(i int) float64 {
			if i%25 == 3 {
				return -999
			}
			return 120 + 10*rnd.NormFloat64()
		}))
	uy := table(t, numbers("u", n, normal), numbers("y", n, normal))
	for _, c := range []struct{ adjusted, want string }{
		{"", ""},
		{"age", ""},
		{"age id", "warning identifier id"},
		{"when", "warning date when"},
		{"weight", "error number-with-marks weight"},
		{"pressure", "warning missing-marker pressure"},
	} {
		got := found(t, xu, uy, Options{Treatment: "arm", Adjusted: strings.Fields(c.adjusted), Roles: tables.RoleOptions{Y: []string{"y"}}})
		if want := slices.DeleteFunc([]string{c.want}, func(s string) bool { return s == "" }); !slices.Equal(got, want) {
			t.Errorf("adjusted for %q: %q, want %q", c.adjusted, got, want)
		}
	}
}

// TestRemediesOfInstruments: of an instrument no remedy is covariate shift.
func TestRemediesOfInstruments(t *testing.T) {
	const n = 400
	rnd := rand.New(rand.NewPCG(7, 6))
	of := func(mean float64) func(int) float64 {
		return func(int) float64 { return mean + rnd.NormFloat64() }
	}
	xu, uy := table(t, numbers("x", n, of(0)), numbers("u", n, of(0))), table(t, numbers("u", n, of(1)), numbers("y", n, of(0)))
	for _, instrument := range []bool{false, true} {
		r, err := Tables(context.Background(), xu, uy, Options{Instrument: instrument})
		if err != nil || len(r.Findings) == 0 {
			t.Fatalf("%v, %+v", err, r.Findings)
		}
		if shift := strings.Contains(r.Findings[0].Remedy, "--shift"); shift == instrument {
			t.Errorf("instrument %t: %s", instrument, r.Findings[0].Remedy)
		}
	}
}
