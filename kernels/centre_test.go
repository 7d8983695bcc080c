package kernels

import (
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// nonzeros is a dense matrix in a sparse one's clothes.
type nonzeros struct{ of *mat.Dense }

func (s nonzeros) Dims() (r, c int)    { return s.of.Dims() }
func (s nonzeros) At(i, j int) float64 { panic("an element of a sparse matrix was asked for") }
func (s nonzeros) T() mat.Matrix       { return mat.Transpose{Matrix: s} }

func (s nonzeros) DoRowNonZero(i int, fn func(i, j int, v float64)) {
	for j, v := range s.of.RawRowView(i) {
		if v != 0 {
			fn(i, j, v)
		}
	}
}

func TestSparseRowsStaySparse(t *testing.T) {
	y := mat.NewDense(4, 8, []float64{
		5, 0, 1, 0, 0, 0, 0, 0,
		6, 2, 0, 0, 0, 0, 0, 0,
		7, 0, 0, 0, 3, 0, 0, 0,
		0, 2, 0, 0, 0, 0, 0, 9,
	})
	x := nonzeros{y}
	c := centreOf(x, y)
	if want := []int{0, 1}; !c.sparse || !slices.Equal(c.heavy, want) {
		t.Fatalf("sparse %v, heavy columns %v, want %v", c.sparse, c.heavy, want)
	}
	if want := []float64{4.5, 1, 0, 0, 0, 0, 0, 0}; !slices.Equal(c.at, want) {
		t.Errorf("centre is %v, want %v", c.at, want)
	}
	var w work
	w.load(x, 2, 4, c)
	if want := []int{0, 3, 6}; !slices.Equal(w.start, want) {
		t.Errorf("rows start at %v, want %v", w.start, want)
	}
	if want := []int{0, 1, 4, 0, 1, 7}; !slices.Equal(w.cols, want) {
		t.Errorf("columns are %v, want %v", w.cols, want)
	}
	if want := []float64{2.5, -1, 3, -4.5, 1, 9}; !slices.Equal(w.vals, want) {
		t.Errorf("values are %v, want %v", w.vals, want)
	}
}

// More than a quarter of the columns half full: sparse rows are unpacked and meet y in tiles.
func TestFullRowsAreUnpacked(t *testing.T) {
	y := mat.NewDense(2, 4, []float64{1, 1, 0, 0, 3, 1, 0, 0})
	for _, x := range []mat.Matrix{nonzeros{y}, y} {
		c := centreOf(x, y)
		if want := []float64{2, 1, 0, 0}; c.sparse || !slices.Equal(c.at, want) {
			t.Errorf("sparse %v, centre %v, want dense and %v", c.sparse, c.at, want)
		}
	}
}
