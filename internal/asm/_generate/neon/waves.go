package main

// waveTerms is the number of coefficients of the cosine, of which the first is 1.
const waveTerms = 9

// waves writes a sum of cosines, eight elements at a time, each of the eight partial sums in a lane of its own.
func waves() []*function {
	const vectors = 4
	f := newFunction("wavesNEON", "(sum, x, shift, amplitude *float64, n int, table *float64)",
		"wavesNEON is wavesPortable for n elements, a multiple of 32.")
	c := f.constants(append([]string{"perHalf", "round", "most"}, numbered("c", waveTerms)...))
	out, x, shift, amplitude, n := f.argument("sum"), f.argument("x"), f.argument("shift"), f.argument("amplitude"), f.argument("n")
	sums := f.manyVectors(vectors)
	f.load(out, 0, sums...)
	f.loop("groups", n, 2*vectors, "8 elements", func() {
		v, s := f.manyVectors(vectors), f.manyVectors(vectors)
		f.load(x, 0, v...)
		f.load(shift, 0, s...)
		c.with(func(perHalf []vector) {
			for i := range s {
				f.add(v[i], perHalf[0], s[i])
			}
		}, "perHalf")
		halves := v // whose lowest bits are the numbers of half turns
		c.with(func(shared []vector) {
			for i := range s {
				k := f.vector()
				f.plus(s[i], shared[0], halves[i])
				f.minus(halves[i], shared[0], k)
				f.minus(s[i], k, s[i])
				f.times(s[i], s[i], s[i])
				f.smaller(s[i], shared[1], s[i])
				f.release(k)
			}
		}, "round", "most")
		cosines := c.horner("c", waveTerms, s)
		f.load(amplitude, 0, s...)
		for i, cosine := range cosines {
			f.shiftLeft(halves[i], 63, halves[i])
			f.exclusive(cosine, halves[i], cosine)
			f.add(cosine, s[i], sums[i])
		}
		f.advance(16*vectors, x, shift, amplitude)
	})
	f.store(out, 0, sums...)
	f.result()
	return []*function{f}
}
