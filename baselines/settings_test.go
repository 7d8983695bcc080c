package baselines_test

import (
	"math"
	"reflect"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/baselines"
	"mediant/encode"
	"mediant/features"
	"mediant/inference"
	"mediant/internal/settingstest"
	"mediant/problem"
	"mediant/rr"
)

// TestSettingsOutOfRange: each is an error of Fit. Fields of Setup are those of rr.
func TestSettingsOutOfRange(t *testing.T) {
	a, b := draw(30, 1), draw(30, 2)
	types := map[reflect.Type][]any{
		reflect.TypeFor[rr.Setting]():           {rr.Value(-1), rr.Value(math.NaN()), rr.Value(math.Inf(1))},
		reflect.TypeFor[baselines.Estimator]():  {9},
		reflect.TypeFor[inference.Covariance](): {9},
		reflect.TypeFor[encode.Task]():          {9},
		reflect.TypeFor[[]string]():             {[]string{"no such column"}},
		reflect.TypeFor[*baselines.Density](): {
			&baselines.Density{},
			&baselines.Density{X: mat.NewDense(2, 1, nil), U: mat.NewDense(1, 1, nil), Alpha: []float64{1, 1}, BandwidthX: 1},
			&baselines.Density{X: mat.NewDense(1, 1, nil), U: mat.NewDense(1, 1, nil), Alpha: []float64{1}},
			&baselines.Density{X: mat.NewDense(1, 1, nil), U: mat.NewDense(1, 1, nil), Alpha: []float64{-1}, BandwidthX: 1},
			&baselines.Density{X: mat.NewDense(1, 1, nil), U: mat.NewDense(1, 1, nil), Alpha: []float64{1}, BandwidthX: 1, BandwidthU: math.NaN()},
			&baselines.Density{X: mat.NewDense(1, 1, []float64{math.NaN()}), U: mat.NewDense(1, 1, nil), Alpha: []float64{1}, BandwidthX: 1},
		},
	}
	few := features.Spec{Size: 4}
	setup := problem.Setup{Phi: few, Psi: few, Folds: 2}
	settingstest.Run(t, settingstest.Case[baselines.Naive]{
		Good: baselines.Naive{}, Types: types,
		Use: func(m baselines.Naive) error { _, err := rr.Fit(ctx, setup, m, a.xu(), b.uy()); return err },
	})
	settingstest.Run(t, settingstest.Case[baselines.MeanEmbedding]{
		Good: baselines.MeanEmbedding{Lambda: rr.Value(1)}, Types: types,
		Use: func(m baselines.MeanEmbedding) error { _, err := rr.Fit(ctx, setup, m, a.xu(), b.uy()); return err },
	})
	settingstest.Run(t, settingstest.Case[baselines.Oracle]{
		Good: baselines.Oracle{Pairs: a.xy()}, Types: types,
		Use: func(m baselines.Oracle) error { _, err := rr.Fit(ctx, setup, m, a.xu(), b.uy()); return err },
	})
	settingstest.Run(t, settingstest.Case[baselines.Integral]{
		Good: baselines.Integral{Centres: 4}, Types: types,
		Fields: map[string][]any{"Nodes": {1 << 40}, "Samples": {1 << 40}},
		Use:    func(m baselines.Integral) error { _, err := rr.Fit(ctx, setup, m, a.xu(), b.uy()); return err },
	})
}
