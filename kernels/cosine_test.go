package kernels_test

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/kernels"
	"mediant/kernels/kerneltest"
)

func TestCosineConforms(t *testing.T) {
	for _, dim := range []int{1, 4} {
		t.Run(fmt.Sprint(dim), func(t *testing.T) { kerneltest.Run(t, kernels.Cosine{}, dim) })
	}
}

// Values by hand, 0 for rows of zeros, and rows whose squared norms' product is beyond float64.
func TestCosineValues(t *testing.T) {
	x := mat.NewDense(4, 2, []float64{3, 4, 0, 0, -1e100, 0, 1e-100, 1e-100})
	want := mat.NewDense(4, 4, []float64{
		1, 0, -0.6, 0.7 * math.Sqrt2,
		0, 0, 0, 0,
		-0.6, 0, 1, -math.Sqrt2 / 2,
		0.7 * math.Sqrt2, 0, -math.Sqrt2 / 2, 1,
	})
	got := gram(kernels.Cosine{}, x, x)
	if !mat.EqualApprox(got, want, 4e-16) { // a product, two roots and two quotients
		t.Errorf("got %v, want %v", mat.Formatted(got), mat.Formatted(want))
	}
	diag := make([]float64, 4)
	kernels.Cosine{}.DiagTo(diag, x)
	for i, v := range diag {
		if v != []float64{1, 0, 1, 1}[i] {
			t.Errorf("diagonal %d is %v", i, v)
		}
	}
}

func ExampleCosine() {
	x := mat.NewDense(2, 2, []float64{1, 1, 0, 5})
	var gram mat.Dense
	kernels.Cosine{}.GramTo(&gram, x, x)
	fmt.Printf("%.4f\n", mat.Formatted(&gram))
	// Output:
	// ⎡1.0000  0.7071⎤
	// ⎣0.7071  1.0000⎦
}
