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

// An excessRun is what the repetitions at one n of one distribution gave.
type excessRun struct {
	distribution string
	n            int
	excess       tallied // E (fhat - f*)²
	// bounded is what the bounds are of: the excess of 2Step-RR, J_w(fhat, hhat) - min J_w of Joint-RR. above and abovePrinted count the
	// repetitions in which it exceeds our bound and the paper's.
	bounded             tallied
	quantile            float64 // 95 %
	bound, printed      float64
	above, abovePrinted int
	// steps are the largest amounts by which a step of the proof, an inequality that holds for every
	// sample, was violated.
	steps []proofStep
	// deviation is of sup (P - P_n) of the second step, allowed what the formula says of it, and
	// exceeded how often that is less.
	deviation tallied
	allowed   float64
	exceeded  int
}

// excessBounds are the bounds of a run.
type excessBounds struct{ bound, printed, allowed float64 }

// A proofStep is an inequality that must hold sample by sample.
type proofStep struct {
	name  string
	above float64 // left less right
}

func binomialError(p, n float64) float64 { return math.Sqrt(p * (1 - p) / n) }

// excessSizesOf are the sample sizes and the repetitions of each.
func excessSizesOf(o Options) (sizes []int, repetitions int) {
	if o.Quick {
		return []int{50, 200, 800}, 300
	}
	return []int{50, 100, 200, 400, 800, 1600, 3200}, 2000
}

// A provedFit is what is known of one fit: the quantity that the bounds are of, the deviation of the second step, if the
// method has one, and how far each step of the proof is from violated.
type provedFit struct {
	bounded, deviation float64
	steps              []proofStep
}

// An excessMethod fits one sample and follows its proof there.
type excessMethod struct {
	fit   func(excessMoments) (alpha, beta vec2)
	prove func(m excessMoments, alpha, beta vec2) provedFit
}

// repeatExcess fits all repetitions.
func repeatExcess(ctx context.Context, l excessDistribution, n, repetitions int, b excessBounds, o Options, method excessMethod) (excessRun, error) {
	r := excessRun{distribution: l.name, n: n, bound: b.bound, printed: b.printed, allowed: b.allowed}
	all := make([]float64, repetitions)
	for i := range all {
		if err := ctx.Err(); err != nil {
			return r, err
		}
		m := l.sample(draw.Rand(o.Seed, fmt.Sprintf("theory/excess/%s/%d", l.name, n), i), n, n)
		alpha, beta := method.fit(m)
		fit := method.prove(m, alpha, beta)
		r.note(l.excess(alpha), fit)
		all[i] = fit.bounded
	}
	sort.Float64s(all)
	r.quantile = all[int(math.Ceil(.95*float64(repetitions)))-1]
	return r, nil
}

// note counts one repetition.
func (r *excessRun) note(excess float64, fit provedFit) {
	r.excess.add(excess)
	r.bounded.add(fit.bounded)
	r.deviation.add(fit.deviation)
	for _, c := range []struct {
		count        *int
		value, bound float64
	}{{&r.above, fit.bounded, r.bound}, {&r.abovePrinted, fit.bounded, r.printed}, {&r.exceeded, fit.deviation, r.allowed}} {
		if c.value > c.bound {
			*c.count++
		}
	}
	if r.steps == nil {
		r.steps = fit.steps
	}
	for j, s := range fit.steps {
		r.steps[j].above = math.Max(r.steps[j].above, s.above)
	}
}

// twoStepMethod is 2Step-RR with the steps of the proof.
func (f excessFormula) twoStepMethod(l excessDistribution) excessMethod {
	return excessMethod{fit: l.fitTwoStep, prove: func(m excessMoments, alpha, beta vec2) provedFit {
		f0 := f.comparator(l, beta)
		x, y := l.supF(m, beta, f0, f.between), l.supH(m, f.between)
		toTarget, toH := alpha.plus(-1, f0), beta.plus(-1, l.beta)
		second, first := toTarget.dot(toTarget), l.epsH()+l.varianceU()*toH.dot(toH)
		excess := l.excess(alpha)
		return provedFit{bounded: excess, deviation: x, steps: []proofStep{
			{"E(fhat - f0)² <= sup over F of P - P_n, f0 the function of F nearest to E[hhat|X]", second - x},
			{"E(hhat - h*)² <= min_H E(h - h*)² + sup over H of P - P_n", first - l.epsH() - y},
			{"E(fhat - f*)² <= 2 E(fhat - f0)² + 2 E(hhat - h*)²", excess - f.triangle*(second+f.jensen*first)},
		}}
	}}
}

