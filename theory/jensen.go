package theory

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"

	"mediant/report"
)

// Claim 6, [Yamane21, section 3]. Under conditional mean independence naive, h* of a prediction of U,
// converges to h*(E[U|X]), and the best prediction is E[Y|X] = E[h*(U)|X]. For convex h*, by Jensen,
//
//	h*(E[U|X=x]) <= E[Y|X=x]
//
// and strictly where h* is strictly convex and U is not determined by x. How much, by Taylor: for
// h*(u) = Σ a_j u_j² + b'u the gap is exactly Σ a_j Var(U_j|x); for h*(u) = exp(b'u) it is at least
// m/2 Var(b'U|x), m the least exp(b'u) over the u that x allows. It is 0 for linear h*, and where U is a
// function of X. (h*(u) = Σ u_j² with Var(U_j|x) = 1/12 is the paper's synthetic distribution: naive is too low
// by 1/12 a dimension.)
//
// Measured on random distributions with E[Y|U,X] = h*(U) for a random h* of each kind.

// A jensen holds the formulas of claim 6.
type jensen struct {
	naive     func(h func([]float64) float64, mean []float64) float64 // limit of naive at a mean of U
	quadratic func(a, u float64) float64                              // one term of h*, convex in u for a > 0
	gap       func(a, variance float64) float64                       // one term of the gap for it
	least     func(m, variance float64) float64                       // lower bound of the gap for exp
}

var rightJensen = jensen{
	naive:     func(h func([]float64) float64, mean []float64) float64 { return h(mean) },
	quadratic: func(a, u float64) float64 { return a * u * u },
	gap:       func(a, variance float64) float64 { return a * variance },
	least:     func(m, variance float64) float64 { return m / 2 * variance },
}

func (j jensen) claim() Claim {
	return Claim{
		Name:      "Naive is too low for convex h*",
		Reference: "[Yamane21, section 3]; docs/theory.md, 9.6",
		Statement: "The naive chain is too low where h* is convex, strictly where h* is strictly convex and X does not determine U, and right where h* is linear or U is a function of X. For a quadratic h* the gap is the conditional variance of U.",
		Formulas: []string{
			`h^*(E[U|X]) \le E[Y|X]`,
			`h^*(u) = \sum_j a_j u_j^2 + b'u:\quad E[Y|X] - h^*(E[U|X]) = \sum_j a_j\operatorname{Var}(U_j|X)`,
		},
		Assumptions: "Conditional mean independence.",
		Method:      "Exact sums at each atom of X of random finite distributions with U in one or two dimensions; h* quadratic, exponential or linear with random coefficients.",
		Run:         j.run,
	}
}

// jensenTallies are what claim 6 measures on a distribution.
type jensenTallies struct {
	below, quadratic, strict, linear, determined tally
	spread, gap                                  []float64 // of exponential h*, for the chart
}

func (j jensen) run(ctx context.Context, o Options) (Result, error) {
	var t jensenTallies
	for i := range o.distributionCount() {
		if err := ctx.Err(); err != nil {
			return Result{}, err
		}
		j.onDistribution(&t, newSampler(o, "jensen", i))
	}
	chart := report.Chart{
		Name: "jensen", Title: "How much too low naive is, h*(u) = exp(b'u), atoms of random distributions", XLabel: "least curvature × Var(b'U|x)/2", YLabel: "E[Y|x] - h*(E[U|x])", LogX: true, LogY: true,
		Series: []report.Series{{Name: "atoms", Kind: report.Points, X: t.spread, Y: t.gap}, diagonal("lower bound", t.spread)},
	}
	return Result{Checks: t.checks(), Charts: []report.Chart{chart}}, nil
}

func (t *jensenTallies) checks() []Check {
	return []Check{
		t.below.inequality("h*(E[U|X]) <= E[Y|X] for quadratic and exponential h*"),
		t.quadratic.identity("E[Y|X] - h*(E[U|X]) = Σ a_j Var(U_j|X) for quadratic h*"),
		t.strict.inequality("m/2 Var(b'U|X) <= E[Y|X] - h*(E[U|X]) for exponential h*, curvature at least m"),
		t.linear.identity("E[Y|X] = h*(E[U|X]) for linear h*"),
		t.determined.identity("E[Y|X] = h*(E[U|X]) for quadratic h* where U = g(X)"),
	}
}

