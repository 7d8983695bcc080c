package asm

// Solve overwrites the tile X of Rows rows and Cols columns, (i, j) at x[i rowX + j], with T⁻¹ X for
// the lower triangle T of order Rows, (i, l) at t[i Rows + l]. Element (i, j) subtracts its products
// in the order of l, fused, and is then divided. Operands shorter than that panic.
func Solve(t, x []float64, rowX int) {
	_ = t[Rows*Rows-1]
	_ = x[(Rows-1)*rowX+Cols-1]
	switch level {
	case AVX512:
		solveAVX512(&t[0], &x[0], rowX)
	case AVX2:
		solveAVX2(&t[0], &x[0], rowX)
	case NEON:
		solveNEON(&t[0], &x[0], rowX)
	default:
		solvePortable(t, x, rowX)
	}
}
