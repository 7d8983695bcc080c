package metric_test

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/features"
	"mediant/internal/fixture"
	"mediant/metric"
)

func TestSummarize(t *testing.T) {
	diagonal := fixture.Must[*features.Metric](t)(features.NewDiagonalMetric([]float64{1, 3, 0}))
	s := fixture.Must[metric.Summary](t)(metric.Summarize(diagonal, []string{"a", "b", "c"}))
	want := []metric.Column{{Name: "b", Value: .75}, {Name: "a", Value: .25}, {Name: "c"}}
	if len(s.Columns) != 3 || s.Directions != nil {
		t.Fatalf("%+v", s)
	}
	for i, c := range s.Columns {
		if c.Name != want[i].Name || math.Abs(c.Value-want[i].Value) > 1e-12 {
			t.Errorf("column %d is %+v, want %+v", i, c, want[i])
		}
	}
	// 3 along (.8, -.6), 1 along (.6, .8): eigenvectors are orthogonal.
	full := fixture.Must[*features.Metric](t)(features.NewMetric(mat.NewSymDense(2, []float64{3*.64 + .36, -3*.48 + .48, -3*.48 + .48, 3*.36 + .64})))
	s = fixture.Must[metric.Summary](t)(metric.Summarize(full, []string{"a", "b"}))
	if len(s.Directions) != 2 || s.Directions[0].String() != "0.8 a - 0.6 b" || s.Directions[1].String() != "0.8 b + 0.6 a" || math.Abs(s.Directions[0].Share-.75) > 1e-5 {
		t.Errorf("%v", s.Directions)
	}
	if _, err := metric.Summarize(full, []string{"a"}); err == nil {
		t.Error("one name of two columns is no error")
	}
}

func TestShares(t *testing.T) {
	w := fixture.Must[*features.Warp](t)(features.NewWarp([][]float64{{0}, {0, 1}}, [][]float64{{1}, {1, 2}}))
	got := fixture.Must[[]metric.Column](t)(metric.Shares(w, []string{"a", "b"}))
	if want := []metric.Column{{Name: "b", Value: .75}, {Name: "a", Value: .25}}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if _, err := metric.Shares(w, []string{"a"}); err == nil {
		t.Error("one name of two columns is no error")
	}
}
