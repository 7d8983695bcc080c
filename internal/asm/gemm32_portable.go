package asm

import "math"

// gemm32Portable is Gemm32 in Go, in parts of 2×2: few enough sums for the registers of fma32.
func gemm32Portable(width, k int, a []float32, colA int, b []float32, scaleA, scaleB, c []float64, rowC int) {
	for j := 0; j < width; j += 2 {
		for i := 0; i < Rows; i += 2 {
			var s00, s01, s10, s11 float32
			for p := range k {
				x, y := (*[2]float32)(a[p*colA+i:]), (*[2]float32)(b[p*Cols32+j:])
				s00, s01 = fma32(x[0], y[0], s00), fma32(x[0], y[1], s01)
				s10, s11 = fma32(x[1], y[0], s10), fma32(x[1], y[1], s11)
			}
			c0, c1 := (*[2]float64)(c[i*rowC+j:]), (*[2]float64)(c[(i+1)*rowC+j:])
			c0[0] += scaled(s00, scaleA[i], scaleB[j])
			c0[1] += scaled(s01, scaleA[i], scaleB[j+1])
			c1[0] += scaled(s10, scaleA[i+1], scaleB[j])
			c1[1] += scaled(s11, scaleA[i+1], scaleB[j+1])
		}
	}
}

// scaled is s times b times a, each rounded, lest only some processors fuse.
func scaled(s float32, a, b float64) float64 { return float64(float64(float64(s)*b) * a) }

// fma32 is xy + z in float32, rounded once, on every processor. The product is exact in float64. Its sum with z, rounded to
// float64 and then to float32, is the sum rounded to float32 at once, unless the float64 lies halfway between two float32s: on
// the wrong side of a halfway point it cannot be, since halfway points are float64s themselves.
func fma32(x, y, z float32) float32 {
	product, addend := float64(x)*float64(y), float64(z)
	sum := product + addend
	bits := math.Float64bits(sum)
	// Of normal float32s, those halfway between two have a 1 and 28 zeros behind the bits that both have.
	if exponent := bits >> 52 & 0x7ff; bits&(1<<29-1) != 1<<28 && exponent > 1023-127 {
		return float32(sum)
	}
	return float32(odd(sum, product, addend))
}

// odd is the sum of x and y, whose nearest float64 is sum, rounded to odd: to the float64 next to it whose last bit is 1, unless
// it is a float64 itself. Rounded once more, to at least two bits less, such a number gives the same as the sum
// [Boldo and Melquiond, Emulation of FMA and correctly rounded sums, IEEE Trans. Comput. 57, 2008].
func odd(sum, x, y float64) float64 {
	// The error of the sum, exactly [Knuth, TAOCP 2, 4.2.2, theorem B].
	of := sum - x
	rest := (x - (sum - of)) + (y - of)
	if !(rest != 0) || math.IsNaN(rest) {
		return sum
	}
	bits := math.Float64bits(sum)
	if (rest > 0) != (sum > 0) {
		bits-- // the sum is between this and the float64 before it
	}
	return math.Float64frombits(bits | 1)
}
