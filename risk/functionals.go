package risk

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"mediant/crossfit"
	"mediant/encode"
	"mediant/internal/progress"
	"mediant/internal/rowops"
	"mediant/internal/weighted"
	"mediant/moments"
)

// Functionals are linear functionals of the k outputs Y_j given X,
//
//	E[ Σ_j c_j(X) Y_j | X in a group ]
//
// each with its own c and group, which may depend on the predictions f(X). All fields but Beside must be set.
type Functionals struct {
	Count int
	// Of stores, for rows of predictions f (n×k), c_j of functional i in column i k + j of c (n × Count k), and 1 in column i of in (n × Count) for rows in its group. Both are zeros before, and f may be
	// changed.
	// beside has the outputs of Beside, nil without.
	Of func(c, in, f, beside *mat.Dense)
	// Beside are outputs of columns of S_X. Rows where one is missing are left out.
	Beside *encode.Targets
}

// Functionals estimates functionals with their 95 % intervals from the two tables alone, by
//
//	E_SX Σ_j c_j(X) h_j(U) + E_SY Σ_j r_j(U) (Y_j - h_j(U)),   r_j ~ E[c_j(X)|U]
//
// over the share of the group, cross-fitted as the risk is (docs/theory.md, 9.13). They are right if E[Y_j|U,X] = E[Y_j|U] for all j, also where U has another distribution in S_Y (form 2).
// It reads S_X twice and S_Y once, at 2 K (q+1) k flops for a row of S_X and each functional. r of a fold is fitted to c by the models that did not see the row, since c of a row that a model was fitted to
// depends on its h(U) beyond X. A group without rows has NaN. It is an error for problems without rows.
func (c *CrossFit) Functionals(ctx context.Context, of Functionals) ([]Interval, error) {
	if err := c.p.NeedsRows("functionals of the outputs"); err != nil {
		return nil, err
	}
	ctx = progress.Stage(ctx, "estimating shares and means")
	s := &functionalScorer{of: of, p: c.p, m: c.m, n: c.n, outputs: c.p.Y().Len()}
	if of.Beside != nil {
		s.m.side = encode.Beside{c.m.side, of.Beside}
	}
	if err := s.fitWeights(ctx, c.opt); err != nil {
		return nil, err
	}
	if err := s.score(ctx); err != nil {
		return nil, err
	}
	return s.intervals()
}

// A functionalScorer sums the terms of functionals over the rows of both tables.
type functionalScorer struct {
	of      Functionals
	p       evidence
	m       foldModels
	n       *fittedNuisances
	outputs int
	r       []crossfit.Affine // by fold: of functional i and output j in column i outputs + j
	x, y    []*weighted.Means // by functional; x: the term and 1 in the group

	f, c, in mat.Dense
}

// valuesOf computes c, 0 outside of the groups, and the groups, by the model of one fold, for rows of the side.
func (s *functionalScorer) valuesOf(model int, rows *mat.Dense) {
	n, width := rows.Dims()
	var beside *mat.Dense
	if s.of.Beside != nil {
		own := width - s.of.Beside.Len()
		beside = rows.Slice(0, n, own, width).(*mat.Dense)
		rows = mat.DenseCopyOf(rows.Slice(0, n, 0, own))
	}
	s.m.predict(model, &s.f, rows)
	for _, of := range []struct {
		dst     *mat.Dense
		columns int
	}{{&s.c, s.of.Count * s.outputs}, {&s.in, s.of.Count}} {
		of.dst.Reset()
		of.dst.ReuseAs(n, of.columns)
		of.dst.Zero()
	}
	s.of.Of(&s.c, &s.in, &s.f, beside)
	for i := range n {
		for j, member := range s.in.RawRowView(i) {
			if member == 0 {
				clear(s.c.RawRowView(i)[j*s.outputs : (j+1)*s.outputs])
			}
		}
	}
}

// weightColumns bounds the number of Riesz weights that are solved at a time, and so the memory.
const weightColumns = 256

