package theory

import (
	"context"
	"fmt"

	"mediant/report"
)

// excessClaims are the excess-risk bounds of 2Step-RR and of Joint-RR (docs/theory.md, Excess risk) and the rate
// of the Rademacher complexities in them.
func excessClaims() []Claim { return excessClaimsOf(excessConstants(), complexityConstants()) }

const excessAssumptions = "S_X and S_Y are independent samples; |f|, |h| and |Y| are at most C_F, C_H and C_Y; h* is in H"

func excessClaimsOf(f excessFormula, c complexityFormula) []Claim {
	return []Claim{{
		Name:      "Excess risk of 2Step-RR",
		Reference: "[Yamane21, Thm 4 and appendix F]; docs/theory.md, 11",
		Statement: "With probability at least 1 - delta the excess risk of 2Step-RR is at most our bound, and that is at most the right side as printed.",
		Formulas: []string{
			`E(\hat{f}-f^*)^2 \le 8(C_F+C_H)R_n(F) + 8(C_H+C_Y)R_m(H) + \sqrt{2\operatorname{log}\frac{1}{\delta}[\frac{4(C_F+C_H)^4}{n} + \frac{4(C_H+C_Y)^4}{m}]}`,
			`\text{as printed: } 8(C_F+C_H)(R_n(F)+R_n(H)) + 8(C_H+C_Y)R_m(H) + 4(C_F+C_H)^2\sqrt{\frac{2\operatorname{log}(1/\delta)}{n}} + 2(C_H+C_Y)^2\sqrt{\frac{2\operatorname{log}(1/\delta)}{m}}`,
		},
		Assumptions: excessAssumptions + " (else 2 min over H of E(h-h*)² is added), f* is in F; E[Y|U] = E[Y|U,X]; F is convex, or E[h(U)|X] is in F for every h in H. " +
			"The last condition is not in the paper, whose proof uses it.",
		Method: "Samples of three distributions whose moments are known, so that the excess risk is exact: balls F that have every E[h(U)|X], that have not, and that lack f* and h*. How often the " +
			"excess is above each bound, and by what factor it is below; every step of the proof on every sample.",
		Run: func(ctx context.Context, o Options) (Result, error) { return runTwoStepBound(ctx, f, o) },
	}, {
		Name:      "Excess risk of Joint-RR",
		Reference: "[Yamane21, appendix F.1]; docs/theory.md, 11",
		Statement: "With probability at least 1 - delta the objective at the fit of Joint-RR exceeds its least value by at most our bound, and that is at most the right side as printed; so the mean squared error is at most the least value plus either.",
		Formulas: []string{
			`J_w(\hat{f},\hat{h}) - \min J_w \le \frac{4(C_F+C_H)}{w}(R_n(F)+R_n(H)) + \frac{4(C_H+C_Y)}{1-w}R_m(H) + \sqrt{2\operatorname{log}\frac{1}{\delta}[\frac{(C_F+C_H)^4}{w^2 n} + \frac{(C_H+C_Y)^4}{(1-w)^2 m}]}`,
			`\text{as printed: } \frac{8(C_F+C_H)}{w}(R_n(F)+R_n(H)) + \frac{4(C_H+C_Y)}{1-w}R_m(H) + \frac{4(C_F+C_H)^2}{w}\sqrt{\frac{2\operatorname{log}(1/\delta)}{n}} + \frac{2(C_H+C_Y)^2}{1-w}\sqrt{\frac{2\operatorname{log}(1/\delta)}{m}}`,
		},
		Assumptions: "S_X and S_Y are independent samples; |f|, |h| and |Y| are at most C_F, C_H and C_Y. Nothing else.",
		Method:      "As for 2Step-RR, at w = 1/2.",
		Run:         func(ctx context.Context, o Options) (Result, error) { return runJointBound(ctx, f, o) },
	}, {
		Name:        "Constants of the excess-risk bounds",
		Reference:   "[Yamane21, Thm 4, appendices F and F.1]; docs/theory.md, 10 and 11",
		Statement:   "Each constant of our two bounds is the least that its step needs, and our right sides are at most the printed ones.",
		Assumptions: "Those of the two bounds. Theorem 4 needs E[Y|U] = E[Y|U,X].",
		Method:      "Each constant is computed again from its meaning: maxima over grids, sums over small distributions, bisection, package solvers. Right sides for 10,000 random constants, complexities, sizes and w.",
		Run:         func(_ context.Context, o Options) (Result, error) { return runConstants(f, o) },
	}, {
		Name:      "Rademacher complexity falls as 1/sqrt n",
		Reference: "[Yamane21, after Thm 4, and appendix D]; docs/theory.md, 10",
		Statement: "The Rademacher complexity of a ball of radius r falls as one over the root of n, with the constant of normal rows for uncorrelated columns of variance v in the plane.",
		Formulas: []string{
			`R_n = \frac{r}{n}E|\sum_i \sigma_i z_i|,\quad R_n\sqrt{n} \to r\sqrt{v\pi/2}`,
		},
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
	checkTogether(g, f, l)
}

// excessTable is the table of the bounds of one quantity.
func excessTable(caption, quantity string, runs []excessRun) report.Table {
	t := report.Table{Caption: caption, Columns: []string{"distribution", "n = m", "mean " + quantity, "95 % quantile", "bound", "bound / mean", "as printed", "mean E(fhat - f*)²", "repetitions", "above", "above as printed"}}
	for _, r := range runs {
		t.Rows = append(t.Rows, append([]report.Cell{words(r.distribution)},
			numbers(float64(r.n), r.bounded.mean, r.quantile, r.bound, r.bound/r.bounded.mean, r.printed, r.excess.mean, r.bounded.n, float64(r.above), float64(r.abovePrinted))...))
	}
	return t
}

// excessChart draws what is bounded and the bounds against n.
func excessChart(name, title, quantity string, runs []excessRun) report.Chart {
	c := report.Chart{Name: name, Title: title, XLabel: "n = m", YLabel: quantity, LogX: true, LogY: true}
	for _, r := range runs {
		at := -1
		for i, s := range c.Series {
			if s.Name == "mean, "+r.distribution {
				at = i
			}
		}
		if at < 0 {
			at = len(c.Series)
			c.Series = append(c.Series, report.Series{Name: "mean, " + r.distribution, Kind: report.LinePoints},
				report.Series{Name: "bound, " + r.distribution, Kind: report.Line}, report.Series{Name: "as printed, " + r.distribution, Kind: report.Line})
		}
		for i, v := range []float64{r.bounded.mean, r.bound, r.printed} {
			s := &c.Series[at+i]
			s.X, s.Y = append(s.X, float64(r.n)), append(s.Y, v)
		}
		c.Series[at].Err = append(c.Series[at].Err, r.bounded.se())
	}
	return c
}

// checkViolations compares the share of repetitions above each bound with the probability granted. The paper's is checked where its
// conditions hold.
func checkViolations(g *gauge, granted float64, runs []excessRun, conditions func(distribution string) bool) {
	for _, r := range runs {
		check := func(name string, above int, bound float64) {
			share := float64(above) / r.bounded.n
			// The standard error at the granted probability, where the check is hardest to pass.
			g.add(fmt.Sprintf("%s, %s, n = %d", name, r.distribution, r.n), fmt.Sprintf("Share of %.0f repetitions above the bound, which is %.0f times the mean.", r.bounded.n, bound/r.bounded.mean),
				share, granted, "<=", binomialError(granted, r.bounded.n), share <= granted+sigmas*binomialError(granted, r.bounded.n))
		}
		check("bound holds", r.above, r.bound)
		if conditions(r.distribution) {
			check("bound as printed holds", r.abovePrinted, r.printed)
		}
	}
}
