package theory

import (
	"context"
	"math"

	"mediant/losses"
)

// Claim 13, docs/theory.md, 9.13: other losses than squared error. d(y, f) = F(y) - F(f) - <F'(f), y - f> for a convex F, g = F'(f(X)), h for h* = E[Y|U], r for
// r* = E[g|U]; all of them have k elements. (X, U) and (U, Y) have one distribution of U. Under conditional mean independence
//
//	R = E_SY F(Y) + E_SX [<g, f> - F(f) - <g, h>] - E_SY <r, Y - h>,      R - E d(Y, f) = E <r* - r, h* - h>
//
// and without it E <g - r*, h* - E[Y|U,X]> less. In any case E d(Y, f) - R = -E <g - r, Y - h>, at most RMS (g - r) RMS (Y - h) in size. The f of X with the least
// E d(h(U), f) is E[h(U)|X], by E d(h, f) = E d(h, E[h|X]) + E d(E[h|X], f); the f with the least E d(f, h) is not, but for squared error.
//
// Linear functionals of a distribution: with h_t = P(Y <= t | U) and r_t for E[c_t(X)|U],
//
//	E Σ_t c_t(X) 1{Y <= t} = E_SX Σ_t c_t h_t + E_SY Σ_t r_t (1{Y <= t} - h_t),    biased by -E Σ_t (r_t - r_t*)(h_t - h_t*)
//
// if Y and X are independent given U. With c = +1 at hi(X) and -1 at lo(X), it is the coverage of (lo, hi].
//
// Measured on random distributions with random f, h and r, for squared error, log loss, Poisson deviance and a potential of this file's own.

// A bregmanRisk holds the formulas of claim 13, one row at a time.
type bregmanRisk struct {
	riskX     func(l losses.Loss, g, f, h []float64) float64
	riskY     func(l losses.Loss, y, h, r []float64) float64
	coverageX func(c, h float64) float64
	coverageY func(below, h, r float64) float64
	// Factors of the biases E <r*-r, h*-h> and E <g-r*, h*-E[Y|U,X]>, of that of the coverage, and of the bound.
	bias, violated, coverage, bound float64
	// The two losses whose sum is that of f: of E[h|X], and of the difference.
	first, second func(l losses.Loss, y, f []float64) float64
	exchanged     func(f, h []float64) float64 // the log loss with its arguments exchanged
	crps          crpsFormula
}

var rightBregmanRisk = bregmanRisk{
	riskX:     func(l losses.Loss, g, f, h []float64) float64 { return inner(g, f) - l.Potential(f) - inner(g, h) },
	riskY:     func(l losses.Loss, y, h, r []float64) float64 { return l.Potential(y) - inner(r, y) + inner(r, h) },
	coverageX: func(c, h float64) float64 { return c * h },
	coverageY: func(below, h, r float64) float64 { return r * (below - h) },
	bias:      1, violated: -1, coverage: -1, bound: 1,
	first: losses.Divergence, second: losses.Divergence,
	exchanged: func(f, h []float64) float64 { return losses.Divergence(losses.Log{}, f, h) },
	crps:      rightCRPS,
}

func inner(a, b []float64) float64 {
	sum := 0.0
	for j := range a {
		sum += a[j] * b[j]
	}
	return sum
}

// quartic is the divergence of Σ y² + y⁴, which no package has.
type quartic struct{}

func (quartic) Name() string { return "quartic" }

func (quartic) Potential(y []float64) float64 {
	sum := 0.0
	for _, v := range y {
		sum += v*v + v*v*v*v
	}
	return sum
}

func (quartic) GradientTo(dst, f []float64) {
	for j, v := range f {
		dst[j] = 2*v + 4*v*v*v
	}
}

