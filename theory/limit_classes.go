package theory

import (
	"context"
	"math"

	"mediant/report"
)

// [Yamane21, Thm 3 and appendix C]: F and H are any classes of square-integrable functions of X and of U that
// contain f* = E[h*|X] and h* = E[Y|U]. With c = (1-w)/w, V = E (f*-h*)² and
//
//	Q(w, f, h) = E (f-h)²/w + E (h-h*)²/(1-w)     R(w, f) = inf over H of Q(w, f, h)     R(1, f) = E (f-h*)²
//
// docs/theory.md, 9.3, proves for minimisers (f_w, h_w) of Q and h_{f,w} of Q(w, f, .)
//
//	R(1, f) <= R(w, f) <= R(1, f)/w,      R(1, f) = V + |f-f*|²
//	|f_w-f*|² <= c V,   |h_w-h*|² <= c V,   |h_{f,w}-h*| <= 2(1-w) RMS(f-h*),   |f_w-f*| <= 2 |h_w-h*|
//
// and for convex F and H |f_w-f*| <= |h_w-h*| <= min(c/4, c²)^½ V^½. Measured on random finite distributions, with finite
// classes, that are not convex, and with boxes, that are.

// A classLimit holds the formulas of Theorem 3 for classes.
type classLimit struct {
	ratio     func(w float64) float64      // c
	below     func(w, one float64) float64 // R(w, f) is at least this, one = R(1, f)
	above     func(w, one float64) float64 // and at most this
	separated func(d2 float64) float64     // R(1, f) - R(1, f*), d2 = |f-f*|²
	plain     func(c, v float64) float64   // bound of |f_w-f*|² and |h_w-h*|²
	each      func(w, one float64) float64 // bound of |h_{f,w}-h*|²
	fast      func(w, v float64) float64   // bound of |h_w-h*|², w >= 1/2
	follow    float64                      // |f_w-f*|² is at most this times |h_w-h*|²
	convex    float64                      // and this where F is convex
	sharp     func(c, v float64) float64   // bound of |h_w-h*|² where F and H are convex
	// near bounds |R(w, f) - R(1, g)|, d = |f-g|, one = R(1, g), other = R(1, f).
	near func(c, d, one, other float64) float64
	// printedAbove and printedBelow are the bounds of R(w, f) - R(1, g) in the proof of the lemma on continuity, from d and
	// the norms of g and h*.
	printedAbove, printedBelow func(c, d, g, h float64) float64
}

var rightClassLimit = classLimit{
	ratio:     func(w float64) float64 { return (1 - w) / w },
	below:     func(_, one float64) float64 { return one },
	above:     func(w, one float64) float64 { return one / w },
	separated: func(d2 float64) float64 { return d2 },
	plain:     func(c, v float64) float64 { return c * v },
	each:      func(w, one float64) float64 { return squared(2*(1-w)) * one },
	fast:      func(w, v float64) float64 { return squared(2*(1-w)) * v },
	follow:    4,
	convex:    1,
	sharp:     func(c, v float64) float64 { return min(c/4, c*c) * v },
	near: func(c, d, one, other float64) float64 {
		return d*(d+2*math.Sqrt(one)) + c*other
	},
	printedAbove: func(c, d, g, h float64) float64 { return d*(d+2*g+2*h) + 3*c*(d*d+g*g+h*h) },
	printedBelow: func(_, d, g, h float64) float64 { return -d * (d + 2*g + 2*h) },
}

func (k classLimit) claim() Claim {
	return Claim{
		Name:      "Joint-RR becomes 2Step-RR in any classes that contain f* and h*",
		Reference: "[Yamane21, Thm 3 and appendix C]; docs/theory.md, 9.3",
		Statement: "In any classes that contain f* and h* the solutions tend to them as w tends to 1. The reduced objective R(w,f) is continuous there, has a well-separated minimum, and lies between R(1,f) and R(1,f)/w.",
		Formulas: []string{
			`|f_w-f^*|^2 \le cV,\quad |h_w-h^*|^2 \le cV,\quad c = \frac{1-w}{w},\quad V = E(f^*-h^*)^2`,
			`R(1,f) \le R(w,f) \le \frac{R(1,f)}{w}`,
			`w \ge \frac{1}{2}:\quad |h_w-h^*| \le 2(1-w)\sqrt{V},\quad |f_w-f^*| \le 2|h_w-h^*|`,
		},
		Assumptions: "F contains f* and H contains h*. For min(c/4, c²) V and |f_w-f*| <= |h_w-h*| both are convex.",
		Method: "Random finite distributions. Finite classes of up to 7 functions, all pairs of which are tried; boxes, minimised by alternating exact steps; " +
			"classes of two functions at which each constant is attained.",
		Run: k.run,
	}
}

