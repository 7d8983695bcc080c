package asm

// axpyPortable is Axpy in Go.
func axpyPortable(alpha float64, x, y []float64) {
	for i, v := range x {
		y[i] = fma(alpha, v, y[i])
	}
}
