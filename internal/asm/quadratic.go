package asm

// Roots stores in dst the smaller of scale sqrt(v) and most, above 0, for each element v of x, NaN for what has no
// root. dst may be x. Lengths that differ panic.
func Roots(dst, x []float64, scale, most float64) {
	if len(dst) != len(x) {
		panic("asm: lengths differ")
	}
	for len(x) >= Lanes && level != Portable {
		n := min(len(x)&^(Lanes-1), chunk)
		switch level {
		case AVX512:
			rootsAVX512(&dst[0], &x[0], n, scale, most)
		case AVX2:
			rootsAVX2(&dst[0], &x[0], n, scale, most)
		default:
			rootsNEON(&dst[0], &x[0], n, scale, most)
		}
		dst, x = dst[n:], x[n:]
	}
	rootsPortable(dst, x, scale, most)
}

// Quadratic multiplies each element of dst by 1 + r + c r², r that of x, in two fused multiply-adds and
// a product. Lengths that differ panic.
func Quadratic(dst, x []float64, c float64) {
	if len(dst) != len(x) {
		panic("asm: lengths differ")
	}
	for len(x) >= Lanes && level != Portable {
		n := min(len(x)&^(Lanes-1), chunk)
		switch level {
		case AVX512:
			quadraticAVX512(&dst[0], &x[0], n, c)
		case AVX2:
			quadraticAVX2(&dst[0], &x[0], n, c)
		default:
			quadraticNEON(&dst[0], &x[0], n, c)
		}
		dst, x = dst[n:], x[n:]
	}
	quadraticPortable(dst, x, c)
}
