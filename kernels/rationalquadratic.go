package kernels

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"mediant/internal/asm"
)

var (
	_ Radial   = RationalQuadratic{}
	_ Spectral = RationalQuadratic{}
)

func init() {
	Register(Registration[RationalQuadratic]{
		Name:       "rq",
		Parameters: []string{"ALPHA"},
		Bandwidth:  Median, Bandwidths: MedianPerColumn,
		New: func(p []float64, bandwidth float64) (RationalQuadratic, error) {
			return NewRationalQuadratic(p[0], bandwidth)
		},
		Describe: func(k RationalQuadratic) (Desc, error) {
			_, err := NewRationalQuadratic(k.alpha, k.bandwidth)
			return Desc{Alpha: k.alpha, Bandwidth: k.bandwidth}, err
		},
		Restore: func(d Desc) (RationalQuadratic, error) { return NewRationalQuadratic(d.Alpha, d.Bandwidth) },
	})
}

// Shapes beyond these are of no use: one of 1/100 hardly depends on the distance, and at 1e6 the kernel
// is the Gaussian one to 1e-6.
const (
	minAlpha = 0.01
	maxAlpha = 1e6
)

// RationalQuadratic is the kernel
//
//	k(x, x') = (1 + |x - x'|²/(2 alpha b²))^-alpha
//
// with shape alpha and bandwidth b in the units of x [RasmussenWilliams06, eq. 4.19]: Gaussian kernels of
// bandwidth b/sqrt(g), g from the gamma distribution of shape alpha and mean 1. So its spectral distribution is N(0, I)
// times sqrt(g)/b. It tends to the Gaussian kernel as alpha grows. The zero value is not usable; use
// NewRationalQuadratic.
type RationalQuadratic struct{ alpha, bandwidth float64 }

// NewRationalQuadratic returns the rational quadratic kernel of a shape from 0.01 to 1e6 with the given
// bandwidth, between 1e-150 and 1e150.
func NewRationalQuadratic(alpha, bandwidth float64) (RationalQuadratic, error) {
	if !(alpha >= minAlpha && alpha <= maxAlpha) {
		return RationalQuadratic{}, fmt.Errorf("kernels: rq: alpha is %v, must be from %v to %v", alpha, minAlpha, maxAlpha)
	}
	if err := checkBandwidth("rq", bandwidth); err != nil {
		return RationalQuadratic{}, err
	}
	return RationalQuadratic{alpha, bandwidth}, nil
}

// Alpha returns the shape.
func (k RationalQuadratic) Alpha() float64 { return k.alpha }

// Bandwidth returns b.
func (k RationalQuadratic) Bandwidth() float64 { return k.bandwidth }

// GramTo implements Kernel, at the cost of SqDistTo, a logarithm and an exponential an entry.
func (k RationalQuadratic) GramTo(dst *mat.Dense, x, y mat.Matrix) {
	mustBeSet("RationalQuadratic", k.alpha > 0)
	sqDistTo(dst, x, y, k.FromSqDist)
}

// DiagTo stores 1 in all of dst.
func (k RationalQuadratic) DiagTo(dst []float64, x mat.Matrix) { onesTo(dst, x) }

// FromSqDist replaces squared distances, which must not be negative, by kernel values. By logarithms of
// 1 + z that are as good as z, near rows keep their digits where alpha is large.
func (k RationalQuadratic) FromSqDist(d2 []float64) {
	scale := 1 / (2 * k.alpha * k.bandwidth * k.bandwidth)
	for i, v := range d2 {
		d2[i] = math.Log1p(v * scale)
	}
	asm.Exp(d2, -k.alpha)
}

// Mixture returns the distribution of sqrt(g)/b.
func (k RationalQuadratic) Mixture() ScaleMixture { return rootGamma{k.alpha, 1 / k.bandwidth} }

// FrequenciesTo fills dst with draws of N(0, I) times sqrt(g)/b, one a row.
func (k RationalQuadratic) FrequenciesTo(dst *mat.Dense, rnd *rand.Rand) {
	radialFrequenciesTo(dst, k.Mixture(), rnd)
}

// String names k for people.
func (k RationalQuadratic) String() string {
	return fmt.Sprintf("rq of alpha %.4g (bandwidth %.4g)", k.alpha, k.bandwidth)
}
