package main

// Orders of the triangular solve's tile, those of every level.
const (
	solveRows = 8
	solveCols = 24
)

// solve writes the forward substitution with a lower triangle of order 8, stored by rows of 8, on six columns at a
// time. A row that is done is subtracted from all below it at once, so that their multiply-adds wait for nothing but it;
// each element still subtracts its products in the order of rows.
func solve() []*function {
	const vectors = 3
	f := newFunction("solveNEON", "(t, x *float64, rowX int)", "solveNEON is solvePortable.")
	t := f.argument("t")
	rows := f.rows(f.argument("x"), f.bytesOf("rowX"), solveRows)
	strips := f.general()
	f.instruct(0, "MOVD $%d, %v", solveCols/(2*vectors), strips)
	f.loop("strips", strips, 1, "8×6", func() {
		var tile [solveRows][]vector
		for r := range tile {
			tile[r] = f.manyVectors(vectors)
			f.load(rows[r], 0, tile[r]...)
		}
		coefs, diagonal := f.manyVectors(4), f.vector()
		for s, done := range tile {
			f.loadElement(t, 8*(s*solveRows+s), diagonal)
			f.spread(diagonal)
			for _, v := range done {
				f.over(v, diagonal, v)
			}
			f.store(rows[s], 0, done...)
			for r := s + 1; r < solveRows; r++ {
				coef := coefs[r%len(coefs)]
				f.loadElement(t, 8*(r*solveRows+s), coef)
				for j, v := range tile[r] {
					f.subtractLane(done[j], lane{coef, 0}, v)
				}
			}
		}
		f.advance(16*vectors, rows...)
	})
	f.result()
	return []*function{f}
}
