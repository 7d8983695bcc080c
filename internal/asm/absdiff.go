package asm

// AbsDiff adds to each of Cols sums its column's absolute differences to x,
//
//	sum_j + |x_0 - y_0j| + |x_1 - y_1j| + …
//
// in this order, where y_pj is y[p Cols + j]. Operands shorter than that panic.
func AbsDiff(sum, x, y []float64) {
	if len(x) == 0 {
		return
	}
	_ = sum[Cols-1]
	_ = y[len(x)*Cols-1]
	switch level {
	case AVX512:
		absDiffAVX512(&sum[0], &x[0], &y[0], len(x))
	case AVX2:
		absDiffAVX2(&sum[0], &x[0], &y[0], len(x))
	case NEON:
		absDiffNEON(&sum[0], &x[0], &y[0], len(x))
	default:
		absDiffPortable(sum, x, y)
	}
}
