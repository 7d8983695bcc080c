package problem

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"mediant/check"
	"mediant/crossfit"
	"mediant/encode"
	"mediant/features"
	"mediant/internal/fault"
	"mediant/moments"
	"mediant/tables"
)

// An Encoded, made by Encode, is both tables under fixed roles, weights, encoders and targets, and reads their rows in passes. It
// does not change: methods that change something return another one, which shares what it can.
type Encoded struct {
	setup   Setup
	roles   tables.Roles
	x, u    *encode.Encoder
	y       *encode.Targets
	learned *check.Learned
	sources [2]tables.Source // with their weights; nil: there are sums alone
	beside  encode.Side      // that a row of S_X must have; nil: any has
	overlap *Lacking         // rows of S_X whose U S_Y lacks; nil: none

	stored, counts [2]int // rows of the tables, and those that they stand for
	kept           []int  // the folds whose rows are left, nil for all
	counted        bool   // dropped is known, and noted
	dropped        int
	notes          []string
}

// Encode finds roles, encoders and targets: it reads the tables once or twice for encoders and classes, and once for what a model keeps of
// them. There are no more folds than a table has rows. An error names the table's column or row at fault.
func Encode(ctx context.Context, s Setup, xu, uy tables.Source) (*Encoded, error) {
	return EncodeFor(ctx, s, xu, uy, nil, "")
}

// EncodeFor is Encode for work that takes need bytes in all, as far as the tables tell; more than the Setup's Memory is a MemoryError, before
// they are read if that is certain. what is large in it.
func EncodeFor(ctx context.Context, s Setup, xu, uy tables.Source, need func(Footprint) float64, what string) (*Encoded, error) {
	e, err := guarded(s, xu, uy, need, what)
	if err != nil {
		return nil, err
	}
	if err := e.assign(ctx); err != nil {
		return nil, err
	}
	if err := e.leaveOut(ctx); err != nil {
		return nil, err
	}
	if e.x, err = e.encoder(ctx, e.roles.X, e.sources[TableXU]); err != nil {
		return nil, fmt.Errorf("problem: X: %w", err)
	}
	e.note(e.x.Notes()...)
	if err := e.encodeU(ctx); err != nil {
		return nil, err
	}
	if err := e.learn(ctx); err != nil {
		return nil, err
	}
	if err := e.encodeLandmarks(ctx, "X", e.x, e.setup.LandmarksX, &e.setup.Phi); err != nil {
		return nil, err
	}
	e.limitFolds()
	return e, e.within(need, what)
}

// EncodeU is EncodeFor without an encoder of X, of which no row is left out and nothing is kept: for those to whom X is something else, a treatment
// say. Folds are not limited.
func EncodeU(ctx context.Context, s Setup, xu, uy tables.Source, need func(Footprint) float64, what string) (*Encoded, error) {
	e, err := guarded(s, xu, uy, need, what)
	if err != nil {
		return nil, err
	}
	if err := e.assign(ctx); err != nil {
		return nil, err
	}
	if err := e.encodeU(ctx); err != nil {
		return nil, err
	}
	return e, e.within(need, what)
}

// An Encoding is what is fixed before tables are read: that of a model, or what several parties agreed on.
type Encoding struct {
	Roles tables.Roles
	X, U  *encode.Encoder
	Y     *encode.Targets
}

// EncodeBy is Encode with an encoding that is there. Roles of the Setup need only name the columns of weights.
func EncodeBy(ctx context.Context, s Setup, by Encoding, xu, uy tables.Source) (*Encoded, error) {
	e, err := guarded(s, xu, uy, nil, "")
	if err != nil {
		return nil, err
	}
	e.roles, e.x, e.u, e.y = by.Roles, by.X, by.U, by.Y
	for _, w := range []string{s.Roles.WeightsXU, s.Roles.WeightsUY} {
		if slices.Contains(slices.Concat(e.roles.X, e.roles.U, e.roles.Y), w) {
			return nil, fmt.Errorf("problem: column %q cannot be weights: it is one of X, U or Y", w)
		}
	}
	if err := e.weigh(ctx); err != nil {
		return nil, err
	}
	if err := e.leaveOut(ctx); err != nil {
		return nil, err
	}
	for i, src := range e.sources {
		if e.stored[i] == 0 {
			rows, err := tables.NewGuard("", src).Count(ctx)
			if err != nil {
				return nil, err
			}
			e.stored[i], e.counts[i] = rows, rows
		}
	}
	e.limitFolds()
	return e, nil
}

