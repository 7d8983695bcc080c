package asm

// gemmPortable is Gemm in Go, in parts of 2×4: as many sums as processors need to keep busy, and as
// few as all of them have registers for.
func gemmPortable(width, k int, a []float64, rowA, colA int, b []float64, rowB int, alpha float64, c []float64, rowC int, add bool) {
	for j := 0; j < width; j += 4 {
		for i := 0; i < Rows; i += 2 {
			c0, c1 := (*[4]float64)(c[i*rowC+j:]), (*[4]float64)(c[(i+1)*rowC+j:])
			gemmPart(k, a[i*rowA:], rowA, colA, b[j:], rowB, alpha, c0, c1, add)
		}
	}
}

// gemmPart is two rows and four columns of gemmPortable.
func gemmPart(k int, a []float64, rowA, colA int, b []float64, rowB int, alpha float64, c0, c1 *[4]float64, add bool) {
	var s00, s01, s02, s03, s10, s11, s12, s13 float64
	for p := range k {
		x, y := a[p*colA], a[p*colA+rowA]
		row := (*[4]float64)(b[p*rowB:])
		s00, s10 = fma(x, row[0], s00), fma(y, row[0], s10)
		s01, s11 = fma(x, row[1], s01), fma(y, row[1], s11)
		s02, s12 = fma(x, row[2], s02), fma(y, row[2], s12)
		s03, s13 = fma(x, row[3], s03), fma(y, row[3], s13)
	}
	if !add {
		*c0 = [4]float64{alpha * s00, alpha * s01, alpha * s02, alpha * s03}
		*c1 = [4]float64{alpha * s10, alpha * s11, alpha * s12, alpha * s13}
		return
	}
	*c0 = [4]float64{fma(alpha, s00, c0[0]), fma(alpha, s01, c0[1]), fma(alpha, s02, c0[2]), fma(alpha, s03, c0[3])}
	*c1 = [4]float64{fma(alpha, s10, c1[0]), fma(alpha, s11, c1[1]), fma(alpha, s12, c1[2]), fma(alpha, s13, c1[3])}
}
