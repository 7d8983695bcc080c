package experiments

import (
	"math"
	"sync"
)

// Bayes is the risk of E[Y|X], the least of all: Noise + (1/21 + 1/180) D, or Noise where Y is made from X.
func (s Synthetic) Bayes() float64 {
	if s.Direct {
		return s.Noise
	}
	return s.Noise + float64(s.D)*(1./21+1./180)
}

// Limit is the risk of E[E[Y|U]|X], the best that tables of (X, U) and (U, Y) tell of. It is that of Bayes where
// conditional mean independence holds. Where Y is made from X each coordinate adds the mean of
// (x² - k(x))², k(x) = E[E[X²|U]|x]: given u the coordinate of X is uniform on the interval in which x³ is within
// 1/2 of u, and given x U is uniform within 1/2 of x³. Both means are sums over cell midpoints, within some 1e-6 of the
// integral.
func (s Synthetic) Limit() float64 {
	if !s.Direct {
		return s.Bayes()
	}
	return s.Noise + float64(s.D)*directGap()
}

// directGap is what a coordinate adds to the limit, summed up once.
var directGap = sync.OnceValue(func() float64 {
	const cells = 1000
	gap := 0.0
	for i := range cells {
		x := (2*float64(i)+1)/cells - 1
		mean := 0.0
		for j := range cells {
			mean += meanSquareGiven(x*x*x+(float64(j)+.5)/cells-.5) / cells
		}
		gap += (x*x - mean) * (x*x - mean) / cells
	}
	return gap
})

// meanSquareGiven is E[X²|U = u] of one coordinate.
func meanSquareGiven(u float64) float64 {
	a, b := math.Cbrt(max(u-.5, -1)), math.Cbrt(min(u+.5, 1))
	return (a*a + a*b + b*b) / 3
}
