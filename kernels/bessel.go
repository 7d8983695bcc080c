package kernels

import (
	"math"
	"sync"

	"mediant/internal/asm"
)

// A besselRule integrates
//
//	J(nu, r) = ∫ exp(nu s - e^s - (r²/4) e^-s) ds = 2 (r/2)^nu K_nu(r),    J(nu, 0) = Gamma(nu)
//
// [DLMF, 10.32.10 with t = e^s], the function behind the modified Bessel function K_nu and the Matérn
// kernels, by the trapezoidal rule about the maximum of the integrand. All terms are positive, so
// that nothing cancels, and for an analytic integrand the rule converges geometrically in the
// inverse of its step.
//
// With a + b = q and a - b = nu, where q = sqrt(nu² + r²), the maximum is where e^s = a, and at a
// distance u from it the exponent is lower by
//
//	a (e^u - 1) + b (e^-u - 1) - nu u >= 0
//
// whose terms are of the size of those that count, whatever nu and r are.
type besselRule struct{ order float64 }

// steps is the number of steps h to a standard deviation 1/sqrt(q) of the integrand, and longestStep
// bounds h for small q. On the line Im u = c the integrand's modulus integrates to at most
// exp(r (1 - cos c))/(cos c)^nu times the integral, so that the error of the rule is some
//
//	2 exp(r (1 - cos c) - 2 pi c/h)/(cos c)^nu
//
// of it for any c below pi/2: for q up to 20 and c = 1.3 at most 2 exp(-39), and less for larger q (q = 64,
// c = 1: 2 exp(-51)), where it tends to 2 exp(-8 pi²).
const (
	steps       = 2
	longestStep = 0.14
)

// deepest is where terms end: exp(-50) of the largest. The exponent is concave, so what is left out is a
// geometric series of less than 1 + k/50 times the last of k terms.
const deepest = 50

// terms are the exponents of one evaluation, some forty; for orders below 1 and tiny r some thousand.
var terms = sync.Pool{New: func() any { return new([]float64) }}

// halves returns a and b.
func (j besselRule) halves(r float64) (a, b float64) {
	q := math.Hypot(j.order, r)
	b = r / (q + j.order) * r / 2
	return j.order + b, b
}

// sum returns J less the factor exp(-(a + b)) a^nu, the integrand's largest value.
func (j besselRule) sum(a, b float64) float64 {
	h := min(longestStep, 1/(steps*math.Sqrt(a+b)))
	store := terms.Get().(*[]float64)
	list := append((*store)[:0], 0)
	list = j.wing(list, a, b, h)
	list = j.wing(list, b, a, -h)
	asm.Exp(list, 1)
	var sum float64
	for _, v := range list {
		sum += v
	}
	*store = list
	terms.Put(store)
	return h * sum
}

// wing appends the exponents at u = h, 2h, … relative to the maximum's, as far as they count. grow is the
// factor of e^|u|, shrink that of e^-|u|; both are followed by sums, whose errors count for k units at step k.
func (j besselRule) wing(list []float64, grow, shrink, h float64) []float64 {
	first := math.Expm1(math.Abs(h))
	up, down := first, first/(1+first) // e^|u| - 1 and 1 - e^-|u|
	stepDown := down
	for k := 1.0; ; k++ {
		v := j.order*k*h - grow*up + shrink*down
		if !(v > -deepest) {
			return list
		}
		list = append(list, v)
		up += (1 + up) * first
		down += (1 - down) * stepDown
	}
}

// bessel returns K_nu(x) for nu and x > 0, +Inf where that exceeds float64. Its relative error is that of
// an exponential, eps |log K_nu(x)|, and of few units more.
func bessel(nu, x float64) float64 {
	j := besselRule{nu}
	a, b := j.halves(x)
	return math.Exp(nu*math.Log(2*a/x)-(a+b)) * j.sum(a, b) / 2
}
