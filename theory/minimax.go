package theory

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"mediant/internal/draw"
	"mediant/report"
)

// A minimaxFormula is what is claimed of the pair with violation c.
type minimaxFormula struct {
	violation func(c float64) float64           // E (E[Y|U] - E[Y|U,X])²
	average   func(distance, c float64) float64 // of the two risks, distance = E (fhat - E[E[Y|U]|X])²
	lower     func(c float64) float64           // of the worst risk of any estimator
	upper     func(c float64) float64           // of the risk of 2Step-RR with infinitely many rows
	printed   func(c float64) float64           // lower bound of [Yamane21]
}

func minimaxConstants() minimaxFormula {
	return minimaxFormula{
		violation: func(c float64) float64 { return c * c },
		average:   func(distance, c float64) float64 { return distance + c*c },
		lower:     func(c float64) float64 { return c * c },
		upper:     func(c float64) float64 { return c * c },
		printed:   func(c float64) float64 { return c * c / 2 },
	}
}

// minimaxClaims are the lower bound of the risk where conditional mean independence fails by c.
func minimaxClaims() []Claim { return minimaxClaimsOf(minimaxConstants()) }

func minimaxClaimsOf(f minimaxFormula) []Claim {
	return []Claim{{
		Name:      "Minimax risk under a violation of size c",
		Reference: "[Yamane21, section 5.5 and appendix H]; docs/theory.md, 12",
		Statement: "Over all distributions that violate conditional mean independence by at most c, no estimator from the two tables, whatever their sizes and also a stochastic one, has a worst error below the square of c (and so not below half of it, as printed), and 2Step-RR with infinitely many rows attains it. Over a pair of distributions with the same uncoupled distributions the average error is this:",
		Formulas: []string{
			`\frac{1}{2}\sum_{i=1,2} E(\hat{f}-E_i[Y|X])^2 = E(\hat{f}-g)^2 + c^2,\quad g = E[E[Y|U]|X]`,
			`c^2 \ge E(E[Y|U]-E[Y|U,X])^2`,
		},
		Assumptions: "Y is square integrable.",
		Method: "Exact sums over two pairs of finite distributions; 1,000 random estimators; minimisation of the worst risk; TwoStep, Joint, Naive " +
			"and MeanEmbedding fitted to samples of the pair, their risks exact.",
		Run: func(ctx context.Context, o Options) (Result, error) { return runMinimax(ctx, f, o) },
	}}
}

func runMinimax(ctx context.Context, f minimaxFormula, o Options) (Result, error) {
	g := &gauge{reference: "[Yamane21, section 5.5 and appendix H]; docs/theory.md, 12"}
	lines := report.Chart{Name: "minimax", Title: "Worst risk over the pair", XLabel: "c", YLabel: "E(fhat - E[Y|X])²", Series: []report.Series{
		{Name: "least worst risk, by minimisation", Kind: report.Points}, {Name: "c²", Kind: report.Line}, {Name: "c²/2", Kind: report.Line}}}
	// Two values of c tell c² from c, 1 and 2c; the chart has more.
	for i, c := range []float64{.5, 2} {
		for j, m := range minimaxPairs(c) {
			where := fmt.Sprintf("%s, c = %g", m.name, c)
			checkUncoupled(g, m, where)
			checkMinimaxBounds(g, f, m, where, draw.Rand(o.Seed, "theory/minimax", 2*i+j))
		}
	}
	for i, c := range []float64{.25, .5, 1, 1.5, 2} {
		least := minimaxPairs(c)[1].leastWorst(draw.Rand(o.Seed, "theory/minimax/chart", i))
		for j, v := range []float64{least, f.lower(c), f.printed(c)} {
			lines.Series[j].X, lines.Series[j].Y = append(lines.Series[j].X, c), append(lines.Series[j].Y, v)
		}
	}
	table, err := checkEstimators(ctx, g, f, o)
	if err != nil {
		return Result{}, err
	}
	return Result{Checks: g.checks, Tables: []report.Table{table}, Charts: []report.Chart{lines}}, nil
}

// checkUncoupled shows that the pair is one for tables, and two for coupled rows.
func checkUncoupled(g *gauge, m minimaxPair, where string) {
	plus, minus := m.distribution(1), m.distribution(-1)
	g.atMost("distributions of (X, U), "+where, "Total variation distance of the two distributions of (X, U).", apart(marginal(plus, atomXU), marginal(minus, atomXU)), 0, 0)
	g.atMost("distributions of (U, Y), "+where, "Total variation distance of the two distributions of (U, Y).", apart(marginal(plus, atomUY), marginal(minus, atomUY)), 0, 0)
	g.atLeast("distributions of (X, U, Y), "+where, "Total variation distance of the two whole distributions: they have no point in common.", apart(marginal(plus, atomWhole), marginal(minus, atomWhole)), 1, 0)
}

// checkMinimaxBounds checks the size of the violation, the identity of the average, and the lower and
// upper bound of the worst risk.
func checkMinimaxBounds(g *gauge, f minimaxFormula, m minimaxPair, where string, rnd *rand.Rand) {
	c := m.c
	for _, sign := range []float64{1, -1} {
		g.near(fmt.Sprintf("violation of size c, %s, sign %+g", where, sign), "E (E[Y|U] - E[Y|U,X])² by sums over the distribution.", violation(m.distribution(sign)), f.violation(c), 0, exactly)
	}
	limit := m.limit()
	off, ratio := 0.0, math.Inf(1)
	for range 1000 {
		e := randomEstimate(rnd, c*math.Exp(rnd.NormFloat64()))
		plus, minus := m.risks(e)
		want := f.average(e.distance(limit), c)
		off = math.Max(off, math.Abs((plus+minus)/2-want)/want)
		ratio = math.Min(ratio, math.Max(plus, minus)/f.lower(c))
	}
	// Relative to the average, whose parts are all of its size or less.
	g.near("average over the pair, "+where, "Largest relative distance of the average risk from E (fhat - g)² + c², over 1,000 random estimators, three in four of them stochastic.", off, 0, 0, exactly)
	g.atLeast("worst risk of random estimators, "+where, "Least worst risk over c², over the same estimators.", ratio, 1, 0)

	least := m.leastWorst(rnd)
	// leastWorst stops within c 1e-7 of the minimum.
	g.near("least worst risk, "+where, "Minimum over all deterministic estimators by direct search; Bound is the lower bound.", least, f.lower(c), 0, 1e-6*c)
	g.atLeast("lower bound as printed, "+where, "The same minimum; Bound is c²/2.", least, f.printed(c), 0)
	g.near("factor left open, "+where, "The same minimum over the lower bound as printed.", least/f.printed(c), 2, 0, 1e-5/c)
	at := minimaxEstimate{p: []float64{1}, values: [][4]float64{{limit[0], limit[1], limit[2], limit[3]}}}
	plus, minus := m.risks(at)
	g.near("infinite samples, "+where, "Worst risk of the limit of 2Step-RR, from the uncoupled distributions.", math.Max(plus, minus), f.upper(c), 0, exactly)
	g.near("lower bound meets upper bound, "+where, "Lower bound; Bound is the upper one.", f.lower(c), f.upper(c), 0, exactly)
}
