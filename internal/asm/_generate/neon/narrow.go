package main

// narrow writes what takes a row of float64s less a centre, times factor, to float32 and to the largest sizes so far.
func narrow() []*function {
	f := newFunction("narrowNEON", "(dst *float32, x, centre, scale *float64, n int, factor float64)",
		"narrowNEON is narrowPortable for n elements, a multiple of 8.")
	dst, scale := f.argument("dst"), f.argument("scale")
	f.eachDeviation(func(d []vector) {
		scales, narrowed := f.manyVectors(4), f.manyVectors(2)
		f.load(scale, 0, scales...)
		for i, v := range d {
			f.times(v, scales[i], v)
		}
		for i, to := range narrowed {
			f.narrow(d[2*i], d[2*i+1], to)
		}
		f.store(dst, 0, narrowed...)
		f.advance(64, scale)
		f.advance(32, dst)
	})

	g := newFunction("largestNEON", "(most, x, centre *float64, n int, factor float64)",
		"largestNEON is largestPortable for n elements, a multiple of 8.")
	most := g.argument("most")
	g.eachDeviation(func(d []vector) {
		sizes := g.manyVectors(4)
		g.load(most, 0, sizes...)
		for i, v := range d {
			larger := g.vector()
			g.absolute(v, v)
			g.above(v, sizes[i], larger)
			g.insert(v, larger, sizes[i])
		}
		g.store(most, 0, sizes...)
		g.advance(64, most)
	})
	return []*function{f, g}
}

// eachDeviation writes a function's loop over n elements: do takes the vectors of (x - centre) factor, eight elements.
func (f *function) eachDeviation(do func(d []vector)) {
	x, centre, n, factor := f.argument("x"), f.argument("centre"), f.argument("n"), f.number("factor")
	f.loop("vectors", n, 8, "8 elements", func() {
		d, centres := f.manyVectors(4), f.manyVectors(4)
		f.load(x, 0, d...)
		f.load(centre, 0, centres...)
		for i, v := range d {
			f.minus(v, centres[i], v)
			f.times(v, factor, v)
		}
		do(d)
		f.advance(64, x, centre)
	})
	f.result()
}
