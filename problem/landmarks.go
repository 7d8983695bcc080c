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
func (m *Mapped) Splitter() crossfit.Splitter {
	s := crossfit.Splitter{Landmarks: m.landmarks, Remaining: m.Folds(), Noise: m.noise}
	for f := range max(1, m.setup.Folds) {
		if !slices.Contains(s.Remaining, f) {
			s.Removed = append(s.Removed, f)
		}
	}
	return s
}

// findLandmarks notes the folds of a side's landmarks in tables, if it has Nyström features and there are folds.
// Rows without Y, or without the treatment of an effect, are in no fold.
func (m *Mapped) findLandmarks(ctx context.Context, side features.Mapped, of ...int) error {
	nystrom, ok := side.Map.(*features.Nystrom)
	if !ok || m.setup.Folds < 2 {
		return nil
	}
	if err := m.NeedsRows("the folds of landmarks"); err != nil {
		return err
	}
	l := &crossfit.LandmarkFolds{Of: nystrom}
	rows := nystrom.Landmarks()
	for _, table := range of {
		other := []encode.Side{m.required, m.y}[table]
		folds, err := rowFolds(ctx, side.Encoder, m.sources[table], other, m.pass(table), rows)
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
	if m.landmarks == nil {
		m.landmarks = make(map[moments.ID]*crossfit.LandmarkFolds)
	}
	m.landmarks[side.ID()] = l
	return nil
}

// findAllLandmarks is findLandmarks of both maps, anew.
func (m *Mapped) findAllLandmarks(ctx context.Context) error {
	own, err := m.WithMaps(ctx, m.phi, m.psi)
	if err != nil {
		return err
	}
	m.landmarks = own.landmarks
	return nil
}
