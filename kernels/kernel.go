package kernels

import (
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
)

// A Kernel is a positive semidefinite function k(x, x') of rows. Kernels are immutable and safe
// for concurrent use. Rows may be dense or sparse (anything with gonum's mat.RowNonZeroDoer). A kernel of another module is registered (Register)
// and tested with kerneltest.Run.
type Kernel interface {
	// GramTo stores in dst the n×m matrix k(x_i, y_j) of the n rows of x and the m rows of y. An
	// empty dst is resized; a dst of another shape, or x and y of different widths, panic. dst must
	// not share memory with x or y. Each entry depends on its row of x and on y alone, never on the
	// other rows of x.
	GramTo(dst *mat.Dense, x, y mat.Matrix)
	// DiagTo stores k(x_i, x_i) in dst, whose length must be the number of rows of x.
	DiagTo(dst []float64, x mat.Matrix)
}

// A Radial kernel is a function kappa(|x-x'|) of the Euclidean distance, with kappa(0) = 1.
type Radial interface {
	Kernel
	// FromSqDist replaces squared distances by kernel values in place.
	FromSqDist(d2 []float64)
	// Mixture is the spectral distribution as a scale mixture of Gaussians.
	Mixture() ScaleMixture
}

// A ScaleMixture is the distribution of a positive s such that s·N(0, I) has the spectral distribution of a radial
// kernel. It is the same in every dimension, so that independent, orthogonal and quasi-random
// directions all serve every radial kernel.
type ScaleMixture interface {
	Draw(rnd *rand.Rand) float64
}

// A Spectral kernel is shift-invariant with k(x, x) = 1: k(x, x') = E cos(omega'(x - x')), omega
// drawn from its spectral distribution.
type Spectral interface {
	Kernel
	// FrequenciesTo fills dst, one independent frequency a row, dst's columns being x's.
	FrequenciesTo(dst *mat.Dense, rnd *rand.Rand)
}
