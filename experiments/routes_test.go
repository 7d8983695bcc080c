package experiments_test

import (
	"context"
	"testing"

	"mediant/experiments"
)

func TestRoutesLeadToTheRegression(t *testing.T) {
	// In one dimension E[Y|X] has variance 0.0566. From 200 rows each way leaves well below half of it.
	routes, err := experiments.Synthetic{D: 1, Noise: .1}.Routes(context.Background(), 200, 2, 1)
	if err != nil {
		t.Fatal(err)
	}
	if len(routes) != 3 {
		t.Fatalf("%d routes, want 3", len(routes))
	}
	for _, r := range routes {
		if !(r.Excess.Value > 0 && r.Excess.Value < .028) || !(r.FitSeconds > 0 && r.PredictSeconds > 0) {
			t.Errorf("%+v", r)
		}
	}
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := (experiments.Synthetic{D: 1, Noise: .1}).Routes(gone, 50, 1, 1); err == nil {
		t.Error("cancelled: no error")
	}
}
