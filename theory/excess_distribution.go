package theory

import (
	"math"
	"math/rand/v2"
)

// An excessDistribution is a distribution of (X, U, Y) in the plane whose every moment is known:
//
//	X_j = +1 or -1    U_j = q X_j + s V_j    Y = beta'U + gamma U_1 U_2 + tau W
//
// with j = 1, 2, the signs of X independent and fair, V_j and W independent and uniform on [-1, 1].
// Conditional mean independence holds: given U, W is independent of X. By symmetry U_1 U_2 is
// orthogonal to U_1 and U_2, and
//
//	h*(u) = beta'u + gamma u_1 u_2      f*(x) = q beta'x + gamma q² x_1 x_2
//
// so that gamma = 0 is the well-specified case of linear f and h, gamma != 0 a case in which neither
// h* nor f* is linear but E[h(U)|X] is for linear h.
type excessDistribution struct {
	name             string
	q, s, gamma, tau float64
	beta             vec2
	// radiusF and radiusH bound |alpha| and |beta| of the classes F and H of linear functions. E[h(U)|X]
	// = q beta'x is in F for all h in H if radiusF >= q radiusH, and f* is if radiusF >= q |beta| and gamma = 0.
	radiusF, radiusH float64
}

type vec2 [2]float64

// A mat2 is a matrix by rows.
type mat2 [2]vec2

func (a vec2) norm() float64               { return math.Hypot(a[0], a[1]) }
func (a vec2) dot(b vec2) float64          { return a[0]*b[0] + a[1]*b[1] }
func (a vec2) plus(c float64, b vec2) vec2 { return vec2{a[0] + c*b[0], a[1] + c*b[1]} }
func (m mat2) times(v vec2) vec2           { return vec2{m[0].dot(v), m[1].dot(v)} }
func (m mat2) transposed() mat2            { return mat2{{m[0][0], m[1][0]}, {m[0][1], m[1][1]}} }
func (m mat2) plus(c float64, b mat2) mat2 { return mat2{m[0].plus(c, b[0]), m[1].plus(c, b[1])} }
func (m *mat2) addOuter(c float64, a, b vec2) {
	m[0], m[1] = m[0].plus(c*a[0], b), m[1].plus(c*a[1], b)
}
func scaled2(c float64) mat2 { return mat2{{c, 0}, {0, c}} }

// excessDistributions are the populations on which the bounds are checked: the well-specified one, one in which h* and f* are
// outside the classes, and one in which F has f* but not every E[h(U)|X].
func excessDistributions() []excessDistribution {
	well := excessDistribution{name: "well specified", q: .5, s: .5, tau: .3, beta: vec2{.6, .5}, radiusF: .5, radiusH: 1}
	mis, small := well, well
	mis.name, mis.gamma = "misspecified", .4
	small.name, small.radiusF = "small F", .4
	return []excessDistribution{well, mis, small}
}

// nearest is the function of F nearest to E[h(U)|X] = q beta'x: that itself if F has it, else its projection on the ball.
func (l excessDistribution) nearest(beta vec2) vec2 {
	g := vec2{}.plus(l.q, beta)
	if r := g.norm(); r > l.radiusF {
		return vec2{}.plus(l.radiusF/r, g)
	}
	return g
}

// varianceU is E U_j².
func (l excessDistribution) varianceU() float64 { return l.q*l.q + l.s*l.s/3 }

// bounds returns the suprema of |f|, |h| and |Y|: |x| is sqrt 2, |u| at most sqrt 2 (q+s), and the
// three terms of Y reach their maxima at one corner if gamma beta_1 beta_2 >= 0, as it is here.
func (l excessDistribution) bounds() (f, h, y float64) {
	reach := l.q + l.s
	f = l.radiusF * math.Sqrt2
	h = l.radiusH * math.Sqrt2 * reach
	y = (math.Abs(l.beta[0])+math.Abs(l.beta[1]))*reach + math.Abs(l.gamma)*reach*reach + l.tau
	return f, h, y
}

// epsH is min over H of E (h - h*)²; beta is in H.
func (l excessDistribution) epsH() float64 { return square(l.gamma * l.varianceU()) }

// excess is E (f - f*)² for f = alpha'x.
func (l excessDistribution) excess(alpha vec2) float64 {
	d := alpha.plus(-l.q, l.beta)
	return d.dot(d) + square(l.gamma*l.q*l.q)
}

// best is E (f* - Y)² = E Y² - E f*².
func (l excessDistribution) best() float64 {
	b, v := l.beta.dot(l.beta), l.varianceU()
	return v*b + square(l.gamma*v) + l.tau*l.tau/3 - l.q*l.q*b - square(l.gamma*l.q*l.q)
}

// population returns the moments themselves in place of those of a sample.
func (l excessDistribution) population() excessMoments {
	v := l.varianceU()
	return excessMoments{
		a: scaled2(1), b: scaled2(l.q), c: scaled2(v), d: scaled2(v),
		e: vec2{}.plus(v, l.beta),
		s: v*l.beta.dot(l.beta) + square(l.gamma*v) + l.tau*l.tau/3,
	}
}

// excessMoments are the moments of the two tables (docs/theory.md, 1) and s = mean_SY y².
type excessMoments struct {
	a, b, c, d mat2
	e          vec2
	s          float64
}

// risks returns mean_SX (f-h)² and mean_SY (h-y)².
func (m excessMoments) risks(alpha, beta vec2) (x, y float64) {
	x = alpha.dot(m.a.times(alpha)) - 2*alpha.dot(m.b.times(beta)) + beta.dot(m.c.times(beta))
	y = beta.dot(m.d.times(beta)) - 2*beta.dot(m.e) + m.s
	return x, y
}

func (l excessDistribution) drawX(rnd *rand.Rand) vec2 {
	bits := rnd.Uint64()
	return vec2{float64(bits&1)*2 - 1, float64(bits>>1&1)*2 - 1}
}

func (l excessDistribution) drawU(rnd *rand.Rand, x vec2) vec2 {
	return vec2{l.q*x[0] + l.s*(2*rnd.Float64()-1), l.q*x[1] + l.s*(2*rnd.Float64()-1)}
}

// sample draws both tables and returns their moments.
func (l excessDistribution) sample(rnd *rand.Rand, n, m int) excessMoments {
	var t excessMoments
	for range n {
		x := l.drawX(rnd)
		u := l.drawU(rnd, x)
		t.a.addOuter(1/float64(n), x, x)
		t.b.addOuter(1/float64(n), x, u)
		t.c.addOuter(1/float64(n), u, u)
	}
	for range m {
		u := l.drawU(rnd, l.drawX(rnd))
		y := l.beta.dot(u) + l.gamma*u[0]*u[1] + l.tau*(2*rnd.Float64()-1)
		t.d.addOuter(1/float64(m), u, u)
		t.e = t.e.plus(y/float64(m), u)
		t.s += y * y / float64(m)
	}
	return t
}
