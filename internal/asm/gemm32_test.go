package asm

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// singles draws float32s of three kinds: normal draws, any bits (NaN, infinities, subnormals and numbers that overflow among them),
// and numbers of few bits about 1, whose sums often lie halfway between two float32s.
func singles(rnd *rand.Rand, n, kind int) []float32 {
	x := make([]float32, n)
	for i := range x {
		switch kind {
		case 0:
			x[i] = float32(rnd.NormFloat64())
		case 1:
			x[i] = math.Float32frombits(rnd.Uint32())
		default:
			x[i] = math.Float32frombits(rnd.Uint32()&0x80fff800 | 0x3f000000)
		}
	}
	return x
}

func TestGemm32IsThePortableTwin(t *testing.T) {
	rnd := rand.New(rand.NewPCG(12, 2))
	for _, width := range []int{1, 16, 17, 32, 33, 47, 48} {
		for _, k := range []int{1, 2, 7, 256} {
			for kind := range 3 {
				rowC, colA, wide := Cols32+rnd.IntN(9), Rows+rnd.IntN(50), (width+15)&^15
				// Odd offsets, and not one element more than is needed.
				a, b := singles(rnd, 1+(k-1)*colA+Rows, kind)[1:], singles(rnd, 1+(k-1)*Cols32+wide, kind)[1:]
				scaleA, scaleB := normals(rnd, 1+Rows)[1:], normals(rnd, 1+wide)[1:]
				c := normals(rnd, 3+(Rows-1)*rowC+wide+5)
				for i := range c {
					if (i-3)%rowC >= wide || i < 3 || i >= 3+(Rows-1)*rowC+wide {
						c[i] = canary
					}
				}
				want := append([]float64(nil), c...)
				gemm32Portable(wide, k, a, colA, b, scaleA, scaleB, want[3:], rowC)
				for _, l := range Levels() {
					got := append([]float64(nil), c...)
					at(l, func() { Gemm32(width, k, a, colA, b, scaleA, scaleB, got[3:3+(Rows-1)*rowC+wide], rowC) })
					sameBits(t, fmt.Sprintf("%v: width %d, k %d, kind %d", l, width, k, kind), got, want)
				}
			}
		}
	}
}

// TestGemm32IsItsDefinition compares with sums that are rounded from exact ones.
func TestGemm32IsItsDefinition(t *testing.T) {
	rnd := rand.New(rand.NewPCG(13, 2))
	const k, colA = 5, 11
	a, b := singles(rnd, (k-1)*colA+Rows, 0), singles(rnd, k*Cols32, 0)
	scaleA, scaleB := make([]float64, Rows), make([]float64, Cols32)
	for i := range scaleA {
		scaleA[i] = math.Ldexp(1, i-3)
	}
	for j := range scaleB {
		scaleB[j] = math.Ldexp(1, 5-j)
	}
	c := normals(rnd, Rows*Cols32)
	want := append([]float64(nil), c...)
	for i := range Rows {
		for j := range Cols32 {
			var sum float32
			for p := range k {
				sum = exactFMA32(a[p*colA+i], b[p*Cols32+j], sum)
			}
			want[i*Cols32+j] += float64(sum) * math.Ldexp(1, i-3+5-j)
		}
	}
	for _, l := range Levels() {
		got := append([]float64(nil), c...)
		at(l, func() { Gemm32(Cols32, k, a, colA, b, scaleA, scaleB, got, Cols32) })
		sameBits(t, l.String(), got, want)
	}
}

// exactFMA32 is xy + z of finite numbers rounded once, by arithmetic of any precision. Where the result is 0, only its size is right.
func exactFMA32(x, y, z float32) float32 {
	of := func(v float32) *big.Float { return new(big.Float).SetPrec(700).SetFloat64(float64(v)) }
	product := of(x)
	product.Mul(product, of(y)) // exact: exponents of float32s, and of their products, span fewer than 600 bits
	sum, _ := product.Add(product, of(z)).Float32()
	return sum
}

