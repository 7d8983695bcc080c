package risk

import (
	"context"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"mediant/crossfit"
	"mediant/internal/weighted"
	"mediant/moments"
	"mediant/rr"
)

// nuisances are the functions of psi that a fold's rows are scored with, all fitted on the other
// folds: h ~ E[Y|U] and the Riesz weight r of f; of form 2 v ~ E[Y²|U] and omega, the ratio of the distributions
// of U (one output); of classes the Riesz weight hit of the one-hot argmax f.
type nuisances struct {
	h, r, v, omega, hit crossfit.Affine
	linked              *rr.Linked // in the place of h, which it is better than; nil: there is none
}

// hTo stores h for rows of psi in dst.
func (n nuisances) hTo(dst, psi *mat.Dense) {
	if n.linked != nil {
		n.linked.MeansTo(dst, psi)
		return
	}
	n.h.ApplyTo(dst, psi)
}

// Columns of the two spreads of a scorer: terms of a row, summed over outputs.
const (
	riskTerm  = iota // the row's part of the uncoupled risk
	gapTerm          // S_X: |f-h|², S_Y: |h-y|²
	hitTerm          // the row's part of the accuracy
	rieszTerm        // S_X: |f-r|²
	xTerms
	yTerms = rieszTerm
)

// A scorer sums the terms of the risk over the rows of both tables (docs/theory.md):
//
//	form 1:  S_X (f-h)²            S_Y (y-h)² + 2 (h-r)(y-h)
//	form 2:  S_X f² - 2fh + v      S_Y omega (y² - v) - 2r (y-h)
//	hits:    S_X h_c, c = argmax f   S_Y Σ r_c (y_c - h_c)
type scorer struct {
	shifted bool // form 2
	classes bool
	blocks  bool // in the place of rows
	folds   []nuisances
	x, y    *weighted.Means
	outX    []*weighted.Means // of each output, the risk alone
	outY    []*weighted.Means
	spreads *spreadSums // nil: not wanted
	// The biases of the risk of each output and of the accuracy from thin overlap; none if nil.
	overlapBiases []overlapBias
	accuracyBias  overlapBias

	units crossfit.Units
	foldX []*weighted.Averages // of each fold, the risk alone, by unit
	foldY []*weighted.Averages
	risks []float64 // of the outputs of a row

	h, r, v, omega, hit mat.Dense
}

func newScorer(folds []nuisances, u crossfit.Units, shifted, classes bool) *scorer {
	s := &scorer{shifted: shifted, classes: classes, folds: folds, units: u, x: weighted.New(xTerms), y: weighted.New(yTerms)}
	s.risks = make([]float64, len(folds[0].h.Intercept))
	for range folds[0].h.Intercept {
		s.outX, s.outY = append(s.outX, weighted.New(1)), append(s.outY, weighted.New(1))
	}
	for range folds {
		s.foldX, s.foldY = append(s.foldX, weighted.NewAverages(len(u.Split(s.risks)))), append(s.foldY, weighted.NewAverages(len(u.Split(s.risks))))
	}
	return s
}

// scoreRows adds the rows of both tables, and those of S_X to the probings that there are.
func (s *scorer) scoreRows(ctx context.Context, p evidence, m foldModels, probings []*probing) error {
	var f mat.Dense
	side, predict := m.side, m.predict
	if m.kept != nil && m.kept.filled {
		next := m.kept.reader(p.Y().Len())
		side, predict = p.X(), func(k int, dst, rows *mat.Dense) { next(k, dst, rows.RawMatrix().Rows) }
	}
	err := p.WalkXU(ctx, side, p.SidePsi(), func(k int, rows, psi *mat.Dense, w moments.Weights) {
		predict(k, &f, rows)
		s.addXU(k, &f, psi, w)
		for _, probing := range probings {
			if probing != nil {
				probing.add(k, psi, w)
			}
		}
	})
	if err != nil {
		return err
	}
	return p.WalkUY(ctx, p.SidePsi(), p.Y(), s.addUY)
}

// addXU adds rows of S_X of fold k: f of the fold's model, and psi.
func (s *scorer) addXU(k int, f, psi *mat.Dense, w moments.Weights) {
	n := s.folds[k]
	n.hTo(&s.h, psi)
	n.r.ApplyTo(&s.r, psi)
	if s.shifted {
		n.v.ApplyTo(&s.v, psi)
	}
	rows, _ := f.Dims()
	for i := range rows {
		s.scoreXU(k, i, f.RawRowView(i), w)
	}
}

func (s *scorer) scoreXU(k, i int, f []float64, w moments.Weights) {
	h, r := s.h.RawRowView(i), s.r.RawRowView(i)
	var t [xTerms]float64
	for j := range f {
		gap := f[j] - h[j]
		risk := gap * gap
		if s.shifted {
			risk = f[j]*f[j] - 2*f[j]*h[j] + s.v.At(i, j)
		}
		t[riskTerm] += risk
		t[gapTerm] += gap * gap
		t[rieszTerm] += (f[j] - r[j]) * (f[j] - r[j])
		s.outX[j].Add(w, i, risk)
		if s.spreads != nil {
			s.spreads.addXU(j, w.Of(i), f[j], h[j], r[j])
		}
		s.risks[j] = risk
	}
	if s.classes {
		t[hitTerm] = h[floats.MaxIdx(f)]
	}
	s.x.Add(w, i, t[:]...)
	s.foldX[k].Add(w.Of(i), s.units.Split(s.risks))
}

// addUY adds rows of S_Y of fold k.
func (s *scorer) addUY(k int, psi, y *mat.Dense, w moments.Weights) {
	n := s.folds[k]
	n.hTo(&s.h, psi)
	n.r.ApplyTo(&s.r, psi)
	if s.shifted {
		n.v.ApplyTo(&s.v, psi)
		n.omega.ApplyTo(&s.omega, psi)
	}
	if s.classes {
		n.hit.ApplyTo(&s.hit, psi)
	}
	rows, _ := y.Dims()
	for i := range rows {
		s.scoreUY(k, i, y.RawRowView(i), w)
	}
}

func (s *scorer) scoreUY(k, i int, y []float64, w moments.Weights) {
	h, r := s.h.RawRowView(i), s.r.RawRowView(i)
	var t [yTerms]float64
	for j := range y {
		e := y[j] - h[j]
		risk := e*e + 2*(h[j]-r[j])*e
		if s.shifted {
			risk = s.omega.At(i, 0)*(y[j]*y[j]-s.v.At(i, j)) - 2*r[j]*e
		}
		t[riskTerm] += risk
		t[gapTerm] += e * e
		if s.classes {
			t[hitTerm] += s.hit.At(i, j) * e
		}
		s.outY[j].Add(w, i, risk)
		if s.spreads != nil {
			s.spreads.addUY(j, w.Of(i), y[j], h[j])
		}
		s.risks[j] = risk
	}
	s.y.Add(w, i, t[:]...)
	s.foldY[k].Add(w.Of(i), s.units.Split(s.risks))
}
