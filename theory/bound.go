package theory

import (
	"context"
	"math"

	"mediant/report"
)

// Claim 1, [Yamane21, Thm 1]. With a² = E (f(X)-h(U))² and b² = E (h(U)-Y)², whatever the distribution, with or
// without conditional mean independence, for all f, h and w in (0, 1),
//
//	E (f(X)-Y)² <= J_w(f, h) = a²/w + b²/(1-w),
//
// because at each atom the difference of the two sides is ((1-w)(f-h) - w(h-y))²/(w(1-w)). They are
// equal iff h = (1-w) f + w y almost surely. Over w the bound is least at w = a/(a+b), and is (a+b)²
// there; (a-b)² is a lower bound. For any r in L2(U),
//
//	E (f-Y)² = R(r) + 2 E (f-r)(h-Y),   R(r) = a² + E [(y-h)² + 2 (h-r)(y-h)]
//
// so that E (f-Y)² is within 2 RMS(f-r) RMS(h-Y) of R(r). r = h gives (a±b)² back; the width is
// least for r = E[f|U].
//
// Measured on random distributions of both kinds with random f, h, w and r; equality on distributions where X, U and Y
// determine each other.

// A bound holds the formulas of claim 1, w, a² and so on as above.
type bound struct {
	upper  func(w, a2, b2 float64) float64 // J_w
	slack  func(w, fh, hy float64) float64 // J_w less the risk at one atom, fh = f-h, hy = h-y
	equal  func(w, f, y float64) float64   // the h that makes them equal
	best   func(a, b float64) float64      // the w of the least bound
	least  func(a, b float64) float64      // the least bound
	lower  func(a, b float64) float64
	centre func(f, h, r, y float64) float64         // R(r) at one atom
	width  func(rmsFR, rmsHY float64) (two float64) // half the width of the tighter bracket
}

var rightBound = bound{
	upper:  func(w, a2, b2 float64) float64 { return a2/w + b2/(1-w) },
	slack:  func(w, fh, hy float64) float64 { return squared((1-w)*fh-w*hy) / (w * (1 - w)) },
	equal:  func(w, f, y float64) float64 { return (1-w)*f + w*y },
	best:   func(a, b float64) float64 { return a / (a + b) },
	least:  func(a, b float64) float64 { return squared(a + b) },
	lower:  func(a, b float64) float64 { return squared(a - b) },
	centre: func(f, h, r, y float64) float64 { return squared(f-h) + squared(y-h) + 2*(h-r)*(y-h) },
	width:  func(rmsFR, rmsHY float64) float64 { return 2 * rmsFR * rmsHY },
}

func (b bound) claim() Claim {
	return Claim{
		Name:      "Upper bound and brackets of the risk",
		Reference: "[Yamane21, Thm 1 and appendix A]; docs/theory.md, 9.1",
		Statement: "The objective J_w bounds the mean squared error of f from above, for all f, h and w. The least bound over w is the square of the sum of a, the root of E (f-h)², and b, that of E (h-Y)²; the square of their difference is a lower bound, and with any function r of U there is a tighter bracket.",
		Formulas: []string{
			`E(f-Y)^2 \le J_w(f,h) = \frac{E(f-h)^2}{w} + \frac{E(h-Y)^2}{1-w}`,
			`(a-b)^2 \le E(f-Y)^2 \le (a+b)^2`,
			`|E(f-Y)^2 - R(r)| \le 2\,\sqrt{E(f-r)^2}\,\sqrt{E(h-Y)^2}`,
		},
		Assumptions: "Square-integrable f, h, r and Y. Conditional mean independence is not needed. X and U as in S_X and U and Y as in S_Y are of one distribution.",
		Method:      "Exact sums on random finite distributions, half of them with conditional mean independence, with random f, h, r and w. Equality on distributions where X, U and Y determine each other.",
		Run:         b.run,
	}
}

// boundTallies are what claim 1 measures on a distribution.
type boundTallies struct {
	slack, upper, equal, atBest, best, lower, centre, bracket, width tally
}

func (b bound) run(ctx context.Context, o Options) (Result, error) {
	var t boundTallies
	for i := range o.distributionCount() {
		if err := ctx.Err(); err != nil {
			return Result{}, err
		}
		s := newSampler(o, "bound", i)
		b.onDistribution(&t, s, s.distribution(i%2 == 0))
		b.onEquality(&t, s)
	}
	return Result{Checks: t.checks(), Charts: []report.Chart{b.chart(o)}}, nil
}

func (t *boundTallies) checks() []Check {
	return []Check{
		t.upper.inequality("E (f-Y)² <= J_w(f,h)"),
		t.slack.identity("J_w - E (f-Y)² = E ((1-w)(f-h) - w(h-Y))²/(w(1-w))"),
		t.equal.identity("J_w = E (f-Y)² where h = (1-w) f + w Y"),
		t.atBest.identity("J_w at w = a/(a+b) is (a+b)²"),
		t.best.inequality("(a+b)² <= J_w at 19 other w"),
		t.lower.inequality("(a-b)² <= E (f-Y)²"),
		t.centre.identity("E (f-Y)² = R(r) + 2 E (f-r)(h-Y)"),
		t.bracket.inequality("|E (f-Y)² - R(r)| <= 2 RMS(f-r) RMS(h-Y)"),
		t.width.inequality("half-width at r = E[f|U] <= half-width at another r, and <= 2ab"),
	}
}

