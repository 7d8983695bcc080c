package search

import (
	"context"
	"testing"

	"mediant/features"
)

// TestSelection: which of two candidates wins, and how often the second is compared by metrics of folds. The second is better in two of three folds; steadily so it is better by more than a standard error.
func TestSelection(t *testing.T) {
	gaussian, additive := features.Spec{Kernel: "gaussian", Multiple: 1}, features.Spec{Kind: features.AdditiveFeatures, Kernel: "gaussian", Multiple: 1}
	landmarks := features.Spec{Kind: features.NystromFeatures, Kernel: "gaussian", Multiple: 1}
	learned := features.Spec{Kind: features.MetricFeatures, Kernel: "gaussian", Multiple: 1}
	polynomial := features.Spec{Kind: features.AdaptiveFeatures, Degree: 2}
	warped := features.Spec{Kind: features.WarpedFeatures, Kernel: "laplacian", Multiple: 1}
	equal, slightly, clearly, worse := []float64{2, 2, 2}, []float64{1, 1, 3.5}, []float64{1, 1, 1.1}, []float64{3, 3, 3}
	for name, c := range map[string]struct {
		specs    []features.Spec
		all      []float64 // risks of the last by fold, with a metric of all rows
		folds    []float64 // with metrics of folds; nil: the same
		wins     bool
		compared int
	}{
		"a metric slightly better":                 {[]features.Spec{gaussian, learned}, slightly, nil, true, 1},
		"a metric worse by folds":                  {[]features.Spec{gaussian, learned}, clearly, worse, false, 1},
		"a metric worse even with all rows":        {[]features.Spec{gaussian, learned}, worse, nil, false, 0},
		"a metric slightly better than additive":   {[]features.Spec{additive, learned}, slightly, nil, false, 1},
		"a metric clearly better than additive":    {[]features.Spec{additive, learned}, clearly, nil, true, 1},
		"warped columns slightly better":           {[]features.Spec{gaussian, warped}, slightly, nil, false, 1},
		"warped columns clearly better":            {[]features.Spec{gaussian, warped}, clearly, nil, true, 1},
		"landmarks slightly better":                {[]features.Spec{gaussian, landmarks}, slightly, nil, true, 0},
		"a metric that is all there is":            {[]features.Spec{learned}, worse, nil, true, 1},
		"a polynomial hardly worse":                {[]features.Spec{gaussian, polynomial}, []float64{1.5, 2, 2.53}, nil, true, 0},
		"a polynomial worse by a thirtieth":        {[]features.Spec{gaussian, polynomial}, []float64{1, 2, 3.2}, nil, false, 0},
		"one hardly worse than an additive map":    {[]features.Spec{additive, polynomial}, []float64{1.5, 2, 2.53}, nil, false, 0},
		"one better by 1.9 standard errors":        {[]features.Spec{additive, polynomial}, []float64{.8, 1.6, 2.6}, nil, false, 1},
		"one clearly better than an additive map":  {[]features.Spec{additive, polynomial}, clearly, nil, true, 1},
		"an additive map slightly better than one": {[]features.Spec{gaussian, additive}, slightly, nil, true, 0},
	} {
		compared := 0
		last := len(c.specs) - 1
		trial := func(s features.Spec, risks []float64) Trial {
			sum := 0.
			for _, v := range risks {
				sum += v
			}
			return Trial{Name: candidateName(s), Risk: &sum, byFold: risks}
		}
		_, at, _, err := selection[struct{}]{
			try: func(_ context.Context, s features.Spec) (struct{}, Trial, error) {
				if candidateName(s) != candidateName(c.specs[last]) {
					return struct{}{}, trial(s, equal), nil
				}
				return struct{}{}, trial(s, c.all), nil
			},
			byFold: func(_ context.Context, s features.Spec, _ struct{}) (Trial, error) {
				compared++
				if c.folds == nil {
					return trial(s, c.all), nil
				}
				return trial(s, c.folds), nil
			},
		}.run(t.Context(), c.specs)
		if err != nil || (at == last) != c.wins || compared != c.compared {
			t.Errorf("%s: candidate %d wins, compared by folds %d times, error %v", name, at, compared, err)
		}
	}
}
