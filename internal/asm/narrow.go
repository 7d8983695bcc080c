package asm

// Narrow stores x less centre, times a factor and a scale of its own, each rounded to float64, in dst as float32s:
//
//	dst_j = (x_j - centre_j) factor scale_j
//
// Lengths that differ panic.
func Narrow(dst []float32, x, centre, scale []float64, factor float64) {
	if len(dst) != len(x) || len(centre) != len(x) || len(scale) != len(x) {
		panic("asm: lengths differ")
	}
	for len(x) >= Lanes && level != Portable {
		n := min(len(x)&^(Lanes-1), chunk)
		switch level {
		case AVX512:
			narrowAVX512(&dst[0], &x[0], &centre[0], &scale[0], n, factor)
		case AVX2:
			narrowAVX2(&dst[0], &x[0], &centre[0], &scale[0], n, factor)
		default:
			narrowNEON(&dst[0], &x[0], &centre[0], &scale[0], n, factor)
		}
		dst, x, centre, scale = dst[n:], x[n:], centre[n:], scale[n:]
	}
	narrowPortable(dst, x, centre, scale, factor)
}

// Largest makes each element of most at least the size of that of x less centre, times a factor:
//
//	most_j = max(most_j, |(x_j - centre_j) factor|)
//
// and leaves it as it is where that is NaN. Lengths that differ panic.
func Largest(most, x, centre []float64, factor float64) {
	if len(most) != len(x) || len(centre) != len(x) {
		panic("asm: lengths differ")
	}
	for len(x) >= Lanes && level != Portable {
		n := min(len(x)&^(Lanes-1), chunk)
		switch level {
		case AVX512:
			largestAVX512(&most[0], &x[0], &centre[0], n, factor)
		case AVX2:
			largestAVX2(&most[0], &x[0], &centre[0], n, factor)
		default:
			largestNEON(&most[0], &x[0], &centre[0], n, factor)
		}
		most, x, centre = most[n:], x[n:], centre[n:]
	}
	largestPortable(most, x, centre, factor)
}
