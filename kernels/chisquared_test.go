package kernels_test

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/kernels"
	"mediant/kernels/kerneltest"
)

func expChiSquared(t testing.TB, bandwidth float64) kernels.ExpChiSquared {
	t.Helper()
	k, err := kernels.NewExpChiSquared(bandwidth)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func TestChiSquaredConforms(t *testing.T) {
	for _, k := range []kernels.Kernel{kernels.ChiSquared{}, expChiSquared(t, 2)} {
		t.Run(fmt.Sprintf("%T", k), func(t *testing.T) { kerneltest.RunOn(t, k, 3, math.Abs) })
	}
}

// Entries that are 0 in both rows once gave 0/0, JuliaStats/Distances.jl#59.
func TestChiSquaredOfZeros(t *testing.T) {
	x := mat.NewDense(3, 3, []float64{0, 1, 2, 0, 3, 2, 0, 0, 0})
	var d mat.Dense
	kernels.ChiSquaredDistTo(&d, x, x)
	if want := mat.NewDense(3, 3, []float64{0, 1, 3, 1, 0, 5, 3, 5, 0}); !mat.Equal(&d, want) {
		t.Errorf("distances %v, want %v", mat.Formatted(&d), mat.Formatted(want))
	}
	want := mat.NewDense(3, 3, []float64{
		1, 0.36787944117144233, 0.049787068367863944,
		0.36787944117144233, 1, 0.006737946999085467,
		0.049787068367863944, 0.006737946999085467, 1,
	})
	if got := gram(expChiSquared(t, 1), x, x); !mat.EqualApprox(got, want, 1e-15) {
		t.Errorf("exponential: got %v, want %v", mat.Formatted(got), mat.Formatted(want))
	}
	// 2·1·3/4 + 2·2·2/4 between the first two.
	if got := gram(kernels.ChiSquared{}, x, x); !mat.Equal(got, mat.NewDense(3, 3, []float64{3, 3.5, 0, 3.5, 5, 0, 0, 0, 0})) {
		t.Errorf("additive: got %v", mat.Formatted(got))
	}
}

// D = Σx + Σy - 2k, two ways to one number, at any magnitude.
func TestChiSquaredKernelAndDistance(t *testing.T) {
	for _, scale := range []float64{1e-300, 1, 1e300} {
		x := drawn(40, 5, 1)
		x.Apply(func(_, _ int, v float64) float64 { return math.Abs(v) * scale }, x)
		var d mat.Dense
		kernels.ChiSquaredDistTo(&d, x, x)
		k := gram(kernels.ChiSquared{}, x, x)
		for i := range 40 {
			for j := range 40 {
				want := k.At(i, i) + k.At(j, j) - 2*k.At(i, j)
				if off := math.Abs(d.At(i, j) - want); !(off <= 1e-14*(k.At(i, i)+k.At(j, j))) {
					t.Fatalf("entry (%d, %d) at scale %g: distance %v, by the kernel %v", i, j, scale, d.At(i, j), want)
				}
			}
		}
	}
}

// Negative entries are refused by row and column, of whichever part of a kernel has them.
func TestNegativeEntriesAreRefused(t *testing.T) {
	x := mat.NewDense(2, 3, []float64{1, 2, 3, 0, 4, -0.5})
	exponential := expChiSquared(t, 1)
	const chi2, expchi2 = "kernels: chi2: want no negative entry, row 1 column 2 is -0.5", "kernels: expchi2: want no negative entry, row 1 column 2 is -0.5"
	for _, c := range []struct {
		k    kernels.Kernel
		want string
	}{
		{kernels.ChiSquared{}, chi2},
		{exponential, expchi2},
		{must(kernels.NewSum(kernels.Linear{}, exponential)), expchi2},
		{must(kernels.NewProduct(exponential, kernels.Linear{})), expchi2},
		{must(kernels.NewScale(2, exponential)), expchi2},
		{must(kernels.NewAdditive([][]int{{0}, {1, 2}}, []kernels.Kernel{kernels.Linear{}, kernels.ChiSquared{}})), chi2},
		{must(kernels.NewTensor([][]int{{2, 0}, {1}}, []kernels.Kernel{must(kernels.NewAdditive([][]int{{0}}, []kernels.Kernel{exponential})), exponential})), expchi2},
	} {
		isError(t, kernels.CheckRows(c.k, x), c.want)
		for _, rows := range [][2]mat.Matrix{{x, x.Slice(0, 1, 0, 3)}, {x.Slice(0, 1, 0, 3), kerneltest.Sparse(x)}} {
			func() {
				defer func() {
					if e, ok := recover().(*kernels.RowError); !ok || e.Row != 1 || e.Value != -0.5 {
						t.Errorf("%T: panic with %v", c.k, e)
					}
				}()
				gram(c.k, rows[0], rows[1])
			}()
		}
		if err := kernels.CheckRows(c.k, x.Slice(0, 1, 0, 3)); err != nil {
			t.Errorf("%T: rows without negative entries: error %v", c.k, err)
		}
	}
	first := must(kernels.NewAdditive([][]int{{0, 1}}, []kernels.Kernel{kernels.ChiSquared{}}))
	if err := kernels.CheckRows(first, x); err != nil {
		t.Errorf("the other columns' entry is refused: %v", err)
	}
	if err := kernels.CheckRows(gaussian(t, 1), x); err != nil {
		t.Error(err)
	}
}

func ExampleChiSquared() {
	histograms := mat.NewDense(2, 3, []float64{
		0.5, 0.5, 0,
		0, 0.5, 0.5,
	})
	var gram mat.Dense
	kernels.ChiSquared{}.GramTo(&gram, histograms, histograms)
	fmt.Println(mat.Formatted(&gram))
	fmt.Println(kernels.CheckRows(kernels.ChiSquared{}, mat.NewDense(1, 2, []float64{3, -1})))
	// Output:
	// ⎡  1  0.5⎤
	// ⎣0.5    1⎦
	// kernels: chi2: want no negative entry, row 0 column 1 is -1
}
