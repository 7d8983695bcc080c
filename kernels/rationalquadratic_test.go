package kernels_test

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/kernels"
	"mediant/kernels/kerneltest"
)

func rationalQuadratic(t testing.TB, alpha, bandwidth float64) kernels.RationalQuadratic {
	t.Helper()
	k, err := kernels.NewRationalQuadratic(alpha, bandwidth)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func TestRationalQuadraticConforms(t *testing.T) {
	for _, alpha := range []float64{0.5, 1, 6} {
		t.Run(fmt.Sprint(alpha), func(t *testing.T) { kerneltest.Run(t, rationalQuadratic(t, alpha, 1.5), 3) })
	}
}

// Values by hand: (1 + d²/(2 alpha b²))^-alpha.
func TestRationalQuadraticValues(t *testing.T) {
	for _, c := range []struct{ alpha, bandwidth, d2, want float64 }{
		{1, 1, 2, 0.5}, {1, 2, 24, 0.25}, {0.5, 1, 3, 0.5}, {2, 1, 4, 0.25}, {3, 1, 0, 1}, {0.01, 1e150, math.Inf(1), 0},
	} {
		got := []float64{c.d2}
		rationalQuadratic(t, c.alpha, c.bandwidth).FromSqDist(got)
		if math.Abs(got[0]-c.want) > 4e-16 { // a logarithm and an exponential
			t.Errorf("alpha %v, b %v, d² %v: got %v, want %v", c.alpha, c.bandwidth, c.d2, got[0], c.want)
		}
	}
}

// At alpha = 1e6 it is the Gaussian kernel to t² exp(-t)/(2 alpha), t = d²/2, at most 0.28/alpha, and terms in
// 1/alpha²: the digits of near rows must not be lost to alpha.
func TestRationalQuadraticOfLargeAlphaIsGaussian(t *testing.T) {
	for d2 := 1e-9; d2 < 30; d2 *= 3 {
		got, want := []float64{d2}, []float64{d2}
		rationalQuadratic(t, 1e6, 1).FromSqDist(got)
		gaussian(t, 1).FromSqDist(want)
		if off := math.Abs(got[0] - want[0]); off > d2*d2/8e6*(1+1e-3)+3e-16 {
			t.Errorf("off by %g at d² = %g", off, d2)
		}
	}
}

func TestRationalQuadraticIsRefused(t *testing.T) {
	for _, alpha := range []float64{0, -1, 0.009, 2e6, math.NaN()} {
		_, err := kernels.NewRationalQuadratic(alpha, 1)
		isError(t, err, fmt.Sprintf("kernels: rq: alpha is %v, must be from 0.01 to 1e+06", alpha))
	}
	k := rationalQuadratic(t, 3, 4)
	if k.Alpha() != 3 || k.Bandwidth() != 4 {
		t.Errorf("alpha %v and bandwidth %v, want 3 and 4", k.Alpha(), k.Bandwidth())
	}
}

func ExampleNewRationalQuadratic() {
	k, err := kernels.NewRationalQuadratic(1, 2)
	if err != nil {
		fmt.Println(err)
		return
	}
	x := mat.NewDense(2, 1, []float64{0, 4})
	var gram mat.Dense
	k.GramTo(&gram, x, x)
	fmt.Printf("%.4f\n", mat.Formatted(&gram))
	// Output:
	// ⎡1.0000  0.3333⎤
	// ⎣0.3333  1.0000⎦
}