// classTallies are what is measured of Theorem 3 for classes.
type classTallies struct {
	below, above, separated, f, h, each, eachPlain, fast, follow, near, least, printedAbove, printedBelow tally
	convexFollow, sharp                                                                                   tally
	needF, needH, needFast                                                                                tally
}

func (k classLimit) run(ctx context.Context, o Options) (Result, error) {
	var t classTallies
	for i := range o.distributionCount() / 2 {
		if err := ctx.Err(); err != nil {
			return Result{}, err
		}
		s := newSampler(o, "limit/classes", i)
		k.onFinite(&t, s)
		if i%8 == 0 {
			k.onBoxes(&t, s)
		}
	}
	k.onExtremes(&t)
	return Result{Checks: t.checks(), Charts: []report.Chart{k.chart(o)}}, nil
}

// boxed is the tolerance of minima over boxes: alternating steps end within 1e-14 of a fixed point, and the steps contract
// by 1-w, which is at most 0.9.
const boxed = 1e-11

func (t *classTallies) checks() []Check {
	return []Check{
		t.below.inequality("R(1,f) <= R(w,f)"),
		t.above.inequality("R(w,f) <= R(1,f)/w"),
		t.separated.identity("well-separated minimum: R(1,f) - R(1,f*) = |f-f*|²"),
		t.f.inequality("|f_w-f*|² <= c V"),
		t.h.inequality("|h_w-h*|² <= c V"),
		t.eachPlain.inequality("|h_{f,w}-h*|² <= c E (f-h*)² for every f"),
		t.each.inequality("|h_{f,w}-h*|² <= 4(1-w)² E (f-h*)² for every f"),
		t.fast.inequality("|h_w-h*|² <= 4(1-w)² V for w >= 1/2"),
		t.follow.inequality("|f_w-f*|² <= 4 |h_w-h*|²"),
		t.near.inequality("continuity: |R(w,f) - R(1,g)| <= |f-g| (|f-g| + 2 R(1,g)^½) + c R(1,f)"),
		t.printedAbove.inequality("continuity, upper bound as printed: R(w,f) - R(1,g) <= |f-g| (|f-g| + 2|g| + 2|h*|) + 3c (|f-g|² + |g|² + |h*|²)"),
		t.printedBelow.inequality("continuity, lower bound as printed: R(w,f) - R(1,g) >= -|f-g| (|f-g| + 2|g| + 2|h*|)"),
		t.least.inequality("continuity of the least: 0 <= inf over F of R(w,f) - inf over F of R(1,f) <= c V"),
		t.convexFollow.within("convex F and H: |f_w-f*|² <= |h_w-h*|²", boxed),
		t.sharp.within("convex F and H: |h_w-h*|² <= min(c/4, c²) V", boxed),
		t.needF.inequality("two functions each: 0.99 c V <= |f_w-f*|² at w = 0.2 and 0.499"),
		t.needH.inequality("two functions each: 0.99 c V <= |h_w-h*|² at w = 0.2 and 0.499"),
		t.needFast.inequality("two functions in H: 0.99 · 4(1-w)² V <= |h_w-h*|² at w = 0.5, 0.9 and 0.99"),
	}
}

// A classProblem is a distribution with h*, f* and V, and a weight.
type classProblem struct {
	l            *Distribution
	target, best []float64 // h* and f*
	v, w         float64
}

func newClassProblem(l *Distribution, w float64) classProblem {
	p := classProblem{l: l, target: l.MeanYGivenU(), w: w}
	p.best = l.GivenX(func(_, u, _ int) float64 { return p.target[u] })
	p.v = p.one(p.best)
	return p
}

// one is R(1, f).
func (p classProblem) one(f []float64) float64 {
	a2, _ := squaredLosses(p.l, f, p.target)
	return a2
}

// q is Q(w, f, h): J_w less the part of Y that no h explains.
func (p classProblem) q(f, h []float64) float64 {
	a2, _ := squaredLosses(p.l, f, h)
	return a2/p.w + p.distanceU(h, p.target)/(1-p.w)
}

// distanceX and distanceU are squared distances of functions of X and of U.
func (p classProblem) distanceX(f, g []float64) float64 {
	return p.l.Expect(func(x, _, _ int) float64 { return squared(f[x] - g[x]) })
}