// fitWeights fits the Riesz weights of c.
func (s *functionalScorer) fitWeights(ctx context.Context, opt AssessOptions) error {
	columns := s.of.Count * s.outputs
	train, held, err := sumTargets(ctx, s.p, s.m, columns, ownModel, func(_, model int, rows *mat.Dense) *mat.Dense {
		s.valuesOf(model, rows)
		return &s.c
	})
	if err != nil {
		return err
	}
	riesz := s.n.riesz(opt)
	riesz.CacheFactors()
	parts := make([][]crossfit.Affine, len(train)) // by fold
	for lo := 0; lo < columns; lo += weightColumns {
		hi := min(lo+weightColumns, columns)
		cut := func(all []*mat.Dense) []*mat.Dense {
			out := make([]*mat.Dense, len(all))
			for k, t := range all {
				rows, _ := t.Dims()
				out[k] = mat.DenseCopyOf(t.Slice(0, rows, lo, hi))
			}
			return out
		}
		r, _, err := riesz.Weights(ctx, cut(train), cut(held))
		if err != nil {
			return err
		}
		for k := range r {
			parts[k] = append(parts[k], r[k])
		}
	}
	for _, own := range parts {
		s.r = append(s.r, joined(own))
	}
	return nil
}

// joined puts functions of the same features side by side, whose numbers of outputs may differ.
func joined(parts []crossfit.Affine) crossfit.Affine {
	if len(parts) == 1 {
		return parts[0]
	}
	q, _ := parts[0].Coef.Dims()
	total := 0
	for _, p := range parts {
		total += len(p.Intercept)
	}
	all := crossfit.Affine{Coef: mat.NewDense(q, total, nil)}
	for _, p := range parts {
		lo := len(all.Intercept)
		all.Coef.Slice(0, q, lo, lo+len(p.Intercept)).(*mat.Dense).Copy(p.Coef)
		all.Intercept = append(all.Intercept, p.Intercept...)
	}
	return all
}

// score adds the rows of both tables.
func (s *functionalScorer) score(ctx context.Context) error {
	for range s.of.Count {
		s.x, s.y = append(s.x, weighted.New(2)), append(s.y, weighted.New(1))
	}
	var h, r mat.Dense
	k := s.outputs
	err := s.p.WalkXU(ctx, s.m.side, s.p.SidePsi(), func(fold int, rows, psi *mat.Dense, w moments.Weights) {
		s.valuesOf(fold, rows)
		s.n.of[fold].hTo(&h, psi)
		n, _ := h.Dims()
		for i := range n {
			for at := range s.of.Count {
				s.x[at].Add(w, i, floats.Dot(s.c.RawRowView(i)[at*k:(at+1)*k], h.RawRowView(i)), s.in.At(i, at))
			}
		}
	})
	if err != nil {
		return err
	}
	return s.p.WalkUY(ctx, s.p.SidePsi(), s.p.Y(), func(fold int, psi, y *mat.Dense, w moments.Weights) {
		s.n.of[fold].hTo(&h, psi)
		s.r[fold].ApplyTo(&r, psi)
		n, _ := y.Dims()
		gap := make([]float64, k)
		for i := range n {
			floats.SubTo(gap, y.RawRowView(i), h.RawRowView(i))
			for at := range s.of.Count {
				s.y[at].Add(w, i, floats.Dot(r.RawRowView(i)[at*k:(at+1)*k], gap))
			}
		}
	})
}

// intervals turns the sums into estimates: the ratio of the terms to the share of the group, by the delta method.
func (s *functionalScorer) intervals() ([]Interval, error) {
	out := make([]Interval, s.of.Count)
	for i := range out {
		x, y := s.x[i], s.y[i]
		if x.Count < 2 || y.Count < 2 {
			return nil, fmt.Errorf("%w: %g rows of X and U and %g of U and Y carry weight, at least 2 of each are needed", ErrNoRisk, x.Count, y.Count)
		}
		share := x.Mean[1]
		if share == 0 {
			nan := math.NaN()
			out[i] = Interval{nan, nan, nan, nan}
			continue
		}
		value := (x.Mean[0] + y.Mean[0]) / share
		v := weighted.SumVariance(weighted.Term{Of: x, Gradient: []float64{1 / share, -value / share}}, weighted.Term{Of: y, Gradient: []float64{1 / share}})
		out[i] = NewInterval(value, v.Variance, v.Freedom)
		if !rowops.Finite([]float64{out[i].Value, out[i].SE}) {
			return nil, fmt.Errorf("%w: a functional overflows", ErrNoRisk)
		}
	}
	return out, nil
}
