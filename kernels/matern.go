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

func init() {
	Register(Registration[Matern]{
		Name:       "matern",
		Parameters: []string{"NU"},
		Aliases:    map[string][]float64{"matern12": {0.5}, "matern32": {1.5}, "matern52": {2.5}},
		Bandwidth:  Median, Bandwidths: MedianPerColumn,
		New:      func(p []float64, bandwidth float64) (Matern, error) { return NewMatern(p[0], bandwidth) },
		Describe: Matern.describe,
		Restore:  restoreMatern,
	})
}

// Orders beyond these are of no use: functions of order 1/10 are next to noise, and at 1,000 the kernel
// is the Gaussian one to 1e-3.
const (
	minOrder = 0.1
	maxOrder = 1000
)

// Matern is the Matérn kernel of order nu [RasmussenWilliams06, eq. 4.14]: with r = sqrt(2 nu) |x - x'|/b,
//
//	k(x, x') = 2^(1-nu)/Gamma(nu) r^nu K_nu(r)
//
// of the modified Bessel function K_nu, and bandwidth (length) b in the units of x. It is
//
//	nu = 1/2    exp(-r), the Laplacian of the Euclidean distance
//	nu = 3/2    (1 + r) exp(-r)
//	nu = 5/2    (1 + r + r²/3) exp(-r)
//
// and tends to the Gaussian kernel. Its spectral distribution is the multivariate t with 2 nu degrees of freedom
// and scale 1/b. The zero value is not usable; use NewMatern.
type Matern struct {
	order, bandwidth float64
	atZero           float64 // besselRule.sum at r = 0, unless the order has a closed form
}

// NewMatern returns the Matérn kernel of an order from 0.1 to 1,000 with the given bandwidth, between
// 1e-150 and 1e150.
func NewMatern(order, bandwidth float64) (Matern, error) {
	if !(order >= minOrder && order <= maxOrder) {
		return Matern{}, fmt.Errorf("kernels: matern: order is %v, must be from %v to %v", order, minOrder, maxOrder)
	}
	if err := checkBandwidth("matern", bandwidth); err != nil {
		return Matern{}, err
	}
	k := Matern{order: order, bandwidth: bandwidth}
	if !k.closed() {
		k.atZero = besselRule{order}.sum(order, 0)
	}
	return k, nil
}

// Order returns nu.
func (k Matern) Order() float64 { return k.order }

// Bandwidth returns b.
func (k Matern) Bandwidth() float64 { return k.bandwidth }

// closed reports whether the order is one of those with a name, 1/2, 3/2 and 5/2.
func (k Matern) closed() bool { return k.order == 0.5 || k.order == 1.5 || k.order == 2.5 }

// GramTo implements Kernel, at the cost of SqDistTo and, for an entry, an exponential and a square root
// at order 1/2, 3/2 and 5/2, and some forty exponentials at others.
func (k Matern) GramTo(dst *mat.Dense, x, y mat.Matrix) {
	mustBeSet("Matern", k.order > 0)
	sqDistTo(dst, x, y, k.FromSqDist)
}

// DiagTo stores 1 in all of dst.
func (k Matern) DiagTo(dst []float64, x mat.Matrix) { onesTo(dst, x) }

// FromSqDist replaces squared distances, which must not be negative, by kernel values.
func (k Matern) FromSqDist(d2 []float64) {
	if k.closed() {
		k.closedForm(d2)
		return
	}
	scale := math.Sqrt(2*k.order) / k.bandwidth
	for i, v := range d2 {
		d2[i] = k.general(scale * math.Sqrt(v))
	}
}

// closedForm is FromSqDist at order 1/2, 3/2 and 5/2.
func (k Matern) closedForm(d2 []float64) {
	scale := math.Sqrt(2*k.order) / k.bandwidth
	var store [stretch]float64
	for len(d2) > 0 {
		n := min(len(d2), stretch)
		e, r := d2[:n], store[:n]
		asm.Roots(r, e, scale, farthest)
		copy(e, r)
		asm.Exp(e, -1)
		switch k.order {
		case 1.5:
			asm.Quadratic(e, r, 0)
		case 2.5:
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
	// vanishing is the exponent of a number so small that the integral, below 1e3, leaves it 0.
	vanishing = -760
)

// general is the kernel at r as J(nu, r)/J(nu, 0), in which the factors of J that exceed float64 have
// been cancelled by hand: with a and b of besselRule, a^nu exp(-(a + b))/(nu^nu exp(-nu)) is
// (1 + b/nu)^nu exp(-2b).
func (k Matern) general(r float64) float64 {
	if r == 0 {
		return 1
	}
	rule := besselRule{k.order}
	a, b := rule.halves(r)
	exponent := k.order*math.Log1p(b/k.order) - 2*b
	if !(exponent > vanishing) { // NaN of an infinite r too
		return 0
	}
	return min(1, math.Exp(exponent)*rule.sum(a, b)/k.atZero)
}

// Mixture returns the distribution of sqrt(2 nu/chi²)/b, chi² with 2 nu degrees of freedom.
func (k Matern) Mixture() ScaleMixture { return studentT{2 * k.order, 1 / k.bandwidth} }

// FrequenciesTo fills dst with draws of the multivariate t distribution, one a row. Up to order 1/2, where they are
// Cauchy, frequencies have no mean: some are huge.
func (k Matern) FrequenciesTo(dst *mat.Dense, rnd *rand.Rand) {
	radialFrequenciesTo(dst, k.Mixture(), rnd)
}

// alias is the name of a closed order.
func (k Matern) alias() string { return fmt.Sprintf("matern%d2", int(2*k.order)) }

// String names k for people.
func (k Matern) String() string {
	if k.closed() {
		return fmt.Sprintf("%s (bandwidth %.4g)", k.alias(), k.bandwidth)
	}
	return fmt.Sprintf("matern of order %.4g (bandwidth %.4g)", k.order, k.bandwidth)
}

// describe gives the closed orders their names.
func (k Matern) describe() (Desc, error) {
	if _, err := NewMatern(k.order, k.bandwidth); err != nil {
		return Desc{}, err
	}
	if k.closed() {
		return Desc{Kind: k.alias(), Bandwidth: k.bandwidth}, nil
	}
	return Desc{Order: k.order, Bandwidth: k.bandwidth}, nil
}

// restoreMatern refuses the orders that describe calls otherwise.
func restoreMatern(d Desc) (Matern, error) {
	for _, order := range []float64{0.5, 1.5, 2.5} {
		if d.Kind == (Matern{order: order}).alias() {
			return NewMatern(order, d.Bandwidth)
		}
	}
	k, err := NewMatern(d.Order, d.Bandwidth)
	if err == nil && k.closed() {
		err = fmt.Errorf("kernels: matern: order %v is called %s in descriptions", d.Order, k.alias())
	}
	return k, err
}