func (p classProblem) distanceU(h, g []float64) float64 {
	return p.l.Expect(func(_, u, _ int) float64 { return squared(h[u] - g[u]) })
}

// leastOver returns R(w, f) over a finite H, and h_{f,w}.
func (p classProblem) leastOver(f []float64, hs [][]float64) (value float64, h []float64) {
	value = math.Inf(1)
	for _, g := range hs {
		if q := p.q(f, g); q < value {
			value, h = q, g
		}
	}
	return value, h
}

// minimisers returns f_w and h_w over finite classes, and the least Q.
func (p classProblem) minimisers(fs, hs [][]float64) (f, h []float64, least float64) {
	least = math.Inf(1)
	for _, g := range fs {
		if value, at := p.leastOver(g, hs); value < least {
			f, h, least = g, at, value
		}
	}
	return f, h, least
}

// finiteClasses returns classes of 2 to 7 functions, f* and h* the last: at distances from f* and h* of all sizes, and mixtures
// (1-w) E[f|U] + w h*, which are good answers to an f.
func (s sampler) finiteClasses(p classProblem) (fs, hs [][]float64) {
	size := func() float64 { return math.Pow(10, s.between(-3, .5)) }
	moved := func(centre []float64) []float64 {
		d, v := size(), s.values(len(centre))
		for i := range v {
			v[i] = centre[i] + d*v[i]
		}
		return v
	}
	for range s.integer(1, 6) {
		f := moved(p.best)
		fs = append(fs, f)
		if s() < .7 {
			mean := p.l.GivenU(func(x, _, _ int) float64 { return f[x] })
			for u := range mean {
				mean[u] = (1-p.w)*mean[u] + p.w*p.target[u]
			}
			hs = append(hs, mean)
		} else {
			hs = append(hs, moved(p.target))
		}
	}
	return append(fs, p.best), append(hs, p.target)
}

// onFinite measures finite classes.
func (k classLimit) onFinite(t *classTallies, s sampler) {
	w := s.weight()
	if s() < .5 {
		w = 1 - math.Pow(10, s.between(-3, -.3))
	}
	p := newClassProblem(s.distribution(s() < .5), w)
	fs, hs := s.finiteClasses(p)
	c := k.ratio(w)
	rms := func(h []float64) float64 { return math.Sqrt(p.distanceU(h, make([]float64, len(h)))) }
	size := 1 + p.l.secondMoments(p.best, p.target)
	for _, f := range fs {
		size += p.l.Expect(func(x, _, _ int) float64 { return squared(f[x]) }) // also of the differences below
	}
	size /= w
	norm := rms(p.target)
	for i, f := range fs {
		one := p.one(f)
		value, h := p.leastOver(f, hs)
		t.below.below(k.below(w, one), value, size)
		t.above.below(value, k.above(w, one), size)
		t.separated.equal(one-p.v, k.separated(p.distanceX(f, p.best)), size)
		t.eachPlain.below(p.distanceU(h, p.target), k.plain(c, one), size)
		t.each.below(p.distanceU(h, p.target), k.each(w, one), size)
		g := fs[(i+1)%len(fs)]
		d, ofG := math.Sqrt(p.distanceX(f, g)), math.Sqrt(p.distanceX(g, make([]float64, len(g))))
		t.near.below(math.Abs(value-p.one(g)), k.near(c, d, p.one(g), one), size)
		t.printedAbove.below(value-p.one(g), k.printedAbove(c, d, ofG, norm), size)
		t.printedBelow.below(k.printedBelow(c, d, ofG, norm), value-p.one(g), size)
	}
	f, h, least := p.minimisers(fs, hs)
	df, dh := p.distanceX(f, p.best), p.distanceU(h, p.target)
	t.f.below(df, k.plain(c, p.v), size)
	t.h.below(dh, k.plain(c, p.v), size)
	t.follow.below(df, k.follow*dh, size)
	if w >= .5 {
		t.fast.below(dh, k.fast(w, p.v), size)
	}
	t.least.below(0, least-p.v, size)
	t.least.below(least-p.v, k.plain(c, p.v), size)
}

