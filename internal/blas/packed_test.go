package blas

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

func TestPackedIsGemm(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 3))
	for _, size := range [][3]int{{1, 1, 1}, {5, 23, 7}, {64, 500, 300}, {9, 49, 513}, {130, 24, 256}} {
		m, n, k := size[0], size[1], size[2]
		a, b := strided(rnd, m, k, 3), strided(rnd, k, n, 2)
		want := strided(rnd, m, n, 4)
		got := clone(want)
		Gemm(blas.NoTrans, blas.NoTrans, -2, a, b, 0, want)
		p := Pack(blas.NoTrans, b)
		p.MulTo(got, 0, -2, a)
		same(t, fmt.Sprint("all columns of ", size), got, want)
		for first := 0; first < n; first += Stretch {
			c := min(n-first, 2*Stretch)
			part := clone(view(want, 0, first, m, c))
			p.MulTo(part, first, -2, a)
			same(t, fmt.Sprint("columns from ", first, " of ", size), part, view(want, 0, first, m, c))
		}
	}
}

func TestPackedInParts(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 4))
	a, b := strided(rnd, 10, 300, 0), strided(rnd, 61, 300, 1)
	want, got := strided(rnd, 10, 61, 0), strided(rnd, 10, 61, 0)
	Gemm(blas.NoTrans, blas.Trans, 1, a, b, 0, view(want, 0, 0, 10, 61))
	var p Packed
	for range 2 { // the second time in the memory of the first
		p.Reset(300, 61)
		p.Put(48, blas.Trans, view(b, 48, 0, 13, 300))
		p.Put(0, blas.Trans, view(b, 0, 0, 48, 300))
		p.MulTo(got, 0, 1, a)
		same(t, "parts", view(got, 0, 0, 10, 61), view(want, 0, 0, 10, 61))
	}
	p.MulTo(got, 0, 0, a)
	for _, v := range view(got, 0, 0, 10, 61).Data {
		if v != 0 {
			t.Fatalf("alpha 0 gives %g", v)
		}
	}
}

func TestPackedRefuses(t *testing.T) {
	g := func(r, c int) blas64.General {
		return blas64.General{Rows: r, Cols: c, Stride: max(c, 1), Data: make([]float64, r*c)}
	}
	var p Packed
	p.Reset(5, 60)
	for name, call := range map[string]func(){
		"odd place":    func() { p.Put(8, blas.NoTrans, g(5, 24)) },
		"too many":     func() { p.Put(48, blas.NoTrans, g(5, 24)) },
		"a gap":        func() { p.Put(0, blas.NoTrans, g(5, 30)) },
		"other depth":  func() { p.Put(0, blas.NoTrans, g(4, 24)) },
		"width of a":   func() { p.MulTo(g(3, 60), 0, 1, g(3, 4)) },
		"rows of c":    func() { p.MulTo(g(2, 60), 0, 1, g(3, 5)) },
		"columns of c": func() { p.MulTo(g(3, 61), 0, 1, g(3, 5)) },
		"odd columns":  func() { p.MulTo(g(3, 6), 6, 1, g(3, 5)) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			call()
		}()
	}
}

func TestPackedAllocatesNothing(t *testing.T) {
	if raced {
		t.Skip("pools forget under the race detector")
	}
	rnd := rand.New(rand.NewPCG(1, 5))
	a, b, c := strided(rnd, 64, 300, 0), strided(rnd, 300, 100, 0), strided(rnd, 64, 100, 0)
	p := Pack(blas.NoTrans, b)
	if n := testing.AllocsPerRun(20, func() { p.MulTo(c, 0, 1, a) }); n > 0 {
		t.Errorf("a product allocates %v times", n)
	}
	if n := testing.AllocsPerRun(20, func() { Gemm(blas.NoTrans, blas.NoTrans, 1, a, b, 0, c) }); n > 0 {
		t.Errorf("a small Gemm allocates %v times", n)
	}
}
