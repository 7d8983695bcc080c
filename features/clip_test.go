package features_test

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/features"
	"mediant/features/featurestest"
	"mediant/internal/fixture"
)

func ExampleNewFence() {
	// Quartiles of the first column are 1 and 2, so that 9 is far out; the second has the range of its rows.
	m, _ := features.NewFence(mat.NewDense(5, 2, []float64{0, 0, 1, 0, 1.5, 0, 2, 0, 9, 7}))
	var z mat.Dense
	m.MapTo(&z, mat.NewDense(2, 2, []float64{9, 9, -9, 3}))
	fmt.Println(z.RawMatrix().Data)
	// Output: [5 7 0 3]
}

func TestClipIsAMap(t *testing.T) {
	m := fixture.Must[*features.Clip](t)(features.NewClip([]float64{-1, 0, -.5}, []float64{1, 0, 2}))
	featurestest.Run(t, m, fixture.NormalRows(60, 3))
	for _, ends := range [][2]float64{{1, 0}, {math.NaN(), 0}, {0, math.NaN()}, {math.Inf(-1), 0}, {0, math.Inf(1)}} {
		if _, err := features.NewClip(ends[:1], ends[1:]); err == nil {
			t.Errorf("a range of %v is no error", ends)
		}
	}
	if _, err := features.NewFence(mat.NewDense(2, 1, []float64{1, math.NaN()})); err == nil {
		t.Error("a missing value is no error")
	}
}

// TestAdaptiveIsBounded: rows far from those that the map was made for have the features of its end, where a polynomial has any.
func TestAdaptiveIsBounded(t *testing.T) {
	x := fixture.NormalRows(200, 2)
	s := features.Spec{Kind: features.AdaptiveFeatures, Degree: 3}
	m, _, err := s.Fit(x, 1, "phi")
	if err != nil {
		t.Fatal(err)
	}
	far := mat.NewDense(2, 2, []float64{1e6, -1e6, 1e9, -1e9})
	var phi mat.Dense
	m.MapTo(&phi, far)
	for j := range phi.RawMatrix().Cols {
		if phi.At(0, j) != phi.At(1, j) || math.Abs(phi.At(0, j)) > 1e3 {
			t.Errorf("feature %d: %g and %g", j, phi.At(0, j), phi.At(1, j))
		}
	}
}
