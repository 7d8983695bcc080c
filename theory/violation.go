package theory

import (
	"context"
	"math"

	"mediant/report"
)

// Claim 9, [Yamane21, section 5.5], without conditional mean independence. Let
// c² = E (E[Y|U] - E[Y|U,X])², h* = E[Y|U] and F = E[f|U]. With infinite samples 2Step-RR returns
// E[h*|X], and
//
//	E (E[h*|X] - E[Y|X])² = E (E[h* - E[Y|U,X] | X])² <= c²
//
// by Jensen, with equality iff h* - E[Y|U,X] is a function of X. The uncoupled risk of any f at h = h*,
// R = E (f-h*)² + E (Y-h*)², misses the violation by
//
//	E (f-Y)² - R = 2 E (f-F)(h* - E[Y|U,X]),   of size at most 2 c RMS(f-F),
//
// since h* - E[Y|U,X] has mean 0 given U; equality iff f - F is a multiple of h* - E[Y|U,X]. The
// bracket of claim 1 caps it.
//
// Measured on random distributions without conditional mean independence; equality on distributions where X and U are
// independent and E[Y|U,X] = h*(U) + d(X).

// A violated holds the formulas of claim 9, as functions of c.
type violated struct {
	limit func(c float64) float64      // bound of the squared excess error of 2Step-RR
	risk  func(c, rms float64) float64 // bound of |E (f-Y)² - R|, rms = RMS(f - E[f|U])
	cross float64                      // factor of E (f-F)(h* - E[Y|U,X])
}

var rightViolation = violated{
	limit: func(c float64) float64 { return c * c },
	risk:  func(c, rms float64) float64 { return 2 * c * rms },
	cross: 2,
}

func (v violated) claim() Claim {
	return Claim{
		Name:      "2Step-RR under a violation of size c",
		Reference: "[Yamane21, section 5.5, claim (ii)]; docs/theory.md, 9.9",
		Statement: "A violation of conditional mean independence of size c moves the limit of 2Step-RR by at most c, and the uncoupled risk by at most 2c times the root of E (f-E[f|U])²; both can be attained.",
		Formulas: []string{
			`E(E[h^*|X]-E[Y|X])^2 \le c^2 = E(E[Y|U]-E[Y|U,X])^2`,
			`E(f-Y)^2 - R(f) = 2E(f-E[f|U])(h^*-E[Y|U,X])`,
		},
		Assumptions: "None on the distribution but square integrability; infinite samples.",
		Method:      "Exact sums on random finite distributions without conditional mean independence and random f; equality on distributions where X and U are independent and E[Y|U,X] - h*(U) is a function of X.",
		Run:         v.run,
	}
}

// violationTallies are what claim 9 measures on a distribution.
type violationTallies struct {
	limit, sharpLimit, identity, risk, sharpRisk, capped tally
	c2, excess                                           []float64 // of the first distributions, for the chart
}

func (v violated) run(ctx context.Context, o Options) (Result, error) {
	var t violationTallies
	for i := range o.distributionCount() {
		if err := ctx.Err(); err != nil {
			return Result{}, err
		}
		s := newSampler(o, "violation", i)
		v.onDistribution(&t, s)
		v.onAdditive(&t, s)
	}
	return Result{Checks: t.checks(), Charts: []report.Chart{t.chart()}}, nil
}

func (t *violationTallies) checks() []Check {
	return []Check{
		t.limit.inequality("E (E[h*|X] - E[Y|X])² <= c²"),
		t.sharpLimit.identity("equal to c² where E[Y|U,X] - h*(U) is a function of X"),
		t.identity.identity("E (f-Y)² - R = 2 E (f-E[f|U])(h*-E[Y|U,X])"),
		t.risk.inequality("|E (f-Y)² - R| <= 2 c RMS(f-E[f|U])"),
		t.sharpRisk.identity("equal where f - E[f|U] is a multiple of h* - E[Y|U,X]"),
		t.capped.inequality("E (f-Y)² <= the smaller of R + 2 c RMS(f-E[f|U]) and (a+b)²"),
	}
}

