package asm

// solvePortable is Solve in Go.
func solvePortable(t, x []float64, rowX int) {
	for i := range Rows {
		row := (*[Cols]float64)(x[i*rowX:])
		for l := range i {
			coef, above := -t[i*Rows+l], (*[Cols]float64)(x[l*rowX:])
			for j := range row {
				row[j] = fma(coef, above[j], row[j])
			}
		}
		d := t[i*Rows+i]
		for j := range row {
			row[j] /= d
		}
	}
}
