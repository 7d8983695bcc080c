package blas

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// TestAboveTransposeTimes: products are gonum's, whatever is on and below the diagonal, and a column's do not depend on those beside it.
func TestAboveTransposeTimes(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 2, 7, 64, triangleBlock - 1, triangleBlock + 1, 2*triangleBlock + 31} {
		const k = 5
		s := blas64.Symmetric{N: n, Stride: n + 3, Uplo: blas.Upper, Data: make([]float64, n*(n+3))}
		x := blas64.General{Rows: n, Cols: k, Stride: k + 1, Data: make([]float64, n*(k+1))}
		for _, data := range [][]float64{s.Data, x.Data} {
			for i := range data {
				data[i] = rnd.NormFloat64()
			}
		}
		above, right := mat.NewDense(n, n, nil), mat.NewDense(n, k, nil)
		for i := range n {
			for j := range n {
				if j > i {
					above.Set(i, j, s.Data[i*s.Stride+j])
				} else {
					s.Data[i*s.Stride+j] = math.NaN()
				}
			}
			right.SetRow(i, x.Data[i*x.Stride:][:k])
		}
		var want mat.Dense
		want.Mul(above.T(), right)
		got := AboveTransposeTimes(s, x)
		for j := range k {
			column := x
			column.Cols, column.Data = 1, x.Data[j:]
			alone := AboveTransposeTimes(s, column)
			for i := range n {
				v := got.Data[i*got.Stride+j]
				if math.Abs(v-want.At(i, j)) > 1e-13*float64(n) || v != alone.Data[i] {
					t.Fatalf("order %d, element %d, %d: %g, alone %g, want %g", n, i, j, v, alone.Data[i], want.At(i, j))
				}
			}
		}
	}
}

func BenchmarkAboveTransposeTimes(b *testing.B) {
	const n = 1024
	s := blas64.Symmetric{N: n, Stride: n, Uplo: blas.Upper, Data: make([]float64, n*n)}
	x := blas64.General{Rows: n, Cols: 1, Stride: 1, Data: make([]float64, n)}
	for b.Loop() {
		AboveTransposeTimes(s, x)
	}
}
