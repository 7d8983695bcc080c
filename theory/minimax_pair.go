package theory

import (
	"math"
	"math/rand/v2"
)

// A minimaxPair is two distributions of (X, U, Y), sign = +1 and -1, that no sample of (X, U) and (U, Y) can tell
// apart:
//
//	X = (X_1, X_2), both fair signs    U = X_1 V    Y = link U + sign c X_2
//
// with V = 1 with probability (1+r)/2, else -1. X_2 is independent of (X_1, U), so that the distribution of
// (U, Y) is the same for both signs, and so is that of (X, U). Conditional mean independence fails by
// exactly c: E[Y|U,X] - E[Y|U] = sign c X_2. With link = 0 this is the smallest such pair, Y = sign c
// X_2 and nothing to be learned from U; with link = 1 there is: E[Y|X] = r X_1 + sign c X_2.
type minimaxPair struct {
	name       string
	c, link, r float64
}

func minimaxPairs(c float64) []minimaxPair {
	return []minimaxPair{
		{name: "U says nothing", c: c, link: 0, r: 0},
		{name: "U says E[Y|U]", c: c, link: 1, r: .5},
	}
}

// A minimaxAtom is a point of a distribution. x counts the four points of X.
type minimaxAtom struct {
	x    int
	u, y float64
	p    float64
}

// minimaxX are the four points of X.
var minimaxX = [4][2]float64{{-1, -1}, {-1, 1}, {1, -1}, {1, 1}}

// distribution lists the atoms of P_sign.
func (m minimaxPair) distribution(sign float64) []minimaxAtom {
	var atoms []minimaxAtom
	for x, v := range minimaxX {
		for _, side := range []float64{-1, 1} {
			u := v[0] * side
			atoms = append(atoms, minimaxAtom{x: x, u: u, y: m.link*u + sign*m.c*v[1], p: (1 + side*m.r) / 8})
		}
	}
	return atoms
}

// marginal sums the probabilities of what key makes of the atoms.
func marginal[K comparable](atoms []minimaxAtom, key func(minimaxAtom) K) map[K]float64 {
	m := make(map[K]float64)
	for _, a := range atoms {
		m[key(a)] += a.p
	}
	return m
}

// apart is the total variation distance of two finite distributions.
func apart[K comparable](a, b map[K]float64) float64 {
	var sum float64
	for k, p := range a {
		sum += math.Abs(p - b[k])
	}
	for k, p := range b {
		if _, ok := a[k]; !ok {
			sum += p
		}
	}
	return sum / 2
}

// meanOf returns E[value | key] for each value of key.
func meanOf[K comparable](atoms []minimaxAtom, value func(minimaxAtom) float64, key func(minimaxAtom) K) map[K]float64 {
	p, mean := marginal(atoms, key), make(map[K]float64)
	for _, a := range atoms {
		mean[key(a)] += a.p * value(a) / p[key(a)]
	}
	return mean
}

func atomX(a minimaxAtom) int            { return a.x }
func atomU(a minimaxAtom) float64        { return a.u }
func atomY(a minimaxAtom) float64        { return a.y }
func atomXU(a minimaxAtom) [2]float64    { return [2]float64{float64(a.x), a.u} }
func atomUY(a minimaxAtom) [2]float64    { return [2]float64{a.u, a.y} }
func atomWhole(a minimaxAtom) [3]float64 { return [3]float64{float64(a.x), a.u, a.y} }

// violation is E (E[Y|U] - E[Y|U,X])².
func violation(atoms []minimaxAtom) float64 {
	u, xu := meanOf(atoms, atomY, atomU), meanOf(atoms, atomY, atomXU)
	var sum float64
	for _, a := range atoms {
		sum += a.p * square(u[a.u]-xu[atomXU(a)])
	}
	return sum
}

// A minimaxEstimate is an estimator's values at the four points of X; a stochastic one has several,
// each with its probability.
type minimaxEstimate struct {
	p      []float64
	values [][4]float64
}

// distance is E (fhat(X) - g(X))², over X and the estimator's own chance.
func (e minimaxEstimate) distance(g map[int]float64) float64 {
	var sum float64
	for t, p := range e.p {
		for x, v := range e.values[t] {
			sum += p * square(v-g[x]) / 4
		}
	}
	return sum
}

// risks returns E (fhat - E[Y|X])² under both distributions.
func (m minimaxPair) risks(e minimaxEstimate) (plus, minus float64) {
	return e.distance(meanOf(m.distribution(1), atomY, atomX)), e.distance(meanOf(m.distribution(-1), atomY, atomX))
}

// limit is what 2Step-RR learns from infinitely many rows, E[E[Y|U]|X], from the two uncoupled distributions
// alone.
func (m minimaxPair) limit() map[int]float64 {
	h := meanOf(m.distribution(1), atomY, atomU)
	return meanOf(m.distribution(-1), func(a minimaxAtom) float64 { return h[a.u] }, atomX)
}

// randomEstimate draws an estimator with one to four outcomes; scale is the size of its values.
func randomEstimate(rnd *rand.Rand, scale float64) minimaxEstimate {
	var e minimaxEstimate
	var total float64
	for range 1 + rnd.IntN(4) {
		var v [4]float64
		for i := range v {
			v[i] = scale * rnd.NormFloat64()
		}
		p := rnd.Float64()
		total += p
		e.p, e.values = append(e.p, p), append(e.values, v)
	}
	for i := range e.p {
		e.p[i] /= total
	}
	return e
}

// leastWorst minimises the worse of the two risks over all deterministic estimators by moving to the
// best of 80 neighbours (-1, 0 or 1 steps in each of four values), halving the step where none is
// better, down to 1e-7. The worse risk is convex with a kink along one hyperplane, in which enough of
// the 80 directions lie. It is 1 in curvature, so the value is then within 1e-13 of the minimum up to
// the slope across the kink, c·1e-7.
func (m minimaxPair) leastWorst(rnd *rand.Rand) float64 {
	at := randomEstimate(rnd, 2)
	at.p, at.values = []float64{1}, at.values[:1]
	plus, minus := meanOf(m.distribution(1), atomY, atomX), meanOf(m.distribution(-1), atomY, atomX)
	worst := func(e minimaxEstimate) float64 { return math.Max(e.distance(plus), e.distance(minus)) }
	best := worst(at)
	for step := 1.0; step > 1e-7; {
		next, found := at, false
		for direction := range 81 {
			v := at.values[0]
			for i, d := 0, direction; i < 4; i, d = i+1, d/3 {
				v[i] += step * float64(d%3-1)
			}
			trial := minimaxEstimate{p: at.p, values: [][4]float64{v}}
			if w := worst(trial); w < best {
				next, best, found = trial, w, true
			}
		}
		if at = next; !found {
			step /= 2
		}
	}
	return best
}
