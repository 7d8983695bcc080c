package kernels_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/kernels"
	"mediant/kernels/kerneltest"
)

func laplacian(t testing.TB, bandwidth float64) kernels.Laplacian {
	t.Helper()
	k, err := kernels.NewLaplacian(bandwidth)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func TestLaplacianConforms(t *testing.T) { kerneltest.Run(t, laplacian(t, 3), 3) }

func TestLaplacianIsOfTheL1Distance(t *testing.T) {
	x := mat.NewDense(2, 3, []float64{1e8, 0, 0, 1e8 + 1, -2, 0.5})
	got := gram(laplacian(t, 2), x, x).At(0, 1)
	if want := math.Exp(-1.75); math.Abs(got-want) > 1e-15 {
		t.Errorf("got %v, want %v", got, want)
	}
}
