package theory

import (
	"context"
	"fmt"
	"math"
	"sort"

	"mediant/internal/draw"
	"mediant/report"
)

const (
	excessDelta = .05
	excessW     = .5
)

// An excessRun is what the repetitions at one n of one law gave.
type excessRun struct {
	law      string
	n        int
	excess   tallied
	quantile float64 // 95 %
	bound    float64
	above    int
	// deviation is of sup (P - P_n) of the second step, allowed what the formula says of it, and
	// exceeded how often that is less.
	deviation tallied
	allowed   float64
	exceeded  int
}

func binomialError(p, n float64) float64 { return math.Sqrt(p * (1 - p) / n) }

// excessSizes are the sample sizes and the repetitions of each.
func excessSizes(o Options) (sizes []int, repetitions int) {
	if o.Quick {
		return []int{50, 200, 800}, 300
	}
	return []int{50, 100, 200, 400, 800, 1600, 3200}, 2000
}

// repeatExcess fits all repetitions; fit returns alpha and, for the deviation of the second step, beta.
func repeatExcess(ctx context.Context, l excessLaw, n, repetitions int, bound, allowed float64, o Options, fit func(excessMoments) (alpha, beta vec2)) (excessRun, error) {
	r := excessRun{law: l.name, n: n, bound: bound, allowed: allowed}
	all := make([]float64, repetitions)
	for i := range all {
		if err := ctx.Err(); err != nil {
			return r, err
		}
		m := l.sample(draw.Rand(o.Seed, fmt.Sprintf("theory/excess/%s/%d", l.name, n), i), n, n)
		alpha, beta := fit(m)
		all[i] = l.excess(alpha)
		r.excess.add(all[i])
		if all[i] > bound {
			r.above++
		}
		if allowed > 0 {
			d := l.supDeviation(m, beta)
			r.deviation.add(d)
			if d > allowed {
				r.exceeded++
			}
		}
	}
	sort.Float64s(all)
	r.quantile = all[int(math.Ceil(.95*float64(repetitions)))-1]
	return r, nil
}

func runTwoStepBound(ctx context.Context, f excessFormula, o Options) (Result, error) {
	g := &gauge{reference: "[Yamane21, Thm 4]; docs/theory.md, Excess risk"}
	sizes, repetitions := excessSizes(o)
	var runs []excessRun
	for _, l := range excessLaws() {
		bf, bh, _ := l.bounds()
		for _, n := range sizes {
			allowed := f.deviation(bf, bh, rademacherSigns(l.radiusF, n), n, excessDelta)
			r, err := repeatExcess(ctx, l, n, repetitions, f.twoStep(l, n, n, excessDelta), allowed, o, l.fitTwoStep)
			if err != nil {
				return Result{}, err
			}
			runs = append(runs, r)
		}
	}
	checkViolations(g, f.failure(excessDelta), runs)
	for _, r := range runs {
		share := float64(r.exceeded) / r.deviation.n
		g.add(fmt.Sprintf("deviation of the second step, %s, n = %d", r.law, r.n),
			fmt.Sprintf("Share of repetitions with sup(P-P_n) over the ball above 4(M_f+M_h) R_n(F) + (M_f+M_h)² sqrt(2 log(1/delta)/n); its mean is 1/%.0f of that.", r.allowed/r.deviation.mean),
			share, excessDelta, "<=", binomialError(excessDelta, r.deviation.n), share <= excessDelta+sigmas*binomialError(excessDelta, r.deviation.n))
	}
	checkConstants(g, f, excessLaws()[1])
	g.near("factor of the triangle inequality", "Largest (a+b)²/(a²+b²) on a grid; Bound is the formula's.", triangleNeeded(), f.triangle, 0, exactly)
	g.near("factor of Jensen's inequality", "Largest E E[v|X]²/E v² on a law of four points; Bound is the formula's.", jensenNeeded(), f.jensen, 0, exactly)
	return Result{
		Checks: g.checks,
		Tables: []report.Table{excessTable("Excess risk of 2Step-RR and its bound, delta = 0.05", runs), deviationTable(runs)},
		Charts: []report.Chart{excessChart("excess-2step", "Excess risk of 2Step-RR and its bound", runs)},
	}, nil
}

// deviationTable shows how much of the looseness lies in the uniform deviation.
func deviationTable(runs []excessRun) report.Table {
	t := report.Table{Caption: "Deviation of the second step, sup over F of (P - P_n)(f-hhat)² less the comparator's", Columns: []string{"law", "n", "mean", "allowed", "allowed / mean", "above"}}
	for _, r := range runs {
		t.Rows = append(t.Rows, append([]report.Cell{words(r.law)},
			numbers(float64(r.n), r.deviation.mean, r.allowed, r.allowed/r.deviation.mean, float64(r.exceeded))...))
	}
	return t
}

