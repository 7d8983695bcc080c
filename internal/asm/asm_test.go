package asm

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

const canary = 1e300

// at runs do at level l.
func at(l Level, do func()) {
	defer SetLevel(SetLevel(l))
	do()
}

func normals(rnd *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = rnd.NormFloat64()
	}
	return x
}

func sameBits(t *testing.T, name string, got, want []float64) {
	t.Helper()
	for i, v := range want {
		if math.Float64bits(got[i]) != math.Float64bits(v) && !(math.IsNaN(v) && math.IsNaN(got[i])) {
			t.Errorf("%s: element %d is %g, want %g", name, i, got[i], v)
			return
		}
	}
}

func TestGemmIsThePortableTwin(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 1))
	for _, width := range []int{1, 4, 8, 9, 16, 17, 23, 24} {
		for _, k := range []int{1, 2, 7, 256} {
			for _, strides := range [][4]int{{1, 8, 24, 24}, {k + 3, 1, 31, 40}, {1, 24, 24, 25}} {
				rowA, colA, rowB, rowC := strides[0], strides[1], strides[2], strides[3]
				// Odd offsets, and not one element more than is needed.
				a, b := normals(rnd, 1+(Rows-1)*rowA+(k-1)*colA+1)[1:], normals(rnd, 1+(k-1)*rowB+Cols)[1:]
				c := normals(rnd, Rows*rowC+16)
				for i := range c {
					if (i-3)%rowC >= (width+7)/8*8 || i < 3 || i >= 3+(Rows-1)*rowC+Cols {
						c[i] = canary
					}
				}
				for _, add := range []bool{false, true} {
					want := append([]float64(nil), c...)
					gemmPortable((width+7)/8*8, k, a, rowA, colA, b, rowB, -1.25, want[3:], rowC, add)
					for _, l := range Levels() {
						got := append([]float64(nil), c...)
						at(l, func() { Gemm(width, k, a, rowA, colA, b, rowB, -1.25, got[3:], rowC, add) })
						sameBits(t, fmt.Sprintf("%v: width %d, k %d, strides %v, add %v", l, width, k, strides, add), got, want)
					}
				}
			}
		}
	}
}

func TestSolveIsThePortableTwin(t *testing.T) {
	rnd := rand.New(rand.NewPCG(2, 2))
	for _, rowX := range []int{Cols, 31} {
		tri, x := normals(rnd, Rows*Rows), normals(rnd, 5+Rows*rowX)
		want := append([]float64(nil), x...)
		solvePortable(tri, want[5:], rowX)
		for _, l := range Levels() {
			got := append([]float64(nil), x...)
			at(l, func() { Solve(tri, got[5:], rowX) })
			sameBits(t, fmt.Sprintf("%v: stride %d", l, rowX), got, want)
		}
		for i := range Rows {
			for j := range Cols {
				sum := 0.0
				for s := range i + 1 {
					sum += tri[i*Rows+s] * want[5+s*rowX+j]
				}
				// Eight products of numbers that grow at most by the triangle's condition.
				if d := math.Abs(sum - x[5+i*rowX+j]); d > 1e-13*(1+math.Abs(sum)+maxAbs(want[5:])) {
					t.Errorf("row %d of T X is off by %g", i, d)
				}
			}
		}
	}
}

func TestAxpyIsThePortableTwin(t *testing.T) {
	rnd := rand.New(rand.NewPCG(6, 2))
	for n := range 1001 {
		x, y := normals(rnd, n+2)[1:n+1], normals(rnd, n+5)
		want := append([]float64(nil), y...)
		axpyPortable(-0.7, x, want[3:3+n])
		for _, l := range Levels() {
			got := append([]float64(nil), y...)
			at(l, func() { Axpy(-0.7, x, got[3:3+n]) })
			sameBits(t, fmt.Sprintf("%v: length %d", l, n), got, want)
		}
	}
}

