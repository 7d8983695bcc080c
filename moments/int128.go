package moments

import (
	"math"
	"math/bits"
)

// An int128 is a two's complement integer of 128 bits. Sums of them do not depend on the order, as those of floating-point numbers do.
type int128 struct {
	hi int64
	lo uint64
}

// plus returns a + b; false if the sum has more bits.
func (a int128) plus(b int128) (int128, bool) {
	lo, carry := bits.Add64(a.lo, b.lo, 0)
	hi, _ := bits.Add64(uint64(a.hi), uint64(b.hi), carry)
	sum := int128{int64(hi), lo}
	return sum, (a.hi < 0) != (b.hi < 0) || (a.hi < 0) == (sum.hi < 0)
}

func (a int128) negated() int128 {
	lo, borrow := bits.Sub64(0, a.lo, 0)
	hi, _ := bits.Sub64(0, uint64(a.hi), borrow)
	return int128{int64(hi), lo}
}

// times returns a · factor for a factor of at most 1, rounded to the nearest integer, halves away from 0.
func (a int128) times(factor float64) int128 {
	fraction, exponent := math.Frexp(factor)
	mantissa := uint64(math.Ldexp(fraction, 53))
	negative := a.hi < 0
	if negative {
		a = a.negated()
	}
	// The product has up to 180 bits, of which those before the point are from bit 53 - exponent on.
	shift := 53 - exponent
	if shift > 181 {
		return int128{}
	}
	high, low := bits.Mul64(a.lo, mantissa)
	top, middle := bits.Mul64(uint64(a.hi), mantissa)
	var carry uint64
	words := [4]uint64{low, 0, 0, 0}
	words[1], carry = bits.Add64(high, middle, 0)
	words[2], carry = top+carry, 0
	var half [3]uint64
	half[(shift-1)/64] = 1 << ((shift - 1) % 64)
	for i := range half {
		words[i], carry = bits.Add64(words[i], half[i], carry)
	}
	at := func(i int) uint64 { // 64 bits of the product from bit 64 i + shift on
		i += shift / 64
		if i > 2 {
			return 0
		}
		return words[i]>>(shift%64) | words[i+1]<<(64-shift%64)
	}
	n := int128{int64(at(1)), at(0)}
	if negative {
		n = n.negated()
	}
	return n
}

// toInt128 returns v · 2^shift, rounded to the nearest integer, halves away from 0; false if it is not a number or has more than 127 bits.
func toInt128(v float64, shift int) (int128, bool) {
	if v == 0 {
		return int128{}, true
	}
	fraction, exponent := math.Frexp(math.Abs(v)) // in [1/2, 1)
	if math.IsNaN(v) || math.IsInf(v, 0) || exponent+shift > 127 {
		return int128{}, false
	}
	mantissa := uint64(math.Ldexp(fraction, 53))
	var n int128
	switch left := exponent + shift - 53; {
	case left >= 64:
		n.hi = int64(mantissa << (left - 64))
	case left >= 0:
		n.hi, n.lo = int64(mantissa>>(64-left)), mantissa<<left
	case left >= -53:
		n.lo = (mantissa>>(-left-1) + 1) >> 1
	}
	if v < 0 {
		n = n.negated()
	}
	return n, true
}

// float returns a · 2^-shift, rounded to the nearest float64, halves to even.
func (a int128) float(shift int) float64 {
	sign := 1.
	if a.hi < 0 {
		sign, a = -1, a.negated() // -2^127 stays itself, as an unsigned number
	}
	hi, lo := uint64(a.hi), a.lo
	zeros := bits.LeadingZeros64(hi)
	if hi == 0 {
		return sign * math.Ldexp(float64(lo), -shift)
	}
	// The upper 64 significant bits, of which the last also says whether anything but 0 follows: float64 rounds them as it would all.
	top := hi<<zeros | lo>>(64-zeros)
	if lo<<zeros != 0 {
		top |= 1
	}
	return sign * math.Ldexp(float64(top), 64-zeros-shift)
}
