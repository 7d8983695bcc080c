package features

import (
	"testing"

	"gonum.org/v1/gonum/mat"
)

// TestHoldsRows: maps with landmarks are found, within other maps too, and no other map is.
func TestHoldsRows(t *testing.T) {
	rows := mat.NewDense(6, 2, []float64{1, 2, 3, 4, 5, 7, 6, 1, 0, 2, 1, 1})
	for name, want := range map[string]bool{
		"gaussian": false, "matern32": false, "linear": false, "polynomial:2": false, "nystrom:gaussian": true,
		"additive:gaussian": false, "tensorsketch:2": false, "rectified": true, "chi2": false, "countsketch": false, "metric:gaussian": true, "warped:laplacian": true, "quasi:gaussian": false,
	} {
		spec, err := ParseSpec(name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		spec.Size = 8
		m, _, err := spec.FitContext(t.Context(), rows, 1, "phi")
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		beside, err := NewConcat(m, NewLinear(2))
		if err != nil {
			t.Fatal(err)
		}
		for _, of := range []Map{m, beside} {
			if got := HoldsRows(of); got != want {
				t.Errorf("%s in a %T holds rows: %v, want %v", name, of, got, want)
			}
		}
	}
}
