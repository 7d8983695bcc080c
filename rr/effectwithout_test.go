package rr_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/effect"
	"mediant/features"
	"mediant/problem"
	"mediant/tables"
)

// TestEffectTellsOfUWithoutY changes some rows of S_X so that S_Y has no such U.
func TestEffectTellsOfUWithoutY(t *testing.T) {
	const n, m = 200, 300
	for name, c := range map[string]struct {
		change func(i int, row []float64)
		says   []string
	}{
		"same law":     {func(int, []float64) {}, nil},
		"missing":      {func(i int, row []float64) { row[2] = math.NaN() }, []string{`"u2" is missing`, "20 of the 200 rows"}},
		"another unit": {func(i int, row []float64) { row[1] *= 1e6 }, []string{`"u1"`, "20 of the 200 rows"}},
		"weight 0":     {func(i int, row []float64) { row[1], row[3] = 99, 0 }, nil},
		"no treatment": {func(i int, row []float64) { row[0], row[1] = math.NaN(), 99 }, nil},
		"few are chance": {func(i int, row []float64) {
			if i < 40 { // 4 rows, and 10/(m+1) of 200 are 6.6
				row[1] = 99
			}
		}, nil},
	} {
		xu, uy := surrogate(t, n, m, 9)
		rows := mat.NewDense(n, 4, nil)
		for b, err := range xu.Batches(context.Background()) {
			if err != nil {
				t.Fatal(err)
			}
			for i := range b.Rows {
				row := append(mat.Row(nil, i, b.Num), 1)
				if i%10 == 0 {
					c.change(i, row)
				}
				rows.SetRow(i, row)
			}
		}
		e := effect.Estimator{Setup: problem.Setup{Psi: features.Spec{Kind: features.LinearFeatures}, Roles: tables.RoleOptions{WeightsXU: "w"}}, Treatment: "t"}
		notes := effectOf(t, e, table(t, "t u1 u2 w", rows), uy).Notes
		if c.says == nil && len(notes) > 0 || c.says != nil && len(notes) != 1 {
			t.Errorf("%s: notes %q", name, notes)
			continue
		}
		for _, s := range c.says {
			if !strings.Contains(notes[0], s) {
				t.Errorf("%s: %q does not say %s", name, notes[0], s)
			}
		}
	}
}

// TestEffectRefusesAnArmOfOne: one row tells nothing of the spread in its arm, and the standard error would
// take it for 0.
func TestEffectRefusesAnArmOfOne(t *testing.T) {
	_, uy := surrogate(t, 40, 40, 5)
	for arm := range 2 {
		xu := mat.NewDense(40, 3, nil)
		xu.Apply(func(i, j int, _ float64) float64 {
			if j > 0 {
				return float64(i%7) / 7
			}
			if i == 3 {
				return float64(arm)
			}
			return float64(1 - arm)
		}, xu)
		_, err := effect.Estimator{Treatment: "t", Setup: problem.Setup{Psi: quadratic()}}.Estimate(context.Background(), table(t, "t u1 u2", xu), uy)
		if err == nil || !strings.Contains(err.Error(), "at least 2 of each") {
			t.Errorf("arm %d: %v", arm, err)
		}
	}
}
