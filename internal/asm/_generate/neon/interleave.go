package main

// interleave writes the transpose of eight rows, four columns at a time.
func interleave() []*function {
	const columns = 4
	f := newFunction("interleaveNEON", "(dst *float64, width, depth int, src *float64, row int)",
		"interleaveNEON is interleavePortable for a depth that is a multiple of 4.")
	dst, width, depth := f.argument("dst"), f.bytesOf("width"), f.argument("depth")
	from := f.rows(f.argument("src"), f.bytesOf("row"), 8)
	f.loop("columns", depth, columns, "", func() {
		var to [columns][]vector
		for r := 0; r < len(from); r += 2 {
			for i := range to {
				to[i] = append(to[i], f.vector())
			}
			f.scope(func() {
				a, b := f.manyVectors(2), f.manyVectors(2)
				f.load(from[r], 0, a...)
				f.load(from[r+1], 0, b...)
				for i := range a {
					f.firsts(a[i], b[i], to[2*i][r/2])
					f.seconds(a[i], b[i], to[2*i+1][r/2])
				}
			})
		}
		for _, column := range to {
			f.store(dst, 0, column...)
			f.step(width, dst)
		}
		f.advance(8*columns, from...)
	})
	f.result()
	return []*function{f}
}
