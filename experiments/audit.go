package experiments

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"mediant/features"
	"mediant/internal/parallel"
	"mediant/kernels"
	"mediant/moments"
	"mediant/privacy"
	"mediant/problem"
	"mediant/tables"
)

// An Audit looks for more than (Epsilon, Delta) in private sums: it draws the sums of two neighbouring tables of (U, Y) again and again, all of problem.Plan.SumPrivately, and tells the tables apart by
// thresholds of the likelihood ratio.
type Audit struct {
	Epsilon, Delta float64
	Draws          int // of each table, at least 100
}

// AuditResult is the outcome of an Audit.
type AuditResult struct {
	// Distance between the sums of the two tables, of the greatest that the noise is calibrated for.
	Distance float64
	// Bound is a lower confidence bound, of 97.5 %, of the epsilon that the sums have at Delta; Half is that of sums with half of the noise.
	Bound, Half float64
}

// Run draws with the noise of Epsilon, and with half of it.
func (a Audit) Run(ctx context.Context) (*AuditResult, error) {
	if err := a.Validate(); err != nil {
		return nil, err
	}
	s, err := privacy.Multiplier(a.Epsilon, a.Delta)
	if err != nil {
		return nil, err
	}
	n, err := newNeighbours(ctx)
	if err != nil {
		return nil, err
	}
	var out AuditResult
	for _, c := range []struct {
		noise float64
		to    *float64
	}{{s, &out.Bound}, {s / 2, &out.Half}} {
		var near, far []float64
		if near, far, out.Distance, err = n.draw(ctx, epsilonOf(c.noise, a.Delta), a.Delta, a.Draws); err != nil {
			return nil, err
		}
		*c.to = epsilonBound(near, far, a.Delta)
	}
	return &out, nil
}

// epsilonOf is the epsilon of noise of s times the sensitivity.
func epsilonOf(s, delta float64) float64 {
	lo, hi := 0., 50.
	for range 60 {
		if mid := (lo + hi) / 2; privacy.Delta(mid, s) > delta {
			lo = mid
		} else {
			hi = mid
		}
	}
	return hi
}

// neighbours are two tables of (U, Y) with a plan, of which one row differs: in both it has the largest Y, and its U is where the sums of both lie farthest apart.
type neighbours struct {
	plan   problem.Plan
	tables [2]tables.Source
}

const (
	auditRows = 60
	auditClip = 2.
)

var auditRange = []problem.Range{{Lo: -auditClip, Hi: auditClip}}

// auditTable has a row of the given U among equal ones.
func auditTable(u float64) (tables.Source, error) {
	us, ys := make([]float64, auditRows), make([]float64, auditRows)
	us[auditRows/2], ys[auditRows/2] = u, auditClip
	return tables.FromColumns(tables.Numbers("u", us), tables.Numbers("y", ys))
}

func newNeighbours(ctx context.Context) (*neighbours, error) {
	ramp := make([]float64, auditRows)
	for i := range ramp {
		ramp[i] = float64(i)
	}
	xu, err := tables.FromColumns(tables.Numbers("x", ramp), tables.Numbers("u", ramp))
	if err != nil {
		return nil, err
	}
	uy, err := tables.FromColumns(tables.Numbers("u", ramp), tables.Numbers("y", ramp))
	if err != nil {
		return nil, err
	}
	e, err := problem.Encode(ctx, problem.Setup{NoStandardize: true}, xu, uy)
	if err != nil {
		return nil, err
	}
	kernel, err := kernels.NewGaussian(1)
	if err != nil {
		return nil, err
	}
	psi, err := features.NewFourier(kernel, 1, 2, 1, "audit")
	if err != nil {
		return nil, err
	}
	m, err := e.WithMaps(ctx, psi, psi)
	if err != nil {
		return nil, err
	}
	n := &neighbours{}
	if n.plan, err = m.Plan(ctx); err != nil {
		return nil, err
	}
	n.plan.Blocks = 1
	if n.tables[0], err = auditTable(0); err != nil {
		return nil, err
	}
	// The phase moves by half a turn within this range, if it is not a rare one.
	run, err := n.run(ctx, problem.Privacy{Epsilon: 1, Delta: 1e-3, Clip: auditRange})
	if err != nil {
		return nil, err
	}
	best := 0.
	for u := .02; u < 12; u += .02 {
		other, err := auditTable(u)
		if err != nil {
			return nil, err
		}
		d, err := n.difference(ctx, run, other)
		if err != nil {
			return nil, err
		}
		if norm := floats.Norm(d, 2); norm > best {
			best, n.tables[1] = norm, other
		}
	}
	return n, nil
}

