package blas

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"mediant/internal/asm"
)

// canary fills what a routine must not touch; a sum with it would show.
const canary = 1e300

// strided returns an r×c matrix of normal draws whose rows are pad elements apart, between canaries.
func strided(rnd *rand.Rand, r, c, pad int) blas64.General {
	g := blas64.General{Rows: r, Cols: c, Stride: max(1, c+pad), Data: make([]float64, r*(c+pad)+3)}
	for i := range g.Data {
		g.Data[i] = canary
	}
	for i := range r {
		for j := range c {
			g.Data[i*g.Stride+j] = rnd.NormFloat64()
		}
	}
	return g
}

func clone(a blas64.General) blas64.General {
	a.Data = append([]float64(nil), a.Data...)
	return a
}

// specified is the product as its documentation defines it, element by element.
func specified(a, b operand, k int, alpha, beta float64, c blas64.General, p part) {
	for i := range c.Rows {
		for j := range c.Cols {
			if p == upper && j < i || p == lower && j > i {
				continue
			}
			e := &c.Data[i*c.Stride+j]
			if beta == 0 {
				*e = 0
			} else {
				*e *= beta
			}
			for q := 0; q < k && alpha != 0; q += depthBlock {
				sum := 0.0
				for l := q; l < min(q+depthBlock, k); l++ {
					sum = math.FMA(a.data[i*a.row+l*a.col], b.data[l*b.row+j*b.col], sum)
				}
				if q == 0 && beta == 0 {
					*e = alpha * sum
				} else {
					*e = math.FMA(alpha, sum, *e)
				}
			}
		}
	}
}

// same fails unless a and b are the same to the last bit, canaries included.
func same(t *testing.T, name string, got, want blas64.General) {
	t.Helper()
	for i, v := range want.Data {
		if g := got.Data[i]; g != v && !(math.IsNaN(g) && math.IsNaN(v)) {
			t.Errorf("%s: element (%d, %d) is %g, want %g", name, i/want.Stride, i%want.Stride, g, v)
			return
		}
	}
}

// sizes cross every boundary: slivers, the direct path, tiles and depth blocks.
var sizes = [][3]int{
	{1, 1, 1}, {1, 1, 600}, {3, 2, 4}, {7, 23, 9}, {8, 24, 16}, {9, 25, 17}, {17, 49, 5}, {1, 100, 300}, {16, 95, 255},
	{100, 1, 300}, {257, 48, 257}, {64, 72, 256}, {100, 250, 513}, {130, 500, 20}, {389, 241, 9}, {25, 25, 0}, {0, 3, 3}, {3, 0, 3},
}

func TestGemmIsAsSpecified(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for i, size := range sizes {
		m, n, k, pad := size[0], size[1], size[2], 5*(i%2)
		for _, tA := range []blas.Transpose{blas.NoTrans, blas.Trans} {
			for _, tB := range []blas.Transpose{blas.NoTrans, blas.Trans} {
				a, b := strided(rnd, m, k, pad), strided(rnd, k, n, pad)
				if tA == blas.Trans {
					a = strided(rnd, k, m, pad)
				}
				if tB == blas.Trans {
					b = strided(rnd, n, k, pad)
				}
				for _, f := range [][2]float64{{1, 0}, {1, 1}, {-2.5, 0.3}, {0, 2}} {
					c := strided(rnd, m, n, pad)
					want := clone(c)
					specified(read(tA, a), read(tB, b), k, f[0], f[1], want, whole)
					eachLevel(func(l asm.Level) {
						got := clone(c)
						Gemm(tA, tB, f[0], a, b, f[1], got)
						same(t, fmt.Sprintf("%v: %c%c %d×%d×%d, alpha %g, beta %g", l, tA, tB, m, n, k, f[0], f[1]), got, want)
					})
				}
			}
		}
	}
}

