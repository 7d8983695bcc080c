package main

// absdiff adds |x_p - y_pj| over p to 24 sums.
func absdiff() []*function {
	f := newFunction("absDiffNEON", "(sum, x, y *float64, n int)", "absDiffNEON is absDiffPortable for n rows.")
	sum, x, y, n := f.argument("sum"), f.argument("x"), f.argument("y"), f.argument("n")
	acc := f.manyVectors(solveCols / 2)
	f.load(sum, 0, acc...)
	f.loop("rows", n, 1, "24 elements", func() {
		v, row := f.vector(), f.manyVectors(len(acc))
		f.broadcast(x, v)
		f.load(y, 0, row...)
		for j := range acc {
			f.distance(v, row[j], row[j])
			f.plus(acc[j], row[j], acc[j])
		}
		f.advance(8, x)
		f.advance(8*solveCols, y)
	})
	f.store(sum, 0, acc...)
	f.result()
	return []*function{f}
}
