package kernels_test

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/kernels"
	"mediant/kernels/kerneltest"
)

func gaussian(t testing.TB, bandwidth float64) kernels.Gaussian {
	t.Helper()
	k, err := kernels.NewGaussian(bandwidth)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func gram(k kernels.Kernel, x, y mat.Matrix) *mat.Dense {
	var dst mat.Dense
	k.GramTo(&dst, x, y)
	return &dst
}

func TestGaussianConforms(t *testing.T) {
	for _, dim := range []int{1, 3, 70} {
		t.Run(fmt.Sprint(dim), func(t *testing.T) { kerneltest.Run(t, gaussian(t, 1.5), dim) })
	}
}

// Rows far from the origin but close to each other, scikit-learn#9354.
func TestGaussianFarFromOrigin(t *testing.T) {
	x := mat.NewDense(3, 2, []float64{
		100000000.0, -25000000.0,
		100000001.0, -24999999.5,
		100000003.0, -25000000.0,
	})
	want := mat.NewDense(3, 3, []float64{
		1, 0.5352614285189903, 0.011108996538242306,
		0.5352614285189903, 1, 0.11943296826671962,
		0.011108996538242306, 0.11943296826671962, 1,
	})
	got := gram(gaussian(t, 1), x, x) // gamma = 1/2
	if !mat.EqualApprox(got, want, 1e-12) {
		t.Errorf("got %v, want %v", mat.Formatted(got), mat.Formatted(want))
	}
	for i := range 3 {
		if got.At(i, i) != 1 {
			t.Errorf("diagonal %d is %v, want exactly 1", i, got.At(i, i))
		}
	}
}

func TestGaussianOfHugeRowsIsNotNaN(t *testing.T) {
	x := mat.NewDense(3, 2, []float64{1e308, -1e308, 1e308, -1e308, -1e308, 1e308})
	want := mat.NewDense(3, 3, []float64{1, 1, 0, 1, 1, 0, 0, 0, 1})
	if got := gram(gaussian(t, 1), x, x); !mat.Equal(got, want) {
		t.Errorf("got %v, want %v", mat.Formatted(got), mat.Formatted(want))
	}
	if got := gram(matern(t, 2.5, 1), x, x); !mat.Equal(got, want) {
		t.Errorf("Matérn: got %v, want %v", mat.Formatted(got), mat.Formatted(want))
	}
}

func TestBandwidthIsRefused(t *testing.T) {
	for _, test := range []struct {
		bandwidth float64
		want      string
	}{
		{-1, "bandwidth is -1, must be positive and finite"},
		{0, "bandwidth is 0, must be positive and finite"},
		{math.NaN(), "bandwidth is NaN, must be positive and finite"},
		{math.Inf(1), "bandwidth is +Inf, must be positive and finite"},
		{1e-160, "bandwidth is 1e-160, must be from 1e-150 to 1e+150"},
		{1e160, "bandwidth is 1e+160, must be from 1e-150 to 1e+150"},
	} {
		_, err := kernels.NewGaussian(test.bandwidth)
		isError(t, err, "kernels: gaussian: "+test.want)
		_, err = kernels.NewLaplacian(test.bandwidth)
		isError(t, err, "kernels: laplacian: "+test.want)
		_, err = kernels.NewMatern(0.5, test.bandwidth)
		isError(t, err, "kernels: matern: "+test.want)
		_, err = kernels.NewRationalQuadratic(2, test.bandwidth)
		isError(t, err, "kernels: rq: "+test.want)
		_, err = kernels.NewExpChiSquared(test.bandwidth)
		isError(t, err, "kernels: expchi2: "+test.want)
	}
}

func isError(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || err.Error() != want {
		t.Errorf("error is %v, want %s", err, want)
	}
}

func TestZeroValuesPanic(t *testing.T) {
	x := mat.NewDense(1, 1, []float64{1})
	for _, k := range []kernels.Kernel{
		kernels.Gaussian{}, kernels.Matern{}, kernels.Laplacian{}, kernels.Polynomial{},
		kernels.RationalQuadratic{}, kernels.Periodic{}, kernels.ExpChiSquared{}, kernels.Precomputed{},
		kernels.Sum{}, kernels.Product{}, kernels.Scale{}, kernels.Additive{}, kernels.Tensor{},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%T: no panic", k)
				}
			}()
			gram(k, x, x)
		}()
	}
}

func ExampleNewGaussian() {
	k, err := kernels.NewGaussian(1)
	if err != nil {
		fmt.Println(err)
		return
	}
	x := mat.NewDense(2, 1, []float64{0, 2}) // two rows of one column
	var gram mat.Dense
	k.GramTo(&gram, x, x)
	fmt.Printf("%.4f\n", mat.Formatted(&gram))

	_, err = kernels.NewGaussian(-1)
	fmt.Println(err)
	// Output:
	// ⎡1.0000  0.1353⎤
	// ⎣0.1353  1.0000⎦
	// kernels: gaussian: bandwidth is -1, must be positive and finite
}
