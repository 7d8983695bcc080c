package theory

import (
	"context"

	"mediant/report"
)

// Claim 12, docs/theory.md, 9.12: the risk of f without one pair (X, Y). (X, U) has distribution P, the
// target, and (U, Y) distribution Q; h* = E[Y|U] and v* = E[Y²|U] are common to both, and under P conditional
// mean independence holds. h and v stand for h* and v*. For f fixed,
//
//	form 1, P and Q of one distribution, r for r* = E[f|U]:
//	  R = E_P (f-h)² + E_Q [(y-h)² + 2 (h-r)(y-h)],           R - E (f-Y)² = 2 E (r-r*)(h-h*)
//	form 2, distributions of U may differ, omega* = dP/dQ of U, omega for omega*, r for r* = omega* E_P[f|U]:
//	  R = E_P (f²-2fh+v) + E_Q [omega (y²-v) - 2 r (y-h)],
//	  R - E_P (f-Y)² = 2 E_Q (r-r*)(h-h*) - E_Q (omega-omega*)(v-v*)
//	linear functionals E_P k(X) Y, r for r* = E[k|U] (accuracy, effects):
//	  R = E_P k h + E_Q r (y-h),                               R - E k Y = - E (r-r*)(h-h*)
//
// Each bias is a product of two errors: none where either is 0. Without conditional mean independence form 1
// has - 2 E (f-r*)(h* - E[Y|U,X]) more, and a linear functional E (k-r*)(h* - E[Y|U,X]). With indicators as psi and no ridge,
// D⁻¹B'alpha is r*, for form 2 with D from Q.
//
// Measured on random distributions with random f, h, r, v, omega and k.

// An uncoupledRisk holds the formulas of claim 12, one row at a time.
type uncoupledRisk struct {
	form1X  func(f, h float64) float64
	form1Y  func(y, h, r float64) float64
	form2X  func(f, h, v float64) float64
	form2Y  func(y, h, r, v, omega float64) float64
	linearX func(k, h float64) float64
	linearY func(y, h, r float64) float64
	riesz   func(density, explained float64) float64 // r* of form 2
	// Factors of the biases: of (r-r*)(h-h*) in form 1 and 2, of (omega-omega*)(v-v*) in form 2, and of
	// (r-r*)(h-h*) for linear functionals, of (f-r*)(h*-E[Y|U,X]) in form 1 and for linear functionals under a violation.
	bias1, bias2, bias2V, biasLinear, biasCMI, linearCMI float64
}

var rightUncoupledRisk = uncoupledRisk{
	form1X:  func(f, h float64) float64 { return squared(f - h) },
	form1Y:  func(y, h, r float64) float64 { return squared(y-h) + 2*(h-r)*(y-h) },
	form2X:  func(f, h, v float64) float64 { return f*f - 2*f*h + v },
	form2Y:  func(y, h, r, v, omega float64) float64 { return omega*(y*y-v) - 2*r*(y-h) },
	linearX: func(k, h float64) float64 { return k * h },
	linearY: func(y, h, r float64) float64 { return r * (y - h) },
	riesz:   func(density, explained float64) float64 { return density * explained },
	bias1:   2, bias2: 2, bias2V: -1, biasLinear: -1, biasCMI: -2, linearCMI: 1,
}

func (k uncoupledRisk) claim() Claim {
	return Claim{
		Name:      "Risk without coupled rows",
		Reference: "docs/theory.md, 9.12",
		Statement: "The uncoupled risk and linear functionals are biased by products of errors of the nuisances alone, and not at all where either error is 0.",
		Formulas: []string{
			`\text{form 1: } 2E(r-r^*)(h-h^*)`,
			`\text{form 2: } 2E_Q(r-r^*)(h-h^*) - E_Q(\omega-\omega^*)(v-v^*)`,
			`\text{linear functional: } -E(r-r^*)(h-h^*)`,
		},
		Assumptions: "Conditional mean independence. Form 1 and linear functionals: one distribution of U. Form 2: E[Y|U] and E[Y²|U] common to both tables, and every u of S_X possible in S_Y.",
		Method:      "Exact sums on random pairs of finite distributions, with random f, h, r, v and omega. Row formulas also reproduce testdata/golden.",
		Run:         k.run,
	}
}

// riskTallies are what claim 12 measures on a pair of distributions.
type riskTallies struct {
	form1, form2, linear, violated, linearViolated, moments, rightR1, rightH1, rightR2, rightH2, riesz tally
	product, bias                                                                                      []float64
}