func (k bregmanRisk) claim() Claim {
	return Claim{
		Name:      "Other losses without coupled rows",
		Reference: "docs/theory.md, 9.13",
		Statement: "The uncoupled risk of a Bregman divergence, the coverage of intervals and the continuous ranked probability score are biased by products of errors of the nuisances alone; the best f of X for h(U) is E[h(U)|X].",
		Formulas: []string{
			`R = E_{S_Y}F(Y) + E_{S_X}(gf - F(f) - gh) - E_{S_Y}r(Y-h)`,
			`R - E d(Y,f) = E(r^*-r)(h^*-h)`,
			`|R - E d(Y,f)| \le \text{RMS}(g-r)\text{RMS}(Y-h)`,
		},
		Assumptions: "Identity and minimiser: conditional mean independence and one distribution of U; coverage and CRPS: independence of X and Y given U; the bound: one distribution of U.",
		Method:      "Exact sums on random finite distributions, with random f, h and r, for squared error, log loss, Poisson deviance and the potential y² + y⁴.",
		Run:         k.run,
	}
}

// bregmanTallies are what claim 13 measures.
type bregmanTallies struct {
	identity               [4]tally // by loss
	rightR, rightH         tally
	violated, bound, least tally
	coverage, crps         tally
	reversed               float64 // the least gain of another f than the mean for the reversed divergence of classes
}

var bregmanLosses = [4]losses.Loss{losses.Squared{}, losses.Log{}, losses.Poisson{}, quartic{}}

func (k bregmanRisk) run(ctx context.Context, o Options) (Result, error) {
	t := bregmanTallies{reversed: math.Inf(1)}
	for i := range o.distributionCount() {
		if err := ctx.Err(); err != nil {
			return Result{}, err
		}
		k.onDistributions(&t, newSampler(o, "bregman", i))
	}
	return Result{Checks: t.checks()}, nil
}

func (t *bregmanTallies) checks() []Check {
	var all []Check
	for i, l := range bregmanLosses {
		all = append(all, t.identity[i].identity(l.Name()+": R - E d(Y, f) = E <r*-r, h*-h>"))
	}
	return append(all,
		t.rightR.identity("R is unbiased at r = r*, whatever h"),
		t.rightH.identity("R is unbiased at h = h*, whatever r"),
		t.violated.identity("without conditional mean independence: R - E d(Y, f) = E <r*-r, h*-h> - E <g-r*, h*-E[Y|U,X]>"),
		t.bound.inequality("without it |R - E d(Y, f)| <= RMS (g-r) RMS (Y-h)"),
		t.least.identity("E d(h(U), f) = E d(h(U), E[h|X]) + E d(E[h|X], f)"),
		above("for E KL(f, h) E[h(U)|X] is not the best f: what the normalised exp E[log h|X] gains, at the least", t.reversed, 0),
		t.coverage.identity("coverage: bias -E Σ (r-r*)(h-h*)"),
		t.crps.identity("CRPS: a sum of Brier scores, bias 2 E Σ (r-r*)(h-h*) dt"),
	)
}

// A bregmanCase is a loss on a distribution: outcomes by the values of Y, and f, h and r.
type bregmanCase struct {
	loss       losses.Loss
	l          *Distribution
	y, f, h, r [][]float64
	g          [][]float64 // F'(f)
}

// bregmanCase draws one. Outcomes of classes are indicators of the values of Y, h and r any numbers, also such as are no probabilities.
func (s sampler) bregmanCase(loss losses.Loss, l *Distribution) bregmanCase {
	c := bregmanCase{loss: loss, l: l}
	outputs := 1
	if loss == (losses.Log{}) {
		outputs = len(l.Y)
	}
	for k := range l.Y {
		switch loss {
		case losses.Log{}:
			y := make([]float64, outputs)
			y[k] = 1
			c.y = append(c.y, y)
		case losses.Poisson{}:
			c.y = append(c.y, []float64{float64(k)})
		default:
			c.y = append(c.y, []float64{l.Y[k]})
		}
	}
	for range l.X {
		f := s.values(outputs)
		switch loss {
		case losses.Log{}:
			f = s.shares(outputs)
		case losses.Poisson{}:
			f[0] = s.between(.1, 3)
		}
		g := make([]float64, outputs)
		loss.GradientTo(g, f)
		c.f, c.g = append(c.f, f), append(c.g, g)
	}
	for range l.U {
		c.h, c.r = append(c.h, s.values(outputs)), append(c.r, s.values(outputs))
	}
	return c
}

