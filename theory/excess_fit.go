package theory

import "math"

// minimiseInBall returns the minimiser of x'Gx - 2 g'x over |x| <= radius, G symmetric and not
// necessarily positive: x = (G + lambda I)⁻¹ g with lambda = 0 if that is inside, else the lambda >=
// max(0, -least eigenvalue) at which |x| = radius (Moré and Sorensen, 1983). The exceptional case, g
// orthogonal to the least eigenvector, does not occur for random g.
func minimiseInBall(g mat2, c vec2, radius float64) vec2 {
	half, mean := (g[0][0]-g[1][1])/2, (g[0][0]+g[1][1])/2
	least := mean - math.Hypot(half, g[0][1])
	solve := func(lambda float64) vec2 {
		a, b, d := g[0][0]+lambda, g[0][1], g[1][1]+lambda
		det := a*d - b*b
		return vec2{(d*c[0] - b*c[1]) / det, (a*c[1] - b*c[0]) / det}
	}
	if least > 0 {
		if x := solve(0); x.norm() <= radius {
			return x
		}
	}
	// |x| falls in lambda, from infinity or from more than radius to at most radius at hi.
	lo := math.Max(0, -least)
	hi := lo + c.norm()/radius
	for range 100 {
		mid := (lo + hi) / 2
		if solve(mid).norm() > radius {
			lo = mid
		} else {
			hi = mid
		}
	}
	return solve(hi)
}

// fitTwoStep is 2Step-RR over balls: h first, then f.
func (l excessDistribution) fitTwoStep(m excessMoments) (alpha, beta vec2) {
	beta = minimiseInBall(m.d, m.e, l.radiusH)
	return minimiseInBall(m.a, m.b.times(beta), l.radiusF), beta
}

// fitJoint is Joint-RR over balls, for the weights x of mean_SX (f-h)² and y of mean_SY (h-y)². The
// objective is convex and smooth and the constraints are separate, so minimising over alpha and beta
// in turn converges to its minimum; it stops when a round moves neither by more than 1e-12, far below
// the 1e-3 of the smallest excess here.
func (l excessDistribution) fitJoint(m excessMoments, x, y float64) (alpha, beta vec2) {
	alpha, beta = l.fitTwoStep(m)
	var none mat2
	quadratic := none.plus(x, m.c).plus(y, m.d)
	back := m.b.transposed()
	for range 10000 {
		before, was := alpha, beta
		alpha = minimiseInBall(m.a, m.b.times(beta), l.radiusF)
		beta = minimiseInBall(quadratic, vec2{}.plus(x, back.times(alpha)).plus(y, m.e), l.radiusH)
		if alpha.plus(-1, before).norm()+beta.plus(-1, was).norm() < 1e-12 {
			break
		}
	}
	return alpha, beta
}

// supF returns max over F of [E - mean_SX] (f-h)², for the given h, less the same of the comparator, put together by between: what the
// proof of the second step bounds.
func (l excessDistribution) supF(m excessMoments, beta, comparator vec2, between func(whole, rows, ofBest, rowsOfBest float64) float64) float64 {
	p := l.population()
	worst := minimiseInBall(m.a.plus(-1, p.a), m.b.times(beta).plus(-1, p.b.times(beta)), l.radiusF)
	losses := func(alpha vec2) (whole, rows float64) {
		whole, _ = p.risks(alpha, beta)
		rows, _ = m.risks(alpha, beta)
		return whole, rows
	}
	whole, rows := losses(worst)
	ofBest, rowsOfBest := losses(comparator)
	return between(whole, rows, ofBest, rowsOfBest)
}

// supH returns max over H of [E - mean_SY] (h-y)², less the same of the best h in H.
func (l excessDistribution) supH(m excessMoments, between func(whole, rows, ofBest, rowsOfBest float64) float64) float64 {
	p := l.population()
	worst := minimiseInBall(m.d.plus(-1, p.d), m.e.plus(-1, p.e), l.radiusH)
	losses := func(beta vec2) (whole, rows float64) {
		_, whole = p.risks(vec2{}, beta)
		_, rows = m.risks(vec2{}, beta)
		return whole, rows
	}
	whole, rows := losses(worst)
	ofBest, rowsOfBest := losses(l.beta)
	return between(whole, rows, ofBest, rowsOfBest)
}
