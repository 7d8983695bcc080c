package search

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/floats"
	"pgregory.net/rapid"

	"mediant/crossfit"
	"mediant/internal/fixture"
	"mediant/moments"
	"mediant/problem"
	"mediant/risk"
)

// TestContinuedCurve: of risks that fall with the power of the number of rows the gain is that of all rows, whatever the folds weigh; a risk that rises has none, and one that is not known neither.
func TestContinuedCurve(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		folds := rapid.IntRange(3, 10).Draw(t, "folds")
		excess := rapid.Float64Range(.01, 10).Draw(t, "excess")
		var xu crossfit.Splits
		var one, two [][]float64
		at := func(out int) float64 { return excess * math.Pow(1-float64(out)/float64(folds), -learningRate) }
		for range folds {
			held := moments.NewCoMoments(moments.ID{}, moments.ID{})
			row := fixture.NormalRows(1, 1)
			held.Add(row, row, []float64{rapid.Float64Range(.5, 2).Draw(t, "weight")})
			xu.Held = append(xu.Held, held)
			level := rapid.Float64Range(-1, 1).Draw(t, "level")
			one, two = append(one, []float64{level + at(1), at(2)}), append(two, []float64{level + at(2), at(1)})
		}
		got := continued(one, two, xu)
		if want := at(1) - at(0); math.Abs(got[0]-want) > 1e-9*at(2) || got[1] != 0 {
			t.Errorf("gains %g, want %g and 0", got, want)
		}
		one[0][0] = math.NaN()
		if got := continued(one, two, xu); got != nil {
			t.Errorf("gains %g of a fold without risk", got)
		}
	})
}

// TestAssessmentOfAllRows: the risk is that of the models of folds, less what a curve of learning says; with many features for the rows that is much, and the sum of what the outputs have.
func TestAssessmentOfAllRows(t *testing.T) {
	xu, uy := fixture.Surrogates(t, 150, 150, false)
	s := Search{Setup: problem.Setup{Seed: 4}}
	c := fixture.Must[*Choice](t)(s.Choose(t.Context(), xu, uy))
	whole := fixture.Must[*risk.Assessment](t)(c.Assessment(t.Context()))
	gain := fixture.Must[[]float64](t)(c.learningCurve(t.Context(), whole))
	before := fixture.Must[*risk.Assessment](t)(risk.Assess(t.Context(), c.Problem, risk.Fitted(c.Method), c.options))
	if want := c.Corrected(before).Risk.MSE - whole.Risk.LearningCurve; floats.Sum(gain) != whole.Risk.LearningCurve || !(floats.Min(gain) > 0) || math.Abs(whole.Risk.MSE-want) > 1e-12 {
		t.Errorf("gain %g, in the assessment %g: risk %g, want %g", gain, whole.Risk.LearningCurve, whole.Risk.MSE, want)
	}
	if whole.Risk.SE < c.Corrected(before).Risk.SE {
		t.Error("the correction has no error")
	}
}
