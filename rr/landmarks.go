package rr

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/mat"

	"mediant/encode"
	"mediant/features"
	"mediant/moments"
	"mediant/problem"
)

// A Nyström landmark that is a row of one fold has a feature of its own, of which the other folds teach next to nothing:
// the row, held out, would not be like a new one. So what is fitted without a fold is fitted without the landmarks that are in
// that fold alone, which takes no other sums: their sections span directions of the features that are taken out
// (features.Nystrom.Beside, moments.Pair.Orthogonal; docs/theory.md, section 15).

// landmarkFolds are the folds that rows equal to each landmark of a map are in.
type landmarkFolds struct {
	of    *features.Nystrom
	folds [][]int
}

// beside returns orthonormal columns for the landmarks whose folds are all gone, nil for none. A map of which no landmark would
// be left keeps them all: without features there is nothing to judge.
func (l *landmarkFolds) beside(gone []int) *mat.Dense {
	if l == nil {
		return nil
	}
	var out []int
	for i, folds := range l.folds {
		if len(folds) > 0 && !slices.ContainsFunc(folds, func(f int) bool { return !slices.Contains(gone, f) }) {
			out = append(out, i)
		}
	}
	if len(out) == 0 || len(out) == len(l.folds) {
		return nil
	}
	return l.of.Beside(out)
}

// A splitter takes folds apart. It knows the landmarks of maps by the identities of the sides of moments.
type splitter struct {
	landmarks map[moments.ID]*landmarkFolds
	kept      []int // numbers of the folds that there are
	gone      []int // of those that were taken out before
}

// splitter is that of the folds that are left.
func (p *Problem) splitter() splitter {
	s := splitter{landmarks: p.landmarks, kept: p.folds()}
	for f := range max(1, p.Setup.Folds) {
		if !slices.Contains(s.kept, f) {
			s.gone = append(s.gone, f)
		}
	}
	return s
}

// fold is the number of the fold at place k; folds that were made otherwise than by passes have no landmarks.
func (s splitter) fold(k int) int {
	if k < len(s.kept) {
		return s.kept[k]
	}
	return k
}

// fitting is a sum that something is fitted from without the folds that are gone, or those and another.
func (s splitter) fitting(sum *moments.Pair, gone ...int) *moments.Pair {
	gone = append(slices.Clone(s.gone), gone...)
	if len(gone) == 0 || sum.Weight() == 0 {
		return sum
	}
	return sum.Orthogonal(s.landmarks[sum.Left()].beside(gone), s.landmarks[sum.Right()].beside(gone))
}

// fittingLeft is fitting of a sum over rows in memory, which knows the map of its left side but not the encoder.
func (s splitter) fittingLeft(sum *moments.Pair, left moments.ID) *moments.Pair {
	if len(s.gone) == 0 || sum.Weight() == 0 {
		return sum
	}
	return sum.Orthogonal(s.landmarks[left].beside(s.gone), nil)
}

// fittingTarget takes the directions of landmarks that are gone with a fold out of the target t, (q+1)×k means of (psi, 1) times
// something over the other folds, of features with the given identity.
func (s splitter) fittingTarget(psi moments.ID, t *mat.Dense, gone int) {
	n := s.landmarks[psi].beside(append(slices.Clone(s.gone), gone))
	if n == nil {
		return
	}
	q, _ := n.Dims()
	_, k := t.Dims()
	top := t.Slice(0, q, 0, k).(*mat.Dense)
	var along, out mat.Dense
	along.Mul(n.T(), top)
	out.Mul(n, &along)
	top.Sub(top, &out)
}

// findLandmarks notes the folds of a side's landmarks in tables, if it has Nyström features and there are folds.
// Rows without Y, or without the treatment of an effect, are in no fold.
func (p *Problem) findLandmarks(ctx context.Context, side features.Mapped, of ...int) error {
	m, ok := side.Map.(*features.Nystrom)
	if !ok || p.Setup.Folds < 2 {
		return nil
	}
	l := &landmarkFolds{of: m}
	rows := m.Landmarks()
	for _, table := range of {
		other := []encode.Side{p.besideU, p.Y}[table]
		folds, err := problem.RowFolds(ctx, side.Encoder, p.sources[table], other, p.pass(table), rows)
		if err != nil {
			return err
		}
		if l.folds == nil {
			l.folds = folds
			continue
		}
		for i, more := range folds {
			l.folds[i] = append(l.folds[i], more...)
		}
	}
	if p.landmarks == nil {
		p.landmarks = make(map[moments.ID]*landmarkFolds)
	}
	p.landmarks[side.ID()] = l
	return nil
}

// findAllLandmarks is findLandmarks of both maps, anew.
func (p *Problem) findAllLandmarks(ctx context.Context) error {
	p.landmarks = nil
	if p.Phi != nil {
		if err := p.findLandmarks(ctx, p.phi(), tableXU); err != nil {
			return err
		}
	}
	return p.findLandmarks(ctx, p.psi(), tableXU, tableUY)
}
