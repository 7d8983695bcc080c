package asm

// addNormsPortable is AddNorms in Go.
func addNormsPortable(d, norms []float64, norm, near float64) bool {
	large := true
	for j, product := range d {
		sum := norm + norms[j]
		d[j] = sum + product
		if !(d[j] > near*sum) {
			large = false
		}
	}
	return large
}