// givenU is E[v|U] by outputs.
func (c bregmanCase) givenU(v func(x, u, y int) []float64) [][]float64 {
	return c.given(len(c.l.U), func(_, u, _ int) int { return u }, v)
}

func (c bregmanCase) given(count int, group func(x, u, y int) int, v func(x, u, y int) []float64) [][]float64 {
	out := make([][]float64, count)
	for i := range out {
		out[i] = make([]float64, len(c.y[0]))
	}
	for j := range c.y[0] {
		for i, mean := range c.l.given(count, group, func(x, u, y int) float64 { return v(x, u, y)[j] }) {
			out[i][j] = mean
		}
	}
	return out
}

// risk is R with the given h and r.
func (k bregmanRisk) risk(c bregmanCase, h, r [][]float64) float64 {
	return c.l.Expect(func(x, u, y int) float64 {
		return k.riskX(c.loss, c.g[x], c.f[x], h[u]) + k.riskY(c.loss, c.y[y], h[u], r[u])
	})
}

// truth is E d(Y, f), and size that of its terms and of R's.
func (c bregmanCase) truth() (truth, size float64) {
	truth = c.l.Expect(func(x, _, y int) float64 { return losses.Divergence(c.loss, c.y[y], c.f[x]) })
	size = c.l.Expect(func(x, u, y int) float64 {
		return math.Abs(c.loss.Potential(c.y[y])) + math.Abs(c.loss.Potential(c.f[x])) +
			(1+inner(c.g[x], c.g[x])+inner(c.r[u], c.r[u]))*(1+inner(c.y[y], c.y[y])+inner(c.f[x], c.f[x])+inner(c.h[u], c.h[u]))
	})
	return truth, size
}

// onDistributions measures a random distribution with conditional mean independence, and one without.
func (k bregmanRisk) onDistributions(t *bregmanTallies, s sampler) {
	nx, nu := s.integer(1, 4), s.integer(1, 4)
	independent := s.independent(s.pairs(nx, nu), nx, nu, s.levels(s.integer(3, 4)))
	k.onCoverage(t, s, independent)
	dependent := s.distribution(false)
	for i, loss := range bregmanLosses {
		c := s.bregmanCase(loss, independent)
		truth, size := c.truth()
		target := c.givenU(func(_, _, y int) []float64 { return c.y[y] })
		explained := c.givenU(func(x, _, _ int) []float64 { return c.g[x] })
		product := c.products(explained, c.r, target, c.h)
		t.identity[i].equal(k.risk(c, c.h, c.r)-truth, k.bias*product, size)
		t.rightR.equal(k.risk(c, c.h, explained), truth, size)
		t.rightH.equal(k.risk(c, target, c.r), truth, size)
		k.onMinimiser(t, s, c)

		c = s.bregmanCase(loss, dependent)
		truth, size = c.truth()
		target = c.givenU(func(_, _, y int) []float64 { return c.y[y] })
		explained = c.givenU(func(x, _, _ int) []float64 { return c.g[x] })
		nu := len(c.l.U)
		both := c.given(len(c.l.X)*nu, func(x, u, _ int) int { return x*nu + u }, func(_, _, y int) []float64 { return c.y[y] })
		missed := c.l.Expect(func(x, u, _ int) float64 {
			return inner(minus(c.g[x], explained[u]), minus(target[u], both[x*nu+u]))
		})
		gap := k.risk(c, c.h, c.r) - truth
		t.violated.equal(gap, k.bias*c.products(explained, c.r, target, c.h)+k.violated*missed, size)
		rms := func(v func(x, u, y int) []float64) float64 {
			return math.Sqrt(c.l.Expect(func(x, u, y int) float64 { d := v(x, u, y); return inner(d, d) }))
		}
		t.bound.below(math.Abs(gap), k.bound*rms(func(x, u, _ int) []float64 { return minus(c.g[x], c.r[u]) })*rms(func(_, u, y int) []float64 { return minus(c.y[y], c.h[u]) }), size)
	}
	k.onCRPS(t, s, independent)
}

func minus(a, b []float64) []float64 {
	d := make([]float64, len(a))
	for j := range d {
		d[j] = a[j] - b[j]
	}
	return d
}

