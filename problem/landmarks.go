package problem

import (
	"context"
	"slices"

	"mediant/crossfit"
	"mediant/encode"
	"mediant/features"
	"mediant/moments"
)

// Splitter is that of the folds that are left.
func (p *Problem) Splitter() crossfit.Splitter {
	s := crossfit.Splitter{Landmarks: p.landmarks, Kept: p.Folds()}
	for f := range max(1, p.Setup.Folds) {
		if !slices.Contains(s.Kept, f) {
			s.Gone = append(s.Gone, f)
		}
	}
	return s
}

// FindLandmarks notes the folds of a side's landmarks in tables, if it has Nyström features and there are folds.
// Rows without Y, or without the treatment of an effect, are in no fold.
func (p *Problem) FindLandmarks(ctx context.Context, side features.Mapped, of ...int) error {
	m, ok := side.Map.(*features.Nystrom)
	if !ok || p.Setup.Folds < 2 {
		return nil
	}
	l := &crossfit.LandmarkFolds{Of: m}
	rows := m.Landmarks()
	for _, table := range of {
		other := []encode.Side{p.BesideU, p.Y}[table]
		folds, err := RowFolds(ctx, side.Encoder, p.Sources[table], other, p.pass(table), rows)
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

// FindAllLandmarks is findLandmarks of both maps, anew.
func (p *Problem) FindAllLandmarks(ctx context.Context) error {
	p.landmarks = nil
	if p.Phi != nil {
		if err := p.FindLandmarks(ctx, p.SidePhi(), TableXU); err != nil {
			return err
		}
	}
	return p.FindLandmarks(ctx, p.SidePsi(), TableXU, TableUY)
}
