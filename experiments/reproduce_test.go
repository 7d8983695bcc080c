package experiments_test

import (
	"context"
	"math"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"mediant/experiments"
)

func TestLimitsAreThoseOfTheDistribution(t *testing.T) {
	// 0.053175 and 0.0263 a dimension, rounded to the digits that they are known to.
	for _, d := range []int{1, 20} {
		distribution := experiments.Synthetic{D: d, Noise: .1}
		if got := distribution.Bayes(); math.Abs(got-.1-.053175*float64(d)) > 1e-6*float64(d) || distribution.Limit() != got {
			t.Errorf("d = %d: Bayes %g, limit %g", d, got, distribution.Limit())
		}
		distribution.Direct = true
		if got := distribution.Limit(); distribution.Bayes() != .1 || math.Abs(got-.1-.0263*float64(d)) > 5e-5*float64(d) {
			t.Errorf("d = %d, Y from X: Bayes %g, limit %g", d, distribution.Bayes(), got)
		}
	}
}

// small is a reproduction of one draw or two that takes seconds.
var small = experiments.Reproduction{Dims: []int{1}, Noise: .1, Rows: 60, TestRows: 20000, Repetitions: 2, Seed: 3}

func TestReproductionHasEveryMethodAndIsRepeatable(t *testing.T) {
	var first []experiments.Outcome
	for _, threads := range []int{1, 2} {
		before := runtime.GOMAXPROCS(threads)
		calls := 0
		got, err := small.Run(context.Background(), func(done, all int) {
			if calls++; done != calls || all != 4 {
				t.Errorf("call %d shows %d of %d", calls, done, all)
			}
		})
		runtime.GOMAXPROCS(before)
		if err != nil {
			t.Fatal(err)
		}
		for i := range got {
			got[i].Seconds = 0
		}
		if first == nil {
			first = got
		} else if !reflect.DeepEqual(got, first) {
			t.Error("results depend on the number of threads")
		}
	}
	for _, direct := range []bool{false, true} {
		distribution := experiments.Synthetic{D: 1, Noise: .1, Direct: direct}
		for _, method := range experiments.ReproducedMethods() {
			for _, learner := range []string{experiments.Kernels, experiments.Networks} {
				mse, excess, _ := experiments.Means(first, 1, direct, method, learner)
				// MSE is the risk of Bayes and the excess, up to their product with noise: over 20,000 rows the mean of
				// |e|², e of variance 0.2 at most, has a standard deviation below sqrt(2) 0.2/141 = 0.002, and its
				// product with f - E[Y|X], of size sqrt(excess), 2 sqrt(0.2 excess)/141. Five of both.
				if d, most := mse.Value-distribution.Bayes()-excess.Value, .01+5*2*math.Sqrt(.2*excess.Value)/141; !(math.Abs(d) < most) {
					t.Errorf("%s by %s, direct %v: MSE %g, excess %g", method, learner, direct, mse.Value, excess.Value)
				}
			}
		}
	}
	if want := 2 * 2 * 12; len(first) != want {
		t.Errorf("%d outcomes, want %d", len(first), want)
	}
}

func TestReproductionRefusals(t *testing.T) {
	for _, change := range []func(*experiments.Reproduction){
		func(r *experiments.Reproduction) { r.Dims = nil }, func(r *experiments.Reproduction) { r.Rows = 9 },
		func(r *experiments.Reproduction) { r.TestRows = 0 }, func(r *experiments.Reproduction) { r.Repetitions = 1 },
	} {
		r := small
		change(&r)
		if _, err := r.Run(context.Background(), nil); err == nil || !strings.Contains(err.Error(), "must ") {
			t.Errorf("%+v: %v", r, err)
		}
	}
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := small.Run(gone, func(int, int) {}); err == nil || !strings.Contains(err.Error(), "canceled") {
		t.Errorf("cancelled: %v", err)
	}
}

func TestSlopeOfAPowerLaw(t *testing.T) {
	if got := experiments.Slope([]int{100, 400, 1600}, []float64{.08, .04, .02}); math.Abs(got+.25) > 1e-12 {
		t.Errorf("excess by n^(-1/2) has errors of slope %g, want -1/4", got)
	}
}