// excess returns the squared error of the limit of 2Step-RR, E (E[h*|X] - E[Y|X])².
func excess(l *Distribution) float64 {
	h, target := l.MeanYGivenU(), l.MeanYGivenX()
	limit := l.GivenX(func(_, u, _ int) float64 { return h[u] })
	return l.Expect(func(x, _, _ int) float64 { return squared(limit[x] - target[x]) })
}

// missed returns E (f-Y)² - R at h*, RMS(f-F) and E (f-F)(h* - E[Y|U,X]).
func missed(l *Distribution, f []float64) (gap, rms, cross float64) {
	h, both := l.MeanYGivenU(), l.MeanYGivenXU()
	explained := l.GivenU(func(x, _, _ int) float64 { return f[x] })
	a2, b2 := squaredLosses(l, f, h)
	cross = l.Expect(func(x, u, _ int) float64 { return (f[x] - explained[u]) * (h[u] - both[x*len(l.U)+u]) })
	return l.MSE(f) - a2 - b2, distance(l, f, explained), cross
}

// onDistribution measures what holds on any distribution.
func (v violated) onDistribution(t *violationTallies, s sampler) {
	l := s.distribution(false)
	f, h, c := s.values(len(l.X)), l.MeanYGivenU(), l.Violation()
	size := l.secondMoments(f, h)
	e := excess(l)
	t.limit.below(e, v.limit(c), size)
	if len(t.c2) < 200 && c > 1e-6 && e > 1e-12 {
		t.c2, t.excess = append(t.c2, c*c), append(t.excess, e)
	}
	gap, rms, cross := missed(l, f)
	t.identity.equal(gap, v.cross*cross, size)
	t.risk.below(math.Abs(gap), v.risk(c, rms), size)
	a2, b2 := squaredLosses(l, f, h)
	t.capped.below(l.MSE(f), min(a2+b2+v.risk(c, rms), squared(math.Sqrt(a2)+math.Sqrt(b2))), size)
}

// onAdditive measures equality: X and U independent, E[Y|U,X] = h*(U) + d(X) with E d = 0,
// and f = k d for a random k.
func (v violated) onAdditive(t *violationTallies, s sampler) {
	l, d := s.additive()
	f, k := make([]float64, len(d)), s.between(-2, 2)
	for x := range f {
		f[x] = k * d[x]
	}
	c := l.Violation()
	size := l.secondMoments(f, l.MeanYGivenU())
	t.sharpLimit.equal(excess(l), v.limit(c), size)
	gap, rms, _ := missed(l, f)
	t.sharpRisk.equal(math.Abs(gap), v.risk(c, rms), size)
}

// additive returns a distribution of independent X and U with E[Y|U,X] - E[Y|U] = d(X), and d.
func (s sampler) additive() (*Distribution, []float64) {
	nx, nu := s.integer(2, 4), s.integer(1, 3)
	px, pu, d, h := s.shares(nx), s.shares(nu), s.values(nx), s.values(nu)
	var mean accumulator
	for x := range d {
		mean.add(px[x] * d[x])
	}
	pairs := make([]float64, nx*nu)
	for x := range d {
		d[x] -= mean.value()
		for u := range h {
			pairs[x*nu+u] = px[x] * pu[u]
		}
	}
	return s.around(pairs, s.vectors(nx, 1), s.vectors(nu, 1), func(x, u int) float64 { return h[u] + d[x] }), d
}

// chart draws the excess error of the first distributions over c².
func (t *violationTallies) chart() report.Chart {
	return report.Chart{
		Name: "violation", Title: "Error of the limit of 2Step-RR against the violation, random distributions", XLabel: "c²", YLabel: "E (E[h*|X] - E[Y|X])²", LogX: true, LogY: true,
		Series: []report.Series{
			{Name: "random distributions", Kind: report.Points, X: t.c2, Y: t.excess},
			diagonal("the bound c²", t.c2),
		},
	}
}

// diagonal is the line y = x over the range of x.
func diagonal(name string, x []float64) report.Series {
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, v := range x {
		lo, hi = min(lo, v), max(hi, v)
	}
	return report.Series{Name: name, Kind: report.Line, X: []float64{lo, hi}, Y: []float64{lo, hi}}
}