// guarded checks the setup and puts both tables under guard, so that every pass over them, by whichever method, holds
// them to what tables.Source promises.
func guarded(s Setup, xu, uy tables.Source, need func(Footprint) float64, what string) (*Encoded, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	if err := SomeTables(xu, uy); err != nil {
		return nil, err
	}
	e := &Encoded{setup: s, sources: [2]tables.Source{tables.NewGuard("S_X", xu), tables.NewGuard("S_Y", uy)}}
	if need == nil {
		return e, nil
	}
	var seen [2]Glimpse
	for i, src := range e.sources {
		seen[i].Columns = src.Columns()
		seen[i].Rows = tables.FactsOf(src).Rows
	}
	return e, s.LeastWithin(need, what, seen[TableXU], seen[TableUY])
}

// within is Within of the footprint, for a need that may be nil.
func (e *Encoded) within(need func(Footprint) float64, what string) error {
	if need == nil {
		return nil
	}
	return e.Footprint().Within(need, what)
}

// limitFolds sees to it that no fold is empty for want of rows.
func (e *Encoded) limitFolds() {
	for _, rows := range e.stored {
		e.setup.Folds = min(e.setup.Folds, rows)
	}
}

// note adds to the notes, which others may share.
func (e *Encoded) note(notes ...string) { e.notes = append(slices.Clip(e.notes), notes...) }

// Setup is that of Encode, with its maps as With has set them, landmarks encoded, and no more folds than there are rows.
func (e *Encoded) Setup() Setup { return e.setup }

// Roles are the columns of X, U and Y.
func (e *Encoded) Roles() tables.Roles { return e.roles }

// X encodes the columns of X; nil if EncodeU made this.
func (e *Encoded) X() *encode.Encoder { return e.x }

// U encodes the columns of U, from the pooled rows of both tables.
func (e *Encoded) U() *encode.Encoder { return e.u }

// Y makes outputs of the columns of Y.
func (e *Encoded) Y() *encode.Targets { return e.y }

// Learned is what a model keeps of all rows; nil if an encoding was there before.
func (e *Encoded) Learned() *check.Learned { return e.learned }

// Sources are both tables, by TableXU and TableUY, with their weights and without the rows that are left out; nil where there are sums alone.
func (e *Encoded) Sources() [2]tables.Source { return e.sources }

// Overlap says which rows of S_X have a U that S_Y lacks; nil: none.
func (e *Encoded) Overlap() *Lacking { return e.overlap }

// Dropped counts the rows of S_Y left out because Y is missing, once that is known.
func (e *Encoded) Dropped() int { return e.dropped }

// Notes say what was decided on the way: constant columns, fallbacks of bandwidths.
func (e *Encoded) Notes() []string { return slices.Clone(e.notes) }

// TableRows are the numbers of rows that the tables have, of which one with a weight may stand for many.
func (e *Encoded) TableRows() [2]int { return e.stored }

// Counts are the numbers of rows that those of the tables stand for.
func (e *Encoded) Counts() [2]int { return e.counts }

// Whole reports whether all folds are there.
func (e *Encoded) Whole() bool { return e.kept == nil }

// Folds returns a new list of the numbers of the folds that are left.
func (e *Encoded) Folds() []int {
	if e.kept != nil {
		return slices.Clone(e.kept)
	}
	all := make([]int, max(1, e.setup.Folds))
	for i := range all {
		all[i] = i
	}
	return all
}

// With returns the same rows with other maps to come.
func (e *Encoded) With(phi, psi features.Spec) *Encoded {
	own := *e
	own.setup.Phi, own.setup.Psi = phi, psi
	return &own
}

// Beside returns the same rows, of which those of S_X count only where side has a value.
func (e *Encoded) Beside(side encode.Side) *Encoded {
	own := *e
	own.beside = side
	return &own
}

// Over returns the same problem over other sources, of some of the rows say; nil leaves a table as it is.
func (e *Encoded) Over(xu, uy tables.Source) *Encoded {
	own := *e
	for i, src := range []tables.Source{xu, uy} {
		if src != nil {
			own.sources[i] = src
		}
	}
	return &own
}

