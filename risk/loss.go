package risk

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"mediant/crossfit"
	"mediant/internal/rowops"
	"mediant/internal/weighted"
	"mediant/losses"
	"mediant/moments"
	"mediant/rr"
)

// A LossRisk, made by Assess, AssessModel and AssessPredictions, is the uncoupled risk of form 1 in a Bregman divergence d (docs/theory.md, 9.13), summed over outputs, with its 95 % interval cut at 0. It is right under conditional mean
// independence.
type LossRisk struct {
	Loss string `json:"loss"`
	Interval
	// Optimism is what was added to the estimate and its interval because the penalties are the best of several by this risk.
	Optimism float64 `json:"optimism,omitempty"`
	// Constant is the loss of the best constant prediction, the mean of Y.
	Constant float64 `json:"constant"`
	// Bracket contains the expected loss whether or not conditional mean independence holds: the estimate plus or minus RMS_SX |F'(f) - r| RMS_SY |Y - h|.
	Bracket Bracket `json:"bracket"`

	byFold []float64
}

// Plus returns the risk with an optimism added, whose standard error is taken to be as large as it is.
func (r *LossRisk) Plus(optimism float64) *LossRisk {
	out := *r
	out.Optimism += optimism
	margin := over(r.Hi-r.Value, r.SE) // t
	out.Value, out.SE = r.Value+optimism, math.Hypot(r.SE, optimism)
	out.Lo, out.Hi = max(out.Value-margin*out.SE, 0), out.Value+margin*out.SE
	return &out
}

// ByFold returns the risk of each fold's model, to compare methods by.
func (r *LossRisk) ByFold() []float64 { return r.byFold }

// Columns of the spreads of a lossScorer.
const (
	lossTerm   = iota // the row's part of the risk
	lossGap           // S_X: |F'(f) - r|², S_Y: |Y - h|²
	potentials        // S_Y: F(Y)
	lossTerms         // of either table
)

// A lossScorer sums the terms of the risk over the rows of both tables:
//
//	S_X <g, f> - F(f) - <g, h>,  g = F'(f)      S_Y F(Y) - <r, Y - h>
type lossScorer struct {
	loss         losses.Loss
	of           []nuisances // for their h
	r            []crossfit.Affine
	x, y         *weighted.Means
	foldX, foldY []*weighted.Averages
	refused      error
}

// lossRisk estimates the risk in opt.Loss with the h of the nuisances, and Riesz weights of F'(f). It reads S_X twice and S_Y twice.
func lossRisk(ctx context.Context, p evidence, m foldModels, n *fittedNuisances, opt AssessOptions) (*LossRisk, error) {
	if err := p.NeedsRows("the risk in another loss than squared error"); err != nil {
		return nil, err
	}
	if err := checkOutcomes(ctx, p, opt.Loss); err != nil {
		return nil, err
	}
	s := &lossScorer{loss: opt.Loss, x: weighted.New(lossTerms), y: weighted.New(lossTerms)}
	if err := s.fitWeights(ctx, p, m, n, opt); err != nil {
		return nil, err
	}
	n.ofLoss = s.r
	if err := s.score(ctx, p, m); err != nil {
		return nil, err
	}
	mean := n.uy.MeanRight()
	return s.risk(opt.Loss.Potential(mean))
}

// checkOutcomes refuses rows of S_Y that the loss is not for.
func checkOutcomes(ctx context.Context, p evidence, l losses.Loss) error {
	var refused error
	err := p.WalkUY(ctx, p.SidePsi(), p.Y(), func(_ int, _, y *mat.Dense, _ moments.Weights) {
		if refused == nil {
			refused = rr.CheckOutcomes(l, p.Y(), y)
		}
	})
	if err != nil {
		return err
	}
	return refused
}

// gradients stores F'(f) in dst, and notes the first prediction without one.
func (s *lossScorer) gradients(dst, f *mat.Dense) {
	dst.Reset()
	dst.CloneFrom(f)
	n, _ := f.Dims()
	for i := range n {
		row := dst.RawRowView(i)
		s.loss.GradientTo(row, row)
		if s.refused != nil || rowops.Finite(row) && s.inside(f.RawRowView(i)) {
			continue
		}
		s.refused = fmt.Errorf("risk: the prediction %v is outside the domain of the loss %s, or at its end, where the loss may be infinite", f.RawRowView(i), s.loss.Name())
	}
}

// inside reports whether probabilities of classes sum to 1; others have a gradient.
func (s *lossScorer) inside(f []float64) bool {
	_, classes := s.loss.(losses.Log)
	return !classes || math.Abs(floats.Sum(f)-1) <= 1e-6
}

