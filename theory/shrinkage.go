package theory

import (
	"context"

	"mediant/report"
)

// Claim 5, [Yamane21, section 5.3 and appendix G]. For fixed f, with h* = E[Y|U] and F = E[f|U],
//
//	argmin over h in L2(U) of J_w(f, h) = w h* + (1-w) F
//	min over h of J_w = E (f-Y)² + (1-w)/w E (f-F)² + w/(1-w) E Var(Y|U) + 2 E (f-F)(Y-h*)
//
// The last term is 0 under conditional mean independence: then Joint-RR penalises how much of f U does
// not explain, with a strength that vanishes as w -> 1. The term in Var(Y|U) does not depend on f.
//
// Measured on random distributions with random f and w. That h is the minimiser is measured by
// J_w(f, h+d) - J_w(f, h) = E d²/(w(1-w)) for random d, which fails for any other h.

// A shrinkage holds the formulas of claim 5.
type shrinkage struct {
	minimiser func(w, target, explained float64) float64 // of h* and E[f|U]
	forF      func(w float64) float64                    // factor of E (f-F)²
	forY      func(w float64) float64                    // factor of E Var(Y|U)
	cross     float64                                    // factor of E (f-F)(Y-h*)
	under     float64                                    // E (f-F)(Y-h*) under conditional mean independence
}

var rightShrinkage = shrinkage{
	minimiser: func(w, target, explained float64) float64 { return w*target + (1-w)*explained },
	forF:      func(w float64) float64 { return (1 - w) / w },
	forY:      func(w float64) float64 { return w / (1 - w) },
	cross:     2,
}

func (k shrinkage) claim() Claim {
	return Claim{
		Name:      "Joint-RR shrinks f towards functions of U",
		Reference: "[Yamane21, section 5.3 and appendix G]; docs/theory.md, 9.5",
		Statement: "The least value of the objective over all h is the mean squared error and a penalty that draws f towards a function of U; under conditional mean independence its last term is 0.",
		Formulas: []string{
			`\min_h J_w(f,h) = E(f-Y)^2 + \frac{1-w}{w}E(f-E[f|U])^2 + \frac{w}{1-w}E\operatorname{Var}(Y|U) + 2E(f-E[f|U])(Y-h^*)`,
			`h = wE[Y|U] + (1-w)E[f|U]`,
		},
		Assumptions: "Square-integrable f and Y; h ranges over all of L2(U).",
		Method:      "Exact sums on random finite distributions with random f and w, with and without conditional mean independence; the minimiser by J_w(f,h+d) - J_w(f,h) = E d²/(w(1-w)) for random d.",
		Run:         k.run,
	}
}

// shrinkageTallies are what claim 5 measures on a distribution.
type shrinkageTallies struct{ minimiser, with, without, cross tally }

func (k shrinkage) run(ctx context.Context, o Options) (Result, error) {
	var t shrinkageTallies
	for i := range o.distributionCount() {
		if err := ctx.Err(); err != nil {
			return Result{}, err
		}
		s := newSampler(o, "shrinkage", i)
		k.onDistribution(&t, s, i%2 == 0)
	}
	return Result{Checks: t.checks(), Charts: []report.Chart{k.chart(o)}}, nil
}

func (t *shrinkageTallies) checks() []Check {
	return []Check{
		t.minimiser.identity("J_w(f,h+d) - J_w(f,h) = E d²/(w(1-w)) at h = w E[Y|U] + (1-w) E[f|U]"),
		t.with.identity("identity of the minimum under conditional mean independence, three terms"),
		t.cross.identity("E (f-E[f|U])(Y-h*) = 0 under conditional mean independence"),
		t.without.identity("identity of the minimum without it, four terms"),
	}
}

// shrinkageTerms are the expectations of claim 5, exact sums that use none of its formulas.
type shrinkageTerms struct {
	f, target, explained             []float64 // f, h* and E[f|U]
	mse, unexplained, noise, crossFY float64
}

func newShrinkageTerms(l *Distribution, f []float64) shrinkageTerms {
	t := shrinkageTerms{f: f, target: l.MeanYGivenU(), explained: l.GivenU(func(x, _, _ int) float64 { return f[x] }), mse: l.MSE(f)}
	t.unexplained = l.Expect(func(x, u, _ int) float64 { return squared(f[x] - t.explained[u]) })
	t.noise = l.Expect(func(_, u, y int) float64 { return squared(l.Y[y] - t.target[u]) })
	t.crossFY = l.Expect(func(x, u, y int) float64 { return (f[x] - t.explained[u]) * (l.Y[y] - t.target[u]) })
	return t
}

// minimiserOf returns h of the formula.
func (k shrinkage) minimiserOf(w float64, t shrinkageTerms) []float64 {
	h := make([]float64, len(t.target))
	for u := range h {
		h[u] = k.minimiser(w, t.target[u], t.explained[u])
	}
	return h
}

// onDistribution measures a random distribution.
func (k shrinkage) onDistribution(t *shrinkageTallies, s sampler, cmi bool) {
	l := s.distribution(cmi)
	w := s.weight()
	terms := newShrinkageTerms(l, s.values(len(l.X)))
	h, d := k.minimiserOf(w, terms), s.values(len(l.U))
	j := objective(l, w, terms.f, h)
	size := (l.secondMoments(terms.f, h) + l.Expect(func(_, u, _ int) float64 { return squared(d[u]) })) / (w * (1 - w))

	moved := make([]float64, len(h))
	for u := range h {
		moved[u] = h[u] + d[u]
	}
	excess := l.Expect(func(_, u, _ int) float64 { return squared(d[u]) }) / (w * (1 - w))
	t.minimiser.equal(objective(l, w, terms.f, moved)-j, excess, size)

	sum := terms.mse + k.forF(w)*terms.unexplained + k.forY(w)*terms.noise
	if cmi {
		t.with.equal(j, sum, size)
		t.cross.equal(terms.crossFY, k.under, size)
	} else {
		t.without.equal(j, sum+k.cross*terms.crossFY, size)
	}
}

// objective returns J_w(f, h).
func objective(l *Distribution, w float64, f, h []float64) float64 {
	return l.Expect(func(x, u, y int) float64 { return squared(f[x]-h[u])/w + squared(h[u]-l.Y[y])/(1-w) })
}

// chart draws the terms over w for one distribution.
func (k shrinkage) chart(o Options) report.Chart {
	s := newSampler(o, "shrinkage/chart", 0)
	l := s.chartDistribution(true)
	terms := newShrinkageTerms(l, s.values(len(l.X)))
	var w, j, mse, forF, forY []float64
	for i := 10; i <= 90; i += 2 {
		v := float64(i) / 100
		w, mse = append(w, v), append(mse, terms.mse)
		j = append(j, objective(l, v, terms.f, k.minimiserOf(v, terms)))
		forF, forY = append(forF, k.forF(v)*terms.unexplained), append(forY, k.forY(v)*terms.noise)
	}
	return report.Chart{
		Name: "shrinkage", Title: "The least J_w over h and its terms, for one f on one distribution", XLabel: "w", YLabel: "value",
		Series: []report.Series{
			{Name: "min over h of J_w", Kind: report.Line, X: w, Y: j},
			{Name: "E (f-Y)²", Kind: report.Line, X: w, Y: mse},
			{Name: "(1-w)/w E (f-E[f|U])²", Kind: report.Line, X: w, Y: forF},
			{Name: "w/(1-w) E Var(Y|U)", Kind: report.Line, X: w, Y: forY},
		},
	}
}