// run is what a file says of its noise.
func (n *neighbours) run(ctx context.Context, how problem.Privacy) (*problem.PrivateRun, error) {
	s, err := n.plan.SumPrivately(ctx, problem.TableUY, n.tables[0], how)
	if err != nil {
		return nil, err
	}
	return s.Runs[0].Private, nil
}

// difference is that of exact sums of a table and the first one, each over the standard deviation of its noise.
func (n *neighbours) difference(ctx context.Context, run *problem.PrivateRun, other tables.Source) ([]float64, error) {
	var sums [2][]float64
	for i, src := range []tables.Source{n.tables[0], other} {
		s, err := n.plan.SumUY(ctx, src)
		if err != nil {
			return nil, err
		}
		sums[i] = overNoise(s.UY[0][0].CoMoments(), run)
	}
	return floats.SubTo(sums[1], sums[1], sums[0]), nil
}

// overNoise are sums of products about 0, each over the standard deviation of its noise.
func overNoise(m *moments.CoMoments, run *problem.PrivateRun) []float64 {
	var aa, bb mat.SymDense
	var ab mat.Dense
	m.LeftTo(&aa, false)
	m.RightTo(&bb, false)
	m.CrossTo(&ab, false)
	w, n, left, right := m.Weight(), run.Noise, run.Left, run.Right[0]
	out := []float64{w / n.Weight, w * m.MeanB()[0] / (n.B * right), w * bb.At(0, 0) / (n.BB * right * right)}
	for i, mean := range m.MeanA() {
		out = append(out, w*mean/(n.A*left), w*ab.At(i, 0)/(n.AB*left*right))
		for j := i; j < len(m.MeanA()); j++ {
			deviation := n.AA * left * left
			if i != j {
				deviation /= math.Sqrt2
			}
			out = append(out, w*aa.At(i, j)/deviation)
		}
	}
	return out
}

// draw returns the likelihood ratios, in logarithms but for a constant and a factor, of draws of both tables' sums, and the distance of the sums, of 1/s.
func (n *neighbours) draw(ctx context.Context, epsilon, delta float64, draws int) (near, far []float64, distance float64, err error) {
	how := problem.Privacy{Epsilon: epsilon, Delta: delta, Clip: auditRange}
	run, err := n.run(ctx, how)
	if err != nil {
		return nil, nil, 0, err
	}
	direction, err := n.difference(ctx, run, n.tables[1])
	if err != nil {
		return nil, nil, 0, err
	}
	s, err := privacy.Multiplier(epsilon, delta)
	if err != nil {
		return nil, nil, 0, err
	}
	var ratios [2][]float64
	var errs [2]error
	parallel.Blocks(2, 1, func(t, _ int) {
		for range draws {
			sums, err := n.plan.SumPrivately(ctx, problem.TableUY, n.tables[t], how)
			if err != nil {
				errs[t] = err
				return
			}
			ratios[t] = append(ratios[t], floats.Dot(direction, overNoise(sums.UY[0][0].CoMoments(), run)))
		}
	})
	for _, err := range errs {
		if err != nil {
			return nil, nil, 0, err
		}
	}
	return ratios[0], ratios[1], floats.Norm(direction, 2) * s, nil
}

// epsilonBound is a lower confidence bound of the least epsilon for which two samples may come from an (epsilon, delta)-private mechanism: log((P(far > c) - delta)/P(near > c)), with the bounds of Clopper and Pearson at 1.25 %
// each. c is the threshold that would be best for normal samples of the means and deviations that the first fifths have; the bound is from the others.
func epsilonBound(near, far []float64, delta float64) float64 {
	cut := len(near) / 5
	rest := float64(len(near) - cut)
	mean, deviation := stat.MeanStdDev(near[:cut], nil)
	first := distuv.Normal{Mu: mean, Sigma: deviation}
	mean, deviation = stat.MeanStdDev(far[:cut], nil)
	second := distuv.Normal{Mu: mean, Sigma: deviation}
	best, at := math.Inf(-1), 0.
	for step := range 200 {
		c := first.Mu + float64(step)/40*first.Sigma
		if b := logRatio(rest*second.Survival(c), rest*first.Survival(c), rest, delta); b > best {
			best, at = b, c
		}
	}
	above := func(sample []float64) (k float64) {
		for _, v := range sample[cut:] {
			if v > at {
				k++
			}
		}
		return k
	}
	return logRatio(above(far), above(near), rest, delta)
}

// logRatio is the bound for so many hits and false alarms of n each.
func logRatio(hits, alarms, n, delta float64) float64 {
	const level = .0125
	low, high := 0., 1.
	if hits > 0 {
		low = distuv.Beta{Alpha: hits, Beta: n - hits + 1}.Quantile(level)
	}
	if alarms < n {
		high = distuv.Beta{Alpha: alarms + 1, Beta: n - alarms}.Quantile(1 - level)
	}
	return math.Log(max(low-delta, 0) / high)
}
