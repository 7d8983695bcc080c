package theory

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"mediant/internal/draw"
)

// appendixBoundItems are about the upper bound J_w and its minimisation.
func appendixBoundItems() []appendixItem {
	return []appendixItem{{
		title:    "Tightest upper bound",
		reported: "The minimum in the tightest bound is over functions in L2 of X.",
		ours:     "It is over L2 of U, at h = w E[Y|U] + (1-w) E[f|U]: a function of X could not be learned from S_Y, and its minimum is another number.",
		off: largestOver(func(l appendixDistribution) float64 {
			h, fbar := l.conditional()
			return math.Abs(l.upper(func(_, u int) float64 { return l.w*h[u] + (1-l.w)*fbar[u] }) - l.leastUpper(4, byU))
		}),
		printedOff: largestOver(func(l appendixDistribution) float64 { return math.Abs(l.leastUpper(3, byX) - l.leastUpper(4, byU)) }),
		// A distribution's J_w is up to 1e3 where w is near its ends and values are large: exactly of that.
		tolerance: 1e3 * exactly,
	}, {
		title:      "Quadratic form of the objective",
		reported:   "The 2 is missing (read here as theta'M theta - b'theta).",
		ours:       "theta'M theta - 2 b'theta + mean_SY y²/(1-w), with b = E/(1-w) in the rows of beta: only so is M⁻¹ b the minimiser.",
		off:        func(seed uint64) float64 { return quadraticOff(seed, 2, false) },
		printedOff: func(seed uint64) float64 { return quadraticOff(seed, 1, false) },
		tolerance:  100 * exactly,
	}, {
		title:      "Second sum of the matrix",
		reported:   "The second sum of the matrix lacks the prime (read here as psi(U_i), the rows of S_X, in both sums).",
		ours:       "C/w + D/(1-w) with D the mean over psi(U'_j), the rows of S_Y.",
		off:        func(seed uint64) float64 { return quadraticOff(seed, 2, false) },
		printedOff: func(seed uint64) float64 { return quadraticOff(seed, 2, true) },
		tolerance:  100 * exactly,
	}, {
		title:      "Proof of Thm 1, second square",
		reported:   "a stands where b should (read here as (a+b)² <= a²/w + a²/(1-w)).",
		ours:       "(a+b)² <= a²/w + b²/(1-w).",
		off:        func(uint64) float64 { return splitViolation(func(_, b float64) float64 { return b }) },
		printedOff: func(uint64) float64 { return splitViolation(func(a, _ float64) float64 { return a }) },
		// The inequality is an equality on part of the grid: rounding of numbers up to 20.
		tolerance: exactly,
	}, {
		title:    "Proof of Thm 1, sign of comparison",
		reported: "(a+b)² = a²/w + b²/(1-w).",
		ours:     "<=: the right side is larger by [(1-w)a - wb]²/(w(1-w)).",
		off: func(uint64) float64 {
			return splitGap(func(a, b, w float64) float64 { return square((1-w)*a-w*b) / (w * (1 - w)) })
		},
		printedOff: func(uint64) float64 { return splitGap(func(_, _, _ float64) float64 { return 0 }) },
		tolerance:  exactly,
	}, {
		title:    "Shrinkage proof, sign of 2(1-w)",
		reported: "A term with the factor 2(1-w) has the wrong sign (read here as a minus).",
		ours: "With h = w h* + (1-w) E[f|U]: E(f-h)²/w = w E(f-h*)² + 2(1-w) E(f-h*)(f-E[f|U]) + (1-w)²/w E(f-E[f|U])². " +
			"Only with the plus do the parts add up to min J_w.",
		off:        largestOver(func(l appendixDistribution) float64 { return l.shrinkageOff(+1) }),
		printedOff: largestOver(func(l appendixDistribution) float64 { return l.shrinkageOff(-1) }),
		tolerance:  1e3 * exactly,
	}}
}

// shrinkageOff expands E(f-h)²/w at the best h with the given sign of the middle term, adds E(h-Y)²/(1-w),
// and compares with the least J_w.
func (l appendixDistribution) shrinkageOff(sign float64) float64 {
	h, fbar := l.conditional()
	w := l.w
	first := l.mean(func(x, u int, _ float64) float64 { return square(l.f[x] - h[u]) })
	middle := l.mean(func(x, u int, _ float64) float64 { return (l.f[x] - h[u]) * (l.f[x] - fbar[u]) })
	last := l.mean(func(x, u int, _ float64) float64 { return square(l.f[x] - fbar[u]) })
	residual := l.mean(func(_, u int, y float64) float64 { return square(w*h[u] + (1-w)*fbar[u] - y) })
	return math.Abs(w*first + sign*2*(1-w)*middle + (1-w)*(1-w)/w*last + residual/(1-w) - l.leastUpper(4, byU))
}