func (k uncoupledRisk) run(ctx context.Context, o Options) (Result, error) {
	var t riskTallies
	for i := range o.distributionCount() {
		if err := ctx.Err(); err != nil {
			return Result{}, err
		}
		s := newSampler(o, "uncoupled", i)
		k.onDistributions(&t, s)
		k.onViolation(&t, s)
	}
	chart := report.Chart{
		Name: "uncoupled-risk", Title: "Bias of form 1 on random distributions", XLabel: "E (r-r*)(h-h*)", YLabel: "R - E (f-Y)²",
		Series: []report.Series{{Name: "random distributions", Kind: report.Points, X: t.product, Y: t.bias}},
	}
	return Result{Checks: t.checks(), Charts: []report.Chart{chart}}, nil
}

func (t *riskTallies) checks() []Check {
	return []Check{
		t.form1.identity("form 1: R - E (f-Y)² = 2 E (r-r*)(h-h*)"),
		t.form2.identity("form 2: R - E_P (f-Y)² = 2 E_Q (r-r*)(h-h*) - E_Q (omega-omega*)(v-v*)"),
		t.linear.identity("linear functional: R - E k(X)Y = - E (r-r*)(h-h*)"),
		t.violated.identity("form 1 without conditional mean independence: R - E (f-Y)² = 2 E (r-r*)(h-h*) - 2 E (f-r*)(h*-E[Y|U,X])"),
		t.linearViolated.identity("linear functional without it: R - E k(X)Y = - E (r-r*)(h-h*) + E (k-r*)(h*-E[Y|U,X])"),
		t.rightR1.identity("form 1 is unbiased at r = r*, whatever h"),
		t.rightH1.identity("form 1 is unbiased at h = h*, whatever r"),
		t.rightR2.identity("form 2 is unbiased at r = r*, omega = omega*, whatever h and v"),
		t.rightH2.identity("form 2 is unbiased at h = h*, v = v*, whatever r and omega"),
		t.riesz.identity("D⁻¹B'alpha with D of S_Y is omega* E_P[f|U] for indicators"),
		t.moments.identity("form 1 from moments: E f² - 2 E fh + E h² + E y² - E_Q h² - 2 E_Q r(y-h)"),
	}
}

// A twoTables is a pair of distributions for which form 2 is meant, and the functions of U that it estimates.
type twoTables struct {
	p, q                    *Distribution // q's X has one atom
	target, second, density []float64
}

// twoTables returns distributions P with conditional mean independence, Y having 4 or 5 values, and Q with
// another distribution of U and another distribution of Y given U, of which only the first two moments are the same.
func (s sampler) twoTables() twoTables {
	nx, nu := s.integer(1, 4), s.integer(1, 4)
	y := s.levels(s.integer(4, 5))
	t := twoTables{p: s.distributionOf(s.pairs(nx, nu), nx, nu, y, true)}
	t.target, t.second = t.p.MeanYGivenU(), t.p.GivenU(func(_, _, k int) float64 { return squared(y[k]) })
	pu, qu := t.p.MarginU(), s.shares(nu)
	byY := make([][]float64, len(y))
	for k := range y {
		byY[k] = t.p.GivenU(func(_, _, i int) float64 {
			if i == k {
				return 1
			}
			return 0
		})
	}
	t.density = make([]float64, nu)
	weight := make([]float64, 0, nu*len(y))
	for u := range nu {
		t.density[u] = pu[u] / qu[u]
		row := make([]float64, len(y))
		for k := range row {
			row[k] = byY[k][u]
		}
		for _, p := range s.sameTwoMoments(row, y) {
			weight = append(weight, qu[u]*p)
		}
	}
	t.q = NewDistribution(s.vectors(1, 1), t.p.U, y, weight)
	return t
}

// sameTwoMoments returns p changed on its first four atoms along the divided difference of order 3,
// which annihilates 1, y and y².
func (s sampler) sameTwoMoments(p, y []float64) []float64 {
	var v [4]float64
	lo, hi := -1e9, 1e9
	for i := range v {
		v[i] = 1
		for j := range v {
			if i != j {
				v[i] /= y[i] - y[j]
			}
		}
		if room := p[i] / v[i]; room > 0 {
			lo = max(lo, -room)
		} else {
			hi = min(hi, -room)
		}
	}
	t := .9 * s.between(lo, hi)
	out := append([]float64(nil), p...)
	for i := range v {
		out[i] += t * v[i]
	}
	return out
}

// form1 returns R of form 1 with X, U of p and U, Y of q.
func (k uncoupledRisk) form1(p, q *Distribution, f, h, r []float64) float64 {
	return p.Expect(func(x, u, _ int) float64 { return k.form1X(f[x], h[u]) }) +
		q.Expect(func(_, u, y int) float64 { return k.form1Y(q.Y[y], h[u], r[u]) })
}

// form2 returns R of form 2.
func (k uncoupledRisk) form2(p, q *Distribution, f, h, r, v, omega []float64) float64 {
	return p.Expect(func(x, u, _ int) float64 { return k.form2X(f[x], h[u], v[u]) }) +
		q.Expect(func(_, u, y int) float64 { return k.form2Y(q.Y[y], h[u], r[u], v[u], omega[u]) })
}

