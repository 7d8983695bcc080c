package theory

import "math"

// The continuous ranked probability score, in claim 13: for a distribution function G(t|x) of steps at the values t_1 < ... < t_n of Y,
//
//	CRPS = E ∫ (G(t|X) - 1{Y <= t})² dt = Σ_j (t_(j+1) - t_j) E (G_j(X) - 1{Y <= t_j})²
//
// is a sum of Brier scores, each with the uncoupled risk of form 1,
//
//	R_j = E_SX (G_j - h_j)² + E_SY [(1{Y <= t_j} - h_j)² + 2 (h_j - r_j)(1{Y <= t_j} - h_j)],    biased by 2 E (r_j - r_j*)(h_j - h_j*),
//
// if Y and X are independent given U. Measured against E|Z - Y| - E|Z - Z'|/2 of independent Z and Z' with the distribution G(.|X), which is the same score [Gneiting and Raftery, Strictly
// proper scoring rules, prediction, and estimation, JASA 102, 2007].

// A crpsFormula holds its terms.
type crpsFormula struct {
	x     func(g, h float64) float64
	y     func(below, h, r float64) float64
	width func(t, next float64) float64
	bias  float64
}

var rightCRPS = crpsFormula{
	x:     func(g, h float64) float64 { return squared(g - h) },
	y:     func(below, h, r float64) float64 { return squared(below-h) + 2*(h-r)*(below-h) },
	width: func(t, next float64) float64 { return next - t },
	bias:  2,
}

// onCRPS measures the score of random distribution functions with random h and r, on a distribution of Y that is independent of X given U and has increasing values.
func (k bregmanRisk) onCRPS(t *bregmanTallies, s sampler, l *Distribution) {
	n := len(l.Y)
	steps := make([][]float64, len(l.X)) // probabilities of the values
	for x := range steps {
		steps[x] = s.shares(n)
	}
	truth := l.Expect(func(x, _, y int) float64 {
		score := 0.
		for i, p := range steps[x] {
			score += p * math.Abs(l.Y[i]-l.Y[y])
			for j, q := range steps[x] {
				score -= p * q * math.Abs(l.Y[i]-l.Y[j]) / 2
			}
		}
		return score
	})
	estimate, bias, size := 0., 0., 1.
	g := make([]float64, len(l.X))
	for j := range n - 1 {
		for x := range g {
			g[x] += steps[x][j]
		}
		below := func(_, _, y int) float64 { return indicator(y <= j) }
		h, r := s.values(len(l.U)), s.values(len(l.U))
		target, explained := l.GivenU(below), l.GivenU(func(x, _, _ int) float64 { return g[x] })
		width := k.crps.width(l.Y[j], l.Y[j+1])
		estimate += width * l.Expect(func(x, u, y int) float64 { return k.crps.x(g[x], h[u]) + k.crps.y(below(x, u, y), h[u], r[u]) })
		bias += width * k.crps.bias * l.Expect(func(_, u, _ int) float64 { return (r[u] - explained[u]) * (h[u] - target[u]) })
		size += math.Abs(l.Y[j+1]-l.Y[j]) * l.Expect(func(_, u, _ int) float64 { return 4 + 4*squared(h[u]) + squared(r[u]) })
	}
	t.crps.equal(estimate-truth, bias, size)
}
