package main

// rectify adds the parts of z beyond ±t to two sums. Sums whose part is not above 0 keep their bits.
func rectify() []*function {
	f := newFunction("rectifyNEON", "(positive, negative, z *float64, n int, t float64)",
		"rectifyNEON is rectifyPortable for n elements, a multiple of 8.")
	positive, negative, z, n := f.argument("positive"), f.argument("negative"), f.argument("z"), f.argument("n")
	t := f.number("t")
	f.loop("vectors", n, 8, "8 elements", func() {
		values, ups, downs := f.manyVectors(4), f.manyVectors(4), f.manyVectors(4)
		f.load(z, 0, values...)
		f.load(positive, 0, ups...)
		f.load(negative, 0, downs...)
		part, sum := f.vector(), f.vector()
		for i, v := range values {
			f.minus(v, t, part)
			f.plus(ups[i], part, sum)
			f.aboveZero(part, part)
			f.insert(sum, part, ups[i])
			f.plus(v, t, part) // -(-v - t)
			f.minus(downs[i], part, sum)
			f.belowZero(part, part)
			f.insert(sum, part, downs[i])
		}
		f.store(positive, 0, ups...)
		f.store(negative, 0, downs...)
		f.advance(64, positive, negative, z)
	})
	f.result()
	return []*function{f}
}