// Loaded holds tables that are not large in memory, where there is room for them beside what is needed.
func (e *Encoded) Loaded(ctx context.Context, need func(Footprint) float64) (*Encoded, error) {
	own := *e
	for i, src := range own.sources {
		if tables.HasVectors(src.Columns()) || tables.FactsOf(src).Held > 0 {
			continue
		}
		f, bytes := own.Footprint(), float64(tables.LoadBytes(src, own.stored[i]))
		if f.Held += bytes; !own.setup.MayHold(bytes) || f.Within(need, "") != nil {
			continue
		}
		t, err := tables.Load(ctx, src)
		if err != nil {
			return nil, err
		}
		own.sources[i] = t
	}
	return &own, nil
}

// SampleX returns encoded rows of S_X to draw bandwidths and landmarks from, MapRows at most.
func (e *Encoded) SampleX(ctx context.Context) (mat.Matrix, error) {
	return encode.Sample(ctx, e.x, e.counts[:1], MapRows, e.setup.Seed, "phi", e.sources[TableXU])
}

// SampleU returns encoded rows of the U of both tables likewise.
func (e *Encoded) SampleU(ctx context.Context) (mat.Matrix, error) {
	return encode.Sample(ctx, e.u, e.counts[:], MapRows, e.setup.Seed, "psi", e.sources[:]...)
}

// pass says how rows of a table, TableXU or TableUY, are split and left out.
func (e *Encoded) pass(table int) PassOptions {
	opt := PassOptions{Folds: max(1, e.setup.Folds), Seed: e.setup.Seed}
	if fixed := e.setup.Fold; fixed != nil {
		opt.Fold = func(row int) int { return fixed(table, row) }
	}
	if e.kept != nil {
		opt.Keep = func(fold int) bool { return slices.Contains(e.kept, fold) }
	}
	return opt
}

// WalkXU calls do for the rows of S_X that are left, with the place of their fold among Folds.
func (e *Encoded) WalkXU(ctx context.Context, left, right encode.Side, do func(k int, a, b *mat.Dense, w moments.Weights)) error {
	return e.walk(ctx, TableXU, left, right, do)
}

// WalkUY is WalkXU for the rows of S_Y.
func (e *Encoded) WalkUY(ctx context.Context, left, right encode.Side, do func(k int, a, b *mat.Dense, w moments.Weights)) error {
	return e.walk(ctx, TableUY, left, right, do)
}

func (e *Encoded) walk(ctx context.Context, table int, left, right encode.Side, do func(k int, a, b *mat.Dense, w moments.Weights)) (err error) {
	if err := e.NeedsRows("a pass over rows"); err != nil {
		return err
	}
	defer fault.Recover(&err)
	folds := e.Folds()
	_, err = Walk(ctx, e.sources[table], left, right, e.pass(table), func(fold int, a, b *mat.Dense, w moments.Weights) {
		do(slices.Index(folds, fold), a, b, w)
	})
	return InTable(table, err)
}

// InTable says of an error in which table it is; nil stays nil.
func InTable(table int, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("table of %s: %w", tableNames[table], err)
}

// Pairs sums one table by the folds that are left.
func (e *Encoded) Pairs(ctx context.Context, table int, left, right encode.Side) ([]*moments.CoMoments, int, error) {
	if err := e.NeedsRows("sums of other products"); err != nil {
		return nil, 0, err
	}
	folds, dropped, err := Accumulate(ctx, e.sources[table], left, right, e.pass(table))
	if err != nil || e.kept == nil {
		return folds, dropped, err
	}
	kept := make([]*moments.CoMoments, len(e.kept))
	for i, f := range e.kept {
		kept[i] = folds[f]
	}
	return kept, dropped, nil
}

// Constant is the side that is 1 in each row of S_X.
func (e *Encoded) Constant() features.Mapped {
	return features.Mapped{Encoder: e.u, Map: features.NewBias(e.u.Width())}
}

// Units are those of Y for sums of S_Y.
func (e *Encoded) Units(foldsUY []*moments.CoMoments) (crossfit.Units, error) {
	return crossfit.UnitsOf(foldsUY, e.y.Classes() != nil)
}