// onDistribution measures distributions of the same pairs for each kind of h*.
func (j jensen) onDistribution(t *jensenTallies, s sampler) {
	nx, nu, d := s.integer(1, 5), s.integer(1, 5), s.integer(1, 2)
	x, u := s.vectors(nx, 1), s.vectors(nu, d)
	pairs := s.pairs(nx, nu)
	a, b := make([]float64, d), s.values(d)
	for i := range a {
		a[i] = s.between(.1, 2)
	}
	linear := func(u []float64) float64 { return floats.Dot(b, u) }
	quadratic := func(u []float64) float64 {
		sum := linear(u)
		for i, v := range u {
			sum += j.quadratic(a[i], v)
		}
		return sum
	}
	exponential := func(u []float64) float64 { return math.Exp(linear(u)) }

	for _, at := range j.atoms(s, pairs, x, u, quadratic) {
		want := 0.0
		for i := range a {
			want += j.gap(a[i], at.variance(func(u []float64) float64 { return u[i] }))
		}
		t.below.below(at.naive, at.best, at.size)
		t.quadratic.equal(at.best-at.naive, want, at.size)
	}
	for _, at := range j.atoms(s, pairs, x, u, exponential) {
		bound := j.least(at.least(exponential), at.variance(linear))
		t.below.below(at.naive, at.best, at.size)
		t.strict.below(bound, at.best-at.naive, at.size)
		if bound > 1e-6 && len(t.gap) < 200 {
			t.spread, t.gap = append(t.spread, bound), append(t.gap, at.best-at.naive)
		}
	}
	for _, at := range j.atoms(s, pairs, x, u, linear) {
		t.linear.equal(at.best, at.naive, at.size)
	}
	for i := range nx { // one u for each x
		clear(pairs[i*nu : (i+1)*nu])
		pairs[i*nu+s.integer(0, nu-1)] = s.between(.05, 1)
	}
	for _, at := range j.atoms(s, pairs, x, u, quadratic) {
		t.determined.equal(at.best, at.naive, at.size)
	}
}

// A jensenAtom is what is known at one atom of X.
type jensenAtom struct {
	best, naive float64     // E[Y|x], and the limit of naive
	size        float64     // largest of E[h*(U)² + Y²|x] and 1, roots taken
	u           [][]float64 // values of U
	p           []float64   // their probabilities given x
}

// atoms measures all atoms of X of a distribution with E[Y|U,X] = h(U).
func (j jensen) atoms(s sampler, pairs []float64, x, u [][]float64, h func([]float64) float64) []jensenAtom {
	l := s.around(pairs, x, u, func(_, k int) float64 { return h(u[k]) })
	best := l.MeanYGivenX()
	size := l.GivenX(func(_, k, y int) float64 { return squared(h(u[k])) + squared(l.Y[y]) })
	out := make([]jensenAtom, len(x))
	for i := range out {
		row := pairs[i*len(u) : (i+1)*len(u)]
		at := jensenAtom{best: best[i], size: math.Sqrt(max(size[i], 1)), u: u, p: make([]float64, len(u))}
		floats.ScaleTo(at.p, 1/floats.SumCompensated(row), row)
		mean := make([]float64, len(u[0]))
		for k := range mean {
			mean[k] = at.mean(func(u []float64) float64 { return u[k] })
		}
		at.naive = j.naive(h, mean)
		out[i] = at
	}
	return out
}

// mean returns E[g(U)|x].
func (a jensenAtom) mean(g func([]float64) float64) float64 {
	var sum accumulator
	for k, p := range a.p {
		sum.add(p * g(a.u[k]))
	}
	return sum.value()
}

// variance returns Var(g(U)|x).
func (a jensenAtom) variance(g func([]float64) float64) float64 {
	m := a.mean(g)
	return a.mean(func(u []float64) float64 { return squared(g(u) - m) })
}

// least returns the least g(u) over the u that x allows.
func (a jensenAtom) least(g func([]float64) float64) float64 {
	m := math.Inf(1)
	for k, p := range a.p {
		if p > 0 {
			m = min(m, g(a.u[k]))
		}
	}
	return m
}
