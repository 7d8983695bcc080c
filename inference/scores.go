package inference

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"mediant/crossfit"
	"mediant/moments"
	"mediant/problem"
	"mediant/solvers"
)

// scoresX sums the scores of S_X for each output, whose residuals are h - f, and adds the rows to shared, if that is not
// empty.
func scoresX(ctx context.Context, p *problem.Problem, v *solvers.Influence, kind Covariance, shared []*interaction) ([]*scores, error) {
	sums := newScores(len(v.InterceptF), p.Fitting().Weight(), kind)
	f, h := crossfit.Affine{Coef: v.Alpha, Intercept: v.InterceptF}, crossfit.Affine{Coef: v.Beta, Intercept: v.InterceptH}
	var b scoreBlock
	var fitted mat.Dense
	err := p.WalkXU(ctx, p.SidePhi(), p.SidePsi(), func(_ int, phi, psi *mat.Dense, w moments.Weights) {
		b.resize(phi)
		f.ApplyTo(&fitted, phi)
		h.ApplyTo(&b.e, psi)
		b.e.Sub(&b.e, &fitted)
		v.RowsXTo(&b.rows, &b.t, b.l, b.pen, phi, psi)
		w = p.FitWeights(phi, w)
		b.addTo(ctx, sums, w)
		for j, s := range shared {
			if ctx.Err() != nil {
				return // the pass ends with its error
			}
			s.addX(&b, j)
		}
	})
	return checked(sums, "X and U", err)
}

// scoresY sums the scores of S_Y for each output, whose residuals are y - h.
func scoresY(ctx context.Context, p *problem.Problem, v *solvers.Influence, kind Covariance) ([]*scores, error) {
	sums := newScores(len(v.InterceptF), p.UY().Weight(), kind)
	h := crossfit.Affine{Coef: v.Beta, Intercept: v.InterceptH}
	var b scoreBlock
	err := p.WalkUY(ctx, p.SidePsi(), p.Y(), func(_ int, psi, y *mat.Dense, w moments.Weights) {
		b.resize(psi)
		h.ApplyTo(&b.e, psi)
		b.e.Sub(y, &b.e)
		v.RowsYTo(&b.rows, b.l, b.pen, psi)
		b.addTo(ctx, sums, w)
	})
	return checked(sums, "U and Y", err)
}

// A scoreBlock is memory for the residuals of all outputs and for what solvers.Influence says of rows.
type scoreBlock struct {
	rows, t, e mat.Dense
	l, pen     []float64
	w          moments.Weights
}

// resize makes room for as many rows as a has.
func (b *scoreBlock) resize(a *mat.Dense) {
	n, _ := a.Dims()
	b.rows.Reset()
	b.t.Reset()
	b.l, b.pen = slices.Grow(b.l[:0], n)[:n], slices.Grow(b.pen[:0], n)[:n]
}

// addTo adds the rows for each output, until ctx is done.
func (b *scoreBlock) addTo(ctx context.Context, sums []*scores, w moments.Weights) {
	b.w = w
	for j, s := range sums {
		if ctx.Err() != nil {
			return // the pass ends with its error
		}
		s.add(b, &b.rows, j)
	}
}

// checked passes the sums of a table on, unless they cannot be used.
func checked(sums []*scores, table string, err error) ([]*scores, error) {
	if err != nil {
		return nil, err
	}
	for _, s := range sums {
		if s.sure {
			return nil, fmt.Errorf("inference: standard errors: a row of the table of %s has leverage 1: the fit there is determined by it alone, so that its error cannot be estimated (a larger lambda avoids this)", table)
		}
	}
	return sums, nil
}

// scores sums, over the rows of one table and for one output, products of the scores
//
//	z = s e v / r,   r = sqrt(1 - s (l + pen)), 1 - s l or 1, by kind
//
// with shares s of the total weight, less what their sum has in it of each observation: one has the share s
// of the sum, which in expectation is 0. A row of frequency m is m observations.
type scores struct {
	kind  Covariance
	total float64
	pair  *moments.CoMoments // of e v / r, weighed by m s²
	sum   []float64          // Σ z
	sure  bool               // a row has leverage 1
}

func newScores(outputs int, total float64, kind Covariance) []*scores {
	s := make([]*scores, outputs)
	for j := range s {
		s[j] = &scores{kind: kind, total: total, pair: new(moments.CoMoments)}
	}
	return s
}

// sureLeverage is where 1 - leverage has fewer than half of its digits left.
const sureLeverage = 1 - 1e-8

// left returns r for a row of share s, 0 where the row has leverage 1.
func (k Covariance) left(s, l, pen float64) float64 {
	if k == Sandwich {
		return 1
	}
	if s*l > sureLeverage {
		return 0
	}
	left := 1 - s*l
	if k == Jackknife {
		return left
	}
	return math.Sqrt(max(1-s*(l+pen), left*left)) // left² is the least that exact sums give
}

// add adds the rows of a block for the given output.
func (s *scores) add(b *scoreBlock, rows *mat.Dense, output int) {
	n, c := rows.Dims()
	moves := mat.NewDense(n, c, nil)
	s.addPart(moves, rows, b.e.ColView(output), b.l, b.pen, b.w)
	s.addMoves(moves, b.w)
}

// addPart adds e v / r of one part, or all of f or h, to the moves of the rows of a block.
func (s *scores) addPart(moves, rows *mat.Dense, e mat.Vector, l, pen []float64, w moments.Weights) {
	for i := range l {
		share := w.FactorOf(i) / s.total
		left := s.kind.left(share, l[i], pen[i])
		if left == 0 {
			s.sure = true
			return
		}
		floats.AddScaled(moves.RawRowView(i), e.AtVec(i)/left, rows.RawRowView(i))
	}
}

// addMoves adds the rows of a block, of which moves are the scores over their shares.
func (s *scores) addMoves(moves *mat.Dense, w moments.Weights) {
	n, c := moves.Dims()
	if s.sum == nil {
		s.sum = make([]float64, c)
	}
	squares := make([]float64, n)
	for i := range squares {
		share := w.FactorOf(i) / s.total
		floats.AddScaled(s.sum, w.FrequencyOf(i)*share, moves.RawRowView(i))
		squares[i] = w.FrequencyOf(i) * share * share
	}
	// The right side of the pair is not needed; one column of zeros is the least there can be.
	s.pair.Add(moves, mat.NewDense(n, 1, nil), squares)
}

// covariance returns Σ (z - s Σz)(z - s Σz)': with mu the mean of z/s weighed by s², that is the
// centred sum of the pair and Σs² (mu - Σz)(mu - Σz)'.
func (s *scores) covariance() *mat.SymDense {
	var cov mat.SymDense
	s.pair.LeftTo(&cov, true)
	off := floats.SubTo(make([]float64, len(s.sum)), s.pair.MeanA(), s.sum)
	cov.SymRankOne(&cov, 1, mat.NewVecDense(len(off), off))
	cov.ScaleSym(s.pair.Weight(), &cov)
	return &cov
}
