package asm

import (
	"math"
	"math/rand/v2"
	"testing"
)

// specials are normal numbers and, one in twenty, others.
func specials(rnd *rand.Rand, n int) []float64 {
	rare := []float64{0, math.Copysign(0, -1), math.NaN(), math.Inf(1), math.Inf(-1), 5e-324, -5e-324, 1e-310, math.MaxFloat64, -math.MaxFloat64, 1, -1}
	x := normals(rnd, n)
	for i := range x {
		if rnd.IntN(20) == 0 {
			x[i] = rare[rnd.IntN(len(rare))]
		}
	}
	return x
}

// The routines on special values: each returns all that it computes from its draws.
var onSpecials = map[string]func(rnd *rand.Rand) []float64{
	"gemm": func(rnd *rand.Rand) []float64 {
		a, b, c := specials(rnd, Rows*7), specials(rnd, 7*Cols), specials(rnd, Rows*Cols)
		Gemm(Cols, 1+rnd.IntN(7), a, 1, Rows, b, Cols, rnd.NormFloat64(), c, Cols, rnd.IntN(2) == 0)
		return c
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
		Roots(x, x, rnd.NormFloat64(), specials(rnd, 1)[0])
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
		Rectify(positive, negative, z, math.Abs(rnd.NormFloat64()))
		return append(positive, negative...)
	},
	"exp": func(rnd *rand.Rand) []float64 {
		x := specials(rnd, 70)
		Exp(x, specials(rnd, 1)[0])
		return x
	},
	"sincos": func(rnd *rand.Rand) []float64 {
		x, sin, cos := specials(rnd, 70), make([]float64, 70), make([]float64, 70)
		Sincos(sin, cos, x, specials(rnd, 1)[0])
		return append(sin, cos...)
	},
	"cos": func(rnd *rand.Rand) []float64 {
		x := specials(rnd, 70)
		Cos(x, specials(rnd, 1)[0])
		return x
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
