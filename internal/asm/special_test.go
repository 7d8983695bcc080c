package asm

import (
	"encoding/binary"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"testing"
)

// specials are numbers of -2 to 2 and, one in twenty, others. Their draws are exact, so the same on every processor.
func specials(rnd *rand.Rand, n int) []float64 {
	rare := []float64{0, math.Copysign(0, -1), math.NaN(), math.Inf(1), math.Inf(-1), 5e-324, -5e-324, 1e-310, math.MaxFloat64, -math.MaxFloat64, 1, -1}
	x := make([]float64, n)
	for i := range x {
		x[i] = 4*rnd.Float64() - 2
		if rnd.IntN(20) == 0 {
			x[i] = rare[rnd.IntN(len(rare))]
		}
	}
	return x
}

// angles are specials without those whose sines are Go's.
func angles(rnd *rand.Rand, n int) []float64 {
	x := specials(rnd, n)
	for i, v := range x {
		if math.Abs(v) == math.MaxFloat64 {
			x[i] = 1e6
		}
	}
	return x
}

func narrowed(x []float64) []float32 {
	y := make([]float32, len(x))
	for i, v := range x {
		y[i] = float32(v)
	}
	return y
}

func widened(x []float32) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = float64(v)
	}
	return y
}

// The routines on special values: each returns all that it computes from its draws.
var onSpecials = map[string]func(rnd *rand.Rand) []float64{
	"gemm": func(rnd *rand.Rand) []float64 {
		a, b, c := specials(rnd, Rows*7), specials(rnd, 7*Cols), specials(rnd, Rows*Cols)
		Gemm(Cols, 1+rnd.IntN(7), a, 1, Rows, b, Cols, specials(rnd, 1)[0], c, Cols, rnd.IntN(2) == 0)
		return c
	},
	"gemm32": func(rnd *rand.Rand) []float64 {
		a, b := narrowed(specials(rnd, Rows*7)), narrowed(specials(rnd, 7*Cols32))
		scaleA, scaleB, c := specials(rnd, Rows), specials(rnd, Cols32), specials(rnd, Rows*Cols32)
		Gemm32(Cols32, 1+rnd.IntN(7), a, Rows, b, scaleA, scaleB, c, Cols32)
		return c
	},
	"narrow": func(rnd *rand.Rand) []float64 {
		dst, x, centre, scale := make([]float32, 37), specials(rnd, 37), specials(rnd, 37), specials(rnd, 37)
		Narrow(dst, x, centre, scale, specials(rnd, 1)[0])
		return widened(dst)
	},
	"largest": func(rnd *rand.Rand) []float64 {
		most, x, centre := specials(rnd, 37), specials(rnd, 37), specials(rnd, 37)
		Largest(most, x, centre, specials(rnd, 1)[0])
		return most
	},
	"solve": func(rnd *rand.Rand) []float64 {
		t, x := specials(rnd, Rows*Rows), specials(rnd, Rows*Cols)
		Solve(t, x, Cols)
		return x
	},
	"interleave": func(rnd *rand.Rand) []float64 {
		x, dst := specials(rnd, 8*9), make([]float64, 8*9)
		Interleave(dst, 8, 9, x, 9)
		return dst
	},
	"axpy": func(rnd *rand.Rand) []float64 {
		x, y := specials(rnd, 37), specials(rnd, 37)
		Axpy(specials(rnd, 1)[0], x, y)
		return y
	},
	"hadamard": func(rnd *rand.Rand) []float64 {
		x, d := specials(rnd, 128), specials(rnd, 128)
		Hadamard(x, d)
		return x
	},
	"absdiff": func(rnd *rand.Rand) []float64 {
		sum, x, y := specials(rnd, Cols), specials(rnd, 3), specials(rnd, 3*Cols)
		AbsDiff(sum, x, y)
		return sum
	},
	"roots": func(rnd *rand.Rand) []float64 {
		x := specials(rnd, 37)
		Roots(x, x, 2*rnd.Float64(), []float64{1, math.MaxFloat64, math.Inf(1)}[rnd.IntN(3)])
		return x
	},
	"quadratic": func(rnd *rand.Rand) []float64 {
		dst, x := specials(rnd, 37), specials(rnd, 37)
		Quadratic(dst, x, specials(rnd, 1)[0])
		return dst
	},
	"addnorms": func(rnd *rand.Rand) []float64 {
		d, norms := specials(rnd, 17), specials(rnd, 17)
		if AddNorms(d, norms, specials(rnd, 1)[0], 1e-6) {
			return append(d, 1)
		}
		return append(d, 0)
	},
	"rectify": func(rnd *rand.Rand) []float64 {
		positive, negative, z := specials(rnd, 37), specials(rnd, 37), specials(rnd, 37)
		Rectify(positive, negative, z, rnd.Float64())
		return append(positive, negative...)
	},
	"exp": func(rnd *rand.Rand) []float64 {
		x := specials(rnd, 70)
		Exp(x, specials(rnd, 1)[0])
		return x
	},
	"sincos": func(rnd *rand.Rand) []float64 {
		x, sin, cos := angles(rnd, 70), make([]float64, 70), make([]float64, 70)
		Sincos(sin, cos, x, specials(rnd, 1)[0])
		return append(sin, cos...)
	},
	"cos": func(rnd *rand.Rand) []float64 {
		x := angles(rnd, 70)
		Cos(x, specials(rnd, 1)[0])
		return x
	},
	"waves": func(rnd *rand.Rand) []float64 {
		x, shift, amplitude := make([]float64, 2*WaveStep), make([]float64, 2*WaveStep), make([]float64, 2*WaveStep)
		for i := range x { // one special number, since NaN in any makes the sum NaN
			x[i], shift[i], amplitude[i] = 4*rnd.Float64()-2, 2*rnd.Float64()-1, rnd.Float64()
		}
		for _, to := range [][]float64{x, shift, amplitude} {
			to[rnd.IntN(len(to))] = specials(rnd, 1)[0]
		}
		return []float64{Waves(x, shift, amplitude)}
	},
}

