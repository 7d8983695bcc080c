package blas

import (
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas"
)

func TestRowSumIsGemm(t *testing.T) {
	rnd := rand.New(rand.NewPCG(2, 3))
	for _, k := range []int{1, 5, 256, 257, 900} {
		a, b := strided(rnd, 9, k, 1), strided(rnd, k, 37, 2)
		for i := range a.Data {
			if i%3 > 0 || i/a.Stride%4 == 1 && i%a.Stride < 600 { // some rows have nothing in their first stretches
				a.Data[i] = 0
			}
		}
		want := strided(rnd, 9, 37, 0)
		got := clone(want)
		Gemm(blas.NoTrans, blas.NoTrans, 1, a, b, 0, want)
		var s RowSum
		for i := range a.Rows {
			s.Start(got.Data[i*got.Stride:][:37])
			for j := range k {
				if v := a.Data[i*a.Stride+j]; v != 0 {
					s.Add(j, v, b.Data[j*b.Stride:][:37])
				}
			}
			s.Done()
		}
		same(t, "rows of nonzeros", got, want)
	}
}
