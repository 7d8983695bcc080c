package asm

// rectifyPortable is Rectify in Go.
func rectifyPortable(positive, negative, z []float64, t float64) {
	for j, v := range z {
		if above := v - t; above > 0 {
			positive[j] += above
		}
		if below := -v - t; below > 0 {
			negative[j] += below
		}
	}
}