// products is E <a-b, c-d> of functions of U.
func (c bregmanCase) products(a, b, e, d [][]float64) float64 {
	return c.l.Expect(func(_, u, _ int) float64 { return inner(minus(a[u], b[u]), minus(e[u], d[u])) })
}

// onMinimiser measures what the best f of X is for h(U), which is drawn in the loss's domain.
func (k bregmanRisk) onMinimiser(t *bregmanTallies, s sampler, c bregmanCase) {
	of := s.bregmanCase(c.loss, c.l)
	h := make([][]float64, len(c.l.U))
	for u := range h {
		h[u] = s.bregmanCase(c.loss, c.l).f[0]
	}
	mean := c.given(len(c.l.X), func(x, _, _ int) int { return x }, func(_, u, _ int) []float64 { return h[u] })
	var size float64
	expected := func(d func(x, u int) float64) float64 {
		return c.l.Expect(func(x, u, _ int) float64 { v := d(x, u); size += math.Abs(v); return v })
	}
	whole := expected(func(x, u int) float64 { return losses.Divergence(c.loss, h[u], of.f[x]) })
	parts := expected(func(x, u int) float64 { return k.first(c.loss, h[u], mean[x]) + k.second(c.loss, mean[x], of.f[x]) })
	t.least.equal(whole, parts, 1+size)
	if c.loss != (losses.Log{}) || len(c.l.U) < 3 || len(c.l.X) > 1 {
		return // an h that varies given X
	}
	best := make([]float64, len(c.y[0]))
	for j := range best {
		best[j] = math.Exp(c.l.Expect(func(_, u, _ int) float64 { return math.Log(h[u][j]) }))
	}
	total := 0.0
	for _, v := range best {
		total += v
	}
	for j := range best {
		best[j] /= total
	}
	reversed := func(f []float64) float64 {
		return c.l.Expect(func(_, u, _ int) float64 { return k.exchanged(f, h[u]) })
	}
	t.reversed = min(t.reversed, reversed(mean[0])-reversed(best))
}

// independent returns a distribution of Y that is independent of X given U.
func (s sampler) independent(pairs []float64, nx, nu int, y []float64) *Distribution {
	byU := make([][]float64, nu)
	for u := range byU {
		byU[u] = s.shares(len(y))
	}
	var weight []float64
	for x := range nx {
		for u := range nu {
			for _, p := range byU[u] {
				weight = append(weight, pairs[x*nu+u]*p)
			}
		}
	}
	return NewDistribution(s.vectors(nx, 1), s.vectors(nu, 1), y, weight)
}

// onCoverage measures the coverage of random intervals (lo, hi] between values of Y.
func (k bregmanRisk) onCoverage(t *bregmanTallies, s sampler, l *Distribution) {
	n := len(l.Y)
	lo, hi := make([]int, len(l.X)), make([]int, len(l.X))
	for x := range lo {
		lo[x] = s.integer(-1, n-2)
		hi[x] = s.integer(lo[x]+1, n-1)
	}
	truth := l.Expect(func(x, _, y int) float64 { return indicator(y > lo[x] && y <= hi[x]) })
	estimate, bias, size := 0., 0., 1.
	for threshold := range n {
		c := func(x int) float64 { return indicator(hi[x] == threshold) - indicator(lo[x] == threshold) }
		below := func(_, _, y int) float64 { return indicator(y <= threshold) }
		h, r := s.values(len(l.U)), s.values(len(l.U))
		target, explained := l.GivenU(below), l.GivenU(func(x, _, _ int) float64 { return c(x) })
		estimate += l.Expect(func(x, u, y int) float64 { return k.coverageX(c(x), h[u]) + k.coverageY(below(x, u, y), h[u], r[u]) })
		bias += l.Expect(func(_, u, _ int) float64 { return (r[u] - explained[u]) * (h[u] - target[u]) })
		size += l.Expect(func(_, u, _ int) float64 { return 1 + squared(h[u]) + squared(r[u]) })
	}
	t.coverage.equal(estimate-truth, k.coverage*bias, size)
}

func indicator(holds bool) float64 {
	if holds {
		return 1
	}
	return 0
}
