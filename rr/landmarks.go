package rr

import (
	"context"
	"slices"

	"mediant/crossfit"
	"mediant/encode"
	"mediant/features"
	"mediant/moments"
	"mediant/problem"
)

// splitter is that of the folds that are left.
func (p *Problem) splitter() crossfit.Splitter {
	s := crossfit.Splitter{Landmarks: p.landmarks, Kept: p.folds()}
	for f := range max(1, p.Setup.Folds) {
		if !slices.Contains(s.Kept, f) {
			s.Gone = append(s.Gone, f)
		}
	}
	return s
}

// findLandmarks notes the folds of a side's landmarks in tables, if it has Nyström features and there are folds.
// Rows without Y, or without the treatment of an effect, are in no fold.
func (p *Problem) findLandmarks(ctx context.Context, side features.Mapped, of ...int) error {
	m, ok := side.Map.(*features.Nystrom)
	if !ok || p.Setup.Folds < 2 {
		return nil
	}
	l := &crossfit.LandmarkFolds{Of: m}
	rows := m.Landmarks()
	for _, table := range of {
		other := []encode.Side{p.besideU, p.Y}[table]
		folds, err := problem.RowFolds(ctx, side.Encoder, p.sources[table], other, p.pass(table), rows)
		if err != nil {
			return err
		}
		if l.Folds == nil {
			l.Folds = folds
			continue
		}
		for i, more := range folds {
			l.Folds[i] = append(l.Folds[i], more...)
		}
	}
	if p.landmarks == nil {
		p.landmarks = make(map[moments.ID]*crossfit.LandmarkFolds)
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
