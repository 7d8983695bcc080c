package privacy

import (
	"fmt"
	"math"
)

// Largest and least values that are calibrated. Beyond them there is either hardly any noise or nothing but noise.
const (
	leastEpsilon, mostEpsilon = 1e-3, 50
	leastDelta, mostDelta     = 1e-12, .5
)

// Check returns an error that says which of the two is out of range: epsilon from 0.001 to 50, delta from 1e-12 to below 0.5.
func Check(epsilon, delta float64) error {
	switch {
	case !(epsilon >= leastEpsilon && epsilon <= mostEpsilon):
		return fmt.Errorf("privacy: epsilon is %g, must be at least %g and at most %d", epsilon, leastEpsilon, mostEpsilon)
	case !(delta >= leastDelta && delta < mostDelta):
		return fmt.Errorf("privacy: delta is %g, must be at least %g and below %g", delta, leastDelta, mostDelta)
	}
	return nil
}

// Delta returns the least delta for which normal noise of s times the sensitivity (the greatest Euclidean distance between the sums of neighbours) is
// (epsilon, delta)-differentially private [Balle and Wang, Theorem 8],
//
//	delta = Φ(a) - e^epsilon Φ(b),   a = 1/(2s) - epsilon s,   b = -1/(2s) - epsilon s
//
// to a relative error of 1e-12 or so. epsilon must be at least 0 and s above 0.
func Delta(epsilon, s float64) float64 {
	a, b := .5/s-epsilon*s, -.5/s-epsilon*s
	if a > 1 {
		return cumulative(a) - math.Exp(epsilon+logDensity(b))*mills(-b)
	}
	// (b² - a²)/2 = epsilon, so that e^epsilon φ(b) = φ(a) and what is left is a difference of Mills ratios, which neither overflows nor vanishes.
	return math.Exp(logDensity(a)) * (mills(-a) - mills(-b))
}

// Multiplier returns the least s for which normal noise of s times the sensitivity is (epsilon, delta)-differentially private, rounded up. It is an
// error if Check returns one.
func Multiplier(epsilon, delta float64) (float64, error) {
	if err := Check(epsilon, delta); err != nil {
		return 0, err
	}
	// Delta falls in s. The bounds hold for all that Check lets pass: their values are 1 and less than 1e-12.
	lo, hi := 1e-3, 1e5
	for {
		mid := math.Sqrt(lo * hi)
		if mid <= lo || mid >= hi {
			break
		}
		if Delta(epsilon, mid) > delta {
			lo = mid
		} else {
			hi = mid
		}
	}
	return hi * (1 + 1e-12), nil // more than the rounding of Delta moves it
}

func logDensity(x float64) float64 { return -x*x/2 - math.Log(2*math.Pi)/2 }

// cumulative is the distribution function of the standard normal distribution.
func cumulative(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }

// millsFraction is where the continued fraction begins. At its 60 terms it has an error below 1e-16 there.
const millsFraction = 5

// mills is Mills' ratio (1 - Φ(x))/φ(x) for x >= -1 or so.
func mills(x float64) float64 {
	if x < millsFraction {
		return cumulative(-x) / math.Exp(logDensity(x))
	}
	// 1/(x + 1/(x + 2/(x + 3/(x + ...)))) [Laplace]
	tail := x
	for i := 60; i >= 1; i-- {
		tail = x + float64(i)/tail
	}
	return 1 / tail
}