func TestAbsDiffIsThePortableTwin(t *testing.T) {
	rnd := rand.New(rand.NewPCG(8, 2))
	for n := range 1001 {
		x, y, sum := normals(rnd, n+1)[1:], normals(rnd, n*Cols+3)[3:], normals(rnd, Cols+5)
		if n > 2 {
			x[0], x[1], y[2*Cols] = math.Inf(1), y[Cols], math.NaN()
		}
		want := append([]float64(nil), sum...)
		absDiffPortable(want[3:], x, y)
		for _, l := range Levels() {
			got := append([]float64(nil), sum...)
			at(l, func() { AbsDiff(got[3:3+Cols], x, y) })
			sameBits(t, fmt.Sprintf("%v: %d rows", l, n), got, want)
		}
	}
}

func TestQuadraticIsThePortableTwin(t *testing.T) {
	rnd := rand.New(rand.NewPCG(9, 2))
	for n := range 1001 {
		x, e := normals(rnd, n+1)[1:], normals(rnd, n+5)
		for i := range x {
			x[i] *= x[i] * math.Pow(10, float64(i%12))
		}
		for i, v := range []float64{0, math.Inf(1), math.NaN(), -1, 1e-310} {
			if i < n {
				x[n-1-i] = v
			}
		}
		roots, want := make([]float64, n), append([]float64(nil), e...)
		rootsPortable(roots, x, 1.7, 1000)
		quadraticPortable(want[3:3+n], roots, 0.4)
		for _, l := range Levels() {
			r, got := append([]float64{canary}, x...), append([]float64(nil), e...)
			at(l, func() {
				Roots(r[1:], x, 1.7, 1000)
				Quadratic(got[3:3+n], r[1:], 0.4)
			})
			sameBits(t, fmt.Sprintf("%v: roots of %d", l, n), r[1:], roots)
			sameBits(t, fmt.Sprintf("%v: products of %d", l, n), got, want)
		}
	}
}

func TestAddNormsIsThePortableTwin(t *testing.T) {
	rnd := rand.New(rand.NewPCG(10, 2))
	for n := range 1001 {
		d, norms := normals(rnd, n+5), normals(rnd, n+1)[1:]
		for i := range norms {
			norms[i] = 10 + math.Abs(norms[i])
		}
		for _, v := range []float64{0, -11.5, math.NaN(), math.Inf(-1)} { // 0 leaves all large
			if n > 0 {
				j := rnd.IntN(n)
				norms[j], d[3+j] = 10, v
			}
			want := append([]float64(nil), d...)
			large := addNormsPortable(want[3:3+n], norms, 1.5, 1e-6)
			for _, l := range Levels() {
				got := append([]float64(nil), d...)
				at(l, func() {
					if AddNorms(got[3:3+n], norms, 1.5, 1e-6) != large {
						t.Errorf("%v: %d sums are not all large: %v", l, n, large)
					}
				})
				sameBits(t, fmt.Sprintf("%v: %d sums", l, n), got, want)
			}
		}
	}
}

func TestRectify(t *testing.T) {
	positive, negative := []float64{1, 1, 1, 1, 1}, []float64{2, 2, 2, 2, 2}
	Rectify(positive, negative, []float64{3, -3, .25, -.5, math.NaN()}, .5)
	sameBits(t, "positive", positive, []float64{3.5, 1, 1, 1, 1})
	sameBits(t, "negative", negative, []float64{2, 4.5, 2, 2, 2})
}

