package theory

import "math"

// printedMinimaxItems are about section 5.5 and Le Cam's method.
func printedMinimaxItems() []printedItem {
	return []printedItem{{
		place:   "Section 5.5",
		title:   "class of violations",
		printed: "E (E[Y|X] - E[Y|X,U])² <= c². (Appendix B has E (E[Y|X] - E[E[Y|U]|X])² <= c², appendix H E (E[Y|U] - E[Y|U,X])² <= c².)",
		ours: "E (E[Y|U] - E[Y|U,X])² <= c², or appendix B's larger class: in both the worst risk of the best estimator is c². In that of section 5.5 it is unbounded (here it comes to 10^6 c²): " +
			"Y = theta X with U independent of X is in it for every theta.",
		off:        func(uint64) float64 { return worstOfClass(violation) },
		printedOff: func(uint64) float64 { return worstOfClass(mainTextOf) },
		tolerance:  10 * exactly,
	}, {
		place:      "Section 5.5",
		title:      "claims (i) and (ii)",
		printed:    "2Step-RR suffers an MSE of at most c² + o(1).",
		ours:       "An excess E (f - E[Y|X])² of at most c² + o(1); the MSE is larger by E Var(Y|X).",
		off:        func(seed uint64) float64 { return mseAboveViolation(seed, false) },
		printedOff: func(seed uint64) float64 { return mseAboveViolation(seed, true) },
		tolerance:  1e2 * exactly,
	}, {
		place:      "Appendix B",
		title:      "rho(q, q)",
		printed:    "rho(q_1, q_2) = E (E[Y_1|X] - E[E[Y_2|U_2]|X])² is a semi-distance.",
		ours:       "Of E[Y_1|X] and E[Y_2|X]. With the first rho(q, q) is q's own violation (here c = 1/2), not 0.",
		off:        func(uint64) float64 { return ownDistance(minimaxPairs(.5)[1], false) },
		printedOff: func(uint64) float64 { return ownDistance(minimaxPairs(.5)[1], true) },
		tolerance:  exactly,
	}, {
		place:      "Appendices B and H",
		title:      "rho squared",
		printed:    "rho is a squared distance, and has a triangle inequality.",
		ours:       "Its root has one: of E[Y|X] = 0, 1 and 2, the squares are 4 > 1 + 1, the roots 2 <= 1 + 1.",
		off:        func(uint64) float64 { return math.Max(0, 2-(1+1)) },
		printedOff: func(uint64) float64 { return math.Max(0, square(2)-(square(1)+square(1))) },
		tolerance:  exactly,
	}, {
		place:   "Appendix B",
		title:   "2 delta-separated",
		printed: "rho(p_1, p_2) > 2 delta gives delta²/2 (1 - TV): with rho = (2c)², delta = 2c².",
		ours: "rho^½ >= 2 delta gives it, delta = c. At c = 2 the least worst risk of the pair is 4; the printed condition would make it at least 32, " +
			"the right one 2 (and without Le Cam's factor 1/2, section 12, 4).",
		off:        func(uint64) float64 { return math.Max(0, rightLeCam.printed(2, 0)-leastOfPair(2)) },
		printedOff: func(uint64) float64 { return math.Max(0, rightLeCam.printed(2*square(2), 0)-leastOfPair(2)) },
		tolerance:  exactly,
	}, {
		place:      "Appendix B",
		title:      "TV and KL",
		printed:    "TV(p_1, p_2) of the distributions of (X, U, Y).",
		ours:       "Of the distributions of the samples S_X and S_Y. Those of (X, U, Y) have TV = 1 on the pair, and a bound of 0; those of the samples TV = 0, and c²/2 (c = 1/2).",
		off:        func(uint64) float64 { return math.Abs(square(.5)/2 - rightLeCam.printed(.5, tablesApart(.5))) },
		printedOff: func(uint64) float64 { return math.Abs(square(.5)/2 - rightLeCam.printed(.5, wholesApart(.5))) },
		tolerance:  exactly,
	}}
}

// limitEstimate is the limit of 2Step-RR on a pair, its best estimator.
func (m minimaxPair) limitEstimate() minimaxEstimate {
	l := m.limit()
	return minimaxEstimate{p: []float64{1}, values: [][4]float64{{l[0], l[1], l[2], l[3]}}}
}

// worstOfClass returns by how much the worst least risk over the pairs whose measure is at most c² exceeds
// c², relative to c², c = 1/2. Pairs have violations from c/10 to 1,000 c.
func worstOfClass(measure func([]minimaxAtom) float64) float64 {
	const c = .5
	var most float64
	for _, times := range []float64{.1, 1, 10, 1000} {
		for _, m := range minimaxPairs(times * c) {
			if measure(m.distribution(1)) > c*c*(1+exactly) {
				continue
			}
			plus, minus := m.risks(m.limitEstimate())
			most = math.Max(most, math.Max(plus, minus)/(c*c)-1)
		}
	}
	return most
}

// mainTextOf is E (E[Y|X] - E[Y|X,U])².
func mainTextOf(atoms []minimaxAtom) float64 {
	x, xu := meanOf(atoms, atomY, atomX), meanOf(atoms, atomY, atomXU)
	var sum float64
	for _, a := range atoms {
		sum += a.p * square(x[a.x]-xu[atomXU(a)])
	}
	return sum
}

// mseAboveViolation is by how much E (f-Y)², or E (f - E[Y|X])², exceeds c² for the limit f = 0 of 2Step-RR on pairs with noise, the most of 20.
func mseAboveViolation(seed uint64, mse bool) float64 {
	var most float64
	for i := range 20 {
		const c = .5
		pair, _ := rightMinimaxAny.pair(newSampler(Options{Seed: seed}, "printed/mse", i), c)
		f := make([]float64, len(pair[0].X))
		value := riskOf(pair[0], f)
		if mse {
			value = pair[0].MSE(f)
		}
		most = math.Max(most, value-c*c)
	}
	return most
}

// ownDistance is rho(q, q) for the first of a pair, as printed or between the two E[Y|X].
func ownDistance(m minimaxPair, printed bool) float64 {
	q := m.distribution(1)
	y, other := meanOf(q, atomY, atomX), meanOf(q, atomY, atomX)
	if printed {
		h := meanOf(q, atomY, atomU)
		other = meanOf(q, func(a minimaxAtom) float64 { return h[a.u] }, atomX)
	}
	var sum float64
	for x := range minimaxX {
		sum += square(y[x]-other[x]) / 4
	}
	return sum
}

// leastOfPair is the least worst risk of a pair.
func leastOfPair(c float64) float64 {
	m := minimaxPairs(c)[1]
	plus, minus := m.risks(m.limitEstimate())
	return math.Max(plus, minus)
}

// tablesApart is the larger TV of (X, U) and of (U, Y) of a pair: 0, and then that of any samples of them is 0 too. wholesApart is that
// of (X, U, Y).
func tablesApart(c float64) float64 {
	plus, minus := minimaxPairs(c)[1].distribution(1), minimaxPairs(c)[1].distribution(-1)
	return math.Max(apart(marginal(plus, atomXU), marginal(minus, atomXU)), apart(marginal(plus, atomUY), marginal(minus, atomUY)))
}

func wholesApart(c float64) float64 {
	plus, minus := minimaxPairs(c)[1].distribution(1), minimaxPairs(c)[1].distribution(-1)
	return apart(marginal(plus, atomWhole), marginal(minus, atomWhole))
}
