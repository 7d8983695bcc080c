package risk

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"mediant/crossfit"
	"mediant/internal/weighted"
	"mediant/moments"
)

// scoreBlocks adds the blocks of the sums of all folds as scoreRows adds rows: their terms are the means over their rows, which
// sums of products tell of an f that is linear in phi, form 1. Which output is largest in a row they do not tell.
//
// The variance of a mean is then that between blocks, which are as independent as rows are. Over B blocks with means that are nearly normal its relative
// standard error is sqrt(2/(B-1)), and that of its root, the standard error, half of it, 1/sqrt(2(B-1)): 16 % of itself at 20 blocks.
func (s *scorer) scoreBlocks(p evidence, m foldModels) {
	s.blocks = true
	for k, n := range s.folds {
		xu, uy := p.blocks(k)
		f := m.affine[k]
		h, e := crossfit.Gap(f, n.h), n.h.Residual(len(n.h.Intercept)) // f - h, h - y
		for _, b := range xu {
			if b.Weight() > 0 {
				gap, riesz := b.Inner(h, h), crossfit.Gap(f, n.r)
				terms := [xTerms]float64{riskTerm: floats.Sum(gap), gapTerm: floats.Sum(gap), rieszTerm: floats.Sum(b.Inner(riesz, riesz))}
				s.addBlock(b, s.x, terms[:], s.outX, s.foldX[k], gap)
			}
		}
		for _, b := range uy {
			if b.Weight() > 0 {
				squares := b.Inner(e, e)
				risk := b.Inner(n.h.Minus(n.r).Form(), e)
				floats.Scale(-2, risk)
				floats.Add(risk, squares)
				terms := [yTerms]float64{riskTerm: floats.Sum(risk), gapTerm: floats.Sum(squares)}
				s.addBlock(b, s.y, terms[:], s.outY, s.foldY[k], risk)
			}
		}
	}
}

// addBlock adds one block of a table, with the risk of each output.
func (s *scorer) addBlock(b *moments.CoMoments, all *weighted.Means, terms []float64, outputs []*weighted.Means, fold *weighted.Averages, risks []float64) {
	w := moments.Weights{Factor: []float64{b.Weight()}}
	all.Add(w, 0, terms...)
	for j, v := range risks {
		outputs[j].Add(w, 0, v)
	}
	fold.Add(b.Weight(), s.units.Split(risks))
}

// errorVariance is the variance of gx'(means of S_X) + gy'(means of S_Y), whose terms are squares of errors, or means of them over blocks, which are nearly normal.
func (s *scorer) errorVariance(x, y *weighted.Means, gx, gy []float64) weighted.Variance {
	return weighted.SumVariance(weighted.Term{Of: x, Gradient: gx, Squares: !s.blocks}, weighted.Term{Of: y, Gradient: gy, Squares: !s.blocks})
}

// blocksNote says how crude the standard errors of so many blocks of both tables are, and what is left out.
func blocksNote(x, y int, classes bool) string {
	left := ""
	if classes {
		left = "; the accuracy, which needs rows, is left out"
	}
	return fmt.Sprintf("standard errors of the risk are from %d blocks of sums of X and U and %d of U and Y, without rows, and are themselves uncertain by about %.0f %%%s",
		x, y, 100/math.Sqrt(2*float64(min(x, y)-1)), left)
}
