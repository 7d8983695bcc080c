package effect

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"mediant/crossfit"
	"mediant/internal/weighted"
	"mediant/moments"
	"mediant/problem"
	"mediant/risk"
	"mediant/tables"
)

// estimate walks the rows of both tables, for tau and its standard error.
func (run *run) estimate(ctx context.Context) (*Result, error) {
	p := run.p
	all := effectRows{source: p.Sources()[problem.TableXU], scale: 1, value: func(_, _ int, h float64) float64 { return h }}
	x, rows, err := run.terms(ctx, all)
	if err != nil {
		return nil, err
	}
	y, err := run.corrections(ctx, run.r)
	if err != nil {
		return nil, err
	}
	explained, err := run.explained()
	if err != nil {
		return nil, err
	}
	out := run.result
	out.Control, out.Treated = rows[0], rows[1]
	for j, name := range p.Y().Names() {
		tau, variance, freedom := run.sum2(x[j], y[j])
		out.Effects = append(out.Effects, Estimate{Output: name, Interval: risk.NewInterval(tau, variance, freedom), Explained: explained[j]})
	}
	if run.noOverlap != nil {
		out.NoOverlap = &NoOverlap{Treated: run.noOverlap.rows[1], Control: run.noOverlap.rows[0]}
		if err := run.bound(ctx, out.Effects); err != nil {
			return nil, err
		}
	}
	out.Treatment, out.Probability, out.U = run.Treatment, run.probability, p.Roles().U
	out.Folds, out.LambdaH, out.LambdasH, out.Mu = len(run.h), run.lambdasH[0], risk.Several(run.lambdasH), run.mu
	out.Rows.XU, out.Rows.UY = out.Treated+out.Control, int(y[0].Count)
	return &out, nil
}

// explained returns the shares of the variances of the outputs that h explains in held-out folds.
func (run *run) explained() ([]*float64, error) {
	all, err := moments.Sum(run.uy.Held...)
	if err != nil {
		return nil, err
	}
	shares, left := make([]*float64, run.p.Y().Len()), make([]float64, run.p.Y().Len())
	for k, held := range run.uy.Held {
		r := run.h[k].Residual(len(left))
		for j, v := range held.Inner(r, r) {
			left[j] += v * held.Weight() / run.uy.Weight()
		}
	}
	var right mat.SymDense
	all.RightTo(&right, true)
	for j, mean := range all.MeanB() {
		if variance := right.At(j, j); crossfit.Varies(variance, mean) {
			share := 1 - left[j]/variance
			shares[j] = &share
		}
	}
	return shares, nil
}

// sum2 is the estimate of an output from its terms of both tables, its variance, and the degrees of freedom of that.
func (run *run) sum2(x armTerms, y *weighted.Means) (tau, variance, freedom float64) {
	parts := append(x.drawn[:], y.MeanVariance(risk.Unit(1, 0)))
	if !run.Probability.IsAuto() {
		parts = []weighted.Variance{x.known.MeanVariance(risk.Unit(1, 0)), parts[2]}
	}
	for _, p := range parts {
		variance += p.Variance
	}
	return x.known.Mean[0] + y.Mean[0], variance, weighted.SumFreedom(parts...)
}

// corrections walks S_Y, for the terms r (y - h) of each output.
func (run *run) corrections(ctx context.Context, of []crossfit.Affine) ([]*weighted.Means, error) {
	p := run.p
	y := newSpreads(p.Y().Len())
	var h, r mat.Dense
	err := p.WalkUY(ctx, p.SidePsi(), p.Y(), func(fold int, psi, values *mat.Dense, w moments.Weights) {
		run.h[fold].ApplyTo(&h, psi)
		of[fold].ApplyTo(&r, psi)
		n, _ := psi.Dims()
		for i := range n {
			for j, s := range y {
				s.Add(w, i, r.At(i, 0)*(values.At(i, j)-h.At(i, j)))
			}
		}
	})
	return y, err
}

// armTerms are the means over S_X of kappa h for an output, and the variances of its parts in the arms when the share of the treated is that of the
// sample: what kappa h varies by about the mean of h in the row's arm. Each arm is a sample of its own, perhaps of few rows.
type armTerms struct {
	known *weighted.Means
	drawn [2]weighted.Variance
}

// effectRows are rows of S_X, what their weights are multiplied by, and what stands for E[Y|U] of output j in an arm where the model says h.
type effectRows struct {
	source tables.Source
	scale  float64
	value  func(j, arm int, h float64) float64
}

// terms walks rows of S_X for the terms of each output. It also returns the rows of each arm.
func (run *run) terms(ctx context.Context, parts ...effectRows) ([]armTerms, [2]int, error) {
	p, k := run.p, run.p.Y().Len()
	kappa := [2]float64{-1 / (1 - run.probability), 1 / run.probability}
	all, arms := newSpreads(k), [2][]*weighted.Means{newSpreads(k), newSpreads(k)}
	var h mat.Dense
	for _, part := range parts {
		err := p.WithSources(part.source, nil).WalkXU(ctx, run.treatment, p.SidePsi(), func(fold int, t, psi *mat.Dense, w moments.Weights) {
			run.h[fold].ApplyTo(&h, psi)
			n, _ := t.Dims()
			if part.scale != 1 {
				w = w.Times(slices.Repeat([]float64{part.scale}, n))
			}
			for i := range n {
				arm := int(t.At(i, 0))
				for j := range k {
					v := part.value(j, arm, h.At(i, j))
					all[j].Add(w, i, kappa[arm]*v)
					arms[arm][j].Add(w, i, v)
				}
			}
		})
		if err != nil {
			return nil, [2]int{}, err
		}
	}
	rows := [2]int{int(arms[0][0].Count), int(arms[1][0].Count)}
	if rows[0] < 2 || rows[1] < 2 {
		return nil, rows, fmt.Errorf("effect: treatment %q is 1 in %d and 0 in %d rows, at least 2 of each are needed", run.Treatment, rows[1], rows[0])
	}
	terms := make([]armTerms, k)
	for j := range terms {
		terms[j].known = all[j]
		for arm, of := range arms {
			terms[j].drawn[arm] = of[j].MeanVariance(risk.Unit(1, 0))
			scale := kappa[arm] * of[j].Weight / all[j].Weight
			terms[j].drawn[arm].Variance *= scale * scale
		}
	}
	return terms, rows, nil
}

// newSpreads returns k spreads of one column.
func newSpreads(k int) []*weighted.Means {
	s := make([]*weighted.Means, k)
	for j := range s {
		s[j] = weighted.New(1)
	}
	return s
}
