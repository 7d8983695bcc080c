package theory

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"mediant/report"
	"mediant/solvers"
)

// Claim 3, [Yamane21, Thm 3]: as w -> 1, Joint-RR becomes 2Step-RR, for F and H all
// functions of X and of U (limit_classes.go has the theorem for any classes). Let (f_w, h_w) minimise J_w over
// L2(X) × L2(U), f* = E[h*|X], c = (1-w)/w and V = E (f*-h*)². Comparing J_w(f_w, h_w) with
// J_w(f*, h*) gives
//
//	E (h_w-h*)² <= c V,      E (f_w-f*)² <= E (h_w-h*)²
//
// and more is true. h_w = (I + c G)⁻¹ h* with G = I - E[E[.|X]|U], whose eigenvalues are in [0, 1], and
// V = <h*, G h*>. Since (ct/(1+ct))² <= ct/4 and <= (ct)², with equality in the first where ct = 1,
//
//	E (h_w-h*)² <= min(c/4, c²) V
//
// For X independent of U, G is 1 on what is centred and E (h_w-h*)² = (c/(1+c))² V: a quarter of c V is
// attained at w = 1/2. With samples and the ridge `scaled`, the same holds with M = D + lambda_h I for the
// inner product, S = C - B'(A + lambda_f I)⁻¹B for G, and with V = beta_1'S beta_1 = mean_SX |f_1-h_1|² +
// lambda_f |alpha_1|². G is then not bounded by 1, so that only c/4 stays, and
// (beta_1 - beta_w)/c -> M⁻¹S beta_1. Under `paper` the limit is 2Step-RR with lambda_h = 0, if D is
// positive definite:
//
//	|beta_w - D⁻¹E| <= |D⁻¹| ((1-w) lambda_h + c |C|) |beta_w|
//
// Measured on random finite distributions, by a system that uses 1/w and 1/(1-w) and none of the above, and by
// package solvers on random rows.

// A limit holds the formulas of claim 3.
type limit struct {
	ratio func(w float64) float64                    // c
	plain func(c, v float64) float64                 // first bound
	sharp func(c, v float64) float64                 // sharper bound
	alone func(c, v float64) float64                 // value for independent X and U
	ridge func(c, v float64) float64                 // bound for the regularised solution
	paper func(w, lambdaH, c, normC float64) float64 // factor of |D⁻¹| |beta_w|
	// follow bounds E (f_w-f*)² by this times E (h_w-h*)², and the same for samples.
	follow float64
	// zero is the lambda_h of the 2Step-RR to which `paper` tends.
	zero func(lambdaH float64) float64
}

var rightLimit = limit{
	ratio: func(w float64) float64 { return (1 - w) / w },
	plain: func(c, v float64) float64 { return c * v },
	sharp: func(c, v float64) float64 { return min(c/4, c*c) * v },
	alone: func(c, v float64) float64 { return squared(c/(1+c)) * v },
	ridge: func(c, v float64) float64 { return c / 4 * v },
	paper: func(w, lambdaH, c, normC float64) float64 { return (1-w)*lambdaH + c*normC },
	zero:  func(float64) float64 { return 0 },

	follow: 1,
}

func (k limit) claim() Claim {
	return Claim{
		Name:      "Joint-RR becomes 2Step-RR as w -> 1, all functions of X and of U",
		Reference: "[Yamane21, Thm 3 and appendix C]; docs/theory.md, 3 and 9.3",
		Statement: "As w tends to 1 the solutions of Joint-RR tend to those of 2Step-RR at this rate, and those of samples with the ridge `scaled` likewise; with `paper` they tend to 2Step-RR without a penalty of h.",
		Formulas: []string{
			`E(h_w-h^*)^2 \le \min(\frac{c}{4},c^2)\,E(f^*-h^*)^2,\quad c = \frac{1-w}{w}`,
			`E(f_w-f^*)^2 \le E(h_w-h^*)^2`,
		},
		Assumptions: "Distributions: none; F and H are all functions of X and of U, the smallest case of Thm 3 that has sharper constants. Samples: lambda_f, lambda_h > 0; for `paper` D is positive definite.",
		Method:      "Random finite distributions with all functions of X and of U, solved exactly at each w; package solvers on random rows, w up to 1 - 1e-8.",
		Run:         k.run,
	}
}

// limitTallies are what claim 3 measures.
type limitTallies struct {
	plain, sharp, f, alone, ridge, ridgeF, slope, paper tally
}

func (k limit) run(ctx context.Context, o Options) (Result, error) {
	var t limitTallies
	for i := range o.distributionCount() / 4 {
		if err := ctx.Err(); err != nil {
			return Result{}, err
		}
		s := newSampler(o, "limit", i)
		k.onDistribution(&t, s)
		if i%3 == 0 {
			if err := k.onSample(&t, s); err != nil {
				return Result{}, err
			}
		}
	}
	return Result{Checks: t.checks(), Charts: []report.Chart{k.chart(o)}}, nil
}

