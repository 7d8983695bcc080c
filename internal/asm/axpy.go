package asm

// Axpy adds alpha x to y, in one fused multiply-add an element. Lengths that differ panic.
func Axpy(alpha float64, x, y []float64) {
	if len(x) != len(y) {
		panic("asm: lengths differ")
	}
	for len(x) > 0 {
		n := min(len(x), chunk)
		switch level {
		case AVX512:
			axpyAVX512(alpha, &x[0], &y[0], n)
		case AVX2:
			axpyAVX2(alpha, &x[0], &y[0], n)
		case NEON:
			axpyNEON(alpha, &x[0], &y[0], n)
		default:
			axpyPortable(alpha, x[:n], y[:n])
		}
		x, y = x[n:], y[n:]
	}
}
