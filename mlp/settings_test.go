package mlp_test

import (
	"math"
	"reflect"
	"testing"

	"mediant/encode"
	"mediant/experiments"
	"mediant/inference"
	"mediant/internal/settingstest"
	"mediant/mlp"
	"mediant/problem"
	"mediant/rr"
)

// TestSettingsOutOfRange: each is an error of Fit. Fields of Setup are those of rr.
func TestSettingsOutOfRange(t *testing.T) {
	types := map[reflect.Type][]any{
		reflect.TypeFor[rr.Setting]():           {rr.Value(-1), rr.Value(0), rr.Value(1), rr.Value(math.NaN())},
		reflect.TypeFor[mlp.Output]():           {9},
		reflect.TypeFor[inference.Covariance](): {9},
		reflect.TypeFor[encode.Task]():          {9},
		reflect.TypeFor[[]string]():             {[]string{"no such column"}},
		reflect.TypeFor[[]int]():                {[]int{0}, []int{3, -1}, []int{1 << 40}, []int{1 << 20, 1 << 20}},
	}
	x, y := parabola(10, 1)
	good := mlp.Learner{Hidden: []int{2}, Epochs: 1}
	settingstest.Run(t, settingstest.Case[mlp.Learner]{
		Good: good, Types: types, Legal: []string{"Seed", "Purpose"},
		Use: func(l mlp.Learner) error { _, err := l.Fit(ctx, x, y, nil); return err },
	})
	distribution := experiments.Synthetic{D: 1, Noise: .1}
	xu, err := distribution.XU(20, 1)
	if err != nil {
		t.Fatal(err)
	}
	uy, err := distribution.UY(20, 1)
	if err != nil {
		t.Fatal(err)
	}
	settingstest.Run(t, settingstest.Case[mlp.Joint]{
		Good: mlp.Joint{Learner: good}, Types: types,
		Legal: []string{"Learner.Seed", "Learner.Purpose"},
		Use:   func(j mlp.Joint) error { _, err := rr.Fit(ctx, problem.Setup{}, j, xu, uy); return err },
	})
	// A batch of more rows than there are takes them all, and no more memory.
	large := good
	large.Batch = 1 << 40
	if _, err := large.Fit(ctx, x, y, nil); err != nil {
		t.Errorf("large batches: %v", err)
	}
}
