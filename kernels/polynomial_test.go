package kernels_test

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/kernels"
	"mediant/kernels/kerneltest"
)

func polynomial(t testing.TB, degree int) kernels.Polynomial {
	t.Helper()
	k, err := kernels.NewPolynomial(degree)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func TestPolynomialConforms(t *testing.T) {
	for _, degree := range []int{1, 3} {
		t.Run(fmt.Sprint(degree), func(t *testing.T) { kerneltest.Run(t, polynomial(t, degree), 4) })
	}
}

// Powers by repeated squaring once gave 2401 for degree 3, uxlfoundation/oneDAL#1532.
func TestPolynomialPowers(t *testing.T) {
	x, y := mat.NewDense(1, 1, []float64{2}), mat.NewDense(1, 1, []float64{3})
	for degree, want := range map[int]float64{1: 7, 2: 49, 3: 343, 4: 2401, 5: 16807} {
		if got := gram(polynomial(t, degree), x, y).At(0, 0); got != want {
			t.Errorf("degree %d: got %v, want exactly %v", degree, got, want)
		}
	}
	if got := gram(polynomial(t, 64), x, mat.NewDense(1, 1, []float64{1e9})).At(0, 0); !math.IsInf(got, 1) {
		t.Errorf("a power that overflows is %v, want +Inf", got)
	}
}

func TestDegreeIsRefused(t *testing.T) {
	for _, degree := range []int{-1, 0, 65} {
		_, err := kernels.NewPolynomial(degree)
		isError(t, err, fmt.Sprintf("kernels: polynomial: degree is %d, must be from 1 to 64", degree))
	}
}
