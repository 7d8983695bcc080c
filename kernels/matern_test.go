package kernels_test

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/kernels"
	"mediant/kernels/kerneltest"
)

func matern(t testing.TB, order, bandwidth float64) kernels.Matern {
	t.Helper()
	k, err := kernels.NewMatern(order, bandwidth)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func TestMaternConforms(t *testing.T) {
	for _, order := range []float64{0.5, 1.5, 2.5, 0.4, 1, 3.7, 50} {
		t.Run(fmt.Sprint(order), func(t *testing.T) { kerneltest.Run(t, matern(t, order, 2), 3) })
	}
}

// Half-integer orders; the quadratic term of 5/2 once got lost in smile#709.
func TestMaternHalfIntegers(t *testing.T) {
	x := mat.NewDense(3, 1, []float64{0, 1, 2.5})
	for order, want := range map[float64][]float64{
		0.5: {1, 0.36787944117144233, 0.0820849986238988},
		1.5: {1, 0.48335772459650767, 0.07017578643093343},
		2.5: {1, 0.5239941088318203, 0.06351021454894375},
	} {
		got := gram(matern(t, order, 1), x.Slice(0, 1, 0, 1), x).RawRowView(0)
		for i, v := range got {
			if math.Abs(v-want[i]) > 1e-12 {
				t.Errorf("order %v at distance %v: got %v, want %v", order, x.At(i, 0), v, want[i])
			}
		}
	}
}

// Whole numbers must not be computed as such, and the diagonal must be exact, for any number of
// threads: scikit-learn#13874.
func TestMaternOfIntegers(t *testing.T) {
	x := mat.NewDense(4, 2, []float64{2, 7, 5, 3, 9, 9, 4, 4})
	want := mat.NewDense(4, 4, []float64{
		1, 0.006737946999085467, 0.0006891098337480863, 0.02717246117223556,
		0.006737946999085467, 1, 0.000738342646156649, 0.2431167344342142,
		0.0006891098337480863, 0.000738342646156649, 1, 0.0008493257047191695,
		0.02717246117223556, 0.2431167344342142, 0.0008493257047191695, 1,
	})
	withThreads(t, func(t *testing.T) {
		got := gram(matern(t, 0.5, 1), x, x)
		if !mat.EqualApprox(got, want, 1e-14) {
			t.Errorf("got %v, want %v", mat.Formatted(got), mat.Formatted(want))
		}
		for i := range 4 {
			if got.At(i, i) != 1 {
				t.Errorf("diagonal %d is %v, want exactly 1", i, got.At(i, i))
			}
		}
	})
}

func TestMaternOrderIsRefused(t *testing.T) {
	for _, order := range []float64{0, -1, 0.09, 1001, math.Inf(1), math.NaN()} {
		_, err := kernels.NewMatern(order, 1)
		isError(t, err, fmt.Sprintf("kernels: matern: order is %v, must be from 0.1 to 1000", order))
	}
}

// TestMaternAtAnyDistance is finite, at most 1, and falls, for rows as near and as far as float64 has them.
// Between neighbours rounding may raise it by the error of general, 1e-13.
func TestMaternAtAnyDistance(t *testing.T) {
	for _, order := range []float64{0.1, 0.3, 1, 2, 7.5, 60, 200, 1000} {
		k := matern(t, order, 1)
		last := 1.0
		for e := -320; e <= 308; e++ {
			for _, digit := range []float64{1, 3} {
				d2 := []float64{digit * math.Pow(10, float64(e))}
				k.FromSqDist(d2)
				if v := d2[0]; !(v >= 0 && v <= last*(1+1e-13)) {
					t.Fatalf("order %v at squared distance %ge%d: %v after %v", order, digit, e, v, last)
				}
				last = min(last, d2[0])
			}
		}
		ends := []float64{0, math.Inf(1)}
		k.FromSqDist(ends)
		if ends[0] != 1 || ends[1] != 0 || last != 0 {
			t.Errorf("order %v: %v at distance 0 and infinity, %v at 1e154; want 1, 0 and 0", order, ends, last)
		}
	}
}

// TestMaternOfLargeOrderIsGaussian up to 1/nu: the mixture has the relative variance 1/nu in g = nu/(chi²/2),
// and k = E exp(-g t), t = d²/2, is off by t² exp(-t)/(2 nu) to first order, and t exp(-t)/nu for the mean of g;
// twice their largest values allow for the next one.
func TestMaternOfLargeOrderIsGaussian(t *testing.T) {
	for d := 0.1; d < 5; d += 0.3 {
		got, want := []float64{d * d}, []float64{d * d}
		matern(t, 1000, 1).FromSqDist(got)
		gaussian(t, 1).FromSqDist(want)
		if off := math.Abs(got[0] - want[0]); off > 2*(0.28+0.37)/1000 {
			t.Errorf("off by %g at distance %g", off, d)
		}
	}
}

func BenchmarkMatern(b *testing.B) {
	x, dst := drawn(256, 10, 1), new(mat.Dense)
	for _, order := range []float64{1.5, 0.7, 3.7, 60} {
		b.Run(fmt.Sprint(order), func(b *testing.B) {
			k := matern(b, order, 3)
			for b.Loop() {
				k.GramTo(dst, x, x)
			}
		})
	}
}

func ExampleNewMatern() {
	k, err := kernels.NewMatern(2.5, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	d2 := []float64{0, 1, 6.25}
	k.FromSqDist(d2)
	fmt.Printf("%.4f\n", d2)
	// Output: [1.0000 0.5240 0.0635]
}