func TestSyrkIsAsSpecified(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for _, size := range [][2]int{{1, 1}, {5, 3}, {24, 30}, {25, 256}, {100, 257}, {289, 300}} {
		n, k := size[0], size[1]
		for _, p := range []part{upper, lower} {
			for _, tr := range []blas.Transpose{blas.NoTrans, blas.Trans} {
				a := strided(rnd, n, k, 2)
				if tr == blas.Trans {
					a = strided(rnd, k, n, 2)
				}
				for _, beta := range []float64{0, 1, -0.5} {
					c := strided(rnd, n, n, 1)
					want := clone(c)
					specified(read(tr, a), read(tr, a).transposed(), k, 1.5, beta, want, p)
					eachLevel(func(l asm.Level) {
						got := clone(c)
						syrk(p, read(tr, a), k, 1.5, beta, got)
						same(t, fmt.Sprintf("%v: part %d, %c, n %d, k %d, beta %g", l, p, tr, n, k, beta), got, want)
					})
				}
			}
		}
	}
}

// Rows and columns past span are formed in blocks of their own.
func TestSpans(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	a, b := strided(rnd, span+9, 2, 0), strided(rnd, 2, 3, 0)
	got := strided(rnd, span+9, 3, 0)
	want := clone(got)
	Gemm(blas.NoTrans, blas.NoTrans, 1, a, b, 1, got)
	specified(read(blas.NoTrans, a), read(blas.NoTrans, b), 2, 1, 1, want, whole)
	same(t, "tall", got, want)

	got = strided(rnd, 3, span+9, 0)
	want = clone(got)
	Gemm(blas.Trans, blas.Trans, 1, b, a, 1, got)
	specified(read(blas.Trans, b), read(blas.Trans, a), 2, 1, 1, want, whole)
	same(t, "wide", got, want)
}

func TestBlocksOfTriangles(t *testing.T) {
	for _, want := range []struct {
		of           part
		below, above bool
	}{{whole, true, true}, {upper, false, true}, {lower, true, false}} {
		p := product{part: want.of}
		if d, ok := p.partAt(span, span); !ok || d != want.of {
			t.Errorf("part %d: diagonal block %v, part %d", want.of, ok, d)
		}
		if b, ok := p.partAt(span, 0); ok != want.below || ok && b != whole {
			t.Errorf("part %d: block below the diagonal %v, part %d", want.of, ok, b)
		}
		if b, ok := p.partAt(0, span); ok != want.above || ok && b != whole {
			t.Errorf("part %d: block above the diagonal %v, part %d", want.of, ok, b)
		}
	}
}

func TestRowsAreTheSameAlone(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 8))
	a, b := strided(rnd, 203, 300, 0), strided(rnd, 300, 77, 0)
	all := strided(rnd, 203, 77, 0)
	Gemm(blas.NoTrans, blas.NoTrans, 1, a, b, 0, all)
	for _, rows := range []int{1, 2, 7, 8, 9, 16, 17, 100} {
		for lo := 0; lo+rows <= a.Rows; lo += rows {
			got := blas64.General{Rows: rows, Cols: 77, Stride: 77, Data: make([]float64, rows*77)}
			Gemm(blas.NoTrans, blas.NoTrans, 1, view(a, lo, 0, rows, 300), b, 0, got)
			same(t, fmt.Sprintf("%d rows from %d", rows, lo), got, view(all, lo, 0, rows, 77))
		}
	}
}

func TestThreadsDoNotChangeResults(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	rnd := rand.New(rand.NewPCG(9, 10))
	a, b := strided(rnd, 700, 900, 0), strided(rnd, 900, 500, 0)
	s := definite(700)
	var wantC, wantS, wantU, wantX, wantR blas64.General
	for _, threads := range []int{1, 2, 8} {
		runtime.GOMAXPROCS(threads)
		for range 3 {
			c, g, u := strided(rand.New(rand.NewPCG(1, 1)), 700, 500, 0), clone(general(s)), clone(general(s))
			Gemm(blas.NoTrans, blas.NoTrans, 1, a, b, 0.5, c)
			Syrk(1, view(a, 0, 0, 700, 700), g)
			if !Cholesky(u) {
				t.Fatal("not positive definite")
			}
			x := clone(c)
			SolveLeft(blas.Trans, u, x)
			r := strided(rand.New(rand.NewPCG(2, 2)), 600, 700, 3)
			SolveRight(r, u)
			if threads == 1 {
				wantC, wantS, wantU, wantX, wantR = c, g, u, x, r
			}
			same(t, fmt.Sprint("product, threads ", threads), c, wantC)
			same(t, fmt.Sprint("symmetric product, threads ", threads), g, wantS)
			same(t, fmt.Sprint("factor, threads ", threads), u, wantU)
			same(t, fmt.Sprint("solution, threads ", threads), x, wantX)
			same(t, fmt.Sprint("solution from the right, threads ", threads), r, wantR)
		}
	}
}

