package main

// axpy writes y + alpha x: eight elements at a time, then one.
func axpy() []*function {
	f := newFunction("axpyNEON", "(alpha float64, x, y *float64, n int)", "axpyNEON is axpyPortable for n elements.")
	alpha := f.number("alpha")
	x, y, n := f.argument("x"), f.argument("y"), f.argument("n")
	f.loop("vectors", n, 8, "8 elements", func() {
		from, to := f.manyVectors(4), f.manyVectors(4)
		f.load(x, 0, from...)
		f.load(y, 0, to...)
		for i := range to {
			f.add(from[i], alpha, to[i])
		}
		f.store(y, 0, to...)
		f.advance(64, x, y)
	})
	f.loop("elements", n, 1, "", func() {
		from, to := f.vector(), f.vector()
		f.loadElement(x, 0, from)
		f.loadElement(y, 0, to)
		f.add(from, alpha, to)
		f.storeElement(y, 0, to)
		f.advance(8, x, y)
	})
	f.result()
	return []*function{f}
}