// onDistribution measures what holds on any distribution.
func (b bound) onDistribution(t *boundTallies, s sampler, l *Distribution) {
	f, h, r, w := s.values(len(l.X)), s.values(len(l.U)), s.values(len(l.U)), s.weight()
	mse := l.MSE(f)
	a2, b2 := squaredLosses(l, f, h)
	a, bb := math.Sqrt(a2), math.Sqrt(b2)
	size := l.secondMoments(f, h) + l.Expect(func(_, u, _ int) float64 { return squared(r[u]) })
	sizeW := size / (w * (1 - w))

	j := b.upper(w, a2, b2)
	t.upper.below(mse, j, sizeW)
	t.slack.equal(j-mse, l.Expect(func(x, u, y int) float64 { return b.slack(w, f[x]-h[u], h[u]-l.Y[y]) }), sizeW)

	if a > 0 && bb > 0 { // else the least bound is only approached, as w goes to 0 or 1
		best := b.best(a, bb)
		t.atBest.equal(b.upper(best, a2, b2), b.least(a, bb), size)
	}
	for i := 1; i < 20; i++ {
		v := float64(i) / 20
		t.best.below(b.least(a, bb), b.upper(v, a2, b2), size/(v*(1-v)))
	}
	t.lower.below(b.lower(a, bb), mse, size)

	centre := l.Expect(func(x, u, y int) float64 { return b.centre(f[x], h[u], r[u], l.Y[y]) })
	cross := l.Expect(func(x, u, y int) float64 { return (f[x] - r[u]) * (h[u] - l.Y[y]) })
	t.centre.equal(mse, centre+2*cross, size)
	half := b.width(distance(l, f, r), bb)
	t.bracket.below(math.Abs(mse-centre), half, size)
	tightest := b.width(distance(l, f, l.GivenU(func(x, _, _ int) float64 { return f[x] })), bb)
	t.width.below(tightest, half, size)
	t.width.below(tightest, 2*a*bb, size)
}

// onEquality measures the case of equality, for which X, U and Y must be functions of each other.
func (b bound) onEquality(t *boundTallies, s sampler) {
	n, w := s.integer(1, 5), s.weight()
	y := s.levels(n)
	p := make([]float64, n*n*n)
	for i := range n {
		p[(i*n+i)*n+i] = s.between(.05, 1)
	}
	l := NewDistribution(s.vectors(n, 1), s.vectors(n, 1), y, p)
	f, h := s.values(n), make([]float64, n)
	for i := range h {
		h[i] = b.equal(w, f[i], y[i])
	}
	a2, b2 := squaredLosses(l, f, h)
	t.equal.equal(b.upper(w, a2, b2), l.MSE(f), l.secondMoments(f, h)/(w*(1-w)))
}

// squaredLosses returns a² = E (f-h)² and b² = E (h-Y)².
func squaredLosses(l *Distribution, f, h []float64) (a2, b2 float64) {
	a2 = l.Expect(func(x, u, _ int) float64 { return squared(f[x] - h[u]) })
	b2 = l.Expect(func(_, u, y int) float64 { return squared(h[u] - l.Y[y]) })
	return a2, b2
}

// distance returns RMS(f(X) - h(U)).
func distance(l *Distribution, f, h []float64) float64 {
	return math.Sqrt(l.Expect(func(x, u, _ int) float64 { return squared(f[x] - h[u]) }))
}

// chart draws the bound over w for one distribution.
func (b bound) chart(o Options) report.Chart {
	s := newSampler(o, "bound/chart", 0)
	l := s.chartDistribution(false)
	f, h := s.values(len(l.X)), l.MeanYGivenU()
	a2, b2 := squaredLosses(l, f, h)
	var w, upper, mse, least, lower []float64
	for i := 5; i <= 95; i++ {
		v := float64(i) / 100
		w, upper, mse = append(w, v), append(upper, b.upper(v, a2, b2)), append(mse, l.MSE(f))
		least = append(least, b.least(math.Sqrt(a2), math.Sqrt(b2)))
		lower = append(lower, b.lower(math.Sqrt(a2), math.Sqrt(b2)))
	}
	return report.Chart{
		Name: "upper-bound", Title: "The bound over w on one distribution without conditional mean independence", XLabel: "w", YLabel: "risk", LogY: true,
		Series: []report.Series{
			{Name: "J_w(f, h)", Kind: report.Line, X: w, Y: upper},
			{Name: "(a+b)²", Kind: report.Line, X: w, Y: least},
			{Name: "E (f-Y)²", Kind: report.Line, X: w, Y: mse},
			{Name: "(a-b)²", Kind: report.Line, X: w, Y: lower},
		},
	}
}
