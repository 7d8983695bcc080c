package features

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"pgregory.net/rapid"

	"mediant/internal/rowops"
)

// TestSphericalStepByHand: (2, 0) and (-1, 0) go to the first axis, which stays, (3, 4) to the second.
func TestSphericalStepByHand(t *testing.T) {
	rows := blas64.General{Rows: 3, Cols: 2, Stride: 2, Data: []float64{2, 0, -1, 0, 3, 4}}
	d := blas64.General{Rows: 2, Cols: 2, Stride: 2, Data: []float64{1, 0, 0, 1}}
	sphericalStep(d, rows)
	// The product of (3, 4) and (0, 1) is 4: (0, 1) + 4 (3, 4) = (12, 17).
	want := []float64{1, 12 / math.Hypot(12, 17), 0, 17 / math.Hypot(12, 17)}
	if !floats.EqualApprox(d.Data, want, 1e-15) {
		t.Errorf("got %v, want %v", d.Data, want)
	}
}

// TestSphericalStepGains: a step multiplies each column by I + S, S the sum of xx' over its rows, which
// cannot lower d'Sd of a unit d; and rows go where their squared product is largest.
func TestSphericalStepGains(t *testing.T) {
	gain := func(d, rows blas64.General) (sum float64) {
		for i := range rows.Rows {
			most := 0.0
			for k := range d.Cols {
				p := 0.0
				for j, v := range rowops.Row(rows, i) {
					p += v * d.Data[j*d.Stride+k]
				}
				most = max(most, p*p)
			}
			sum += most
		}
		return sum
	}
	rapid.Check(t, func(t *rapid.T) {
		n, width, count := rapid.IntRange(1, 20).Draw(t, "n"), rapid.IntRange(1, 5).Draw(t, "width"), rapid.IntRange(1, 4).Draw(t, "count")
		rows := blas64.General{Rows: n, Cols: width, Stride: width, Data: rapid.SliceOfN(rapid.Float64Range(-2, 2), n*width, n*width).Draw(t, "rows")}
		d := PatchSpec{Filters: count, Random: true}.filters(rows)
		before := gain(d, rows)
		sphericalStep(d, rows)
		// 20 squares of products below 2·2·5, each with 5 roundings and those of a length.
		if after := gain(d, rows); after < before-20*400*20*0x1p-53 {
			t.Fatalf("a step takes the sum of squares from %g to %g", before, after)
		}
		if slices.ContainsFunc(d.Data, math.IsNaN) {
			t.Fatalf("filters %v", d.Data)
		}
	})
}
