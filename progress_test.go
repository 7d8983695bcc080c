package mediant_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"mediant"
	"mediant/features"
	"mediant/problem"
	"mediant/rr"
	"mediant/tables"
)

// TestWithProgress: a fit and predictions report their stages, no more of any than there is, and the model is the same without.
func TestWithProgress(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	column := func() []float64 {
		v := make([]float64, 300)
		for i := range v {
			v[i] = rng.NormFloat64()
		}
		return v
	}
	xu, err := tables.FromColumns(tables.Numbers("x", column()), tables.Numbers("u", column()))
	if err != nil {
		t.Fatal(err)
	}
	uy, err := tables.FromColumns(tables.Numbers("u", column()), tables.Numbers("y", column()))
	if err != nil {
		t.Fatal(err)
	}
	saved := func(ctx context.Context) string {
		model, err := mediant.Fit(ctx, xu, uy, mediant.Options{Setup: problem.Setup{Phi: features.Spec{Size: 32}, Psi: features.Spec{Size: 32}}})
		if err != nil {
			t.Fatal(err)
		}
		for _, err := range model.Predict(ctx, xu) {
			if err != nil {
				t.Fatal(err)
			}
		}
		var b bytes.Buffer
		if err := model.Save(&b); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	var mu sync.Mutex
	var stages []string
	with := saved(mediant.WithProgress(t.Context(), func(stage string, done, total int64) {
		mu.Lock()
		defer mu.Unlock()
		if !slices.Contains(stages, stage) {
			stages = append(stages, stage)
		}
		if done < 0 || total > 0 && done > total {
			t.Errorf("%s: %d of %d", stage, done, total)
		}
	}))
	if with != saved(t.Context()) {
		t.Error("the model is another one if somebody listens")
	}
	for _, want := range []string{"checking the tables", "preparing the columns", "choosing features of U", "choosing features of X", "summing features of X and U", "summing features of U and Y",
		"choosing penalties and w", "comparing methods", "predicting"} {
		if !slices.Contains(stages, want) {
			t.Errorf("no stage %q; there are %q", want, stages)
		}
	}
}

func ExampleWithProgress() {
	xu, _ := tables.FromColumns(tables.Numbers("x", []float64{1, 2, 3}), tables.Numbers("u", []float64{2, 1, 4}))
	uy, _ := tables.FromColumns(tables.Numbers("u", []float64{1, 2, 4}), tables.Numbers("y", []float64{2, 3, 9}))
	ctx := mediant.WithProgress(context.Background(), func(stage string, done, total int64) {
		if done == total && stage == "summing features of U and Y" {
			fmt.Printf("%s: %d of %d rows\n", stage, done, total)
		}
	})
	if _, err := rr.Fit(ctx, problem.Setup{}, rr.TwoStep{}, xu, uy); err != nil {
		fmt.Println(err)
	}
	// Output: summing features of U and Y: 3 of 3 rows
}
