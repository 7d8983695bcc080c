package asm

// Rectify adds to two sums how far elements of z are above t and below -t,
//
//	positive_j + max(0, z_j - t)    negative_j + max(0, -z_j - t)
//
// and nothing for NaN. Lengths that differ panic.
func Rectify(positive, negative, z []float64, t float64) {
	if len(positive) != len(z) || len(negative) != len(z) {
		panic("asm: lengths differ")
	}
	for len(z) >= Lanes && level != Portable {
		n := min(len(z)&^(Lanes-1), chunk)
		switch level {
		case AVX512:
			rectifyAVX512(&positive[0], &negative[0], &z[0], n, t)
		case AVX2:
			rectifyAVX2(&positive[0], &negative[0], &z[0], n, t)
		default:
			rectifyNEON(&positive[0], &negative[0], &z[0], n, t)
		}
		positive, negative, z = positive[n:], negative[n:], z[n:]
	}
	rectifyPortable(positive, negative, z, t)
}