// onDistributions measures a random pair of distributions.
func (k uncoupledRisk) onDistributions(t *riskTallies, s sampler) {
	two := s.twoTables()
	p, q, nu := two.p, two.q, len(two.p.U)
	f, h, r, v, omega := s.values(len(p.X)), s.values(nu), s.values(nu), s.values(nu), s.values(nu)
	explained := p.GivenU(func(x, _, _ int) float64 { return f[x] })
	products := func(l *Distribution, a, a0, b, b0 []float64) float64 {
		return l.Expect(func(_, u, _ int) float64 { return (a[u] - a0[u]) * (b[u] - b0[u]) })
	}
	mse := p.MSE(f)
	size := p.secondMoments(f, h) + q.Expect(func(_, u, y int) float64 {
		return squared(h[u]) + squared(r[u]) + (squared(two.density[u])+squared(omega[u])+1)*(1+squared(q.Y[y])+squared(v[u])+squared(explained[u]))
	})

	bias := k.form1(p, p, f, h, r) - mse
	product := products(p, r, explained, h, two.target)
	t.form1.equal(bias, k.bias1*product, size)
	if len(t.bias) < 200 {
		t.product, t.bias = append(t.product, product), append(t.bias, bias)
	}
	t.rightR1.equal(k.form1(p, p, f, h, explained), mse, size)
	t.rightH1.equal(k.form1(p, p, f, two.target, r), mse, size)
	t.moments.equal(k.form1(p, q, f, h, r), p.Expect(func(x, u, _ int) float64 { return squared(f[x]) - 2*f[x]*h[u] + squared(h[u]) })+
		q.Expect(func(_, u, y int) float64 { return squared(q.Y[y]) - squared(h[u]) - 2*r[u]*(q.Y[y]-h[u]) }), size)

	weighted := make([]float64, nu)
	for u := range weighted {
		weighted[u] = k.riesz(two.density[u], explained[u])
	}
	t.form2.equal(k.form2(p, q, f, h, r, v, omega)-mse,
		k.bias2*products(q, r, weighted, h, two.target)+k.bias2V*products(q, omega, two.density, v, two.second), size)
	t.rightR2.equal(k.form2(p, q, f, h, weighted, v, two.density), mse, size)
	t.rightH2.equal(k.form2(p, q, f, two.target, r, two.second, omega), mse, size)
	k.onMargins(t, two, f, weighted)

	t.linear.equal(k.linearBias(p, f, h, r), k.biasLinear*product, size)
}

// linearBias returns R - E k(X)Y of a linear functional, f standing for k.
func (k uncoupledRisk) linearBias(l *Distribution, f, h, r []float64) float64 {
	return l.Expect(func(x, u, _ int) float64 { return k.linearX(f[x], h[u]) }) +
		l.Expect(func(_, u, y int) float64 { return k.linearY(l.Y[y], h[u], r[u]) }) -
		l.Expect(func(x, _, y int) float64 { return f[x] * l.Y[y] })
}

// onViolation measures form 1 and a linear functional on a random distribution without conditional mean independence.
func (k uncoupledRisk) onViolation(t *riskTallies, s sampler) {
	l := s.distribution(false)
	f, h, r := s.values(len(l.X)), s.values(len(l.U)), s.values(len(l.U))
	target, both := l.MeanYGivenU(), l.MeanYGivenXU()
	explained := l.GivenU(func(x, _, _ int) float64 { return f[x] })
	product := l.Expect(func(_, u, _ int) float64 { return (r[u] - explained[u]) * (h[u] - target[u]) })
	missed := l.Expect(func(x, u, _ int) float64 { return (f[x] - explained[u]) * (target[u] - both[x*len(l.U)+u]) })
	size := l.secondMoments(f, h) + l.Expect(func(_, u, _ int) float64 { return squared(r[u]) })
	t.violated.equal(k.form1(l, l, f, h, r)-l.MSE(f), k.bias1*product+k.biasCMI*missed, size)
	t.linearViolated.equal(k.linearBias(l, f, h, r), k.biasLinear*product+k.linearCMI*missed, size)
}

// onMargins measures r from the moments of indicators: D is the diagonal of Q's margin of U, and entry u
// of B'alpha is the sum of p(x, u) f(x).
func (k uncoupledRisk) onMargins(t *riskTallies, two twoTables, f, want []float64) {
	d := two.q.MarginU()
	for u := range d {
		b := two.p.Expect(func(x, v, _ int) float64 {
			if v == u {
				return f[x]
			}
			return 0
		})
		t.riesz.equal(b/d[u], want[u], 2*two.density[u]+2)
	}
}
