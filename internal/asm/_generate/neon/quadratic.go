package main

import "math"

// quadratic writes scaled roots and what multiplies by a polynomial of them.
func quadratic() []*function {
	f := newFunction("rootsNEON", "(dst, x *float64, n int, scale, most float64)",
		"rootsNEON is rootsPortable for n elements, a multiple of 8.")
	scale, most := f.number("scale"), f.number("most")
	f.eachEight(func(_ general, v []vector) {
		for _, v := range v {
			f.root(v, v)
			f.times(scale, v, v)
			f.smaller(v, most, v)
		}
	})

	g := newFunction("quadraticNEON", "(dst, x *float64, n int, c float64)",
		"quadraticNEON is quadraticPortable for n elements, a multiple of 8.")
	c, one := g.number("c"), g.integer(math.Float64bits(1))
	g.eachEight(func(dst general, r []vector) {
		to := g.manyVectors(len(r))
		g.load(dst, 0, to...)
		for i, v := range r {
			inner, outer := g.vector(), g.vector()
			g.copy(one, inner)
			g.add(v, c, inner)
			g.copy(one, outer)
			g.add(inner, v, outer)
			g.times(to[i], outer, v)
			g.release(inner, outer)
		}
	})
	return []*function{f, g}
}

// eachEight writes a function's loop over n elements of x: do replaces them, and they are stored at dst.
func (f *function) eachEight(do func(dst general, v []vector)) {
	dst, x, n := f.argument("dst"), f.argument("x"), f.argument("n")
	f.loop("vectors", n, 8, "8 elements", func() {
		v := f.manyVectors(4)
		f.load(x, 0, v...)
		do(dst, v)
		f.store(dst, 0, v...)
		f.advance(64, dst, x)
	})
	f.result()
}