// jointMethod is Joint-RR with the two steps of its proof.
func (f excessFormula) jointMethod(l excessDistribution, w float64) excessMethod {
	wx, wy := f.weights(w)
	p := l.population()
	bestAlpha, bestBeta := l.fitJoint(p, wx, wy)
	objective := func(m excessMoments, alpha, beta vec2) float64 {
		x, y := m.risks(alpha, beta)
		return wx*x + wy*y
	}
	fit := func(m excessMoments) (alpha, beta vec2) { return l.fitJoint(m, wx, wy) }
	return excessMethod{fit: fit, prove: func(m excessMoments, alpha, beta vec2) provedFit {
		whole, least := objective(p, alpha, beta), objective(p, bestAlpha, bestBeta)
		deviation := f.between(whole, objective(m, alpha, beta), least, objective(m, bestAlpha, bestBeta))
		return provedFit{bounded: whole - least, steps: []proofStep{
			{"MSE(fhat) <= J_w(fhat, hhat)", l.excess(alpha) + l.best() - whole},
			{"J_w(fhat, hhat) <= min J_w + (P - P_n) of both less that of the best", whole - least - deviation},
		}}
	}}
}

// checkSteps reports the worst sample of all runs for each step.
func checkSteps(g *gauge, runs []excessRun) {
	for j, s := range runs[0].steps {
		above := math.Inf(-1)
		for _, r := range runs {
			above = math.Max(above, r.steps[j].above)
		}
		// Risks of order 1 from moments that are sums of up to 3,200 products.
		g.atMost("step of the proof: "+s.name, "Left less right, the largest of all samples.", above, exactly, 0)
	}
}

func runTwoStepBound(ctx context.Context, f excessFormula, o Options) (Result, error) {
	g := &gauge{reference: "[Yamane21, Thm 4 and appendix F]; docs/theory.md, 11"}
	sizes, repetitions := excessSizesOf(o)
	var runs []excessRun
	for _, l := range excessDistributions() {
		for _, n := range sizes {
			e := l.sizes(n, n, excessDelta)
			b := excessBounds{bound: f.ofTwoStep(e, l.epsH()), printed: f.printed(e), allowed: f.deviation(e.f, e.h, e.ofF, n, excessDelta)}
			r, err := repeatExcess(ctx, l, n, repetitions, b, o, f.twoStepMethod(l))
			if err != nil {
				return Result{}, err
			}
			runs = append(runs, r)
		}
	}
	checkViolations(g, excessDelta, runs, func(l string) bool { return l != "misspecified" })
	checkSteps(g, runs)
	for _, r := range runs {
		share := float64(r.exceeded) / r.deviation.n
		g.add(fmt.Sprintf("deviation of the second step, %s, n = %d", r.distribution, r.n),
			fmt.Sprintf("Share of repetitions with sup(P-P_n) over the ball above 4(C_F+C_H) R_n(F) + (C_F+C_H)² sqrt(2 log(1/delta)/n); its mean is 1/%.0f of that.", r.allowed/r.deviation.mean),
			share, excessDelta, "<=", binomialError(excessDelta, r.deviation.n), share <= excessDelta+sigmas*binomialError(excessDelta, r.deviation.n))
	}
	return Result{
		Checks: g.checks,
		Tables: []report.Table{excessTable("Excess risk of 2Step-RR and its bounds, delta = 0.05", "excess", runs), deviationTable(runs)},
		Charts: []report.Chart{excessChart("excess-2step", "Excess risk of 2Step-RR and its bounds", "E(fhat - f*)²", runs)},
	}, nil
}

// deviationTable shows how much of the looseness lies in the uniform deviation.
func deviationTable(runs []excessRun) report.Table {
	t := report.Table{Caption: "Deviation of the second step, sup over F of (P - P_n)(f-hhat)² less the comparator's", Columns: []string{"distribution", "n", "mean", "allowed", "allowed / mean", "above"}}
	for _, r := range runs {
		t.Rows = append(t.Rows, append([]report.Cell{words(r.distribution)},
			numbers(float64(r.n), r.deviation.mean, r.allowed, r.allowed/r.deviation.mean, float64(r.exceeded))...))
	}
	return t
}