func (t *limitTallies) checks() []Check {
	return []Check{
		t.plain.inequality("E (h_w-h*)² <= c E (f*-h*)²"),
		t.sharp.inequality("E (h_w-h*)² <= min(c/4, c²) E (f*-h*)²"),
		t.f.inequality("E (f_w-f*)² <= E (h_w-h*)²"),
		t.alone.identity("E (h_w-h*)² = (c/(1+c))² E (f*-h*)² for independent X and U"),
		t.ridge.within("`scaled`, samples: |beta_w-beta_1|²_M <= c/4 [mean |f_1-h_1|² + lambda_f |alpha_1|²]", conditioned),
		t.ridgeF.within("`scaled`, samples: mean (f_w-f_1)² + lambda_f |alpha_w-alpha_1|² <= mean (h_w-h_1)²", conditioned),
		t.slope.within("`scaled`, c = 1e-6: (beta_1-beta_w)/c = M⁻¹S beta_1, in units of the bound of the difference", 1),
		t.paper.within("`paper`: |beta_w-D⁻¹E| <= |D⁻¹| ((1-w) lambda_h + c|C|) |beta_w|", conditioned),
	}
}

// population returns h_w and f_w, the minimisers of J_w over all functions of U and of X, from
//
//	[ (1/w)(Q - P'R⁻¹P) + (1/(1-w)) Q ] h = (1/(1-w)) Q h*,   f = R⁻¹P h
//
// where P holds p(x, u), R and Q the margins of X and U. Rows and columns are scaled by Q^-1/2, after
// which no eigenvalue is above 1/w + 1/(1-w) nor below 1/(1-w).
func population(l *Distribution, w float64) (h, f []float64) {
	nu := len(l.U)
	px, pu, target := l.MarginX(), l.MarginU(), l.MeanYGivenU()
	joint := make([]float64, len(l.X)*nu)
	l.Expect(func(x, u, y int) float64 { joint[x*nu+u] += l.P(x, u, y); return 0 })
	matrix, right := mat.NewDense(nu, nu, nil), mat.NewDense(nu, 1, nil)
	for u := range nu {
		for v := range nu {
			var sum accumulator
			for x := range px {
				sum.add(joint[x*nu+u] / px[x] * joint[x*nu+v])
			}
			matrix.Set(u, v, -sum.value()/w/math.Sqrt(pu[u]*pu[v]))
		}
		matrix.Set(u, u, matrix.At(u, u)+1/w+1/(1-w))
		right.Set(u, 0, math.Sqrt(pu[u])*target[u]/(1-w))
	}
	h = mat.Col(nil, 0, solve(matrix, right))
	for u := range h {
		h[u] /= math.Sqrt(pu[u])
	}
	return h, l.GivenX(func(_, u, _ int) float64 { return h[u] })
}

// onDistribution measures random distributions, with X and U dependent and independent.
func (k limit) onDistribution(t *limitTallies, s sampler) {
	l := s.distribution(s() < .5)
	for _, w := range []float64{s.weight(), 1 - math.Pow(10, s.between(-6, -1))} {
		v, dh, df, size := k.distances(l, w)
		c := k.ratio(w)
		t.plain.below(dh, k.plain(c, v), size)
		t.sharp.below(dh, k.sharp(c, v), size)
		t.f.below(df, k.follow*dh, size)
	}
	nx, nu := s.integer(1, 4), s.integer(1, 4)
	px, pu := s.shares(nx), s.shares(nu)
	pairs := make([]float64, 0, nx*nu)
	for _, p := range px {
		for _, q := range pu {
			pairs = append(pairs, p*q)
		}
	}
	alone := s.distributionOf(pairs, nx, nu, s.levels(3), true)
	for _, w := range []float64{.5, s.weight()} {
		v, dh, _, size := k.distances(alone, w)
		t.alone.equal(dh, k.alone(k.ratio(w), v), size)
	}
}

// distances returns V, E (h_w-h*)², E (f_w-f*)², and E h*² + E h_w².
func (k limit) distances(l *Distribution, w float64) (v, dh, df, size float64) {
	target := l.MeanYGivenU()
	best := l.GivenX(func(_, u, _ int) float64 { return target[u] })
	h, f := population(l, w)
	v, _ = squaredLosses(l, best, target)
	dh = l.Expect(func(_, u, _ int) float64 { return squared(h[u] - target[u]) })
	df = l.Expect(func(x, _, _ int) float64 { return squared(f[x] - best[x]) })
	return v, dh, df, l.Expect(func(_, u, _ int) float64 { return squared(h[u]) + squared(target[u]) })
}

