package kernels_test

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/kernels"
	"mediant/kernels/kerneltest"
)

// must returns a combination, which the test knows to be right.
func must[K kernels.Kernel](k K, err error) K {
	if err != nil {
		panic(err)
	}
	return k
}

func TestSumConforms(t *testing.T) {
	kerneltest.Run(t, must(kernels.NewSum(gaussian(t, 1), matern(t, 1.5, 2), kernels.Linear{})), 3)
}

func TestProductConforms(t *testing.T) {
	kerneltest.Run(t, must(kernels.NewProduct(gaussian(t, 2), laplacian(t, 2))), 3)
}

func TestScaleConforms(t *testing.T) {
	kerneltest.Run(t, must(kernels.NewScale(2.5, gaussian(t, 1))), 3)
}

func TestAdditiveConforms(t *testing.T) {
	parts := []kernels.Kernel{gaussian(t, 1), matern(t, 0.5, 1), laplacian(t, 2)}
	t.Run("columns", func(t *testing.T) { kerneltest.Run(t, must(kernels.NewAdditive(nil, parts)), 3) })
	t.Run("groups", func(t *testing.T) {
		kerneltest.Run(t, must(kernels.NewAdditive([][]int{{4, 0}, {1}, {1, 2, 3}}, parts)), 5)
	})
}

func TestTensorConforms(t *testing.T) {
	parts := []kernels.Kernel{gaussian(t, 1), periodic(t, 3, 1), laplacian(t, 2)}
	t.Run("columns", func(t *testing.T) { kerneltest.Run(t, must(kernels.NewTensor(nil, parts)), 3) })
	t.Run("groups", func(t *testing.T) {
		kerneltest.Run(t, must(kernels.NewTensor([][]int{{4, 0}, {1}, {1, 2, 3}}, parts)), 5)
	})
}

// Combinations are checked entry by entry against their definition, over more rows than they work
// on at a time, dense, sparse and known by At alone.
func TestCombinationsAreWhatTheySay(t *testing.T) {
	x, y := drawn(1100, 3, 1), drawn(7, 3, 2)
	g, l := gaussian(t, 1), laplacian(t, 2)
	kg, kl := gram(g, x, y), gram(l, x, y)
	k0, k2 := gram(g, x.Slice(0, 1100, 0, 1), y.Slice(0, 7, 0, 1)), gram(l, x.Slice(0, 1100, 2, 3), y.Slice(0, 7, 2, 3))
	for _, test := range []struct {
		k    kernels.Kernel
		want func(i, j int) float64
	}{
		{must(kernels.NewSum(g, l, g)), func(i, j int) float64 { return kg.At(i, j) + kl.At(i, j) + kg.At(i, j) }},
		{must(kernels.NewProduct(g, l)), func(i, j int) float64 { return kg.At(i, j) * kl.At(i, j) }},
		{must(kernels.NewScale(3, g)), func(i, j int) float64 { return 3 * kg.At(i, j) }},
		{
			must(kernels.NewAdditive([][]int{{0}, {2}}, []kernels.Kernel{g, l})),
			func(i, j int) float64 { return k0.At(i, j) + k2.At(i, j) },
		},
		{
			must(kernels.NewTensor([][]int{{0}, {2}}, []kernels.Kernel{g, l})),
			func(i, j int) float64 { return k0.At(i, j) * k2.At(i, j) },
		},
	} {
		for _, rows := range []mat.Matrix{x, kerneltest.Sparse(x), onlyAt{x}} {
			got := gram(test.k, rows, y)
			for i := range 1100 {
				for j := range 7 {
					if math.Abs(got.At(i, j)-test.want(i, j)) > 1e-13 {
						t.Fatalf("%T: entry (%d, %d) is %v, want %v", test.k, i, j, got.At(i, j), test.want(i, j))
					}
				}
			}
		}
	}
}

func TestCombinationsAreRefused(t *testing.T) {
	g := gaussian(t, 1)
	pair := must(kernels.NewAdditive(nil, []kernels.Kernel{g, g}))
	additive := func(groups [][]int, parts ...kernels.Kernel) error {
		_, err := kernels.NewAdditive(groups, parts)
		return err
	}
	_, noTensor := kernels.NewTensor(nil, nil)
	_, twice := kernels.NewTensor([][]int{{1, 1}}, []kernels.Kernel{g})
	_, noSum := kernels.NewSum()
	_, nilProduct := kernels.NewProduct(g, nil)
	_, negative := kernels.NewScale(-2, g)
	_, infinite := kernels.NewScale(math.Inf(1), g)
	_, nilScale := kernels.NewScale(2, nil)
	for _, test := range []struct {
		err  error
		want string
	}{
		{noTensor, "kernels: tensor: no parts, must have at least one"},
		{twice, "kernels: tensor: group 0 has column 1 twice"},
		{noSum, "kernels: sum: no parts, must have at least one"},
		{nilProduct, "kernels: product: part 1 is nil"},
		{negative, "kernels: scale: factor is -2, must be positive and finite"},
		{infinite, "kernels: scale: factor is +Inf, must be positive and finite"},
		{nilScale, "kernels: scale: part 0 is nil"},
		{additive(nil), "kernels: additive: no parts, must have at least one"},
		{additive([][]int{{0}}, g, g), "kernels: additive: 1 groups for 2 parts, must be as many"},
		{additive([][]int{{0}, {}}, g, g), "kernels: additive: group 1 has 0 columns, its kernel needs 1"},
		{additive([][]int{{5}}, pair), "kernels: additive: group 0 has 1 columns, its kernel needs 2"},
		{additive([][]int{{1, -3}}, g), "kernels: additive: group 0 has column -3, must be from 0 to 1073741823"},
		{additive([][]int{{1 << 30}}, g), "kernels: additive: group 0 has column 1073741824, must be from 0 to 1073741823"},
		{additive([][]int{{1, 4, 1}}, g), "kernels: additive: group 0 has column 1 twice"},
	} {
		isError(t, test.err, test.want)
	}
}