// splitViolation is the most by which (a+b)² exceeds a²/w + second(a, b)²/(1-w) on a grid.
func splitViolation(second func(a, b float64) float64) float64 {
	var most float64
	onSplits(func(a, b, w float64) {
		most = math.Max(most, square(a+b)-a*a/w-square(second(a, b))/(1-w))
	})
	return most
}

// splitGap is the most by which a²/w + b²/(1-w) - (a+b)² differs from gap on a grid.
func splitGap(gap func(a, b, w float64) float64) float64 {
	var most float64
	onSplits(func(a, b, w float64) {
		most = math.Max(most, math.Abs(a*a/w+b*b/(1-w)-square(a+b)-gap(a, b, w)))
	})
	return most
}

func onSplits(visit func(a, b, w float64)) {
	for _, a := range gridOn(1) {
		for _, b := range gridOn(1) {
			for _, w := range []float64{.1, .25, .5, .8} {
				visit(a, b, w)
			}
		}
	}
}

// quadraticOff evaluates the regularised empirical J_w at random coefficients theta = (alpha, beta) row
// by row and as theta'M theta - factor b'theta + s/(1-w),
//
//	M = | A/w + lambda I   -B/w                       |    b = | 0       |
//	    | -B'/w            C/w + D/(1-w) + lambda I   |        | E/(1-w) |
//
// and returns the largest difference. reuse forms D from rows of S_X.
func quadraticOff(seed uint64, factor float64, reuse bool) float64 {
	const n, m, p, q, w, lambda = 12, 9, 2, 3, .3, .1
	rnd := draw.Rand(seed, "theory/appendix/quadratic", 0)
	normal := func(r, c int) *mat.Dense {
		d := mat.NewDense(r, c, nil)
		d.Apply(func(int, int, float64) float64 { return rnd.NormFloat64() }, d)
		return d
	}
	phi, psi, psi2, y := normal(n, p), normal(n, q), normal(m, q), normal(m, 1)
	second := psi2
	if reuse {
		second = psi.Slice(0, m, 0, q).(*mat.Dense)
	}
	form := mat.NewDense(p+q, p+q, nil)
	addProduct(form, 0, 0, 1/(n*w), phi, phi)
	addProduct(form, 0, p, -1/(n*w), phi, psi)
	addProduct(form, p, 0, -1/(n*w), psi, phi)
	addProduct(form, p, p, 1/(n*w), psi, psi)
	addProduct(form, p, p, 1/(m*(1-w)), second, second)
	for i := range p + q {
		form.Set(i, i, form.At(i, i)+lambda)
	}
	linear := mat.NewDense(p+q, 1, nil)
	addProduct(linear, p, 0, 1/(m*(1-w)), psi2, y)
	var worst float64
	for range 20 {
		theta := normal(p+q, 1)
		alpha, beta := theta.Slice(0, p, 0, 1), theta.Slice(p, p+q, 0, 1)
		objective := meanSquareGap(phi, alpha, psi, beta)/w + meanSquareGap(psi2, beta, y, mat.NewDense(1, 1, []float64{1}))/(1-w)
		objective += lambda * mat.Dot(theta.ColView(0), theta.ColView(0))
		var image mat.Dense
		image.Mul(form, theta)
		value := mat.Dot(theta.ColView(0), image.ColView(0)) - factor*mat.Dot(linear.ColView(0), theta.ColView(0)) + mat.Dot(y.ColView(0), y.ColView(0))/(m*(1-w))
		worst = math.Max(worst, math.Abs(objective-value))
	}
	return worst
}

// addProduct adds c a'b to the block of dst that begins at (i, j).
func addProduct(dst *mat.Dense, i, j int, c float64, a, b *mat.Dense) {
	var product mat.Dense
	product.Mul(a.T(), b)
	r, k := product.Dims()
	block := dst.Slice(i, i+r, j, j+k).(*mat.Dense)
	product.Scale(c, &product)
	block.Add(block, &product)
}

// meanSquareGap is the mean of (a u - b v)² over rows.
func meanSquareGap(a mat.Matrix, u mat.Matrix, b mat.Matrix, v mat.Matrix) float64 {
	var left, right mat.Dense
	left.Mul(a, u)
	right.Mul(b, v)
	left.Sub(&left, &right)
	n, _ := left.Dims()
	return mat.Dot(left.ColView(0), left.ColView(0)) / float64(n)
}
