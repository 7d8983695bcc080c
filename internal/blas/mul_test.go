package blas

import (
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"
)

func TestMulToIsMul(t *testing.T) {
	a, b := random(7, 30), random(30, 5)
	at, bt := mat.DenseCopyOf(a.T()), mat.DenseCopyOf(b.T())
	var want mat.Dense
	want.Mul(a, b)
	for _, c := range []struct {
		tA, tB blas.Transpose
		a, b   *mat.Dense
	}{
		{blas.NoTrans, blas.NoTrans, a, b}, {blas.Trans, blas.NoTrans, at, b},
		{blas.NoTrans, blas.Trans, a, bt}, {blas.Trans, blas.Trans, at, bt},
	} {
		var got mat.Dense
		for range 2 { // resized, and as it is
			MulTo(&got, c.tA, c.a, c.tB, c.b)
			if !mat.EqualApprox(&got, &want, 1e-12) { // 30 terms of normal draws
				t.Errorf("%c%c: %v, want %v", c.tA, c.tB, mat.Formatted(&got), mat.Formatted(&want))
			}
		}
	}
	for name, call := range map[string]func(){
		"factors": func() { MulTo(new(mat.Dense), blas.NoTrans, a, blas.Trans, b) },
		"dst":     func() { MulTo(mat.NewDense(7, 6, nil), blas.NoTrans, a, blas.NoTrans, b) },
	} {
		func() {
			defer func() {
				if recover() != mat.ErrShape {
					t.Errorf("%s: not refused as a shape", name)
				}
			}()
			call()
		}()
	}
}
