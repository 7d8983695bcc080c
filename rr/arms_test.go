package rr_test

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"mediant/effect"
	"mediant/tables"
)

// TestTreatmentOfTwoLevels: a treatment of two levels gives to the byte what 1 and 0 give; which of them is treated is said, and asked for where the
// words do not tell. U explains what the noise leaves.
func TestTreatmentOfTwoLevels(t *testing.T) {
	const n = 200
	rnd := rand.New(rand.NewPCG(3, 18))
	arm, u, v, y := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range n {
		arm[i] = float64(rnd.IntN(2))
		u[i], v[i] = arm[i]+rnd.NormFloat64(), rnd.NormFloat64()
		y[i] = v[i] + rnd.NormFloat64() // half of its variance is that of U
	}
	uy, err := tables.FromColumns(tables.Numbers("u", v), tables.Numbers("y", y))
	if err != nil {
		t.Fatal(err)
	}
	run := func(treatment tables.ColumnData, treated string) (*effect.Result, error) {
		xu, err := tables.FromColumns(treatment, tables.Numbers("u", u))
		if err != nil {
			t.Fatal(err)
		}
		return effect.Estimator{Setup: linear(), Treatment: "t", Treated: treated}.Estimate(context.Background(), xu, uy)
	}
	want, err := run(tables.Numbers("t", arm), "")
	if err != nil {
		t.Fatal(err)
	}
	if r2 := *want.Effects[0].Explained; r2 < .4 || r2 > .6 { // 0.5, standard error 0.05
		t.Errorf("U explains %g of Y, want half", r2)
	}
	text := func(control, treated string) tables.ColumnData {
		cells := make([]string, n)
		for i := range cells {
			cells[i] = control
			if arm[i] == 1 {
				cells[i] = treated
			}
		}
		return tables.Strings("t", cells)
	}
	numbers := func(control, treated float64) tables.ColumnData {
		values := make([]float64, n)
		for i := range values {
			values[i] = control + arm[i]*(treated-control)
		}
		return tables.Numbers("t", values)
	}
	for _, c := range []struct {
		column       tables.ColumnData
		treated, arm string
	}{
		{text("no", "yes"), "", "yes"}, {text("FALSE", "TRUE"), "", "TRUE"}, {text("Placebo", "Active"), "", "Active"}, {text("control", "treatment"), "", "treatment"},
		{text("A", "B"), "B", "B"}, {text("yes", "no"), "no", "no"}, {numbers(2, 1), "1", "1"}, {numbers(1, 2), "2.0", "2"}, {numbers(0, 1), "1", "1"},
	} {
		got, err := run(c.column, c.treated)
		if err != nil {
			t.Errorf("%q: %v", c.arm, err)
			continue
		}
		if got.Arm != c.arm || got.Effects[0].Interval != want.Effects[0].Interval || got.Treated != want.Treated {
			t.Errorf("%q: treated is %q, %+v; want %+v", c.arm, got.Arm, got.Effects[0], want.Effects[0])
		}
	}
	three := make([]string, n)
	for i := range three {
		three[i] = string("abc"[i%3])
	}
	for _, c := range []struct {
		column        tables.ColumnData
		treated, says string
	}{
		{text("A", "B"), "", `"A", "B", and which of them is treated is not set`},
		{text("A", "B"), "C", `no level "C"`},
		{tables.Strings("t", three), "a", `"a", "b", "c", must have two`},
		{text("A", "A"), "A", `"A", must have two`},
		{numbers(2, 1), "", "must be 0 or 1"},
	} {
		if _, err := run(c.column, c.treated); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%v, want one that says %s", err, c.says)
		}
	}
}