func TestFMA32RoundsOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rnd := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		for range 200 {
			kind := rnd.IntN(3)
			v := singles(rnd, 3, kind)
			x, y, z := v[0], v[1], v[2]
			switch rnd.IntN(4) {
			case 0:
				z = x * y * float32(math.Ldexp(1, rnd.IntN(60)-30))
			case 1: // half a unit of z less a little
				small := float32(rnd.IntN(100)) * 0x1p-23
				x, y = 1+small, 1-small
				z = 0x1p24 + float32(2*rnd.IntN(1<<23))
				if rnd.IntN(2) == 0 {
					x, z = -x, z+2
				}
				if rnd.IntN(2) == 0 { // of a subnormal number
					x, y, z = x*0x1p-75, y*0x1p-75, z*0x1p-152
				}
			case 2: // results around the subnormal ones
				x = float32(math.Ldexp(float64(x), -126))
				z = float32(math.Ldexp(float64(z), -126-rnd.IntN(24)))
			}
			if finite := float64(x) * float64(y) * float64(z); math.IsNaN(finite) || math.IsInf(finite, 0) {
				continue
			}
			if got, want := fma32(x, y, z), exactFMA32(x, y, z); got != want {
				t.Fatalf("%x · %x + %x is %x, want %x", x, y, z, got, want)
			}
		}
	})
}

func TestFMA32OfSpecialNumbers(t *testing.T) {
	inf, nan, negative := float32(math.Inf(1)), float32(math.NaN()), float32(math.Copysign(0, -1))
	for _, c := range [][4]float32{
		{inf, 1, 1, inf}, {1, 1, -inf, -inf}, {inf, 1, -inf, nan}, {inf, 0, 1, nan}, {nan, 1, 1, nan}, {1, 1, nan, nan},
		{0, negative, negative, negative}, {0, 1, negative, 0}, {1, negative, negative, negative}, {1, 1, -1, 0},
		{math.MaxFloat32, 2, 0, inf}, {math.MaxFloat32, 2, -inf, -inf}, {math.MaxFloat32, 2, -math.MaxFloat32, math.MaxFloat32},
		// Half a unit above the largest number, and a little less.
		{0x1p103, 1, math.MaxFloat32, inf}, {0x1.fffffep102, 1, math.MaxFloat32, math.MaxFloat32},
		// A sum a little above, at and below halfway: the float64 nearest to each is halfway.
		{1 + 0x1p-23, 1 + 0x1p-23, 0x1p24, 0x1p24 + 2}, {1, 1, 0x1p24, 0x1p24}, {1 + 0x1p-23, 1 - 0x1p-23, 0x1p24 + 2, 0x1p24 + 2},
		{-1 - 0x1p-23, 1 - 0x1p-23, 0x1p24 + 2, 0x1p24 + 2},
		{0x1.000002p-75, 0x1.fffffcp-76, 0x1.000004p-127, 0x1.000004p-127},
		// Half of the smallest number, and a little more.
		{0x1p-75, 0x1p-75, 0, 0}, {0x1p-75, 0x1.000002p-75, 0, 0x1p-149}, {0x1p-100, -0x1p-100, 0, negative},
	} {
		got := fma32(c[0], c[1], c[2])
		if math.Float32bits(got) != math.Float32bits(c[3]) && !(got != got && c[3] != c[3]) {
			t.Errorf("%g · %g + %g is %g, want %g", c[0], c[1], c[2], got, c[3])
		}
	}
}

func TestShortOperandsOfGemm32Panic(t *testing.T) {
	const a, b, c = 8 + 8, 48 + 48, 7*48 + 48 // what k = 2 needs
	call := func(a, b, scaleA, scaleB, c int) func() {
		return func() {
			Gemm32(33, 2, make([]float32, a), 8, make([]float32, b), make([]float64, scaleA), make([]float64, scaleB), make([]float64, c), 48)
		}
	}
	call(a, b, 8, 48, c)()
	for name, short := range map[string]func(){
		"a": call(a-1, b, 8, 48, c), "b": call(a, b-1, 8, 48, c), "c": call(a, b, 8, 48, c-1),
		"scaleA": call(a, b, 7, 48, c), "scaleB": call(a, b, 8, 47, c),
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("short %s was accepted", name)
				}
			}()
			short()
		}()
	}
}

func BenchmarkGemm32(b *testing.B) {
	const k = 64 // both operands in the first cache
	x, y, c := make([]float32, Rows*k), make([]float32, Cols32*k), make([]float64, Rows*Cols32)
	scale := make([]float64, Cols32)
	for _, l := range Levels() {
		b.Run(l.String(), func(b *testing.B) {
			at(l, func() {
				for b.Loop() {
					Gemm32(Cols32, k, x, Rows, y, scale, scale, c, Cols32)
				}
			})
			b.ReportMetric(float64(b.N)*2*Rows*Cols32*k/b.Elapsed().Seconds()/1e9, "GFLOPS")
		})
	}
}
