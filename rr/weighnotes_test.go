package rr_test

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"mediant/features"
	"mediant/problem"
	"mediant/tables"
)

// TestNotesOnWeights: weights that few rows have most of, and whole ones that are no counts perhaps, are reported with what they do.
func TestNotesOnWeights(t *testing.T) {
	const n = 40
	for _, c := range []struct {
		weight func(i int) float64
		want   string // of the note on weights
		other  bool   // it says something beside the rule
	}{
		{func(i int) float64 { return .5 + float64(i%3)/4 }, "each of the 40 rows is one observation", false},
		{func(i int) float64 { return .5 + 1e6*float64(i/(n-1)) }, "their effective sample size is 1,", true},
		{func(i int) float64 { return float64(1 + i%3) }, "40 rows count as 79", false},
		{func(i int) float64 { return float64(900 + i) }, "if they are sampling weights", true},
	} {
		rnd := rand.New(rand.NewPCG(1, 6))
		column := func(name string) tables.ColumnData {
			v := make([]float64, n)
			for i := range v {
				v[i] = rnd.NormFloat64()
			}
			return tables.Numbers(name, v)
		}
		w := make([]float64, n)
		for i := range w {
			w[i] = c.weight(i)
		}
		xu, err := tables.FromColumns(column("x"), column("u"), tables.Numbers("w", w))
		if err != nil {
			t.Fatal(err)
		}
		uy, err := tables.FromColumns(column("u"), column("y"))
		if err != nil {
			t.Fatal(err)
		}
		linear := features.Spec{Kind: features.LinearFeatures}
		p, err := problem.Prepare(context.Background(), problem.Setup{Phi: linear, Psi: linear, Roles: tables.RoleOptions{WeightsXU: "w"}}, xu, uy)
		if err != nil {
			t.Fatal(err)
		}
		notes := strings.Join(p.Notes(), "\n")
		if !strings.Contains(notes, c.want) || strings.Contains(notes, "; ") != c.other {
			t.Errorf("notes %q, want %q", notes, c.want)
		}
	}
}
