package asm

import "math"

// absDiffPortable is AbsDiff in Go.
func absDiffPortable(sum, x, y []float64) {
	to := (*[Cols]float64)(sum)
	for p, v := range x {
		row := (*[Cols]float64)(y[p*Cols:])
		for j := range to {
			to[j] += math.Abs(v - row[j])
		}
	}
}
