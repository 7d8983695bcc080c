package problem

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"gonum.org/v1/gonum/mat"

	"mediant/crossfit"
	"mediant/encode"
	"mediant/features"
	"mediant/moments"
	"mediant/tables"
)

// A Mapped, made by Encoded.Map, is an Encoded with feature maps of X and of U, of which one may be missing. It does not change.
type Mapped struct {
	Encoded
	phi, psi  features.Map
	landmarks map[moments.ID]*crossfit.LandmarkFolds // by the identity of the side that has them
	ratio     *crossfit.Affine                       // of the distributions of U, which weighs S_Y; nil: it does not
	noise     map[[2]moments.ID]crossfit.Noise       // of sums, for privacy
}

// Map fits both maps of the Setup, phi on a sample of encoded rows of S_X, psi on a pooled sample of both tables, and finds the folds that
// Nyström landmarks are in.
func (e *Encoded) Map(ctx context.Context) (*Mapped, error) {
	if err := e.Footprint().Within(Footprint.Mapping, ""); err != nil {
		return nil, err
	}
	own := *e
	if own.setup.Phi.LearnsMetric() { // from h, a function of psi
		psi, err := own.fitPsi(ctx)
		if err != nil {
			return nil, err
		}
		phi, err := own.fitPhi(ctx, psi)
		if err != nil {
			return nil, err
		}
		return own.WithMaps(ctx, phi, psi)
	}
	phi, err := own.fitPhi(ctx, nil)
	if err != nil {
		return nil, err
	}
	psi, err := own.fitPsi(ctx)
	if err != nil {
		return nil, err
	}
	return own.WithMaps(ctx, phi, psi)
}

// MapUnwhitened is Map for solvers that make passes: Nyström maps of more than so many landmarks are the sections of uniform rows (features.Spec.FitSections, with some), as many as the Spec asks for, also beyond the 20,000 rows that other rules look at. The folds of landmarks are not looked for.
func (e *Encoded) MapUnwhitened(ctx context.Context, whitened, some int) (*Mapped, error) {
	own := *e
	if own.setup.Phi.LearnsMetric() || own.setup.Psi.LearnsMetric() {
		return nil, errors.New("problem: features that are learned from Y need sums of products of features, which this solver does without: take other features")
	}
	var maps [2]features.Map
	for i, side := range []struct {
		spec    features.Spec
		encoder *encode.Encoder
		purpose string
		tables  int // from S_X on
		fit     func(context.Context) (features.Map, error)
		located func(context.Context, error) error
	}{
		{own.setup.Phi, own.x, "phi", 1, func(ctx context.Context) (features.Map, error) { return own.fitPhi(ctx, nil) }, own.LocatedX},
		{own.setup.Psi, own.u, "psi", 2, own.fitPsi, own.LocatedU},
	} {
		spec := side.spec.Resolve(side.encoder.Sparse())
		n := spec.Estimate(side.encoder.Width())
		var err error
		if spec.Kind != features.NystromFeatures || n <= whitened {
			maps[i], err = side.fit(ctx)
		} else {
			var rows mat.Matrix
			if rows, err = encode.Sample(ctx, side.encoder, own.counts[:side.tables], n, own.setup.Seed, side.purpose+"/sections", own.sources[:side.tables]...); err != nil {
				return nil, err
			}
			var notes []string
			maps[i], notes, err = spec.FitSections(ctx, rows, some, own.setup.Seed, side.purpose)
			own.note(notes...)
			err = side.located(ctx, err)
		}
		if err != nil {
			return nil, err
		}
	}
	return &Mapped{Encoded: own, phi: maps[0], psi: maps[1]}, nil
}

// MapX is Map for phi alone.
func (e *Encoded) MapX(ctx context.Context) (*Mapped, error) {
	own := *e
	var psi features.Map
	if own.setup.Phi.LearnsMetric() {
		quiet := own
		var err error
		if psi, err = quiet.fitPsi(ctx); err != nil {
			return nil, err
		}
	}
	phi, err := own.fitPhi(ctx, psi)
	if err != nil {
		return nil, err
	}
	return own.WithMaps(ctx, phi, nil)
}

// MapU is Map for psi alone.
func (e *Encoded) MapU(ctx context.Context) (*Mapped, error) {
	own := *e
	psi, err := own.fitPsi(ctx)
	if err != nil {
		return nil, err
	}
	return own.WithMaps(ctx, nil, psi)
}

