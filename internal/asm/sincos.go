package asm

// Sincos stores scale sin(v) and scale cos(v) of each element v of x in sin and cos, with an error of
// at most 2 units in the last place of the sine or cosine for |v| <= 1.6e9, and that of Go's math from 2^30 pi/2 on.
// Those of NaN and infinities are NaN, and sin(-0) is -0. sin or cos may be x. Lengths that differ
// panic.
func Sincos(sin, cos, x []float64, scale float64) {
	if len(sin) != len(x) || len(cos) != len(x) {
		panic("asm: lengths of sines and cosines differ")
	}
	if level == Portable {
		sincosPortable(sin, cos, x, scale)
		return
	}
	for len(x) >= group {
		n := sincosGroups(sin, cos, x[:nextChunk(len(x))], scale)
		if n == 0 { // out of range
			n = group
			sincosPortable(sin[:n], cos[:n], x[:n], scale)
		}
		sin, cos, x = sin[n:], cos[n:], x[n:]
	}
	if len(x) == 0 {
		return
	}
	var last, sines, cosines [group]float64
	copy(last[:], x)
	if sincosGroups(sines[:], cosines[:], last[:], scale) < group {
		sincosPortable(sin, cos, x, scale)
		return
	}
	copy(sin, sines[:])
	copy(cos, cosines[:])
}

// sincosGroups returns how many elements it has done before one out of range.
func sincosGroups(sin, cos, x []float64, scale float64) int {
	switch level {
	case AVX512:
		return sincosAVX512(&sin[0], &cos[0], &x[0], len(x), scale, &sincosTable.negativeZero)
	case AVX2:
		return sincosAVX2(&sin[0], &cos[0], &x[0], len(x), scale, &sincosTable.negativeZero)
	default:
		return sincosNEON(&sin[0], &cos[0], &x[0], len(x), scale, &sincosTable.negativeZero)
	}
}

// Cos replaces each element v of x by scale cos(v), as Sincos does.
func Cos(x []float64, scale float64) {
	if level == Portable {
		cosPortable(x, scale)
		return
	}
	for len(x) >= group {
		n := cosGroups(x[:nextChunk(len(x))], scale)
		if n == 0 {
			n = group
			cosPortable(x[:n], scale)
		}
		x = x[n:]
	}
	if len(x) == 0 {
		return
	}
	var last [group]float64
	copy(last[:], x)
	if cosGroups(last[:], scale) < group {
		cosPortable(x, scale)
		return
	}
	copy(x, last[:])
}

func cosGroups(x []float64, scale float64) int {
	switch level {
	case AVX512:
		return cosAVX512(&x[0], &x[0], len(x), scale, &sincosTable.negativeZero)
	case AVX2:
		return cosAVX2(&x[0], &x[0], len(x), scale, &sincosTable.negativeZero)
	default:
		return cosNEON(&x[0], &x[0], len(x), scale, &sincosTable.negativeZero)
	}
}
