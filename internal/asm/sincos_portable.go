package asm

import "math"

// sincosTable is laid out as the assembly expects it.
//
// The argument is reduced to r = x - k pi/2, |r| <= pi/4, for the integer k nearest to x/(pi/2). The
// highest part of pi/2 is a multiple of 2^-52, and so is x - k quarter, below 1 in size, if |x| >= 1: the
// first fused step is exact, whatever k. (Below 1 k is 0 or 1, and x a multiple of 2^-53.) The second
// and third leave an error of at most 1 unit of r, and of half a unit unless x is within 2^-50 of a
// multiple of pi/2; at 158 bits of pi/2 and k < 2^30 what is missing is far below. The parts are all
// positive, so that k = 0 leaves -0 alone. With z = r²,
//
//	sin r = r + r z s(z)        cos r = (1 - z/2) + z² c(z)
//
// where s and c minimise the largest relative error of the result (Remez's algorithm at 200 bits,
// 2^-57.1 and 2^-62.1). The last sums add an error of half a unit each, 1 - z/2 another half.
var sincosTable = struct {
	negativeZero float64
	// 2/pi, and what makes sums round to integers plus 2^30 in their lowest 31 bits. Sums that differ from it in
	// higher bits are out of range, NaN among them.
	perQuarter, round                  float64
	quarter, quarterLow, quarterLowest float64 // whose sum is pi/2
	one, half, two                     float64
	s, c                               [6]float64
}{
	negativeZero: math.Copysign(0, -1),
	perQuarter:   0x1.45f306dc9c883p-1, round: 0x1.8p52 + 0x1p30,
	quarter: 0x1.921fb54442d18p+0, quarterLow: 0x1.1a62633145c06p-54, quarterLowest: 0x1.c1cd129024e09p-107,
	one: 1, half: 0.5, two: 2,
	s: [...]float64{
		-0x1.555555555554cp-3, 0x1.111111110fb4ap-7, -0x1.a01a019c2fea5p-13, 0x1.71de356eb0dfdp-19, -0x1.ae5e4bb84cda8p-26, 0x1.5d87440ccafb4p-33,
	},
	c: [...]float64{
		0x1.5555555555553p-5, -0x1.6c16c16c16131p-10, 0x1.a01a019e24894p-16, -0x1.27e4f903ab84cp-22, 0x1.1eea890e2e204p-29, -0x1.8ff9ad8c464acp-37,
	},
}

// sincosPortable is Sincos in Go.
func sincosPortable(sin, cos, x []float64, scale float64) {
	for i, v := range x {
		s, c := sincosOf(v)
		sin[i], cos[i] = scale*s, scale*c
	}
}

// cosPortable is Cos in Go.
func cosPortable(x []float64, scale float64) {
	for i, v := range x {
		_, c := sincosOf(v)
		x[i] = scale * c
	}
}

// sincosOf returns sin v and cos v. Without fused steps its reduction would not be exact; then, and out
// of range, they are Go's.
func sincosOf(v float64) (sin, cos float64) {
	t := &sincosTable
	if !hasFMA {
		return math.Sincos(v)
	}
	shifted := fma(v, t.perQuarter, t.round)
	turns := math.Float64bits(shifted)
	if turns>>31 != math.Float64bits(t.round)>>31 {
		return math.Sincos(v)
	}
	k := shifted - t.round
	r := fma(-k, t.quarterLowest, fma(-k, t.quarterLow, fma(-k, t.quarter, v)))
	z := r * r
	cos = fma(z*z, horner(t.c[:], z), fma(-t.half, z, t.one))
	// The sum loses the sign of -0.
	sin = math.Copysign(fma(r*z, horner(t.s[:], z), r), r)
	if turns&1 != 0 {
		sin, cos = cos, sin
	}
	if turns&2 != 0 {
		sin = -sin
	}
	if (turns+1)&2 != 0 {
		cos = -cos
	}
	return sin, cos
}
