package risk

import (
	"mediant/crossfit"
	"mediant/internal/weighted"
	"mediant/moments"
	"mediant/problem"
)

// Spreads are mean squares over held-out rows that the assessment of a fit has besides the risk, by output: h and r are the nuisances of the fold, f its model. Files do not keep them.
type Spreads struct {
	FH []float64 // (f - h(U))² over S_X
	FR []float64 // (f - r(U))² over S_X, the part of f that U does not determine
	H  []float64 // the variance of h(U) over S_X
	YH []float64 // (Y - h(U))² over S_Y
	Y  []float64 // the variance of Y over S_Y

	Units crossfit.Units
	// Means are those of Y, by which to tell whether it varies.
	Means []float64
	// Rows are those that were assessed, encoded.
	Rows *problem.Encoded
}

// spreadSums are the means behind Spreads over the rows of both tables, by output: of (f-h)², (f-r)², h less the mean of Y, and its square; and of (Y-h)².
type spreadSums struct {
	centre []float64
	x, y   []*weighted.Averages
}

func newSpreadSums(centre []float64) *spreadSums {
	s := &spreadSums{centre: centre}
	for range centre {
		s.x, s.y = append(s.x, weighted.NewAverages(4)), append(s.y, weighted.NewAverages(1))
	}
	return s
}

func (s *spreadSums) addXU(j int, weight, f, h, r float64) {
	off := h - s.centre[j]
	s.x[j].Add(weight, []float64{(f - h) * (f - h), (f - r) * (f - r), off, off * off})
}

func (s *spreadSums) addUY(j int, weight, y, h float64) {
	s.y[j].Add(weight, []float64{(y - h) * (y - h)})
}

// spreads takes the sums of S_Y over all folds.
func (s *spreadSums) spreads(u crossfit.Units, uy *moments.CoMoments) *Spreads {
	out := &Spreads{Y: crossfit.VariancesOf(uy), Units: u, Means: uy.MeanB()}
	for j, x := range s.x {
		out.FH, out.FR, out.H = append(out.FH, x.Mean[0]), append(out.FR, x.Mean[1]), append(out.H, max(x.Mean[3]-x.Mean[2]*x.Mean[2], 0))
		out.YH = append(out.YH, s.y[j].Mean[0])
	}
	return out
}
