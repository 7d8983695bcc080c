package asm

// interleavePortable is Interleave in Go.
func interleavePortable(dst []float64, width, depth int, src []float64, row int) {
	line := func(l int) []float64 { return src[l*row:][:depth] }
	r0, r1, r2, r3, r4, r5, r6, r7 := line(0), line(1), line(2), line(3), line(4), line(5), line(6), line(7)
	for p := range r0 {
		*(*[8]float64)(dst[p*width:]) = [8]float64{r0[p], r1[p], r2[p], r3[p], r4[p], r5[p], r6[p], r7[p]}
	}
}
