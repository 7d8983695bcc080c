package kernels_test

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/kernels"
	"mediant/kernels/kerneltest"
)

func precomputed(t testing.TB, training, query mat.Matrix) kernels.Precomputed {
	t.Helper()
	k, err := kernels.NewPrecomputed(training, query)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// The rows of the suite, entries in [-2, 2], become row numbers below 40.
func TestPrecomputedConforms(t *testing.T) {
	x := drawn(40, 3, 1)
	k := precomputed(t, gram(gaussian(t, 1), x, x), nil)
	kerneltest.RunOn(t, k, 1, func(v float64) float64 { return math.Floor(math.Abs(v) * 19.99) })
}

func TestPrecomputedLooksUp(t *testing.T) {
	g := gaussian(t, 1)
	x, y := drawn(5, 3, 1), drawn(2, 3, 2)
	training, query := gram(g, x, x), gram(g, y, x)
	k := precomputed(t, training, query)
	if n, m := k.Len(); n != 5 || m != 2 {
		t.Errorf("%d training rows and %d queries, want 5 and 2", n, m)
	}
	numbers := mat.NewDense(5, 1, []float64{0, 1, 2, 3, 4})
	queries := mat.NewDense(2, 1, []float64{5, 6})
	if got := gram(k, numbers, numbers); !mat.EqualApprox(got, training, 1e-15) {
		t.Errorf("training block %v, want %v", mat.Formatted(got), mat.Formatted(training))
	}
	if got := gram(k, queries, numbers); !mat.Equal(got, query) {
		t.Errorf("query block %v, want %v", mat.Formatted(got), mat.Formatted(query))
	}
	if got := gram(k, numbers, queries); !mat.Equal(got, query.T()) {
		t.Errorf("transposed query block %v, want %v", mat.Formatted(got), mat.Formatted(query.T()))
	}
	first := query.At(0, 0)
	query.Set(0, 0, 7)
	if got := gram(k, queries, numbers).At(0, 0); got != first {
		t.Errorf("the kernel lives on the caller's matrix")
	}
}

func TestPrecomputedIsRefused(t *testing.T) {
	one := mat.NewDense(2, 2, []float64{2, 1, 1, 2})
	for _, c := range []struct {
		training, query mat.Matrix
		want            string
	}{
		{mat.NewDense(2, 3, nil), nil, "the training block is 2×3, must be square"},
		{&mat.Dense{}, nil, "the training block is 0×0, must be square"},
		{one, mat.NewDense(4, 3, nil), "the query block is 4×3, must have a column for each of 2 training rows"},
		{mat.NewDense(2, 2, []float64{1, 2, 3, 1}), nil, "the values of rows 1 and 0 are 3 and 2, must be equal"},
		{mat.NewDense(1, 1, []float64{-1}), nil, "the value of row 0 and itself is -1, must not be negative"},
		{one, mat.NewDense(1, 2, []float64{0, math.NaN()}), "the value of rows 2 and 1 is NaN, must be finite"},
	} {
		_, err := kernels.NewPrecomputed(c.training, c.query)
		isError(t, err, "kernels: precomputed: "+c.want)
	}
	k := precomputed(t, one, mat.NewDense(1, 2, []float64{1, 1}))
	for _, v := range []float64{-1, 0.5, 3, math.NaN()} {
		err := kernels.CheckRows(k, mat.NewDense(1, 1, []float64{v}))
		isError(t, err, fmt.Sprintf("kernels: precomputed: want numbers of rows below 3, row 0 column 0 is %v", v))
	}
	for what, rows := range map[string]*mat.Dense{"two columns": mat.NewDense(1, 2, nil), "a query": mat.NewDense(1, 1, []float64{2}), "no row": mat.NewDense(1, 1, []float64{9})} {
		for _, do := range []func(){func() { gram(k, rows, rows) }, func() { k.DiagTo(make([]float64, 1), rows) }} {
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("%s with itself: no panic", what)
					}
				}()
				do()
			}()
		}
	}
}

func ExampleNewPrecomputed() {
	training := mat.NewDense(2, 2, []float64{1, 0.5, 0.5, 1})
	query := mat.NewDense(1, 2, []float64{0.9, 0.3})
	k, err := kernels.NewPrecomputed(training, query)
	if err != nil {
		fmt.Println(err)
		return
	}
	var gram mat.Dense
	k.GramTo(&gram, mat.NewDense(1, 1, []float64{2}), mat.NewDense(2, 1, []float64{0, 1}))
	fmt.Println(mat.Formatted(&gram))

	_, err = kernels.NewPrecomputed(training, mat.NewDense(1, 3, nil))
	fmt.Println(err)
	// Output:
	// [0.9  0.3]
	// kernels: precomputed: the query block is 1×3, must have a column for each of 2 training rows
}

func TestPrecomputedOfTwoColumnsIsRefused(t *testing.T) {
	k := precomputed(t, mat.NewDense(1, 1, []float64{1}), nil)
	isError(t, kernels.CheckRows(k, mat.NewDense(1, 2, nil)), "kernels: precomputed: rows of 2 columns, want one, the number of the row")
	part := must(kernels.NewAdditive([][]int{{1}}, []kernels.Kernel{k}))
	if err := kernels.CheckRows(part, mat.NewDense(1, 2, nil)); err != nil {
		t.Error(err)
	}
}