func TestWidth(t *testing.T) {
	g := gaussian(t, 1)
	a := must(kernels.NewAdditive([][]int{{0}, {6, 2}}, []kernels.Kernel{g, g}))
	for _, test := range []struct {
		k    kernels.Kernel
		want int
	}{
		{g, 1},
		{a, 7},
		{must(kernels.NewSum(g, a)), 7},
		{must(kernels.NewProduct(a, g)), 7},
		{must(kernels.NewScale(2, a)), 7},
		{must(kernels.NewTensor([][]int{{3}}, []kernels.Kernel{g})), 4},
	} {
		if got := kernels.Width(test.k); got != test.want {
			t.Errorf("%T: got %d, want %d", test.k, got, test.want)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("rows narrower than the kernel: no panic")
		}
	}()
	gram(a, mat.NewDense(1, 6, nil), mat.NewDense(1, 6, nil))
}

func TestCombinationsKeepTheirOwn(t *testing.T) {
	g := gaussian(t, 1)
	groups, parts := [][]int{{0, 1}}, []kernels.Kernel{g}
	k := must(kernels.NewAdditive(groups, parts))
	groups[0][0], parts[0] = 9, nil
	k.Groups()[0][1], k.Parts()[0] = 9, nil
	tensor := must(kernels.NewTensor([][]int{{2}}, []kernels.Kernel{g}))
	tensor.Groups()[0][0], tensor.Parts()[0] = 9, nil
	if got := fmt.Sprint(tensor.Groups(), tensor.Parts()); got != fmt.Sprint([][]int{{2}}, []kernels.Kernel{g}) {
		t.Errorf("tensor changed from outside: %s", got)
	}
	if got := fmt.Sprint(k.Groups(), k.Parts()); got != fmt.Sprint([][]int{{0, 1}}, []kernels.Kernel{g}) {
		t.Errorf("kernel changed from outside: %s", got)
	}
}

func ExampleNewAdditive() {
	smooth, err := kernels.NewGaussian(1)
	if err != nil {
		fmt.Println(err)
		return
	}
	// Column 1 on its own, columns 0 and 2 together.
	k, err := kernels.NewAdditive([][]int{{1}, {0, 2}}, []kernels.Kernel{smooth, smooth})
	if err != nil {
		fmt.Println(err)
		return
	}
	x := mat.NewDense(2, 3, []float64{
		0, 0, 0,
		9, 0, 9, // equal to the first row in column 1 only
	})
	var gram mat.Dense
	k.GramTo(&gram, x, x)
	fmt.Printf("%.4f\n", mat.Formatted(&gram))
	// Output:
	// ⎡2.0000  1.0000⎤
	// ⎣1.0000  2.0000⎦
}

func TestParametersComeBack(t *testing.T) {
	g := gaussian(t, 0.3)
	scaled := must(kernels.NewScale(7, g))
	if g.Bandwidth() != 0.3 || laplacian(t, 0.4).Bandwidth() != 0.4 || matern(t, 1.5, 0.5).Bandwidth() != 0.5 {
		t.Error("a bandwidth changed")
	}
	if got := matern(t, 2.5, 1).Order(); got != 2.5 {
		t.Errorf("order is %v, want 2.5", got)
	}
	if got := polynomial(t, 4).Degree(); got != 4 {
		t.Errorf("degree is %d, want 4", got)
	}
	if scaled.Factor() != 7 || scaled.Part() != kernels.Kernel(g) {
		t.Errorf("scale is %v of %v, want 7 of %v", scaled.Factor(), scaled.Part(), g)
	}
}

func TestSpanKeepsItsKind(t *testing.T) {
	x := drawn(9, 4, 1)
	want := x.Slice(2, 7, 0, 4)
	for _, rows := range []mat.Matrix{x, kerneltest.Sparse(x), onlyAt{x}} {
		part := kernels.Span(rows, 2, 7)
		_, was := rows.(mat.RowNonZeroDoer)
		if _, is := part.(mat.RowNonZeroDoer); is != was {
			t.Errorf("%T became %T", rows, part)
		}
		var got, all mat.Dense
		kernels.DotTo(&got, part, x)
		kernels.DotTo(&all, want, x)
		if !mat.EqualApprox(&got, &all, 1e-14) {
			t.Errorf("%T: other rows than asked for", rows)
		}
	}
}
