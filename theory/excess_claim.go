package theory

import (
	"context"
	"fmt"

	"mediant/report"
)

// excessClaims are the excess-risk bounds of 2Step-RR and of Joint-RR (docs/theory.md, Excess risk) and the rate
// of the Rademacher complexities in them.
func excessClaims() []Claim { return excessClaimsOf(excessConstants(), complexityConstants()) }

const excessAssumptions = "F and H are balls of linear functions; |f|, |h| and |Y| are bounded by M_f, M_h and M_Y; " +
	"S_X and S_Y are independent samples. For 2Step-RR also: E[Y|U] = E[Y|U,X], and E[h(U)|X] is in F for every h in H."

func excessClaimsOf(f excessFormula, c complexityFormula) []Claim {
	return []Claim{{
		Name:      "Excess risk of 2Step-RR",
		Reference: "[Yamane21, Thm 4]; docs/theory.md, Excess risk",
		Statement: "With probability at least 1 - 2 delta, E(fhat - f*)² <= 2 [4(M_f+M_h) R_n(F) + (M_f+M_h)² sqrt(2 log(1/delta)/n)] + " +
			"2 [min_H E(h-h*)² + 4(M_h+M_Y) R_m(H) + (M_h+M_Y)² sqrt(2 log(1/delta)/m)].",
		Assumptions: excessAssumptions,
		Method: "Samples of two distributions whose moments are known, so that the excess risk is exact; how often it is above the bound and " +
			"by what factor it is below. Each constant is computed again from its meaning.",
		Run: func(ctx context.Context, o Options) (Result, error) { return runTwoStepBound(ctx, f, o) },
	}, {
		Name:      "Excess risk of Joint-RR",
		Reference: "[Yamane21, appendix]; docs/theory.md, Excess risk",
		Statement: "With probability at least 1 - 2 delta, MSE(fhat) <= min over F and H of J_w + 1/w [4(M_f+M_h)(R_n(F) + R_n(H)) + " +
			"(M_f+M_h)² sqrt(2 log(1/delta)/n)] + 1/(1-w) [4(M_h+M_Y) R_m(H) + (M_h+M_Y)² sqrt(2 log(1/delta)/m)].",
		Assumptions: excessAssumptions,
		Method:      "As for 2Step-RR, at w = 1/2; the weights are also held against those that package solvers uses.",
		Run:         func(ctx context.Context, o Options) (Result, error) { return runJointBound(ctx, f, o) },
	}, {
		Name:        "Rademacher complexity falls as 1/sqrt n",
		Reference:   "[Yamane21, Thm 4]; docs/theory.md, Rademacher complexity",
		Statement:   "R_n = r/n E|Σ sigma_i z_i| for the ball of radius r; R_n sqrt n -> r sqrt(v pi/2) for uncorrelated columns of variance v in the plane.",
		Assumptions: "Rows z are bounded, of mean 0 and covariance v I, in the plane.",
		Method:      "Exact sums for X = (±1, ±1), Monte Carlo for X and U; slope of log R_n against log n.",
		Run:         func(_ context.Context, o Options) (Result, error) { return runComplexity(c, o) },
	}}
}

// checkConstants holds every constant of the formula against its second computation.
func checkConstants(g *gauge, f excessFormula, l excessDistribution) {
	bf, bh, by := l.bounds()
	for _, side := range []struct {
		name string
		a, b float64
	}{{"f against h", bf, bh}, {"h against Y", bh, by}} {
		// Finite differences over a step of 1e-6 are 1e-6 below the derivative; the rest is rounding
		// of squares of order 10 over that step, 1e-9.
		g.near("Lipschitz constant, "+side.name, "Steepest finite difference of (s-t)² over the box; Bound is the formula's.",
			steepest(side.a, side.b), f.lipschitz(side.a, side.b), 0, 2e-6)
		g.near("largest loss, "+side.name, "Largest (s-t)² on a grid over the box; Bound is the formula's.",
			largestLoss(side.a, side.b), f.reach(side.a, side.b), 0, exactly)
		// The suprema are limits as p and e tend to 0; at 1e-7 and 1e-6 they are missed by relative 1e-6.
		g.near("coefficient of the complexity, "+side.name, "Largest E sup(P-P_n)/R_1 over two-point classes, by summation; Bound is the formula's product of factors.",
			deviationNeeded(side.a, side.b), f.symmetrise*f.contraction*f.lipschitz(side.a, side.b), 0, 2e-6*(side.a+side.b)*4)
		const n, delta = 200, .05
		g.near("concentration term, "+side.name, "McDiarmid's inequality inverted by bisection at n = 200, delta = 0.05; Bound is the formula's.",
			concentrationNeeded(largestChange(side.a+side.b), n, delta), f.concentrate(f.reach(side.a, side.b), n, delta), 0, exactly)
	}
	// p = 2^-23 leaves 2(1-p), 2.4e-7 below 2.
	g.near("factor of symmetrisation", "Largest E sup(P-P_n)/R_1 over classes {0, g}, by summation; Bound is the formula's.", symmetrisationNeeded(), f.symmetrise, 0, 3e-7)
	const delta = .05
	g.atLeast("two events", "Failure probability that the formula grants for delta = 0.05; two independent events of probability delta need 1-(1-delta)².",
		f.failure(delta), 1-square(1-delta), 0)
	g.atMost("union bound", "Failure probability that the formula grants; by the union bound no more than the sum is needed.", f.failure(delta), delta+delta, 0)
}

// excessTable is the table of one bound.
func excessTable(caption string, runs []excessRun) report.Table {
	t := report.Table{Caption: caption, Columns: []string{"distribution", "n = m", "mean excess", "95 % quantile", "bound", "bound / mean", "repetitions", "above"}}
	for _, r := range runs {
		t.Rows = append(t.Rows, append([]report.Cell{words(r.distribution)},
			numbers(float64(r.n), r.excess.mean, r.quantile, r.bound, r.bound/r.excess.mean, r.excess.n, float64(r.above))...))
	}
	return t
}

// excessChart draws excess and bound against n.
func excessChart(name, title string, runs []excessRun) report.Chart {
	c := report.Chart{Name: name, Title: title, XLabel: "n = m", YLabel: "E(fhat - f*)²", LogX: true, LogY: true}
	for _, r := range runs {
		at := -1
		for i, s := range c.Series {
			if s.Name == "excess, "+r.distribution {
				at = i
			}
		}
		if at < 0 {
			at = len(c.Series)
			c.Series = append(c.Series, report.Series{Name: "excess, " + r.distribution, Kind: report.LinePoints}, report.Series{Name: "bound, " + r.distribution, Kind: report.Line})
		}
		mean, bound := &c.Series[at], &c.Series[at+1]
		mean.X, bound.X = append(mean.X, float64(r.n)), append(bound.X, float64(r.n))
		mean.Y, bound.Y = append(mean.Y, r.excess.mean), append(bound.Y, r.bound)
		mean.Err = append(mean.Err, r.excess.se())
	}
	return c
}

// checkViolations holds the share of repetitions above the bound against the probability granted.
func checkViolations(g *gauge, granted float64, runs []excessRun) {
	for _, r := range runs {
		share := float64(r.above) / r.excess.n
		// The standard error at the granted probability, where the check is hardest to pass.
		g.add(fmt.Sprintf("bound holds, %s, n = %d", r.distribution, r.n), fmt.Sprintf("Share of %.0f repetitions above the bound, which is %.0f times the mean.", r.excess.n, r.bound/r.excess.mean),
			share, granted, "<=", binomialError(granted, r.excess.n), share <= granted+sigmas*binomialError(granted, r.excess.n))
	}
}
