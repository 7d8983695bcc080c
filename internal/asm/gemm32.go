package asm

// Cols32 is the width of the tile that Gemm32 forms in registers, of Rows rows: 8×48 is what AVX-512 has registers
// for. It is also the distance from a row of its packed B to the next.
const Cols32 = 48

// Lanes32 is the step in which Gemm32 rounds up the width of a tile.
const Lanes32 = 16

// Gemm32 adds to a tile of C, of Rows rows and width columns rounded up to a multiple of Lanes32, a product in float32,
//
//	c_ij += scaleA_i scaleB_j Σ a_pi b_pj
//
// for p < k, k at least 1, where a_pi is a[p colA + i], b_pj is b[p Cols32 + j] and c_ij is c[i rowC + j]. Each sum takes its
// k products in order, from 0, in fused multiply-adds of float32, and is then taken to float64, times scaleB_j, times
// scaleA_i, and added, each of which rounds at most once; factors that are powers of 2 round nothing. Operands shorter
// than that panic.
func Gemm32(width, k int, a []float32, colA int, b []float32, scaleA, scaleB, c []float64, rowC int) {
	width = (width + Lanes32 - 1) &^ (Lanes32 - 1)
	_ = a[(k-1)*colA+Rows-1]
	_ = b[(k-1)*Cols32+width-1]
	_, _ = scaleA[Rows-1], scaleB[width-1]
	_ = c[(Rows-1)*rowC+width-1]
	switch level {
	case AVX512:
		gemm32AVX512(width, k, &a[0], colA, &b[0], &scaleA[0], &scaleB[0], &c[0], rowC)
	case AVX2:
		const rows, cols = 4, 24
		for j := 0; j < width; j += cols {
			for i := 0; i < Rows; i += rows {
				gemm32AVX2(width-j, k, &a[i], colA, &b[j], &scaleA[i], &scaleB[j], &c[i*rowC+j], rowC)
			}
		}
	case NEON:
		for j := 0; j < width; {
			cols := neonColumns(width-j, 4)
			gemm32NEON(cols, k, &a[0], colA, &b[j], &scaleA[0], &scaleB[j], &c[j], rowC)
			j += cols
		}
	default:
		gemm32Portable(width, k, a, colA, b, scaleA, scaleB, c, rowC)
	}
}
