package asm

import "math"

// fma is xy + z, rounded once. Where the processor cannot do that it rounds twice: math.FMA in
// software would be a hundred times slower.
func fma(x, y, z float64) float64 {
	if hasFMA {
		return math.FMA(x, y, z)
	}
	return x*y + z
}