// onBoxes measures boxes about f* and h*, which are convex: each value has bounds of its own. Given h, the best f is E[h|X]
// cut to its box, given f the best h is w h* + (1-w) E[f|U] cut to its box.
func (k classLimit) onBoxes(t *classTallies, s sampler) {
	w := s.between(.1, .98)
	p := newClassProblem(s.distribution(s() < .5), w)
	box := func(centre []float64) (lo, hi []float64) {
		for _, v := range centre {
			d := math.Pow(10, s.between(-2, .5))
			lo, hi = append(lo, v-d*s()), append(hi, v+d*s())
		}
		return lo, hi
	}
	loF, hiF := box(p.best)
	loH, hiH := box(p.target)
	f, h := p.best, p.target
	for range 10000 {
		f = p.l.GivenX(func(_, u, _ int) float64 { return h[u] })
		for x := range f {
			f[x] = min(max(f[x], loF[x]), hiF[x])
		}
		next := p.l.GivenU(func(x, _, _ int) float64 { return f[x] })
		moved := 0.0
		for u := range next {
			next[u] = min(max(w*p.target[u]+(1-w)*next[u], loH[u]), hiH[u])
			moved = max(moved, math.Abs(next[u]-h[u]))
		}
		if h = next; moved < 1e-14 {
			break
		}
	}
	size := p.l.secondMoments(f, h)
	df, dh := p.distanceX(f, p.best), p.distanceU(h, p.target)
	t.convexFollow.below(df, k.convex*dh, size)
	t.sharp.below(dh, k.sharp(k.ratio(w), p.v), size)
}

// onExtremes measures classes at which the constants are attained. X says nothing, h* = ±1 with probability 1/2, so that f* is 0
// and V is 1.
func (k classLimit) onExtremes(t *classTallies) {
	l := NewDistribution([][]float64{{0}}, [][]float64{{0}, {1}}, []float64{-1, 1}, []float64{1, 0, 0, 1})
	const almost = .99
	at := func(w float64) (classProblem, float64) { return newClassProblem(l, w), k.ratio(w) }

	for _, w := range []float64{.2, .499} {
		p, c := at(w)
		// f = h = d costs (V + d²)/(1-w), f = f* and h = h* cost V/w.
		d := math.Sqrt(.999*(1-w)/w*p.v - p.v)
		_, h, _ := p.minimisers([][]float64{p.best, {d}}, [][]float64{{d, d}, p.target})
		t.needH.below(almost*k.plain(c, p.v), p.distanceU(h, p.target), 1)

		// f at a squared distance just below c V from f*, with the h that makes Theorem 1 an equality.
		d = math.Sqrt(.999 * (1 - w) / w * p.v)
		answer := []float64{(1-w)*d + w*p.target[0], (1-w)*d + w*p.target[1]}
		f, _, _ := p.minimisers([][]float64{p.best, {d}}, [][]float64{answer, p.target})
		t.needF.below(almost*k.plain(c, p.v), p.distanceX(f, p.best), 1)
	}

	// h = (1-e) h* costs less than h* if e is below 2(1-w).
	for _, w := range []float64{.5, .9, .99} {
		p, _ := at(w)
		shrunk := 1 - .999*2*(1-w)
		_, h, _ := p.minimisers([][]float64{p.best}, [][]float64{{shrunk * p.target[0], shrunk * p.target[1]}, p.target})
		t.needFast.below(almost*k.fast(w, p.v), p.distanceU(h, p.target), 1)
	}
}

// chart draws what finite classes reach of the bound c V over w.
func (k classLimit) chart(o Options) report.Chart {
	var x, df, dh []float64
	for i := range 400 {
		s := newSampler(o, "limit/classes/chart", i)
		w := 1 - math.Pow(10, s.between(-3, -.1))
		p := newClassProblem(s.chartDistribution(true), w)
		fs, hs := s.finiteClasses(p)
		f, h, _ := p.minimisers(fs, hs)
		if a, b := p.distanceX(f, p.best)/p.v, p.distanceU(h, p.target)/p.v; a > 0 && b > 0 {
			x, df, dh = append(x, 1-w), append(df, a), append(dh, b)
		}
	}
	lo, hi := 1e-3, math.Pow(10, -.1)
	bound := report.Series{Name: "c", Kind: report.Line}
	for e := lo; e <= hi; e *= 1.1 {
		bound.X, bound.Y = append(bound.X, e), append(bound.Y, k.plain(k.ratio(1-e), 1))
	}
	return report.Chart{
		Name: "limit-classes", Title: "Squared distances of minimisers over finite classes from f* and h*, by V", XLabel: "1 - w", YLabel: "squared distance / V", LogX: true, LogY: true,
		Series: []report.Series{
			{Name: "|f_w-f*|²/V", Kind: report.Points, X: x, Y: df},
			{Name: "|h_w-h*|²/V", Kind: report.Points, X: x, Y: dh},
			bound,
		},
	}
}
