package asm

import "math"

// wavesTable is laid out as the assembly expects it.
//
// An argument s of cos(pi s) is reduced to r = s - k for the integer k nearest to s, |r| <= 1/2, which is exact. With z = r²,
//
//	cos(pi s) = (-1)^k c(z)
//
// where c, whose first coefficient is 1, minimises the largest error (Remez's algorithm at 250 bits; 2^-57.4 with rounded coefficients). Rounding adds
// 2^-54 in the last sum, 2^-53 in the one before it, which is at most 8 in size and taken times z <= 1/4, 2^-56 in the third and less in others, and
// pi/4 2^-53 by that of z: less than 2^-51 in all.
var wavesTable = struct {
	// 1/pi, what makes sums round to integers in their lowest bits, and the largest z, which bounds cosines of numbers too large for that.
	perHalf, round, most float64
	c                    [9]float64
}{
	perHalf: 0x1.45f306dc9c883p-2, round: 0x1.8p52, most: 0.25,
	c: [...]float64{
		1, -0x1.3bd3cc9be45dcp+2, 0x1.03c1f081b599ap+2, -0x1.55d3c7e3bf6c1p+0, 0x1.e1f50680e21afp-3, -0x1.a6d1efa7cbb4ap-6,
		0x1.f9d24859486dfp-10, -0x1.b6935891a2362p-14, 0x1.1652d3bb8ff84p-18,
	},
}

// wavesPortable adds to the sums of Waves in Go.
func wavesPortable(sum *[waveSums]float64, x, shift, amplitude []float64) {
	t := &wavesTable
	for i, v := range x {
		s := fma(v, t.perHalf, shift[i])
		shifted := s + t.round
		r := s - (shifted - t.round)
		z := r * r
		if z > t.most {
			z = t.most
		}
		c := horner(t.c[:], z)
		// The lowest bit is 1 where k is odd.
		c = math.Float64frombits(math.Float64bits(c) ^ math.Float64bits(shifted)<<63)
		sum[i%waveSums] = fma(amplitude[i], c, sum[i%waveSums])
	}
}
