package experiments

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// fixed predicts the same rows whatever x is.
type fixed struct{ rows *mat.Dense }

func (f fixed) PredictTo(dst *mat.Dense, _ mat.Matrix) { dst.CloneFrom(f.rows) }

func TestCalibratedWorkedExample(t *testing.T) {
	for _, c := range []struct {
		scale        float64
		in, out, all []float64
	}{
		{0, []float64{.9, -.3}, []float64{.9, -.3}, []float64{.5, .5}},
		{1, []float64{.75, .25}, []float64{.75, .25}, []float64{.5, .5}},
		{2, []float64{.6, .4}, []float64{.7, .3}, []float64{.5, .5}},
		{4, []float64{.7, .3}, []float64{1, 0}, []float64{.5, .5}},
		// .2 + 2 (.3 - .2) and .8 + 2 (.9 - .8) are .4 and 1, of sum 1.4: .2 less each.
		{2, []float64{.3, .9}, []float64{.2, .8}, []float64{.2, .8}},
	} {
		var got mat.Dense
		Calibrated{F: fixed{mat.NewDense(1, 2, c.in)}, Shares: c.all, Scale: c.scale}.PredictTo(&got, nil)
		if !floats.EqualApprox(got.RawRowView(0), c.out, 1e-15) {
			t.Errorf("scale %g: got %v, want %v", c.scale, got.RawRowView(0), c.out)
		}
	}
}

// TestToSimplexIsNearest: the projection is a point of the simplex, and no step from it towards a corner
// comes nearer, which for a convex set is to be the nearest.
func TestToSimplexIsNearest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.SliceOfN(rapid.Float64Range(-3, 3), 1, 12).Draw(t, "v")
		p := append([]float64(nil), v...)
		toSimplex(p)
		if d := math.Abs(floats.Sum(p) - 1); d > 1e-14 || floats.Min(p) < 0 {
			t.Fatalf("%v is not in the simplex", p)
		}
		for corner := range p {
			// (v-p)'(e-p) is at most 0; its rounding is that of 12 products of numbers below 4.
			dot := v[corner] - p[corner]
			for i := range p {
				dot -= (v[i] - p[i]) * p[i]
			}
			if dot > 1e-13 {
				t.Fatalf("from %v, %v is nearer in the direction of corner %d", v, p, corner)
			}
		}
	})
}

func ExampleCalibrated() {
	f := fixed{mat.NewDense(1, 3, []float64{.5, .3, .2})}
	var p mat.Dense
	Calibrated{F: f, Shares: []float64{1. / 3, 1. / 3, 1. / 3}, Scale: 3}.PredictTo(&p, nil)
	fmt.Printf("%.3f\n", p.RawRowView(0))
	// Output: [0.800 0.200 0.000]
}