// WithMaps is Map with fitted maps of encoded rows of X and of U; either may be nil.
func (e *Encoded) WithMaps(ctx context.Context, phi, psi features.Map) (*Mapped, error) {
	m := &Mapped{Encoded: *e, psi: psi}
	m.inTurn = false
	if psi != nil {
		if err := m.findLandmarks(ctx, m.SidePsi(), TableXU, TableUY); err != nil {
			return nil, err
		}
	}
	if phi == nil {
		return m, nil
	}
	return m.WithPhi(ctx, phi)
}

// WithPhi returns a copy with another phi.
func (m *Mapped) WithPhi(ctx context.Context, phi features.Map) (*Mapped, error) {
	own := *m
	own.phi = phi
	own.landmarks = maps.Clone(m.landmarks)
	return &own, own.findLandmarks(ctx, own.SidePhi(), TableXU)
}

// fitPhi fits phi, whose metric is learned from h(U) where psi, of which h is a function, is not nil.
func (e *Encoded) fitPhi(ctx context.Context, psi features.Map) (features.Map, error) {
	spec := e.setup.Phi
	if psi != nil {
		h, err := e.fitTarget(ctx, psi)
		if err != nil {
			return nil, err
		}
		if spec, err = e.LearnPhi(ctx, spec, psi, h); err != nil {
			return nil, err
		}
	}
	rows, err := e.SampleX(ctx)
	if err != nil {
		return nil, err
	}
	m, notes, err := spec.FitContext(ctx, rows, e.setup.Seed, "phi")
	e.note(notes...)
	return m, e.LocatedX(ctx, err)
}

func (e *Encoded) fitPsi(ctx context.Context) (features.Map, error) {
	spec, err := e.LearnPsi(ctx, e.setup.Psi)
	if err != nil {
		return nil, err
	}
	rows, err := e.SampleU(ctx)
	if err != nil {
		return nil, err
	}
	m, notes, err := spec.FitContext(ctx, rows, e.setup.Seed, "psi")
	e.note(notes...)
	return m, e.LocatedU(ctx, err)
}

// LocatedX adds the row of S_X and the column to an error about an entry of SampleX; it returns other errors unchanged.
func (e *Encoded) LocatedX(ctx context.Context, err error) error {
	return located(ctx, err, e.x, e.sources[:TableUY])
}

// LocatedU is LocatedX for SampleU.
func (e *Encoded) LocatedU(ctx context.Context, err error) error {
	return located(ctx, err, e.u, e.sources[:])
}

func located(ctx context.Context, err error, by *encode.Encoder, sources []tables.Source) error {
	for i, src := range sources {
		if found := by.Locate(ctx, err, src); found != nil {
			return TableError(i, found)
		}
	}
	return err
}

// Reweighed returns a copy whose tables are the same rows with other factors (tables.Reweigh), and the same maps; nil keeps the present table.
func (m *Mapped) Reweighed(xu, uy tables.Source) *Mapped {
	own := *m
	own.setSources(xu, uy)
	return &own
}

// Phi returns the map of encoded X; nil if there is none.
func (m *Mapped) Phi() features.Map { return m.phi }

// Psi returns the map of encoded U; nil if there is none.
func (m *Mapped) Psi() features.Map { return m.psi }

// SidePhi returns the side phi(X) of a pass over S_X.
func (m *Mapped) SidePhi() features.Mapped { return features.Mapped{Encoder: m.x, Map: m.phi} }

// SidePsi returns the side psi(U) of a pass over either table.
func (m *Mapped) SidePsi() features.Mapped { return features.Mapped{Encoder: m.u, Map: m.psi} }

// WalkUY is Encoded.WalkUY, with the density-ratio weights of the problem, if it has them (Setup.Shift); left must then be
// SidePsi.
func (m *Mapped) WalkUY(ctx context.Context, left, right encode.Side, do func(k int, a, b *mat.Dense, w moments.Weights)) error {
	if m.ratio != nil {
		with := do
		do = func(k int, a, b *mat.Dense, w moments.Weights) { with(k, a, b, m.shifted(a, w)) }
	}
	return m.Encoded.WalkUY(ctx, left, right, do)
}

// walkTable is WalkXU or WalkUY.
func (m *Mapped) walkTable(ctx context.Context, table int, left, right encode.Side, do func(k int, a, b *mat.Dense, w moments.Weights)) error {
	if table == TableXU {
		return m.WalkXU(ctx, left, right, do)
	}
	return m.WalkUY(ctx, left, right, do)
}

