package moments_test

import (
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/moments"
)

// By hand: rows 1 and 3 of weights 3 and 1 have the mean 1.5 and the mean square 3.
func TestLeftWithBias(t *testing.T) {
	m := moments.NewCoMoments(moments.ID{}, moments.ID{})
	m.Add(mat.NewDense(2, 1, []float64{1, 3}), mat.NewDense(2, 1, nil), []float64{3, 1})
	if got := m.LeftWithBias(); !mat.EqualApprox(got, mat.NewDense(2, 2, []float64{3, 1.5, 1.5, 1}), 1e-15) {
		t.Errorf("%v", mat.Formatted(got))
	}
}
