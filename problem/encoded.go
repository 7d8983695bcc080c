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
	"mediant/internal/progress"
	"mediant/moments"
	"mediant/tables"
)

// An Encoded, made by Encode, holds both tables with fixed roles, weights, encoders and targets, and reads their rows in
// passes. It is immutable: methods that change a setting return a copy, which shares memory with the original.
type Encoded struct {
	setup    Setup
	roles    tables.Roles
	x, u     *encode.Encoder
	y        *encode.Targets
	learned  *check.Learned
	sources  [2]tables.Source // with their weights; nil: there are sums alone
	required encode.Side      // in which a row of S_X must have no missing value; nil: no condition
	clusters *clustered       // nil: all rows are independent
	overlap  *NoOverlap       // rows of S_X without overlap; nil: none

	stored, counts [2]int // rows of the tables, and those that they stand for
	kept           []int  // the folds whose rows are left, nil for all
	counted        bool   // dropped is known, and noted
	dropped        int
	inTurn         bool // S_X is summed for 2Step-RR alone
	notes          []string
}

// Encode assigns the roles of columns and fits encoders and targets. It reads the tables once or twice for encoders and
// classes, and once for the profile that a model keeps of them (Learned). The number of folds is at most the number of rows of
// either table. An error names the table and the column or row at fault.
func Encode(ctx context.Context, s Setup, xu, uy tables.Source) (*Encoded, error) {
	return EncodeFor(ctx, s, xu, uy, nil, "")
}

