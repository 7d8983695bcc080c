package asm

import "math"

// narrowPortable is Narrow in Go.
func narrowPortable(dst []float32, x, centre, scale []float64, factor float64) {
	for j, v := range x {
		dst[j] = float32(float64((v-centre[j])*factor) * scale[j])
	}
}

// largestPortable is Largest in Go.
func largestPortable(most, x, centre []float64, factor float64) {
	for j, v := range x {
		if d := math.Abs((v - centre[j]) * factor); d > most[j] {
			most[j] = d
		}
	}
}