// fitWeights fits the Riesz weights of F'(f), less its value at the mean of Y, to which it is added again: a penalty would shrink a constant.
func (s *lossScorer) fitWeights(ctx context.Context, p evidence, m foldModels, n *fittedNuisances, opt AssessOptions) error {
	k := p.Y().Len()
	centre := n.uy.MeanRight()
	s.loss.GradientTo(centre, centre)
	if !rowops.Finite(centre) {
		clear(centre)
	}
	var all, g mat.Dense
	train, held, err := sumTargets(ctx, p, m, k, eachModel, func(_, model int, rows *mat.Dense) *mat.Dense {
		s.gradients(&g, m.predictEach(model, &all, rows, k))
		rowsOf, _ := g.Dims()
		for i := range rowsOf {
			floats.Sub(g.RawRowView(i), centre)
		}
		return &g
	})
	if s.refused != nil {
		return s.refused
	}
	if err != nil {
		return err
	}
	if s.r, _, err = n.riesz(opt).Weights(ctx, train, held); err != nil {
		return err
	}
	s.of = n.of
	for i := range n.of {
		s.r[i] = s.r[i].Outputs(0, k)
		floats.Add(s.r[i].Intercept, centre)
		s.foldX, s.foldY = append(s.foldX, weighted.NewAverages(1)), append(s.foldY, weighted.NewAverages(1))
	}
	return nil
}

// score adds the rows of both tables.
func (s *lossScorer) score(ctx context.Context, p evidence, m foldModels) error {
	var f, g, h, r mat.Dense
	err := p.WalkXU(ctx, m.side, p.SidePsi(), func(k int, rows, psi *mat.Dense, w moments.Weights) {
		m.predict(k, &f, rows)
		s.gradients(&g, &f)
		s.of[k].hTo(&h, psi)
		s.r[k].ApplyTo(&r, psi)
		n, _ := f.Dims()
		for i := range n {
			of, slope := f.RawRowView(i), g.RawRowView(i)
			term := floats.Dot(slope, of) - s.loss.Potential(of) - floats.Dot(slope, h.RawRowView(i))
			gap := floats.Distance(slope, r.RawRowView(i), 2)
			s.x.Add(w, i, term, gap*gap, 0)
			s.foldX[k].Add(w.Of(i), []float64{term})
		}
	})
	if err != nil {
		return err
	}
	return p.WalkUY(ctx, p.SidePsi(), p.Y(), func(k int, psi, y *mat.Dense, w moments.Weights) {
		s.of[k].hTo(&h, psi)
		s.r[k].ApplyTo(&r, psi)
		n, _ := y.Dims()
		for i := range n {
			of, left := y.RawRowView(i), h.RawRowView(i)
			potential, gap := s.loss.Potential(of), 0.
			term := potential
			for j, v := range r.RawRowView(i) {
				d := of[j] - left[j]
				term -= float64(v * d)
				gap += float64(d * d)
			}
			s.y.Add(w, i, term, gap, potential)
			s.foldY[k].Add(w.Of(i), []float64{term})
		}
	})
}

// risk turns the sums into estimates; potential is F of the mean of Y.
func (s *lossScorer) risk(potential float64) (*LossRisk, error) {
	if s.refused != nil {
		return nil, s.refused
	}
	if s.x.Count < 2 || s.y.Count < 2 {
		return nil, fmt.Errorf("%w: %g rows of X and U and %g of U and Y carry weight, at least 2 of each are needed", ErrNoRisk, s.x.Count, s.y.Count)
	}
	v := weighted.SumVariance(weighted.Term{Of: s.x, Gradient: Unit(lossTerms, lossTerm)}, weighted.Term{Of: s.y, Gradient: Unit(lossTerms, lossTerm)})
	out := &LossRisk{Loss: s.loss.Name(), Interval: NewInterval(s.x.Mean[lossTerm]+s.y.Mean[lossTerm], v.Variance, v.Freedom)}
	out.Lo, out.Hi = max(out.Lo, 0), max(out.Hi, 0)
	for k := range s.foldX {
		out.byFold = append(out.byFold, s.foldX[k].Mean[0]+s.foldY[k].Mean[0])
	}
	c, b := math.Sqrt(s.x.Mean[lossGap]), math.Sqrt(s.y.Mean[lossGap])
	end := func(sign float64) (value, moved float64) {
		value = out.Value + sign*c*b
		gx, gy := []float64{1, sign * over(b, 2*c), 0}, []float64{1, sign * over(c, 2*b), 0}
		v := weighted.SumVariance(weighted.Term{Of: s.x, Gradient: gx}, weighted.Term{Of: s.y, Gradient: gy})
		margin := weighted.Student95(v.Freedom) * math.Sqrt(v.Variance)
		return max(value, 0), max(value+sign*margin, 0)
	}
	out.Bracket.Lo, out.Bracket.Lower = end(-1)
	out.Bracket.Hi, out.Bracket.Upper = end(1)
	out.Constant = s.y.Mean[potentials] - potential
	if !rowops.Finite([]float64{out.Constant, out.Value, out.SE}) {
		return nil, fmt.Errorf("%w: losses overflow: the predictions or Y are too large to be compared", ErrNoRisk)
	}
	return out, nil
}
