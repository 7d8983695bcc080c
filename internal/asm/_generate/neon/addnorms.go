package main

// addnorms writes sums with two norms, and gathers which of them are not large enough.
func addnorms() []*function {
	f := newFunction("addNormsNEON", "(d, norms *float64, n int, norm, near float64) (small int)",
		"addNormsNEON is addNormsPortable for n elements, a multiple of 8; small is 0 if none is.")
	d, norms, n := f.argument("d"), f.argument("norms"), f.argument("n")
	norm, near, large := f.number("norm"), f.number("near"), f.integer(1<<64-1)
	f.loop("vectors", n, 8, "8 elements", func() {
		products, sums := f.manyVectors(4), f.manyVectors(4)
		f.load(d, 0, products...)
		f.load(norms, 0, sums...)
		for i, sum := range sums {
			f.plus(norm, sum, sum)
			f.plus(sum, products[i], products[i])
			f.times(near, sum, sum)
			f.above(products[i], sum, sum)
			f.and(large, sum, large)
		}
		f.store(d, 0, products...)
		f.advance(64, d, norms)
	})
	first, second := f.general(), f.general()
	f.element(lane{large, 0}, first)
	f.element(lane{large, 1}, second)
	f.instruct(0, "AND %v, %v, %v", first, second, first)
	f.instruct(0, "MVN %v, %v", first, first)
	f.instruct(0, "MOVD %v, %s", first, f.parameter("small"))
	f.result()
	return []*function{f}
}
