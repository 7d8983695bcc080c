package asm

// Exp replaces each element v of x by exp(scale v), the product rounded first, with an error of at
// most 2 units in the last place, subnormal results included. Results are +Inf and 0 where they
// should be, and exp(NaN) is NaN.
func Exp(x []float64, scale float64) {
	if level == Portable {
		expPortable(x, scale)
		return
	}
	for len(x) >= group {
		n := nextChunk(len(x))
		expGroups(x[:n], scale)
		x = x[n:]
	}
	if len(x) > 0 {
		var last [group]float64
		copy(last[:], x)
		expGroups(last[:], scale)
		copy(x, last[:])
	}
}

func expGroups(x []float64, scale float64) {
	switch level {
	case AVX512:
		expAVX512(&x[0], len(x), scale, &expTable.lowest)
	case AVX2:
		expAVX2(&x[0], len(x), scale, &expTable.lowest)
	default:
		expNEON(&x[0], len(x), scale, &expTable.lowest)
	}
}