func TestRectifyIsThePortableTwin(t *testing.T) {
	rnd := rand.New(rand.NewPCG(11, 2))
	for n := range 1001 {
		positive, negative, z := normals(rnd, n+5), normals(rnd, n+5), normals(rnd, n+1)[1:]
		for _, v := range []float64{.3, -.3, 0, math.NaN(), math.Inf(-1)} {
			if n > 0 {
				z[rnd.IntN(n)] = v
			}
		}
		wantP, wantN := append([]float64(nil), positive...), append([]float64(nil), negative...)
		rectifyPortable(wantP[3:3+n], wantN[3:3+n], z, .3)
		for _, l := range Levels() {
			gotP, gotN := append([]float64(nil), positive...), append([]float64(nil), negative...)
			at(l, func() { Rectify(gotP[3:3+n], gotN[3:3+n], z, .3) })
			sameBits(t, fmt.Sprintf("%v: positive of %d", l, n), gotP, wantP)
			sameBits(t, fmt.Sprintf("%v: negative of %d", l, n), gotN, wantN)
		}
	}
}

func TestInterleaveIsThePortableTwin(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 2))
	for _, shape := range [][2]int{{8, 0}, {24, 3}, {31, 9}} {
		width, pad := shape[0], shape[1]
		for depth := range 70 {
			src := normals(rnd, 1+8*(depth+pad))[1:]
			want := make([]float64, 3+depth*width+8)
			for i := range want {
				want[i] = canary
			}
			fresh := append([]float64(nil), want...)
			for l := range 8 {
				for p := range depth {
					want[3+p*width+l] = src[l*(depth+pad)+p]
				}
			}
			for _, l := range Levels() {
				got := append([]float64(nil), fresh...)
				at(l, func() { Interleave(got[3:], width, depth, src, depth+pad) })
				sameBits(t, fmt.Sprintf("%v: width %d, depth %d", l, width, depth), got, want)
			}
		}
	}
}

func maxAbs(x []float64) float64 {
	m := 0.0
	for _, v := range x {
		m = max(m, math.Abs(v))
	}
	return m
}

func TestShortOperandsPanic(t *testing.T) {
	x := func(n int) []float64 { return make([]float64, n) }
	const a, b, c = 7*1 + 1*8 + 1, 24 + 24, 7*24 + 24 // what k = 2 needs of packed operands
	Gemm(24, 2, x(a), 1, 8, x(b), 24, 1, x(c), 24, true)
	for name, call := range map[string]func(){
		"a":         func() { Gemm(24, 2, x(a-1), 1, 8, x(b), 24, 1, x(c), 24, true) },
		"b":         func() { Gemm(24, 2, x(a), 1, 8, x(b-1), 24, 1, x(c), 24, true) },
		"c":         func() { Gemm(24, 2, x(a), 1, 8, x(b), 24, 1, x(c-1), 24, true) },
		"y":         func() { Axpy(1, x(5), x(4)) },
		"norms":     func() { AddNorms(x(5), x(4), 1, 1) },
		"negative":  func() { Rectify(x(5), x(4), x(5), 1) },
		"roots":     func() { Roots(x(5), x(4), 1, 1) },
		"quadratic": func() { Quadratic(x(5), x(4), 1) },
		"sums":      func() { AbsDiff(x(23), x(1), x(24)) },
		"rows":      func() { AbsDiff(x(24), x(2), x(47)) },
		"t":         func() { Solve(x(63), x(c), 24) },
		"x":         func() { Solve(x(64), x(c-1), 24) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("short %s was accepted", name)
				}
			}()
			call()
		}()
	}
}

func TestLevelVariable(t *testing.T) {
	for _, c := range []struct {
		name          string
		highest, want Level
	}{
		{"", AVX512, AVX512}, {"portable", AVX512, Portable}, {"avx2", AVX512, AVX2}, {"avx512", AVX2, AVX2}, {"neon", AVX512, Portable},
		{"", NEON, NEON}, {"portable", NEON, Portable}, {"neon", NEON, NEON}, {"avx2", NEON, Portable}, {"neon", Portable, Portable},
	} {
		if got := chosen(c.name, c.highest); got != c.want {
			t.Errorf("%q on %v gives %v, want %v", c.name, c.highest, got, c.want)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("an unknown level was accepted")
		}
	}()
	chosen("sse", AVX512)
}
