package theory

import "context"

// [Yamane21, section 5.5 and appendix H] bounds the worst risk from below for a density p(x) of X that is fixed. Let s(X) be a
// sign that splits p at its median, E s = 0, U independent of X, and Y = ±c s(X) + noise. Both distributions have violation c, the same
// (X, U) and the same (U, Y), whatever p, and for any estimator
//
//	average of the two risks = E fhat² + c²
//
// so that the worst risk is at least c² for every p (docs/theory.md, 12). Three classes of violations stand in the paper:
//
//	last appendix   E (E[Y|U] - E[Y|U,X])² <= c²          the one used here and in section 5.5's claim (ii)
//	Le Cam section  E (E[Y|X] - E[E[Y|U]|X])² <= c²       larger, by Jensen's inequality; its left side is 2Step-RR's risk
//	section 5.5     E (E[Y|X] - E[Y|X,U])² <= c²          another one, with distributions of any violation and risk
//
// Measured on random finite distributions.

// A minimaxAny holds the formulas for a given p(x).
type minimaxAny struct {
	value   func(c float64) float64      // Y = ±value·s(X) for violation c
	half    float64                      // P(s = 1)
	ofU     func(pu []float64) []float64 // weights of the second distribution's U, from the first's
	average func(distance, c float64) float64
	upper   func(c float64) float64                      // of 2Step-RR's risk over Le Cam's class
	larger  func(l *Distribution) (class, other float64) // class is at most other
	main    func(l *Distribution) float64                // what section 5.5 bounds
}

var rightMinimaxAny = minimaxAny{
	value:   func(c float64) float64 { return c },
	half:    .5,
	ofU:     func(pu []float64) []float64 { return pu },
	average: func(distance, c float64) float64 { return distance + c*c },
	upper:   func(c float64) float64 { return c * c },
	larger:  func(l *Distribution) (class, other float64) { return excess(l), squared(l.Violation()) },
	main:    mainTextViolation,
}

func (k minimaxAny) claim() Claim {
	return Claim{
		Name:      "Minimax risk for every p(x), in both classes",
		Reference: "[Yamane21, section 5.5, appendices B and H]; docs/theory.md, 12",
		Statement: "The square of c is a lower bound of the worst risk for every distribution of X, also one that is not symmetric, because it is part of the average over the two signs of Y. The class of appendix B contains that of appendix H, and 2Step-RR with infinitely many rows has a risk of at most the square of c in both. The class of section 5.5 has distributions of any risk.",
		Formulas: []string{
			`Y = \pm c\,s(X),\quad E\,s(X) = 0:\quad \text{average risk} = E\hat{f}^2 + c^2`,
		},
		Assumptions: "X has a sign s(X) with E s = 0: every density has one.",
		Method:      "Exact sums on random finite distributions of X that are not symmetric, with random estimators, also stochastic ones; the measures of the three classes on random distributions.",
		Run:         k.run,
	}
}

// minimaxTallies are what is measured.
type minimaxTallies struct {
	sameXU, sameUY, violation, leCam, average, worst, stochastic, inclusion, risk, main, mainRisk tally
}

func (k minimaxAny) run(ctx context.Context, o Options) (Result, error) {
	var t minimaxTallies
	for i := range o.distributionCount() / 2 {
		if err := ctx.Err(); err != nil {
			return Result{}, err
		}
		s := newSampler(o, "minimax/any", i)
		k.onPair(&t, s)
		k.onClasses(&t, s.distribution(i%2 == 0))
	}
	return Result{Checks: t.checks()}, nil
}

func (t *minimaxTallies) checks() []Check {
	return []Check{
		t.sameXU.identity("(X, U) has one distribution under both"),
		t.sameUY.identity("(U, Y) has one distribution under both"),
		t.violation.identity("E (E[Y|U] - E[Y|U,X])² = c², the class of appendix H"),
		t.leCam.identity("E (E[Y|X] - E[E[Y|U]|X])² = c², the class of appendix B"),
		t.average.identity("average of the two risks = E fhat² + c²"),
		t.worst.inequality("c² <= worst risk"),
		t.stochastic.inequality("c² <= worst risk of E[Yhat|X], Yhat stochastic"),
		t.inclusion.inequality("E (E[Y|X] - E[E[Y|U]|X])² <= E (E[Y|U] - E[Y|U,X])²: appendix B's class contains appendix H's"),
		t.risk.identity("risk of 2Step-RR with infinitely many rows = E (E[Y|X] - E[E[Y|U]|X])²"),
		t.main.identity("E (E[Y|X] - E[Y|X,U])² = 0 for Y = ±c s(X), the class of section 5.5"),
		t.mainRisk.identity("worst risk of the pair with violation 1000 c, which is in section 5.5's class too, = 10^6 c²"),
	}
}

