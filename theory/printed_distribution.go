package theory

import (
	"math/rand/v2"

	"mediant/internal/draw"
)

// An printedDistribution is a random distribution of (X, U, Y) on 3 × 4 × 3 points, with no independence at all, and a
// random f and weight w to try on it.
type printedDistribution struct {
	p [3][4][3]float64
	y [3]float64
	f [3]float64
	w float64
}

// printedDistributions is the number of random distributions on which identities are tried.
const printedDistributions = 200

// largestOver returns the largest value over the random distributions.
func largestOver(value func(printedDistribution) float64) func(seed uint64) float64 {
	return func(seed uint64) float64 {
		var most float64
		for i := range printedDistributions {
			most = max(most, value(newPrintedDistribution(draw.Rand(seed, "theory/printed", i))))
		}
		return most
	}
}

func newPrintedDistribution(rnd *rand.Rand) printedDistribution {
	var l printedDistribution
	var total float64
	for x := range l.p {
		for u := range l.p[x] {
			for y := range l.p[x][u] {
				l.p[x][u][y] = rnd.ExpFloat64()
				total += l.p[x][u][y]
			}
		}
		l.f[x] = rnd.NormFloat64()
	}
	for x := range l.p {
		for u := range l.p[x] {
			for y := range l.p[x][u] {
				l.p[x][u][y] /= total
			}
		}
	}
	for y := range l.y {
		l.y[y] = rnd.NormFloat64()
	}
	l.w = .1 + .8*rnd.Float64()
	return l
}

// mean is E g(X, U, Y).
func (l printedDistribution) mean(g func(x, u int, y float64) float64) float64 {
	var sum float64
	for x := range l.p {
		for u := range l.p[x] {
			for y, p := range l.p[x][u] {
				sum += p * g(x, u, l.y[y])
			}
		}
	}
	return sum
}

// givenU is E[g | U = u].
func (l printedDistribution) givenU(g func(x int, y float64) float64) (h [4]float64) {
	for u := range h {
		on := func(v int) float64 {
			if v == u {
				return 1
			}
			return 0
		}
		h[u] = l.mean(func(x, v int, y float64) float64 { return on(v) * g(x, y) }) / l.mean(func(_, v int, _ float64) float64 { return on(v) })
	}
	return h
}

// conditional returns E[Y|U] and E[f|U].
func (l printedDistribution) conditional() (h, fbar [4]float64) {
	return l.givenU(func(_ int, y float64) float64 { return y }), l.givenU(func(x int, _ float64) float64 { return l.f[x] })
}

// givenX is E[Y | X].
func (l printedDistribution) givenX() (m [3]float64) {
	for x := range m {
		var mass float64
		for u := range l.p[x] {
			for y, p := range l.p[x][u] {
				mass += p
				m[x] += p * l.y[y]
			}
		}
		m[x] /= mass
	}
	return m
}

// upper is J_w(f, h) for an h of any of the variables.
func (l printedDistribution) upper(h func(x, u int) float64) float64 {
	return l.mean(func(x, u int, y float64) float64 {
		return square(l.f[x]-h(x, u))/l.w + square(h(x, u)-y)/(1-l.w)
	})
}

// leastUpper is the minimum of J_w over tables h of size values that select addresses: J_w is a parabola
// in each, so three values of it give the vertex, and no two meet in one product.
func (l printedDistribution) leastUpper(size int, address func(x, u int) int) float64 {
	h := make([]float64, size)
	at := func() float64 { return l.upper(func(x, u int) float64 { return h[address(x, u)] }) }
	for i := range h {
		h[i] = -1
		left := at()
		h[i] = 1
		right := at()
		h[i] = 0
		middle := at()
		h[i] = (left - right) / (2 * (left + right - 2*middle))
	}
	return at()
}

func byU(_, u int) int { return u }
func byX(x, _ int) int { return x }
