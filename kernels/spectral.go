package kernels

import (
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
)

// radialFrequenciesTo fills each row of dst with s z, s from the mixture and then z from N(0, I).
func radialFrequenciesTo(dst *mat.Dense, mixture ScaleMixture, rnd *rand.Rand) {
	to := dst.RawMatrix()
	for i := range to.Rows {
		s := mixture.Draw(rnd)
		row := line(to, i)
		for j := range row {
			row[j] = s * rnd.NormFloat64()
		}
	}
}

// onesTo is the diagonal of kernels with k(x, x) = 1.
func onesTo(dst []float64, x mat.Matrix) {
	prepareDiag(dst, x)
	for i := range dst {
		dst[i] = 1
	}
}
