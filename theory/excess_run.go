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
	excess       tallied
	quantile     float64 // 95 %
	bound        float64
	above        int
	// steps are the largest amounts by which a step of the proof, an inequality that holds for every
	// sample, was violated.
	steps []proofStep
	// deviation is of sup (P - P_n) of the second step, allowed what the formula says of it, and
	// exceeded how often that is less.
	deviation tallied
	allowed   float64
	exceeded  int
}

// A proofStep is an inequality that must hold sample by sample.
type proofStep struct {
	name  string
	above float64 // left less right
}

func binomialError(p, n float64) float64 { return math.Sqrt(p * (1 - p) / n) }

// excessSizes are the sample sizes and the repetitions of each.
func excessSizes(o Options) (sizes []int, repetitions int) {
	if o.Quick {
		return []int{50, 200, 800}, 300
	}
	return []int{50, 100, 200, 400, 800, 1600, 3200}, 2000
}

// An excessMethod fits one sample and says how far each step of its proof is from violated there. The
// first return value of prove is the deviation of the second step, if the method has one.
type excessMethod struct {
	fit   func(excessMoments) (alpha, beta vec2)
	prove func(m excessMoments, alpha, beta vec2) (deviation float64, steps []proofStep)
}

// repeatExcess fits all repetitions.
func repeatExcess(ctx context.Context, l excessDistribution, n, repetitions int, bound, allowed float64, o Options, method excessMethod) (excessRun, error) {
	r := excessRun{distribution: l.name, n: n, bound: bound, allowed: allowed}
	all := make([]float64, repetitions)
	for i := range all {
		if err := ctx.Err(); err != nil {
			return r, err
		}
		m := l.sample(draw.Rand(o.Seed, fmt.Sprintf("theory/excess/%s/%d", l.name, n), i), n, n)
		alpha, beta := method.fit(m)
		all[i] = l.excess(alpha)
		r.excess.add(all[i])
		if all[i] > bound {
			r.above++
		}
		deviation, steps := method.prove(m, alpha, beta)
		r.deviation.add(deviation)
		if deviation > allowed {
			r.exceeded++
		}
		if i == 0 {
			r.steps = steps
		}
		for j, s := range steps {
			r.steps[j].above = math.Max(r.steps[j].above, s.above)
		}
	}
	sort.Float64s(all)
	r.quantile = all[int(math.Ceil(.95*float64(repetitions)))-1]
	return r, nil
}

// twoStepMethod is 2Step-RR with the three steps of the proof.
func (f excessFormula) twoStepMethod(l excessDistribution) excessMethod {
	return excessMethod{fit: l.fitTwoStep, prove: func(m excessMoments, alpha, beta vec2) (float64, []proofStep) {
		x, y := l.supF(m, beta), l.supH(m)
		toTarget, toH := alpha.plus(-l.q, beta), beta.plus(-1, l.beta)
		second, first := toTarget.dot(toTarget), l.epsH()+l.varianceU()*toH.dot(toH)
		return x, []proofStep{
			{"E(fhat - E[hhat|X])² <= sup over F of P - P_n", second - x},
			{"E(hhat - h*)² <= min_H E(h - h*)² + sup over H of P - P_n", first - l.epsH() - y},
			{"E(fhat - f*)² <= 2 E(fhat - E[hhat|X])² + 2 E(hhat - h*)²", l.excess(alpha) - f.triangle*(second+f.jensen*first)},
		}
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
	return excessMethod{fit: fit, prove: func(m excessMoments, alpha, beta vec2) (float64, []proofStep) {
		whole, least := objective(p, alpha, beta), objective(p, bestAlpha, bestBeta)
		deviation := whole - objective(m, alpha, beta) - (least - objective(m, bestAlpha, bestBeta))
		return 0, []proofStep{
			{"MSE(fhat) <= J_w(fhat, hhat)", l.excess(alpha) + l.best() - whole},
			{"J_w(fhat, hhat) <= min J_w + (P - P_n) of both less that of the best", whole - least - deviation},
		}
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
	g := &gauge{reference: "[Yamane21, Thm 4]; docs/theory.md, Excess risk"}
	sizes, repetitions := excessSizes(o)
	var runs []excessRun
	for _, l := range excessDistributions() {
		bf, bh, _ := l.bounds()
		for _, n := range sizes {
			allowed := f.deviation(bf, bh, rademacherSigns(l.radiusF, n), n, excessDelta)
			r, err := repeatExcess(ctx, l, n, repetitions, f.twoStep(l, n, n, excessDelta), allowed, o, f.twoStepMethod(l))
			if err != nil {
				return Result{}, err
			}
			runs = append(runs, r)
		}
	}
	checkViolations(g, f.failure(excessDelta), runs)
	checkSteps(g, runs)
	for _, r := range runs {
		share := float64(r.exceeded) / r.deviation.n
		g.add(fmt.Sprintf("deviation of the second step, %s, n = %d", r.distribution, r.n),
			fmt.Sprintf("Share of repetitions with sup(P-P_n) over the ball above 4(M_f+M_h) R_n(F) + (M_f+M_h)² sqrt(2 log(1/delta)/n); its mean is 1/%.0f of that.", r.allowed/r.deviation.mean),
			share, excessDelta, "<=", binomialError(excessDelta, r.deviation.n), share <= excessDelta+sigmas*binomialError(excessDelta, r.deviation.n))
	}
	checkConstants(g, f, excessDistributions()[1])
	g.near("factor of the triangle inequality", "Largest (a+b)²/(a²+b²) on a grid; Bound is the formula's.", triangleNeeded(), f.triangle, 0, exactly)
	g.near("factor of Jensen's inequality", "Largest E E[v|X]²/E v² on a distribution of four points; Bound is the formula's.", jensenNeeded(), f.jensen, 0, exactly)
	return Result{
		Checks: g.checks,
		Tables: []report.Table{excessTable("Excess risk of 2Step-RR and its bound, delta = 0.05", runs), deviationTable(runs)},
		Charts: []report.Chart{excessChart("excess-2step", "Excess risk of 2Step-RR and its bound", runs)},
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
	g := &gauge{reference: "[Yamane21, appendix]; docs/theory.md, Excess risk"}
	sizes, repetitions := excessSizes(o)
	var runs []excessRun
	for _, l := range excessDistributions() {
		least := f.least(l, excessW)
		for _, n := range sizes {
			r, err := repeatExcess(ctx, l, n, repetitions, f.joint(l, n, n, excessDelta, excessW, least), 0, o, f.jointMethod(l, excessW))
			if err != nil {
				return Result{}, err
			}
			runs = append(runs, r)
		}
	}
	checkViolations(g, f.failure(excessDelta), runs)
	checkSteps(g, runs)
	checkDifference(g, f, excessDistributions()[1], o)
	checkConstants(g, f, excessDistributions()[1])
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
