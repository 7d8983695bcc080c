package asm

import "math"

// rootsPortable is Roots in Go.
func rootsPortable(dst, x []float64, scale, most float64) {
	for i, v := range x {
		dst[i] = min(scale*math.Sqrt(v), most)
	}
}

// quadraticPortable is Quadratic in Go.
func quadraticPortable(dst, x []float64, c float64) {
	for i, r := range x {
		dst[i] *= fma(fma(r, c, 1), r, 1)
	}
}