// mainTextViolation is E (E[Y|X] - E[Y|X,U])².
func mainTextViolation(l *Distribution) float64 {
	byX, byXU := l.MeanYGivenX(), l.MeanYGivenXU()
	return l.Expect(func(x, u, _ int) float64 { return squared(byX[x] - byXU[x*len(l.U)+u]) })
}

// pair returns a pair of distributions with Y = ±size s(X) + noise, U independent of X, on atoms of X whose probabilities are not
// symmetric: those with s = 1 have one half in all. Y has the atoms ±size ± spread.
func (k minimaxAny) pair(s sampler, size float64) (pair [2]*Distribution, signs []float64) {
	left, right, nu, spread := s.integer(1, 3), s.integer(1, 3), s.integer(1, 3), s.between(.1, 1)
	px := s.shares(left)
	signs = make([]float64, left+right)
	px = append(px, s.shares(right)...)
	for x := range px {
		if signs[x] = 1; x < left {
			signs[x] = -1
			px[x] *= 1 - k.half
		} else {
			px[x] *= k.half
		}
	}
	pu, x, u := s.shares(nu), s.vectors(len(px), 1), s.vectors(nu, 1)
	y := []float64{-size - spread, -size + spread, size - spread, size + spread}
	for i, sign := range []float64{1, -1} {
		if i > 0 {
			pu = k.ofU(pu)[:nu]
		}
		weight := make([]float64, 0, len(px)*nu*len(y))
		for a, p := range px {
			for _, q := range pu {
				for j := range y {
					if (j < 2) == (sign*signs[a] < 0) {
						weight = append(weight, p*q/2)
					} else {
						weight = append(weight, 0)
					}
				}
			}
		}
		pair[i] = NewDistribution(x, u, y, weight)
	}
	return pair, signs
}

// onPair measures a pair.
func (k minimaxAny) onPair(t *minimaxTallies, s sampler) {
	c := s.between(.1, 2)
	pair, _ := k.pair(s, k.value(c))
	p := pair[0]
	xu, uy := p.marginsOfTables()
	xu2, uy2 := pair[1].marginsOfTables()
	t.sameXU.equalAll(xu, xu2)
	t.sameUY.equalAll(uy, uy2)
	size := 1 + c*c
	for _, l := range pair {
		t.violation.equal(squared(l.Violation()), c*c, size)
		t.leCam.equal(excess(l), c*c, size)
		t.main.equal(k.main(l), 0, size)
	}
	// A stochastic estimator: several functions, each with its probability, that of U and Y alone, which are the same under both.
	chance, risks, distance := s.shares(s.integer(1, 3)), [2]float64{}, 0.0
	mean := make([]float64, len(p.X))
	for _, q := range chance {
		f := s.values(len(p.X))
		distance += q * p.Expect(func(x, _, _ int) float64 { return squared(f[x]) })
		for i, l := range pair {
			risks[i] += q * riskOf(l, f)
		}
		for x := range mean {
			mean[x] += q * f[x]
		}
	}
	t.average.equal((risks[0]+risks[1])/2, k.average(distance, c), size+distance)
	t.worst.below(k.average(0, c), max(risks[0], risks[1]), size)
	t.stochastic.below(k.average(0, c), max(riskOf(pair[0], mean), riskOf(pair[1], mean)), size)

	large, _ := k.pair(s, k.value(1000*c))
	best := make([]float64, len(large[0].X)) // 2Step-RR's limit, 0
	t.main.equal(k.main(large[0]), 0, 1e6*size)
	t.mainRisk.equal(riskOf(large[0], best), 1e6*k.upper(c), 1e6*size)
}

// riskOf is E (f - E[Y|X])².
func riskOf(l *Distribution, f []float64) float64 {
	target := l.MeanYGivenX()
	return l.Expect(func(x, _, _ int) float64 { return squared(f[x] - target[x]) })
}

// onClasses measures the three classes on any distribution.
func (k minimaxAny) onClasses(t *minimaxTallies, l *Distribution) {
	class, other := k.larger(l)
	size := l.Expect(func(_, _, y int) float64 { return squared(l.Y[y]) })
	t.inclusion.below(class, other, size)
	h := l.MeanYGivenU()
	t.risk.equal(riskOf(l, l.GivenX(func(_, u, _ int) float64 { return h[u] })), class, size)
}
