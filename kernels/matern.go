package kernels

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"mediant/internal/asm"
)

var (
	_ Radial   = Matern{}
	_ Spectral = Matern{}
)

// Matern is the Matérn kernel of order nu = 1/2, 3/2 or 5/2 [RasmussenWilliams06, eq. 4.14]: with
// r = sqrt(2 nu) |x - x'|/b,
//
//	nu = 1/2    exp(-r), the Laplacian of the Euclidean distance
//	nu = 3/2    (1 + r) exp(-r)
//	nu = 5/2    (1 + r + r²/3) exp(-r)
//
// and bandwidth (length) b in the units of x. Its spectral law is the multivariate t with 2 nu
// degrees of freedom and scale 1/b. The zero value is not usable; use NewMatern.
type Matern struct {
	twiceOrder int // 1, 3 or 5
	bandwidth  float64
}

// NewMatern returns the Matérn kernel of order 0.5, 1.5 or 2.5 with the given bandwidth, between
// 1e-150 and 1e150.
func NewMatern(order, bandwidth float64) (Matern, error) {
	if order != 0.5 && order != 1.5 && order != 2.5 {
		return Matern{}, fmt.Errorf("kernels: matern: order is %v, must be 0.5, 1.5 or 2.5", order)
	}
	if err := checkBandwidth("matern", bandwidth); err != nil {
		return Matern{}, err
	}
	return Matern{int(2 * order), bandwidth}, nil
}

// Order returns nu.
func (k Matern) Order() float64 { return float64(k.twiceOrder) / 2 }

// Bandwidth returns b.
func (k Matern) Bandwidth() float64 { return k.bandwidth }

// GramTo implements Kernel, at the cost of SqDistTo, an exponential and a square root an entry.
func (k Matern) GramTo(dst *mat.Dense, x, y mat.Matrix) {
	mustBeSet("Matern", k.twiceOrder > 0)
	sqDistTo(dst, x, y, k.FromSqDist)
}

// DiagTo stores 1 in all of dst.
func (k Matern) DiagTo(dst []float64, x mat.Matrix) { onesTo(dst, x) }

// FromSqDist replaces squared distances, which must not be negative, by kernel values.
func (k Matern) FromSqDist(d2 []float64) {
	scale := math.Sqrt(float64(k.twiceOrder)) / k.bandwidth
	var store [stretch]float64
	for len(d2) > 0 {
		n := min(len(d2), stretch)
		e, r := d2[:n], store[:n]
		asm.Roots(r, e, scale, farthest)
		copy(e, r)
		asm.Exp(e, -1)
		switch k.twiceOrder {
		case 3:
			asm.Quadratic(e, r, 0)
		case 5:
			asm.Quadratic(e, r, 1.0/3)
		}
		d2 = d2[n:]
	}
}

const (
	// stretch is how many distances are kept beside their exponentials, in the first cache.
	stretch = 256
	// farthest is where exp(-r) has long been 0, and the polynomial is still finite.
	farthest = 1000
)

// Mixture returns the law of sqrt(2 nu/chi²)/b, chi² with 2 nu degrees of freedom.
func (k Matern) Mixture() ScaleMixture { return studentT{k.twiceOrder, 1 / k.bandwidth} }

// FrequenciesTo fills dst with draws of the multivariate t law, one a row. Order 1/2 has Cauchy
// frequencies: some are huge.
func (k Matern) FrequenciesTo(dst *mat.Dense, rnd *rand.Rand) {
	radialFrequenciesTo(dst, k.Mixture(), rnd)
}

// A studentT is the mixture of a multivariate t law.
type studentT struct {
	freedom int
	scale   float64
}

// Draw forms chi² from as many normals as it has degrees of freedom, at most five.
func (s studentT) Draw(rnd *rand.Rand) float64 {
	for {
		var chi2 float64
		for range s.freedom {
			z := rnd.NormFloat64()
			chi2 += z * z
		}
		if chi2 > 0 { // one normal in 2³¹ or so is exactly 0
			return s.scale * math.Sqrt(float64(s.freedom)/chi2)
		}
	}
}
