package theory

import "math"

// appendixRiskItems are about the excess-risk bounds and the minimax bound.
func appendixRiskItems() []appendixItem {
	return []appendixItem{{
		title:    "Class P_c of distributions",
		reported: "Three definitions; that of the main text makes the worst risk unbounded (read here in two ways, below).",
		ours: "E (E[Y|U] - E[Y|U,X])² <= c². One that bounds the mean of the difference, not of its square, holds for every distribution, since that " +
			"mean is 0; one with >= has distributions of any size: in both the worst risk of the best estimator grows without limit (here to 10^6 c²).",
		off: func(uint64) float64 {
			return worstOfClass(func(mean, meanSquare, c float64) bool { return meanSquare <= c*c*(1+exactly) })
		},
		printedOff: func(uint64) float64 {
			return math.Min(
				worstOfClass(func(mean, _, c float64) bool { return math.Abs(mean) <= c }),
				worstOfClass(func(_, meanSquare, c float64) bool { return meanSquare >= c*c*(1-exactly) }))
		},
		tolerance: 10 * exactly,
	}, {
		title:      "Thm 4 and CMI",
		reported:   "Thm 4 does not assume E[Y|U] = E[Y|U,X].",
		ours:       "It must: without it 2Step-RR's excess risk tends to c² on the pair of check 8 (c = 1/2) while the bound tends to 0 (n = m = 10^14).",
		off:        func(uint64) float64 { return excessAboveBound(0) },
		printedOff: func(uint64) float64 { return excessAboveBound(.5) },
		tolerance:  exactly,
	}, {
		title:      "Thm 4, factor of the term of h",
		reported:   "The proof has a factor 4 where the final line uses 1.",
		ours:       "E E[hhat - h*|X]² <= 1 · E (hhat - h*)² by Jensen's inequality, and no less than 1 will do.",
		off:        func(uint64) float64 { return math.Abs(jensenNeeded() - 1) },
		printedOff: func(uint64) float64 { return math.Abs(jensenNeeded() - 4) },
		tolerance:  exactly,
	}, {
		title:      "Thm 4, symmetrisation",
		reported:   "A factor 2 of symmetrisation is lost.",
		ours:       "E sup (P - P_n) <= 2 R_n, and classes {0, g} with rare g need a factor arbitrarily near 2.",
		off:        func(uint64) float64 { return math.Max(0, symmetrisationNeeded()-2) },
		printedOff: func(uint64) float64 { return math.Max(0, symmetrisationNeeded()-1) },
		tolerance:  exactly,
	}, {
		title:    "Thm 4, absolute values",
		reported: "Absolute values are lost between the deviation and the Rademacher complexity.",
		ours: "E sup (P - P_n) <= 2 E sup 1/n Σ sigma_i f is one-sided, which is all that the proof needs. E sup |P - P_n| needs the absolute value on " +
			"the right as well: a single function has complexity 0 without it. (For a class with -F = F, such as a ball, both are the same.)",
		off:        func(uint64) float64 { return singleFunctionViolation(func(v float64) float64 { return v }) },
		printedOff: func(uint64) float64 { return singleFunctionViolation(math.Abs) },
		tolerance:  exactly,
	}, {
		title:      "Thm 4, probability",
		reported:   "1 - delta, though two events of probability delta each must not happen.",
		ours:       "1 - 2 delta by the union bound. Two independent ones happen with probability 1 - (1-delta)² = 0.0975 for delta = 0.05.",
		off:        func(uint64) float64 { return math.Max(0, 1-square(1-.05)-2*.05) },
		printedOff: func(uint64) float64 { return math.Max(0, 1-square(1-.05)-.05) },
		tolerance:  exactly,
	}, {
		title:      "Thm 4, bound of f",
		reported:   "sup f, without absolute value.",
		ours:       "sup |f|. For f in [-2, -1] and h in [0, 1], 2(sup |f| + sup |h|) = 6 is the Lipschitz constant of (f-h)², 2(sup f + sup h) is 0.",
		off:        func(uint64) float64 { return math.Max(0, steepest(2, 1)-2*(2+1)) },
		printedOff: func(uint64) float64 { return math.Max(0, steepest(2, 1)-2*(-1+1)) },
		// Rounding of squares of order 10 over the step of 1e-6.
		tolerance: 1e-8,
	}}
}

// worstOfClass returns by how much the worst least risk over the pairs that belong to a class exceeds
// c², relative to c², c = 1/2. Pairs have violations from c/10 to 1,000 c.
func worstOfClass(belongs func(mean, meanSquare, c float64) bool) float64 {
	const c = .5
	var most float64
	for _, times := range []float64{.1, 1, 10, 1000} {
		for _, m := range minimaxPairs(times * c) {
			distribution := m.distribution(1)
			if !belongs(meanViolation(distribution), violation(distribution), c) {
				continue
			}
			l := m.limit()
			plus, minus := m.risks(minimaxEstimate{p: []float64{1}, values: [][4]float64{{l[0], l[1], l[2], l[3]}}})
			// The limit of 2Step-RR is the best estimator of the pair (check 8).
			most = math.Max(most, math.Max(plus, minus)/(c*c)-1)
		}
	}
	return most
}

// meanViolation is E (E[Y|U] - E[Y|U,X]), which the tower rule makes 0.
func meanViolation(atoms []minimaxAtom) float64 {
	u, xu := meanOf(atoms, atomY, atomU), meanOf(atoms, atomY, atomXU)
	var sum float64
	for _, a := range atoms {
		sum += a.p * (u[a.u] - xu[atomXU(a)])
	}
	return sum
}

// excessAboveBound is by how much the limit of 2Step-RR on the pair with violation c exceeds the right
// side of Thm 4 at 10^14 rows, with bounds of 2 for |f|, |h| and |Y| and balls of radius 2 on rows of
// length at most 2.
func excessAboveBound(c float64) float64 {
	const n, bound, delta = 1e14, 2, .05
	m := minimaxPairs(c)[1]
	l := m.limit()
	plus, _ := m.risks(minimaxEstimate{p: []float64{1}, values: [][4]float64{{l[0], l[1], l[2], l[3]}}})
	f := excessConstants()
	one := f.deviation(bound, bound, 2*2/math.Sqrt(n), n, delta)
	return math.Max(0, plus-f.triangle*(one+f.jensen*one))
}

// singleFunctionViolation is by how much E size(P - P_n) of one function, 1 with probability 1/2 and else
// 0, on one row exceeds 2 E sigma g = 0.
func singleFunctionViolation(size func(float64) float64) float64 {
	deviation := .5*size(.5-0) + .5*size(.5-1)
	complexity := .5*(.5*1+.5*-1) + .5*0
	return math.Max(0, deviation-2*complexity)
}
