package theory

import (
	"fmt"
	"math"
)

// A Distribution is a finite distribution of (X, U, Y): atoms x, u and y with their values and the probability
// p(x, u, y) of each triple. Functions of X, U or Y are slices with one value for each atom.
type Distribution struct {
	X, U [][]float64 // the value of each atom, a vector
	Y    []float64
	p    []float64 // p(x, u, y) at (x·len(U) + u)·len(Y) + y
}

// NewDistribution returns the distribution with probabilities proportional to weight, which holds one number of at least
// 0 for each triple, y running fastest, then u. It panics if their number is wrong, or if they are
// negative, not finite or all 0.
func NewDistribution(x, u [][]float64, y, weight []float64) *Distribution {
	if len(weight) != len(x)*len(u)*len(y) {
		panic(fmt.Sprintf("theory: %d weights for %d×%d×%d atoms", len(weight), len(x), len(u), len(y)))
	}
	var total accumulator
	for _, w := range weight {
		if !(w >= 0) {
			panic(fmt.Sprintf("theory: a weight is %g, must be at least 0", w))
		}
		total.add(w)
	}
	if t := total.value(); !(t > 0) || math.IsInf(t, 1) {
		panic(fmt.Sprintf("theory: weights sum to %g, must be positive and finite", t))
	}
	p := make([]float64, len(weight))
	for i, w := range weight {
		p[i] = w / total.value()
	}
	return &Distribution{X: x, U: u, Y: y, p: p}
}

// P returns p(x, u, y).
func (l *Distribution) P(x, u, y int) float64 { return l.p[(x*len(l.U)+u)*len(l.Y)+y] }

// Expect returns E g, the compensated sum of p·g over the triples of positive probability.
func (l *Distribution) Expect(g func(x, u, y int) float64) float64 {
	var sum accumulator
	i := 0
	for x := range l.X {
		for u := range l.U {
			for y := range l.Y {
				if p := l.p[i]; p > 0 {
					sum.add(p * g(x, u, y))
				}
				i++
			}
		}
	}
	return sum.value()
}

// given returns E[g | group] for count groups of atoms, 0 for a group of probability 0.
func (l *Distribution) given(count int, group func(x, u, y int) int, g func(x, u, y int) float64) []float64 {
	mass, sum := make([]accumulator, count), make([]accumulator, count)
	l.Expect(func(x, u, y int) float64 {
		i, p := group(x, u, y), l.P(x, u, y)
		mass[i].add(p)
		sum[i].add(p * g(x, u, y))
		return 0
	})
	mean := make([]float64, count)
	for i := range mean {
		if m := mass[i].value(); m > 0 {
			mean[i] = sum[i].value() / m
		}
	}
	return mean
}

// GivenX returns E[g | X], one number for each atom of X.
func (l *Distribution) GivenX(g func(x, u, y int) float64) []float64 {
	return l.given(len(l.X), func(x, _, _ int) int { return x }, g)
}

// GivenU returns E[g | U], one number for each atom of U.
func (l *Distribution) GivenU(g func(x, u, y int) float64) []float64 {
	return l.given(len(l.U), func(_, u, _ int) int { return u }, g)
}

// MeanYGivenU returns h* = E[Y | U].
func (l *Distribution) MeanYGivenU() []float64 { return l.GivenU(l.y) }

// MeanYGivenX returns E[Y | X].
func (l *Distribution) MeanYGivenX() []float64 { return l.GivenX(l.y) }

// MeanYGivenXU returns E[Y | X, U], atom (x, u) at x·len(U) + u.
func (l *Distribution) MeanYGivenXU() []float64 {
	return l.given(len(l.X)*len(l.U), func(x, u, _ int) int { return x*len(l.U) + u }, l.y)
}

func (l *Distribution) y(_, _, y int) float64 { return l.Y[y] }

// MarginX returns the probabilities of the atoms of X.
func (l *Distribution) MarginX() []float64 {
	return l.margin(len(l.X), func(x, _ int) int { return x })
}

// MarginU returns the probabilities of the atoms of U.
func (l *Distribution) MarginU() []float64 {
	return l.margin(len(l.U), func(_, u int) int { return u })
}

func (l *Distribution) margin(count int, group func(x, u int) int) []float64 {
	mass := make([]accumulator, count)
	l.Expect(func(x, u, y int) float64 { mass[group(x, u)].add(l.P(x, u, y)); return 0 })
	out := make([]float64, count)
	for i := range out {
		out[i] = mass[i].value()
	}
	return out
}

// marginsOfTables returns p(x, u) at x·len(U) + u and p(u, y) at u·len(Y) + y: all that two tables are samples of.
func (l *Distribution) marginsOfTables() (xu, uy []float64) {
	xu, uy = make([]float64, len(l.X)*len(l.U)), make([]float64, len(l.U)*len(l.Y))
	l.Expect(func(x, u, y int) float64 {
		xu[x*len(l.U)+u] += l.P(x, u, y)
		uy[u*len(l.Y)+y] += l.P(x, u, y)
		return 0
	})
	return xu, uy
}

// MSE returns E (f(X) - Y)².
func (l *Distribution) MSE(f []float64) float64 {
	return l.Expect(func(x, _, y int) float64 { return squared(f[x] - l.Y[y]) })
}

// Violation returns the size c of the violation of conditional mean independence,
// c² = E (E[Y|U] - E[Y|U,X])².
func (l *Distribution) Violation() float64 {
	byU, byXU := l.MeanYGivenU(), l.MeanYGivenXU()
	return math.Sqrt(l.Expect(func(x, u, _ int) float64 { return squared(byU[u] - byXU[x*len(l.U)+u]) }))
}

// HoldsCMI reports whether conditional mean independence, E[Y|U,X] = E[Y|U], holds to rounding: the
// violation is at most 1e-13 of the largest |y|, a hundred times the rounding of a conditional mean.
func (l *Distribution) HoldsCMI() bool {
	largest := 0.0
	for _, y := range l.Y {
		largest = max(largest, math.Abs(y))
	}
	return l.Violation() <= 1e-13*largest
}

// secondMoments returns E f² + E h² + E Y², the size of the terms of any quadratic in the three.
func (l *Distribution) secondMoments(f, h []float64) float64 {
	return l.Expect(func(x, u, y int) float64 { return squared(f[x]) + squared(h[u]) + squared(l.Y[y]) })
}

func squared(v float64) float64 { return v * v }