// EncodeFor is Encode for work that needs need(footprint) bytes in all. If that is more than the Setup's Memory it returns a
// MemoryError, before the tables are read if their size is already known to be too large. The text what names what is large,
// for the message; "" names the features.
func EncodeFor(ctx context.Context, s Setup, xu, uy tables.Source, need func(Footprint) float64, what string) (*Encoded, error) {
	ctx = progress.Stage(ctx, "preparing the columns")
	if len(s.Roles.ReplicatesXU)+len(s.Roles.ReplicatesUY) > 0 {
		return nil, fmt.Errorf("problem: Setup.Roles has replicate weights, from which package effect alone takes standard errors")
	}
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
	if e.x, err = e.encoderX(ctx); err != nil {
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

// EncodeU is EncodeFor without an encoder of X, for callers to whom X is something else, such as a treatment. No row is left
// out for lack of overlap, no profile is kept, and the number of folds is not limited by the number of rows.
func EncodeU(ctx context.Context, s Setup, xu, uy tables.Source, need func(Footprint) float64, what string) (*Encoded, error) {
	ctx = progress.Stage(ctx, "preparing the columns")
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

// An Encoding is the roles, encoders and targets that are fixed before tables are read: those of a fitted model, or those on
// which several parties agreed.
type Encoding struct {
	Roles tables.Roles
	X, U  *encode.Encoder
	Y     *encode.Targets
}

// EncodeWith is Encode with existing roles, encoders and targets. Of the Setup's Roles only the columns of weights are used.
func EncodeWith(ctx context.Context, s Setup, by Encoding, xu, uy tables.Source) (*Encoded, error) {
	ctx = progress.Stage(ctx, "preparing the columns")
	e, err := guarded(s, xu, uy, nil, "")
	if err != nil {
		return nil, err
	}
	e.roles, e.x, e.u, e.y = by.Roles, by.X, by.U, by.Y
	for _, role := range []struct{ what, xu, uy string }{{"weights", s.Roles.WeightsXU, s.Roles.WeightsUY}, {"clusters", s.Roles.ClusterXU, s.Roles.ClusterUY}} {
		for _, name := range []string{role.xu, role.uy} {
			if slices.Contains(slices.Concat(e.roles.X, e.roles.U, e.roles.Y), name) {
				return nil, fmt.Errorf("problem: column %q cannot be %s: it is one of X, U or Y", name, role.what)
			}
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
	if err := RequireTables(xu, uy); err != nil {
		return nil, err
	}
	e := &Encoded{setup: s, sources: [2]tables.Source{tables.NewGuard("S_X", xu), tables.NewGuard("S_Y", uy)}}
	if need == nil {
		return e, nil
	}
	var seen [2]Preview
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

// limitFolds reduces the number of folds to the number of rows, so that no fold is empty.
func (e *Encoded) limitFolds() {
	for _, rows := range e.stored {
		e.setup.Folds = min(e.setup.Folds, rows)
	}
}

// note appends to the notes, whose memory copies may share.
func (e *Encoded) note(notes ...string) { e.notes = append(slices.Clip(e.notes), notes...) }

// Setup returns the settings of Encode, with the maps that With set, encoded landmarks, and no more folds than rows.
func (e *Encoded) Setup() Setup { return e.setup }

// Roles returns the columns of X, U and Y.
func (e *Encoded) Roles() tables.Roles { return e.roles }

// X returns the encoder of X; nil after EncodeU.
func (e *Encoded) X() *encode.Encoder { return e.x }

// U returns the encoder of U, which was fitted on the pooled rows of both tables.
func (e *Encoded) U() *encode.Encoder { return e.u }

// Y returns the targets, which turn the columns of Y into outputs.
func (e *Encoded) Y() *encode.Targets { return e.y }

// Learned returns the profile and fingerprints of both tables that a model keeps; nil after EncodeWith and EncodeU.
func (e *Encoded) Learned() *check.Learned { return e.learned }

// Sources returns both tables, indexed by TableXU and TableUY, with their weights and without the rows that were left out; nil
// for a problem of sums without rows.
func (e *Encoded) Sources() [2]tables.Source { return e.sources }

// NoOverlap counts the rows of S_X without overlap; nil if there are none.
func (e *Encoded) NoOverlap() *NoOverlap { return e.overlap }

// Dropped returns the number of rows of S_Y left out because Y is missing; 0 until a pass over S_Y has counted them.
func (e *Encoded) Dropped() int { return e.dropped }

// Notes returns sentences about decisions made so far, such as constant columns and fallbacks of bandwidths.
func (e *Encoded) Notes() []string { return slices.Clone(e.notes) }

// TableRows returns the number of rows of each table; a row with a frequency counts once.
func (e *Encoded) TableRows() [2]int { return e.stored }

// Counts returns the number of observations of each table; a row of frequency k counts as k.
func (e *Encoded) Counts() [2]int { return e.counts }

// HasAllFolds reports whether no fold has been removed (Without).
func (e *Encoded) HasAllFolds() bool { return e.kept == nil }

// Folds returns a new list of the numbers of the remaining folds.
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

// With returns a copy with other feature maps, which are not fitted yet.
func (e *Encoded) With(phi, psi features.Spec) *Encoded {
	own := *e
	own.setup.Phi, own.setup.Psi = phi, psi
	return &own
}

// CompleteIn returns a copy in which only those rows of S_X are used in which side, too, has no missing value.
func (e *Encoded) CompleteIn(side encode.Side) *Encoded {
	own := *e
	own.required = side
	return &own
}

// WithSources returns a copy with other tables, such as some of the rows; nil keeps the present table.
func (e *Encoded) WithSources(xu, uy tables.Source) *Encoded {
	own := *e
	own.setSources(xu, uy)
	return &own
}

func (e *Encoded) setSources(xu, uy tables.Source) {
	for i, src := range []tables.Source{xu, uy} {
		if src != nil {
			e.sources[i] = src
		}
	}
}

// Loaded returns a copy with small tables read into memory, if the memory limit leaves room for them beside need.
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

// SampleX returns a sample of at most MapRows encoded rows of S_X, from which bandwidths and landmarks are chosen.
func (e *Encoded) SampleX(ctx context.Context) (mat.Matrix, error) {
	return encode.Sample(ctx, e.x, e.counts[:1], MapRows, e.setup.Seed, "phi", e.sources[TableXU])
}

// SampleU returns a sample of at most MapRows encoded rows of U, drawn from both tables together.
func (e *Encoded) SampleU(ctx context.Context) (mat.Matrix, error) {
	return encode.Sample(ctx, e.u, e.counts[:], MapRows, e.setup.Seed, "psi", e.sources[:]...)
}

// pass says how rows of a table, TableXU or TableUY, are split and left out.
func (e *Encoded) pass(table int) PassOptions {
	opt := PassOptions{Folds: max(1, e.setup.Folds), Seed: e.setup.Seed, Arithmetic: e.setup.Arithmetic}
	if fixed := e.setup.Fold; fixed != nil {
		opt.Fold = func(row int) int { return fixed(table, row) }
	}
	if e.clusters != nil {
		opt.Clusters = e.clusters.places
	}
	if e.kept != nil {
		opt.Keep = func(fold int) bool { return slices.Contains(e.kept, fold) }
	}
	return opt
}

// WalkXU calls do for the rows of S_X in the remaining folds; k is the index of the fold in Folds. a, b and w are valid during
// the call only.
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
	return TableError(table, err)
}

// TableError adds to err which table it concerns, TableXU or TableUY; nil stays nil.
func TableError(table int, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("table of %s: %w", tableNames[table], err)
}

// CoMomentsByFold sums the products of left and right over one table, one CoMoments for each remaining fold, and counts the
// rows left out because a side is missing there.
func (e *Encoded) CoMomentsByFold(ctx context.Context, table int, left, right encode.Side) ([]*moments.CoMoments, int, error) {
	if err := e.NeedsRows("sums of other products"); err != nil {
		return nil, 0, err
	}
	ctx = progress.Stage(ctx, []string{TableXU: "summing features of X and U", TableUY: "summing features of U and Y"}[table])
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

// Constant returns the side that is 1 in every row.
func (e *Encoded) Constant() features.Mapped {
	return features.Mapped{Encoder: e.u, Map: features.NewBias(e.u.Width())}
}

// Units returns the units of the outputs from the sums of S_Y by fold (crossfit.UnitsOf).
func (e *Encoded) Units(foldsUY []*moments.CoMoments) (crossfit.Units, error) {
	return crossfit.UnitsOf(foldsUY, e.y.Together())
}