func runJointBound(ctx context.Context, f excessFormula, o Options) (Result, error) {
	g := &gauge{reference: "[Yamane21, appendix]; docs/theory.md, Excess risk"}
	sizes, repetitions := excessSizes(o)
	wx, wy := f.weights(excessW)
	var runs []excessRun
	for _, l := range excessLaws() {
		least := f.least(l, excessW)
		for _, n := range sizes {
			fit := func(m excessMoments) (alpha, beta vec2) { return l.fitJoint(m, wx, wy) }
			r, err := repeatExcess(ctx, l, n, repetitions, f.joint(l, n, n, excessDelta, excessW, least), 0, o, fit)
			if err != nil {
				return Result{}, err
			}
			runs = append(runs, r)
		}
	}
	checkViolations(g, f.failure(excessDelta), runs)
	checkConstants(g, f, excessLaws()[1])
	for _, w := range []float64{.25, .5, .8} {
		off, err := weightsNeeded(f, w, o.Seed)
		if err != nil {
			return Result{}, err
		}
		// The descent stops at moves of 1e-12; it contracts by no less than a tenth a round, so what is
		// left is at most 1e-11, and 60 rows round far below that.
		g.atMost(fmt.Sprintf("weights, w = %g", w), "Distance of h's coefficients from those of package solvers at the same w, without balls.", off, 1e-10, 0)
	}
	return Result{
		Checks: g.checks,
		Tables: []report.Table{excessTable("Excess risk of Joint-RR, w = 1/2, and its bound, delta = 0.05", runs)},
		Charts: []report.Chart{excessChart("excess-joint", "Excess risk of Joint-RR and its bound", runs)},
	}, nil
}

// runComplexity checks values and rates of Rademacher complexities.
func runComplexity(f complexityFormula, o Options) (Result, error) {
	g := &gauge{reference: "docs/theory.md, Rademacher complexity"}
	sizes, draws := []int{64, 128, 256, 512, 1024, 2048}, 4000
	if o.Quick {
		sizes, draws = []int{64, 256, 1024}, 1000
	}
	t := report.Table{Caption: "Rademacher complexities of two balls of linear functions", Columns: []string{"class", "n", "R_n", "standard error", "R_n sqrt n", "limit"}}
	c := report.Chart{Name: "excess-rademacher", Title: "Rademacher complexity against n", XLabel: "n", YLabel: "R_n", LogX: true, LogY: true}
	l := excessLaws()[0]
	all := l.complexities(f, sizes, draws, o.Seed)
	for _, r := range all {
		for i, n := range r.n {
			t.Rows = append(t.Rows, append([]report.Cell{words(r.name)}, numbers(n, r.value[i], r.se[i], r.value[i]*math.Sqrt(n), r.limit)...))
		}
		c.Series = append(c.Series, report.Series{Name: r.name, Kind: report.LinePoints, X: r.n, Y: r.value, Err: r.se})
		s := logSlope(r.n, r.value, r.se)
		g.near("slope, "+r.name, "Slope of log R_n against log n.", s.exponent, f.exponent, s.se, slopeAllowance)
		last := len(r.n) - 1
		g.near("constant, "+r.name, fmt.Sprintf("R_n sqrt n at n = %.0f; Bound is its limit r sqrt(v pi/2).", r.n[last]),
			r.value[last]*math.Sqrt(r.n[last]), r.limit, r.se[last]*math.Sqrt(r.n[last]), r.limit*lengthAllowance/r.n[last])
	}
	for i, n := range all[1].n {
		g.near(fmt.Sprintf("Monte Carlo against the exact sum, n = %.0f", n), "R_n of F on X.", all[1].value[i], all[0].value[i], all[1].se[i], 0)
	}
	return Result{Checks: g.checks, Tables: []report.Table{t}, Charts: []report.Chart{c}}, nil
}

// lengthAllowance bounds n times the relative distance of E|Σ z_i|/sqrt n from its limit. With
// independent columns of excess kurtosis k, Edgeworth's expansion gives -k/(32n) in the plane, from
// E |z| (z_j⁴ - 6z_j² + 3) = -3/8 E|z| for standard normal z; k is -2 for signs and -1.2 for U, so this is at
// most 1/(16n), and twice that leaves room for the next order. In the slope over these sizes, 64 to
// 1024 or 2048, an error of the first value by e counts at most 0.4 e.
const (
	lengthAllowance = .125
	slopeAllowance  = .4 * lengthAllowance / 64
)

// A complexityFormula is what check 7 says of the Rademacher complexity of a ball of radius r for
// rows of variance v in the plane.
type complexityFormula struct {
	exponent float64
	limit    func(r, v float64) float64 // of R_n sqrt n
}

func complexityConstants() complexityFormula {
	return complexityFormula{exponent: -.5, limit: func(r, v float64) float64 { return r * math.Sqrt(v*math.Pi/2) }}
}
