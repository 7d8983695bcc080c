//go:build !amd64 || noasm

package asm

// The assembly that other builds lack is never called at their levels.

func gemmAVX2(width, k int, a *float64, rowA, colA int, b *float64, rowB int, alpha float64, c *float64, rowC int, add bool) {
	panic("asm: no assembly")
}

func gemmAVX512(width, k int, a *float64, rowA, colA int, b *float64, rowB int, alpha float64, c *float64, rowC int, add bool) {
	panic("asm: no assembly")
}

func gemm32AVX2(width, k int, a *float32, colA int, b *float32, scaleA, scaleB, c *float64, rowC int) {
	panic("asm: no assembly")
}

func gemm32AVX512(width, k int, a *float32, colA int, b *float32, scaleA, scaleB, c *float64, rowC int) {
	panic("asm: no assembly")
}

func solveAVX2(t, x *float64, rowX int) { panic("asm: no assembly") }

func solveAVX512(t, x *float64, rowX int) { panic("asm: no assembly") }

func expAVX2(x *float64, n int, scale float64, table *float64) { panic("asm: no assembly") }

func expAVX512(x *float64, n int, scale float64, table *float64) { panic("asm: no assembly") }

func sincosAVX2(sin, cos, x *float64, n int, scale float64, table *float64) int {
	panic("asm: no assembly")
}

func sincosAVX512(sin, cos, x *float64, n int, scale float64, table *float64) int {
	panic("asm: no assembly")
}

func cosAVX2(cos, x *float64, n int, scale float64, table *float64) int { panic("asm: no assembly") }

func cosAVX512(cos, x *float64, n int, scale float64, table *float64) int { panic("asm: no assembly") }

func axpyAVX2(alpha float64, x, y *float64, n int) { panic("asm: no assembly") }

func axpyAVX512(alpha float64, x, y *float64, n int) { panic("asm: no assembly") }

func hadamardRunsAVX2(x, d *float64, n int, signs *float64) { panic("asm: no assembly") }

func hadamardRunsAVX512(x, d *float64, n int, signs *float64) { panic("asm: no assembly") }

func hadamardPassAVX2(radix int, x *float64, groups, count, stride int) { panic("asm: no assembly") }

func hadamardPassAVX512(radix int, x *float64, groups, count, stride int) { panic("asm: no assembly") }

func absDiffAVX2(sum, x, y *float64, n int) { panic("asm: no assembly") }

func absDiffAVX512(sum, x, y *float64, n int) { panic("asm: no assembly") }

func rootsAVX2(dst, x *float64, n int, scale, most float64) { panic("asm: no assembly") }

func rootsAVX512(dst, x *float64, n int, scale, most float64) { panic("asm: no assembly") }

func quadraticAVX2(dst, x *float64, n int, c float64) { panic("asm: no assembly") }

func quadraticAVX512(dst, x *float64, n int, c float64) { panic("asm: no assembly") }

func addNormsAVX2(d, norms *float64, n int, norm, near float64) int { panic("asm: no assembly") }

func addNormsAVX512(d, norms *float64, n int, norm, near float64) int { panic("asm: no assembly") }

func rectifyAVX2(positive, negative, z *float64, n int, t float64) { panic("asm: no assembly") }

func rectifyAVX512(positive, negative, z *float64, n int, t float64) { panic("asm: no assembly") }

func narrowAVX2(dst *float32, x, centre, scale *float64, n int, factor float64) {
	panic("asm: no assembly")
}

func narrowAVX512(dst *float32, x, centre, scale *float64, n int, factor float64) {
	panic("asm: no assembly")
}

func largestAVX2(most, x, centre *float64, n int, factor float64) { panic("asm: no assembly") }

func largestAVX512(most, x, centre *float64, n int, factor float64) { panic("asm: no assembly") }

func interleaveAVX2(dst *float64, width, depth int, src *float64, row int) { panic("asm: no assembly") }

func interleaveAVX512(dst *float64, width, depth int, src *float64, row int) {
	panic("asm: no assembly")
}

func wavesAVX2(sum, x, shift, amplitude *float64, n int, table *float64) { panic("asm: no assembly") }

func wavesAVX512(sum, x, shift, amplitude *float64, n int, table *float64) { panic("asm: no assembly") }