// CoMomentsUY sums the products of psi and right over S_Y, one CoMoments for each remaining fold, and counts the rows without
// Y.
func (m *Mapped) CoMomentsUY(ctx context.Context, right encode.Side) ([]*moments.CoMoments, int, error) {
	psi := m.SidePsi()
	if m.ratio == nil {
		return m.CoMomentsByFold(ctx, TableUY, psi, right)
	}
	folds := make([]*moments.CoMoments, len(m.Folds()))
	for k := range folds {
		folds[k] = m.setup.Arithmetic.NewCoMoments(psi.ID(), right.ID())
	}
	err := m.WalkUY(ctx, psi, right, func(k int, a, b *mat.Dense, w moments.Weights) { folds[k].Add(a, b, w.Products()) })
	return folds, m.dropped, err
}

// SumUY sums the products of psi and Y over S_Y, all folds together, for methods that need no sums of S_X. The returned Mapped
// knows the number of rows without Y (Dropped). No row with Y is an error.
func (m *Mapped) SumUY(ctx context.Context) (*moments.CoMoments, *Mapped, error) {
	folds, dropped, err := m.CoMomentsUY(ctx, m.y)
	if err != nil {
		return nil, nil, TableError(TableUY, err)
	}
	own := *m
	if err := own.noteDropped(ctx, dropped); err != nil {
		return nil, nil, err
	}
	uy, err := moments.Sum(folds...)
	if err != nil {
		return nil, nil, err
	}
	if err := own.RequireUY(ctx, uy.Weight()); err != nil {
		return nil, nil, err
	}
	own.noteConstants(uy)
	return uy, &own, nil
}

// CoMomentsXU sums the products of phi and another right side over S_X, all folds together, in one pass: the encoded U itself,
// for example.
func (m *Mapped) CoMomentsXU(ctx context.Context, right encode.Side) (*moments.CoMoments, error) {
	folds, _, err := m.CoMomentsByFold(ctx, TableXU, m.SidePhi(), right)
	if err != nil {
		return nil, err
	}
	sum, err := moments.Sum(folds...)
	if err != nil {
		return nil, err
	}
	return m.Splitter().Training(sum), nil
}

// CoMomentsXY sums the products of phi(X) and Y over a table of coupled (X, Y) rows.
func (m *Mapped) CoMomentsXY(ctx context.Context, xy tables.Source) (*moments.CoMoments, error) {
	folds, _, err := Accumulate(ctx, tables.NewGuard("coupled rows", xy), m.SidePhi(), m.y, PassOptions{Folds: 1, Arithmetic: m.setup.Arithmetic})
	if err != nil {
		return nil, err
	}
	return folds[0], nil
}

// RequireUY returns an error if weight, that of all rows of S_Y that have Y, is 0.
func (e *Encoded) RequireUY(ctx context.Context, weight float64) error {
	if weight == 0 {
		return NoYError(ctx, "the table of U and Y has nothing to learn from", e.y, e.sources[TableUY])
	}
	return nil
}

// NoYError returns the error that no row of a table has all columns of Y: the text what, then how often each column is
// missing. It reads the table once.
func NoYError(ctx context.Context, what string, y *encode.Targets, src tables.Source) error {
	if len(y.Columns()) == 1 {
		return fmt.Errorf("problem: %s: Y is missing in every row", what)
	}
	missing, err := y.Missing(ctx, src)
	if err != nil {
		return err
	}
	return fmt.Errorf("problem: %s: no row has all columns of Y: %s; take one at a time, named in RoleOptions.Y", what, missing)
}

// noteDropped notes how many rows were of no use, and why.
func (e *Encoded) noteDropped(ctx context.Context, dropped int) error {
	e.dropped, e.counted = dropped, true
	switch {
	case dropped == 0:
	case len(e.y.Columns()) == 1:
		e.note(fmt.Sprintf("%d rows of the table of U and Y were dropped: Y is missing", dropped))
	default:
		missing, err := e.y.Missing(ctx, e.sources[TableUY])
		if err != nil {
			return err
		}
		e.note(fmt.Sprintf("%d rows of the table of U and Y were dropped, in which not all columns of Y are there: %s; a fit of one at a time drops fewer", dropped, missing))
	}
	return nil
}

// noteConstants names the outputs that do not vary.
func (e *Encoded) noteConstants(uy *moments.CoMoments) {
	var variances mat.SymDense
	uy.RightTo(&variances, true)
	for j, mean := range uy.MeanB() {
		if !crossfit.Varies(variances.At(j, j), mean) {
			e.note(fmt.Sprintf("Y: %q is the same in all rows: there is nothing to learn of it", e.y.Names()[j]))
		}
	}
}