// TestSpecialValuesAreTheSameAtEveryLevel: zeros of both signs, infinities, NaN, subnormal and the largest numbers.
func TestSpecialValuesAreTheSameAtEveryLevel(t *testing.T) {
	for name, compute := range onSpecials {
		for seed := range uint64(300) {
			run := func(l Level) (got []float64) {
				at(l, func() { got = compute(rand.New(rand.NewPCG(12, seed))) })
				return got
			}
			want := run(Portable)
			for _, l := range Levels()[1:] {
				sameBits(t, l.String()+" "+name, run(l), want)
			}
			if t.Failed() {
				break
			}
		}
	}
}

// TestResultsAreTheSameOnEveryProcessor with a fused multiply-add: the sums of the bits are those of linux/amd64.
func TestResultsAreTheSameOnEveryProcessor(t *testing.T) {
	if !hasFMA {
		t.Skip("without a fused multiply-add results are others")
	}
	for name, want := range map[string]uint64{
		"gemm":       0x6fab37cd1c13f79b,
		"gemm32":     0x8a0166b15033dfbe,
		"narrow":     0x49ede4b3af2d82dd,
		"largest":    0xce8570a581dce12f,
		"solve":      0x4674f24302bb593,
		"interleave": 0x33b1751ff3d8673a,
		"axpy":       0xe051e3d6a16ac897,
		"hadamard":   0x70603d43e396da08,
		"absdiff":    0x2875c28ef2502ba7,
		"roots":      0x40d7b15ed1edb856,
		"quadratic":  0xb63f46fa830fb5ac,
		"addnorms":   0xe495bd64bddce473,
		"rectify":    0xaf14e5f5a0bb8c0a,
		"exp":        0xf670743f85995f9a,
		"sincos":     0x38c2410e0ab7ba9b,
		"cos":        0x625ee18c20b4c1d4,
		"waves":      0x42fffe94f4091cfa,
	} {
		sum := fnv.New64a()
		for seed := range uint64(100) {
			for _, v := range onSpecials[name](rand.New(rand.NewPCG(13, seed))) {
				bits := math.Float64bits(v)
				if math.IsNaN(v) { // whose bits are the processor's
					bits = 1
				}
				sum.Write(binary.LittleEndian.AppendUint64(nil, bits))
			}
		}
		if got := sum.Sum64(); got != want {
			t.Errorf("%s: %#x, want %#x", name, got, want)
		}
	}
}
