package asm

// AddNorms turns products d into squared distances,
//
//	d_j = (norm + norms_j) + d_j
//
// and reports whether all of them are above near (norm + norms_j). Lengths that differ panic.
func AddNorms(d, norms []float64, norm, near float64) bool {
	if len(d) != len(norms) {
		panic("asm: lengths differ")
	}
	large := true
	for len(d) >= Lanes && level != Portable {
		n, small := min(len(d)&^(Lanes-1), chunk), 0
		switch level {
		case AVX512:
			small = addNormsAVX512(&d[0], &norms[0], n, norm, near)
		case AVX2:
			small = addNormsAVX2(&d[0], &norms[0], n, norm, near)
		default:
			small = addNormsNEON(&d[0], &norms[0], n, norm, near)
		}
		large = large && small == 0
		d, norms = d[n:], norms[n:]
	}
	return addNormsPortable(d, norms, norm, near) && large
}
