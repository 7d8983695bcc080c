package theory

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"mediant/internal/draw"
)

// printedBoundItems are about the upper bound J_w, its minimisation and its limit.
func printedBoundItems() []printedItem {
	return slices.Concat(printedBoundProofItems(), printedObjectiveItems())
}

// printedBoundProofItems are about the bound, its proof and its continuity in w.
func printedBoundProofItems() []printedItem {
	return []printedItem{{
		place:   "Section 4.2.2",
		title:   "tightest upper bound",
		printed: "The minimum in the tightest bound is over functions in L2 of X.",
		ours:    "It is over L2 of U, at h = w E[Y|U] + (1-w) E[f|U]: a function of X could not be learned from S_Y, and its minimum is another number.",
		off: largestOver(func(l printedDistribution) float64 {
			h, fbar := l.conditional()
			return math.Abs(l.upper(func(_, u int) float64 { return l.w*h[u] + (1-l.w)*fbar[u] }) - l.leastUpper(4, byU))
		}),
		printedOff: largestOver(func(l printedDistribution) float64 { return math.Abs(l.leastUpper(3, byX) - l.leastUpper(4, byU)) }),
		// J_w is up to 1e3 where w is near its ends and values are large: exactly of that.
		tolerance: 1e3 * exactly,
	}, {
		place:      "Appendix A",
		title:      "second square of the proof of Theorem 1",
		printed:    "(a+b)² is compared with a²/w + a²/(1-w).",
		ours:       "(a+b)² <= a²/w + b²/(1-w).",
		off:        func(uint64) float64 { return splitViolation(func(_, b float64) float64 { return b }) },
		printedOff: func(uint64) float64 { return splitViolation(func(a, _ float64) float64 { return a }) },
		// The inequality is an equality on part of the grid: rounding of numbers up to 20.
		tolerance: exactly,
	}, {
		place:   "Appendix A",
		title:   "sign of comparison in the proof of Theorem 1",
		printed: "(a+b)² = w (a/w)² + (1-w)(b/(1-w))².",
		ours:    "<=: the right side is larger by [(1-w)a - wb]²/(w(1-w)).",
		off: func(uint64) float64 {
			return splitGap(func(a, b, w float64) float64 { return square((1-w)*a-w*b) / (w * (1 - w)) })
		},
		printedOff: func(uint64) float64 { return splitGap(func(_, _, _ float64) float64 { return 0 }) },
		tolerance:  exactly,
	}, {
		place:   "Appendix C",
		title:   "decomposition of E (h-Y)²",
		printed: "E (h(U)-Y)² = E (h(U)-E[Y|X])² + E (E[Y|X]-Y)².",
		ours:    "E (h(U)-Y)² = E (h(U)-E[Y|U])² + E (E[Y|U]-Y)², the next line of the paper: a function of U needs E[Y|U].",
		off: largestOver(func(l printedDistribution) float64 {
			h, _ := l.conditional()
			return l.splitOff(func(_, u int) float64 { return h[u] })
		}),
		printedOff: largestOver(func(l printedDistribution) float64 {
			m := l.givenX()
			return l.splitOff(func(x, _ int) float64 { return m[x] })
		}),
		tolerance: 1e2 * exactly,
	}, {
		place:   "Appendix C",
		title:   "the line after Jensen's inequality in the lemma on continuity",
		printed: "R(w,f_1) - R(1,f_0) = E (f_1-h*)² - E (f_0-h*)², so R(w,f_1) = R(1,f_1).",
		ours:    ">=: R(1,f) <= R(w,f) <= R(1,f)/w.",
		off: largestOver(func(l printedDistribution) float64 {
			one, value := l.limits()
			return math.Max(0, math.Max(one-value, value-one/l.w))
		}),
		printedOff: largestOver(func(l printedDistribution) float64 { one, value := l.limits(); return math.Abs(one - value) }),
		tolerance:  1e3 * exactly,
	}}
}

// printedObjectiveItems are about J_w as a function of h and of coefficients.
func printedObjectiveItems() []printedItem {
	return []printedItem{{
		place:   "Appendix G",
		title:   "expansion of E (h-h°)²",
		printed: "The term in h and f is +2(1-w) E[h E[f|U]]².",
		ours:    "-2(1-w) E[h E[f|U]], without the outer square: with h° = w E[Y|U] + (1-w) E[f|U], E (h-h°)² = E h² - 2w E[h E[Y|U]] - 2(1-w) E[h E[f|U]] + E h°².",
		off: largestOver(func(l printedDistribution) float64 {
			return l.expansionOff(func(hf float64) float64 { return -2 * (1 - l.w) * hf })
		}),
		printedOff: largestOver(func(l printedDistribution) float64 {
			return l.expansionOff(func(hf float64) float64 { return 2 * (1 - l.w) * hf * hf })
		}),
		tolerance: 1e2 * exactly,
	}, {
		place:      "Appendix J",
		title:      "quadratic form of the objective",
		printed:    "theta'A theta - b theta + const: the 2 is missing.",
		ours:       "theta'A theta - 2 b'theta + mean_SY y²/(1-w): only so is (A + lambda I)⁻¹ b the minimiser.",
		off:        func(seed uint64) float64 { return quadraticOff(seed, 2, false) },
		printedOff: func(seed uint64) float64 { return quadraticOff(seed, 1, false) },
		tolerance:  100 * exactly,
	}, {
		place:      "Appendix J",
		title:      "second sum of the matrix A",
		printed:    "The sum over S_Y has psi(U_i), rows of S_X.",
		ours:       "psi(U'_i), the rows of S_Y.",
		off:        func(seed uint64) float64 { return quadraticOff(seed, 2, false) },
		printedOff: func(seed uint64) float64 { return quadraticOff(seed, 2, true) },
		tolerance:  100 * exactly,
	}}
}

// splitOff is the distance of E (h-Y)² from E (h-m)² + E (m-Y)², for h = E[f|U].
func (l printedDistribution) splitOff(m func(x, u int) float64) float64 {
	_, h := l.conditional()
	return math.Abs(l.mean(func(x, u int, y float64) float64 {
		return square(h[u]-y) - square(h[u]-m(x, u)) - square(m(x, u)-y)
	}))
}

// limits returns R(1, f) and R(w, f), H being all functions of U.
func (l printedDistribution) limits() (one, value float64) {
	h, _ := l.conditional()
	one = l.mean(func(x, u int, _ float64) float64 { return square(l.f[x] - h[u]) })
	noise := l.mean(func(_, u int, y float64) float64 { return square(h[u] - y) })
	return one, l.leastUpper(4, byU) - noise/(1-l.w)
}

// expansionOff is the distance of E (h-h°)² from E h² - 2w E[h E[Y|U]] + cross(E[h E[f|U]]) + E h°² for an h of U.
func (l printedDistribution) expansionOff(cross func(hf float64) float64) float64 {
	target, fbar := l.conditional()
	h := [4]float64{1, -1, .5, 2}
	best := func(u int) float64 { return l.w*target[u] + (1-l.w)*fbar[u] }
	whole := l.mean(func(_, u int, _ float64) float64 {
		return square(h[u]-best(u)) - square(h[u]) - square(best(u)) + 2*l.w*h[u]*target[u]
	})
	return math.Abs(whole - cross(l.mean(func(_, u int, _ float64) float64 { return h[u] * fbar[u] })))
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
	rnd := draw.Rand(seed, "theory/printed/quadratic", 0)
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
