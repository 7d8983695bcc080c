package experiments_test

import (
	"context"
	"testing"

	"mediant/experiments"
)

func TestMethodsLeadToTheRegression(t *testing.T) {
	// In one dimension E[Y|X] has variance 0.0566. From 200 rows each method leaves well below half of it.
	results, err := experiments.Synthetic{D: 1, Noise: .1}.CompareRegressions(context.Background(), 200, 2, 1)
	if err != nil {
		t.Fatal(err)
	}
	if len(results) != 3 {
		t.Fatalf("%d results, want 3", len(results))
	}
	for _, r := range results {
		if !(r.Excess.Value > 0 && r.Excess.Value < .028) || !(r.FitSeconds > 0 && r.PredictSeconds > 0) {
			t.Errorf("%+v", r)
		}
	}
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := (experiments.Synthetic{D: 1, Noise: .1}).CompareRegressions(gone, 50, 1, 1); err == nil {
		t.Error("cancelled: no error")
	}
}