func runJointBound(ctx context.Context, f excessFormula, o Options) (Result, error) {
	g := &gauge{reference: "[Yamane21, appendix F.1]; docs/theory.md, 11"}
	sizes, repetitions := excessSizesOf(o)
	var runs []excessRun
	for _, l := range excessDistributions() {
		for _, n := range sizes {
			e := l.sizes(n, n, excessDelta)
			b := excessBounds{bound: f.ofJoint(e, excessW), printed: f.printedOfJ(e, excessW)}
			r, err := repeatExcess(ctx, l, n, repetitions, b, o, f.jointMethod(l, excessW))
			if err != nil {
				return Result{}, err
			}
			runs = append(runs, r)
		}
	}
	checkViolations(g, excessDelta, runs, func(string) bool { return true })
	checkSteps(g, runs)
	return Result{
		Checks: g.checks,
		Tables: []report.Table{excessTable("J_w(fhat, hhat) - min J_w of Joint-RR, w = 1/2, and its bounds, delta = 0.05", "J_w - min J_w", runs)},
		Charts: []report.Chart{excessChart("excess-joint", "J_w(fhat, hhat) - min J_w of Joint-RR and its bounds", "J_w(fhat, hhat) - min J_w", runs)},
	}, nil
}

// runConstants computes each constant of the bounds a second time, and compares our right sides with the printed ones.
func runConstants(f excessFormula, o Options) (Result, error) {
	g := &gauge{reference: "[Yamane21, Thm 4, appendices F and F.1]; docs/theory.md, 10 and 11"}
	checkConstants(g, f, excessDistributions()[1])
	g.near("factor of the triangle inequality", "Largest (a+b)²/(a²+b²) on a grid; Bound is the formula's.", triangleNeeded(), f.triangle, 0, exactly)
	g.near("factor of Jensen's inequality", "Largest E E[v|X]²/E v² on a distribution of four points; Bound is the formula's.", jensenNeeded(), f.jensen, 0, exactly)
	checkProjection(g, f, o)
	checkDifference(g, f, excessDistributions()[1], o)
	checkDifferenceOfAny(g, f, o)
	for _, w := range []float64{.25, .5, .8} {
		off, err := weightsNeeded(f, w, o.Seed)
		if err != nil {
			return Result{}, err
		}
		// The descent stops at moves of 1e-12; it contracts by no less than a tenth a round, so what is
		// left is at most 1e-11, and 60 rows round far below that.
		g.atMost(fmt.Sprintf("weights, w = %g", w), "Distance of h's coefficients from those of package solvers at the same w, without balls.", off, 1e-10, 0)
	}
	checkPrinted(g, "Thm 4", o, func(e excessSizes, _ float64) float64 { return f.printed(e) }, func(e excessSizes, _ float64) float64 { return f.ofTwoStep(e, 0) })
	checkPrinted(g, "appendix F.1", o, f.printedOfJ, f.ofJoint)
	checkIndependenceNeeded(g, f)
	return Result{Checks: g.checks}, nil
}

// checkIndependenceNeeded compares the limit of 2Step-RR's excess on the pair of the minimax claim with the right side at 10^14 rows, with bounds of
// 2 for |f|, |h| and |Y| and balls of radius 2 on rows of length at most 2.
func checkIndependenceNeeded(g *gauge, f excessFormula) {
	const n = 1e14
	bound := f.ofTwoStep(excessSizes{f: 2, h: 2, y: 2, ofF: 4 / math.Sqrt(n), ofH: 4 / math.Sqrt(n), onY: 4 / math.Sqrt(n), n: n, m: n, delta: excessDelta}, 0)
	for _, c := range []float64{0, .5} {
		m := minimaxPairs(c)[1]
		plus, _ := m.risks(m.limitEstimate())
		if c == 0 {
			g.atMost("conditional mean independence holds", "Excess of 2Step-RR with infinitely many rows, c = 0; Bound is the right side at 10^14 rows.", plus, bound, 0)
		} else {
			g.atLeast("conditional mean independence is needed", "The same at a violation of c = 1/2: it is above the right side.", plus, 100*bound, 0)
		}
	}
}