// onSample measures package solvers on random rows.
func (k limit) onSample(t *limitTallies, s sampler) error {
	rows := s.newSample()
	m := rows.moments()
	lambdaF, lambdaH := s.between(.01, 1), s.between(.01, 1)
	xu, uy := rows.pairs(nil)
	system, err := solvers.NewSystem(xu, uy, false)
	if err != nil {
		return fmt.Errorf("limit: %w", err)
	}
	at := func(w float64, penalty solvers.Penalty, lambdaH float64) (alpha, beta *mat.Dense) {
		sol := system.Solve(solvers.Params{W: w, LambdaF: lambdaF, LambdaH: lambdaH, Penalty: penalty})
		return sol.Alpha, sol.Beta
	}
	alpha1, beta1 := at(1, solvers.Scaled, lambdaH)
	metric := plus(m.d, lambdaH, nil)
	v := quadratic(m.a, alpha1) - 2*trace(product(alpha1.T(), m.b, beta1)) + quadratic(m.c, beta1) + lambdaF*squared(norm(alpha1))
	for _, w := range []float64{s.weight(), 1 - math.Pow(10, s.between(-8, -1))} {
		alpha, beta := at(w, solvers.Scaled, lambdaH)
		da, db := plus(alpha, -1, alpha1), plus(beta, -1, beta1)
		size := quadratic(metric, beta1) + quadratic(m.c, beta1)
		t.ridge.below(quadratic(metric, db), k.ridge(k.ratio(w), v), size)
		t.ridgeF.below(quadratic(m.a, da)+lambdaF*squared(norm(da)), k.follow*quadratic(m.c, db), size)
	}
	k.onSlope(t, m, metric, beta1, lambdaF, func(w float64) *mat.Dense { _, b := at(w, solvers.Scaled, lambdaH); return b })
	k.onPaper(t, s, m, lambdaH, at)
	return nil
}

// onSlope measures the first-order change at w = 1.
func (k limit) onSlope(t *limitTallies, m crossMoments, metric, beta1 *mat.Dense, lambdaF float64, at func(w float64) *mat.Dense) {
	const c = 1e-6
	const w = 1 / (1 + c)
	schur := plus(m.c, -1, product(m.b.T(), solve(plus(m.a, lambdaF, nil), m.b)))
	change := solve(metric, schur)
	first := product(change, beta1)
	got := plus(beta1, -1, at(w))
	got.Scale(1/k.ratio(w), got)
	// With T = M⁻¹S the difference is c T²(I+cT)⁻¹beta_1. Beta is right to some 8 eps of a condition
	// number below 3e3, which is divided by c.
	size := norm(change)
	t.slope.equalMatrix(got, first, (c*size*size/(1-c*size)+1e-5)*norm(beta1))
}

// onPaper measures the limit under the paper's penalty, where D is positive definite.
func (k limit) onPaper(t *limitTallies, s sampler, m crossMoments, lambdaH float64, at func(float64, solvers.Penalty, float64) (_, _ *mat.Dense)) {
	least, largest := extremes(m.d)
	if least < 1e-3*largest { // too near singular to tell
		return
	}
	limit := solve(plus(m.d, k.zero(lambdaH), nil), m.e)
	for _, w := range []float64{s.weight(), 1 - 1e-8} {
		_, beta := at(w, solvers.Paper, lambdaH)
		bound := k.paper(w, lambdaH, k.ratio(w), norm(m.c)) / least * norm(beta)
		t.paper.below(norm(plus(beta, -1, limit)), bound, norm(limit))
	}
}

// quadratic returns the trace of b'ab.
func quadratic(a mat.Matrix, b *mat.Dense) float64 { return trace(product(b.T(), a, b)) }

func trace(a *mat.Dense) float64 { return mat.Trace(a) }

// chart draws E (h_w-h*)² and its bounds for one distribution.
func (k limit) chart(o Options) report.Chart {
	l := newSampler(o, "limit/chart", 0).chartDistribution(true)
	var x, dh, plain, sharp []float64
	for e := -5.0; e <= -.2; e += .2 {
		w := 1 - math.Pow(10, e)
		v, d, _, _ := k.distances(l, w)
		if d > 0 {
			c := k.ratio(w)
			x, dh = append(x, 1-w), append(dh, d)
			plain, sharp = append(plain, k.plain(c, v)), append(sharp, k.sharp(c, v))
		}
	}
	return report.Chart{
		Name: "limit", Title: "Joint-RR approaches 2Step-RR, one distribution", XLabel: "1 - w", YLabel: "E (h_w - h*)²", LogX: true, LogY: true,
		Series: []report.Series{
			{Name: "E (h_w - h*)²", Kind: report.LinePoints, X: x, Y: dh},
			{Name: "c E (f* - h*)²", Kind: report.Line, X: x, Y: plain},
			{Name: "min(c/4, c²) E (f* - h*)²", Kind: report.Line, X: x, Y: sharp},
		},
	}
}
