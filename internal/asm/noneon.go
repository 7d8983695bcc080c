//go:build !arm64 || noasm

package asm

// The assembly that other builds lack is never called at their levels.

func gemmNEON(width, k int, a *float64, rowA, colA int, b *float64, rowB int, alpha float64, c *float64, rowC int, add bool) {
	panic("asm: no assembly")
}

func gemm32NEON(width, k int, a *float32, colA int, b *float32, scaleA, scaleB, c *float64, rowC int) {
	panic("asm: no assembly")
}

func narrowNEON(dst *float32, x, centre, scale *float64, n int, factor float64) {
	panic("asm: no assembly")
}

func largestNEON(most, x, centre *float64, n int, factor float64) { panic("asm: no assembly") }

func solveNEON(t, x *float64, rowX int) { panic("asm: no assembly") }

func expNEON(x *float64, n int, scale float64, table *float64) { panic("asm: no assembly") }

func sincosNEON(sin, cos, x *float64, n int, scale float64, table *float64) int {
	panic("asm: no assembly")
}

func cosNEON(cos, x *float64, n int, scale float64, table *float64) int { panic("asm: no assembly") }

func axpyNEON(alpha float64, x, y *float64, n int) { panic("asm: no assembly") }

func hadamardRunsNEON(x, d *float64, n int, signs *float64) { panic("asm: no assembly") }

func hadamardPassNEON(radix int, x *float64, groups, count, stride int) { panic("asm: no assembly") }

func absDiffNEON(sum, x, y *float64, n int) { panic("asm: no assembly") }

func rootsNEON(dst, x *float64, n int, scale, most float64) { panic("asm: no assembly") }

func quadraticNEON(dst, x *float64, n int, c float64) { panic("asm: no assembly") }

func addNormsNEON(d, norms *float64, n int, norm, near float64) int { panic("asm: no assembly") }

func rectifyNEON(positive, negative, z *float64, n int, t float64) { panic("asm: no assembly") }

func interleaveNEON(dst *float64, width, depth int, src *float64, row int) { panic("asm: no assembly") }

func wavesNEON(sum, x, shift, amplitude *float64, n int, table *float64) { panic("asm: no assembly") }
