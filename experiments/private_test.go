package experiments

import (
	"math"
	"testing"

	"mediant/internal/slow"
	"mediant/problem"
)

func privateStudy(rows, repetitions int, epsilon float64) PrivateStudy {
	return PrivateStudy{
		Distribution: Synthetic{D: 2, Noise: .1}, Rows: rows, TestRows: 20000, PublicRows: 500, Repetitions: repetitions, Features: 16, Multiple: .7, Blocks: 1, Epsilon: epsilon, Delta: 1e-6,
		Clip: []problem.Range{{Lo: -.5, Hi: 4.5}}, Seed: 1,
	}
}

// TestPrivateStudy: models of noisy sums are worse than without noise, and better than a constant, whose error is .319. Errors of models vary by .01 between draws.
func TestPrivateStudy(t *testing.T) {
	with, err := privateStudy(20000, 3, 4).Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	without, err := privateStudy(20000, 3, math.Inf(1)).Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if !(without.MSE < .225 && with.MSE > without.MSE && with.MSE < .28 && with.MeanSE > without.MeanSE) {
		t.Errorf("with noise %+v, without %+v", with, without)
	}
}

// TestPrivateIntervalsCover: of 200 intervals 180 to 200 contain the error, 190 with a standard deviation of 3 if they cover 95 %, as in docs/privacy.md.
func TestPrivateIntervalsCover(t *testing.T) {
	slow.Only(t)
	r, err := privateStudy(4000, 200, 2).Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if r.Covered < .9 {
		t.Errorf("%+v", r)
	}
}