// Levels share the order of their operations, so a derived bound on their difference is 0.
func TestLevelsAgree(t *testing.T) {
	rnd := rand.New(rand.NewPCG(11, 12))
	s, b := definite(300), strided(rnd, 300, 55, 1)
	var wantU, wantX, wantR blas64.General
	eachLevel(func(l asm.Level) {
		u, x, r := clone(general(s)), clone(b), clone(general(definite(300)))
		if !Cholesky(u) {
			t.Fatal("not positive definite")
		}
		SolveLeft(blas.NoTrans, u, x)
		SolveRight(r, u)
		if wantU.Data == nil {
			wantU, wantX, wantR = u, x, r
		}
		same(t, l.String()+": factor", u, wantU)
		same(t, l.String()+": solution", x, wantX)
		same(t, l.String()+": solution from the right", r, wantR)
	})
}

func TestGemmPropagatesInfAndNaN(t *testing.T) {
	rnd := rand.New(rand.NewPCG(13, 14))
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		for _, size := range sizes[3:16] {
			m, n, k := size[0], size[1], size[2]
			if k == 0 {
				continue
			}
			a, b := strided(rnd, m, k, 0), strided(rnd, k, n, 0)
			a.Data[(m-1)*k] = bad
			b.Data[k*n-1] = 0
			b.Data[0] = bad
			got := strided(rnd, m, n, 0)
			want := clone(got)
			Gemm(blas.NoTrans, blas.NoTrans, 1, a, b, 1, got)
			specified(read(blas.NoTrans, a), read(blas.NoTrans, b), k, 1, 1, want, whole)
			same(t, fmt.Sprintf("%g in %d×%d×%d", bad, m, n, k), got, want)
		}
	}
}

func TestFactorsOfZeroDoNotReadWhatTheyMultiply(t *testing.T) {
	nan := func(r, c int) blas64.General {
		g := blas64.General{Rows: r, Cols: c, Stride: c, Data: make([]float64, r*c)}
		for i := range g.Data {
			g.Data[i] = math.NaN()
		}
		return g
	}
	rnd := rand.New(rand.NewPCG(15, 16))
	a, b, c := strided(rnd, 30, 300, 0), strided(rnd, 300, 40, 0), nan(30, 40)
	Gemm(blas.NoTrans, blas.NoTrans, 1, a, b, 0, c)
	for _, v := range c.Data {
		if math.IsNaN(v) {
			t.Fatal("beta 0 has read C")
		}
	}
	want := clone(c)
	Gemm(blas.NoTrans, blas.NoTrans, 0, nan(30, 300), nan(300, 40), 1, c)
	same(t, "alpha 0", c, want)
	Gemm(blas.NoTrans, blas.NoTrans, 0, nan(30, 300), nan(300, 40), 0, c)
	for _, v := range c.Data {
		if v != 0 {
			t.Fatalf("alpha and beta 0 give %g", v)
		}
	}
}

func TestShapesThatDoNotMatchPanic(t *testing.T) {
	g := func(r, c int) blas64.General {
		return blas64.General{Rows: r, Cols: c, Stride: c, Data: make([]float64, r*c)}
	}
	for name, call := range map[string]func(){
		"rows":      func() { Gemm(blas.NoTrans, blas.NoTrans, 1, g(2, 3), g(3, 4), 0, g(3, 4)) },
		"columns":   func() { Gemm(blas.NoTrans, blas.NoTrans, 1, g(2, 3), g(3, 4), 0, g(2, 3)) },
		"depth":     func() { Gemm(blas.Trans, blas.NoTrans, 1, g(2, 3), g(3, 4), 0, g(3, 4)) },
		"square":    func() { Syrk(1, g(2, 3), g(3, 4)) },
		"symmetric": func() { Syrk(1, g(3, 2), g(3, 3)) },
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
