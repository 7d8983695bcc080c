package kernels_test

import (
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"mediant/kernels"
)

// rowList is a sparse matrix that cannot be read element by element.
type rowList struct{ of *mat.Dense }

func (l rowList) Dims() (r, c int) { return l.of.Dims() }

func (rowList) At(int, int) float64 { panic("kernels: a sparse matrix was read element by element") }
func (l rowList) T() mat.Matrix     { return mat.Transpose{Matrix: l} }

func (l rowList) DoRowNonZero(i int, fn func(i, j int, v float64)) {
	for j, v := range l.of.RawRowView(i) {
		if v != 0 {
			fn(i, j, v)
		}
	}
}

// TestSparseOnBothSides: with both sides sparse, a product has the bits that it has with y stored densely, whose
// zeros add nothing; y has more rows than a tile.
func TestSparseOnBothSides(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	sparse := func(n int) *mat.Dense {
		x := mat.NewDense(n, 300, nil)
		x.Apply(func(int, int, float64) float64 {
			if rnd.IntN(10) > 0 {
				return 0
			}
			return rnd.NormFloat64()
		}, x)
		return x
	}
	x, y := sparse(70), sparse(1100)
	for name, gram := range map[string]func(dst *mat.Dense, x, y mat.Matrix){"dot": kernels.DotTo, "squared distance": kernels.SqDistTo} {
		var got, want mat.Dense
		gram(&got, rowList{x}, rowList{y})
		gram(&want, rowList{x}, y)
		if !mat.Equal(&got, &want) {
			t.Errorf("%s: sparse rows on both sides give another matrix", name)
		}
	}
	var d mat.Dense
	kernels.SqDistTo(&d, rowList{x}, rowList{x})
	for i := range 70 {
		if d.At(i, i) != 0 {
			t.Errorf("row %d is at distance %g from itself", i, d.At(i, i))
		}
	}
}

func BenchmarkSparseOnBothSides(b *testing.B) {
	rnd := rand.New(rand.NewPCG(1, 2))
	x := mat.NewDense(512, 1<<14, nil)
	for i := range 512 {
		for range 100 {
			x.Set(i, rnd.IntN(1<<14), 1)
		}
	}
	var dst mat.Dense
	for b.Loop() {
		kernels.DotTo(&dst, rowList{x}, rowList{x})
	}
}
