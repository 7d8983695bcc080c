package asm

import "math"

// expTable is laid out as the assembly expects it.
//
// The argument is reduced to r = x - k ln 2, |r| <= ln(2)/2, for the integer k nearest to x/ln 2. The
// high part of ln 2 has 53 bits, a multiple of 2^-53, so that with |k| < 2^11 the first fused step is
// exact; the second leaves an error of half a unit of r. Then exp(r) = 1 + (r + r² q(r)), where q is
// the polynomial of degree 9 that minimises the largest relative error of exp(r) (Remez's algorithm at
// 200 bits, 2^-56.85); the sum r + r² q(r), of at most 0.42, adds a quarter of a unit of the result
// and its rounding a half: 1 in all, and half more where the result is subnormal and rounds again.
var expTable = struct {
	// Beyond these the result is 0 or +Inf; they keep k in range.
	lowest, highest float64
	// 1/ln 2, and what makes sums round to integers plus 2^10 in their lowest 11 bits. Where the higher bits are its
	// own, -2^10 <= k < 2^10, and x need not be kept in range.
	perLog, round float64
	log, logLow   float64 // ln 2 = log + logLow
	one           float64
	unbiased      float64 // 2^-512: its exponent bits plus half of k + 2^10 are those of 2^(k/2)
	q             [10]float64
}{
	lowest: -746, highest: 710,
	perLog: 0x1.71547652b82fep+0, round: 0x1.8p52 + 0x1p10,
	log: 0x1.62e42fefa39efp-1, logLow: 0x1.abc9e3b39803fp-56,
	one: 1, unbiased: 0x1p-512,
	q: [...]float64{
		0x1.0000000000009p-1, 0x1.5555555555558p-3, 0x1.55555555503e3p-5, 0x1.111111110f803p-7, 0x1.6c16c18601e8cp-10,
		0x1.a01a01b00c2c6p-13, 0x1.a01993b37a9ccp-16, 0x1.71ddf6b3f10dep-19, 0x1.28b410d73d322p-22, 0x1.af632ad6aa86fp-26,
	},
}

// expPortable is Exp in Go.
func expPortable(x []float64, scale float64) {
	for i, v := range x {
		x[i] = expOf(v * scale)
	}
}

// expOf is exp(v). Without fused steps its reduction would not be exact; then it is Go's.
func expOf(v float64) float64 {
	if !hasFMA {
		return math.Exp(v)
	}
	if v != v {
		return v
	}
	t := &expTable
	v = min(max(v, t.lowest), t.highest)
	shifted := fma(v, t.perLog, t.round)
	k := shifted - t.round
	r := fma(-k, t.logLow, fma(-k, t.log, v))
	q := horner(t.q[:], r)
	return timesPowerOfTwo(1+fma(r*r, q, r), int(k))
}

// horner returns the polynomial with coefficients c at x, from the highest down.
func horner(c []float64, x float64) float64 {
	sum := c[len(c)-1]
	for i := len(c) - 2; i >= 0; i-- {
		sum = fma(sum, x, c[i])
	}
	return sum
}

// timesPowerOfTwo returns v 2^k rounded once: of the two factors, both normal, only the second can
// make the product round.
func timesPowerOfTwo(v float64, k int) float64 {
	half := k >> 1
	return v * powerOfTwo(half) * powerOfTwo(k-half)
}

func powerOfTwo(k int) float64 { return math.Float64frombits(uint64(k+1023) << 52) }
