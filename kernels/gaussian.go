package kernels

import (
	"fmt"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"mediant/internal/asm"
)

var (
	_ Radial   = Gaussian{}
	_ Spectral = Gaussian{}
)

func init() {
	Register(Registration[Gaussian]{
		Name:      "gaussian",
		Bandwidth: Median, Bandwidths: MedianPerColumn,
		New: func(_ []float64, bandwidth float64) (Gaussian, error) { return NewGaussian(bandwidth) },
		Describe: func(k Gaussian) (Desc, error) {
			return Desc{Bandwidth: k.bandwidth}, checkBandwidth("gaussian", k.bandwidth)
		},
		Restore: func(d Desc) (Gaussian, error) { return NewGaussian(d.Bandwidth) },
	})
}

// Gaussian is the kernel
//
//	k(x, x') = exp(-|x - x'|²/(2b²))
//
// with bandwidth b in the units of x. Its spectral distribution is N(0, I/b²). The zero value is not usable;
// use NewGaussian.
type Gaussian struct{ bandwidth float64 }

// NewGaussian returns the Gaussian kernel with the given bandwidth, between 1e-150 and 1e150. The
// form exp(-gamma |d|²) has bandwidth 1/sqrt(2 gamma).
func NewGaussian(bandwidth float64) (Gaussian, error) {
	if err := checkBandwidth("gaussian", bandwidth); err != nil {
		return Gaussian{}, err
	}
	return Gaussian{bandwidth}, nil
}

// Bandwidth returns b.
func (k Gaussian) Bandwidth() float64 { return k.bandwidth }

// GramTo implements Kernel, at the cost of SqDistTo and an exponential an entry.
func (k Gaussian) GramTo(dst *mat.Dense, x, y mat.Matrix) {
	mustBeSet("Gaussian", k.bandwidth > 0)
	sqDistTo(dst, x, y, k.FromSqDist)
}

// DiagTo stores 1 in all of dst.
func (k Gaussian) DiagTo(dst []float64, x mat.Matrix) { onesTo(dst, x) }

// FromSqDist replaces squared distances, which must not be negative, by kernel values.
func (k Gaussian) FromSqDist(d2 []float64) {
	asm.Exp(d2, -1/(2*k.bandwidth*k.bandwidth))
}

// Mixture returns the constant 1/b.
func (k Gaussian) Mixture() ScaleMixture { return constant(1 / k.bandwidth) }

// FrequenciesTo fills dst with draws of N(0, I/b²), one a row.
func (k Gaussian) FrequenciesTo(dst *mat.Dense, rnd *rand.Rand) {
	radialFrequenciesTo(dst, k.Mixture(), rnd)
}

// String names k for people.
func (k Gaussian) String() string { return fmt.Sprintf("gaussian (bandwidth %.4g)", k.bandwidth) }
