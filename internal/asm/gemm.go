package asm

// Rows and Cols are the shape of the tile of a product that Gemm forms in registers. 8×24 is what
// AVX-512 has registers for; lower levels form it in parts.
const (
	Rows = 8
	Cols = 24
)

// Lanes is the step in which Gemm rounds up the width of a tile.
const Lanes = 8

// Gemm forms a tile of Rows rows and width columns, rounded up to a multiple of Lanes,
//
//	C = alpha A B        C = alpha A B + C if add
//
// where element (i, p) of A is a[i rowA + p colA], (p, j) of B is b[p rowB + j], and (i, j) of C is
// c[i rowC + j], for p < k, k at least 1. Each element sums its k products in order, from 0, in fused
// multiply-adds, and takes alpha by one more (by a product unless add): whatever the level, and
// whatever is beside it in the tile. Operands shorter than that panic.
func Gemm(width, k int, a []float64, rowA, colA int, b []float64, rowB int, alpha float64, c []float64, rowC int, add bool) {
	width = (width + Lanes - 1) &^ (Lanes - 1)
	_ = a[(Rows-1)*rowA+(k-1)*colA]
	_ = b[(k-1)*rowB+width-1]
	_ = c[(Rows-1)*rowC+width-1]
	switch level {
	case AVX512:
		gemmAVX512(width, k, &a[0], rowA, colA, &b[0], rowB, alpha, &c[0], rowC, add)
	case AVX2:
		const rows, cols = 4, 12
		for j := 0; j < width; j += cols {
			for i := 0; i < Rows; i += rows {
				gemmAVX2(width-j, k, &a[i*rowA], rowA, colA, &b[j], rowB, alpha, &c[i*rowC+j], rowC, add)
			}
		}
	case NEON:
		for j := 0; j < width; {
			cols := neonColumns(width-j, 2)
			gemmNEON(cols, k, &a[0], rowA, colA, &b[j], rowB, alpha, &c[j], rowC, add)
			j += cols
		}
	default:
		gemmPortable(width, k, a, rowA, colA, b, rowB, alpha, c, rowC, add)
	}
}

// neonColumns returns how many of the columns that are left the next NEON tile takes: three vectors of so many lanes, or
// two where four or two are left: 12 vectors are cut by 3, 8 into 3, 3 and 2, and 4 into 2 and 2.
func neonColumns(left, lanes int) int {
	if left == 4*lanes || left == 2*lanes {
		return 2 * lanes
	}
	return 3 * lanes
}
