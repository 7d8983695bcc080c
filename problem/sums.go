package problem

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"mediant/features"
	"mediant/moments"
	"mediant/tables"
)

// ErrNeedsRows reports that an operation needs the rows of both tables, but the problem has only sums of products. Errors that
// wrap it name the operation.
var ErrNeedsRows = errors.New("problem: rows are needed, and the problem has only sums")

// NeedsRows returns an ErrNeedsRows that names the operation what if the problem has no rows, else nil.
func (e *Encoded) NeedsRows(what string) error {
	if e.sources[TableXU] != nil && e.sources[TableUY] != nil {
		return nil
	}
	return fmt.Errorf("%w: %s", ErrNeedsRows, what)
}

// HasRows reports whether the problem has rows, not only sums.
func (e *Encoded) HasRows() bool { return e.NeedsRows("") == nil }

// DefaultBlocks is the default number of blocks of a fold: 20 in 5 folds.
const DefaultBlocks = 4

// A Plan is what parties agree on so that each can sum its own rows and the sums can be merged. Mapped.Plan makes one. It
// contains no rows, except as landmarks of maps.
type Plan struct {
	Encoding
	Phi, Psi features.Map
	// Folds is the number of folds for the choice of penalties and for the risk; 0 and 1 mean no cross-fitting. Blocks is the number of blocks of
	// each fold, whose sums are stored separately for standard errors of the risk; 0 is DefaultBlocks. The sums of each block take as much memory as
	// those of all rows.
	Folds, Blocks int
	Seed          uint64
	NoIntercept   bool
}

// Plan returns the plan of the problem's encoders, targets, maps and folds.
func (m *Mapped) Plan() Plan {
	return Plan{
		Encoding: Encoding{Roles: m.roles, X: m.x, U: m.u, Y: m.y}, Phi: m.phi, Psi: m.psi,
		Folds: m.setup.Folds, Seed: m.setup.Seed, NoIntercept: m.setup.NoIntercept,
	}
}

// Validate returns an error that names the first field missing or out of range.
func (p Plan) Validate() error {
	switch {
	case p.X == nil || p.U == nil || p.Y == nil:
		return fmt.Errorf("problem: Plan lacks an encoder or the targets")
	case p.Phi == nil || p.Psi == nil:
		return fmt.Errorf("problem: Plan lacks Phi or Psi")
	case p.Folds < 0 || p.Folds > maxFolds:
		return fmt.Errorf("problem: Plan.Folds is %d, must be at least 0 and at most %d", p.Folds, maxFolds)
	case p.Blocks < 0 || p.Blocks > maxFolds/max(1, p.Folds):
		return fmt.Errorf("problem: Plan.Blocks is %d, must be at least 0, and at most %d in all folds", p.Blocks, maxFolds)
	}
	return nil
}

func (p Plan) folds() int { return max(1, p.Folds) }

func (p Plan) blocks() int {
	if p.Blocks == 0 {
		return DefaultBlocks
	}
	return p.Blocks
}

func (p Plan) sides() (phi, psi features.Mapped) {
	return features.Mapped{Encoder: p.X, Map: p.Phi}, features.Mapped{Encoder: p.U, Map: p.Psi}
}

// SumXU sums a table of (X, U), or the part of it that a party has, in one pass. Rows count as they are, with weights if src is from tables.Weigh:
// copies and rows without overlap are not searched for.
func (p Plan) SumXU(ctx context.Context, src tables.Source) (*Sums, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	phi, psi := p.sides()
	flat, _, err := Accumulate(ctx, tables.NewGuard("S_X", src), phi, psi, PassOptions{Folds: p.folds() * p.blocks(), Seed: p.Seed})
	if err != nil {
		return nil, TableError(TableXU, err)
	}
	return &Sums{Plan: p, XU: p.byFold(flat)}, nil
}

// SumUY sums a table of (U, Y) likewise.
func (p Plan) SumUY(ctx context.Context, src tables.Source) (*Sums, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	_, psi := p.sides()
	flat, dropped, err := Accumulate(ctx, tables.NewGuard("S_Y", src), psi, p.Y, PassOptions{Folds: p.folds() * p.blocks(), Seed: p.Seed})
	if err != nil {
		return nil, TableError(TableUY, err)
	}
	return &Sums{Plan: p, UY: p.byFold(flat), Dropped: dropped}, nil
}

// byFold parts the sums of a pass over folds times blocks folds: any run of as many rows has each part once.
func (p Plan) byFold(flat []*moments.CoMoments) [][]*moments.CoMoments {
	out := make([][]*moments.CoMoments, p.folds())
	for i, m := range flat {
		out[i%p.folds()] = append(out[i%p.folds()], m)
	}
	return out
}

// Sums are sums of products by fold and block: of (phi, psi) over S_X and of (psi, y) over S_Y, of which one may be missing (nil) in a part of a
// whole. Plan.SumXU and SumUY make them, or whoever fills in the fields.
type Sums struct {
	Plan   Plan
	XU, UY [][]*moments.CoMoments
	// Dropped counts the rows of S_Y left out because Y is missing.
	Dropped int
}

// MergeSums adds the sums of several parties, in their order, which stay as they are. Sums with other maps, encoders or targets, or of other numbers of folds
// and blocks, are refused.
func MergeSums(parts ...*Sums) (*Sums, error) {
	if len(parts) == 0 {
		return nil, fmt.Errorf("problem: no sums to merge")
	}
	all := &Sums{Plan: parts[0].Plan}
	for i, part := range parts {
		var err error
		if all.XU, err = mergeFolds(all.XU, part.XU); err == nil {
			all.UY, err = mergeFolds(all.UY, part.UY)
		}
		if err != nil {
			return nil, fmt.Errorf("problem: sums %d of %d: %w", i+1, len(parts), err)
		}
		all.Dropped += part.Dropped
	}
	return all, nil
}

// mergeFolds returns the sums of both; nil stands for none.
func mergeFolds(a, b [][]*moments.CoMoments) ([][]*moments.CoMoments, error) {
	switch {
	case b == nil:
		return a, nil
	case a == nil:
		return b, nil
	case len(a) != len(b):
		return nil, fmt.Errorf("%d folds, want %d", len(b), len(a))
	}
	out := make([][]*moments.CoMoments, len(a))
	for k := range a {
		if len(a[k]) != len(b[k]) {
			return nil, fmt.Errorf("%d blocks in fold %d, want %d", len(b[k]), k+1, len(a[k]))
		}
		for j := range a[k] {
			sum, err := moments.Sum(a[k][j], b[k][j])
			if err != nil {
				return nil, err
			}
			out[k] = append(out[k], sum)
		}
	}
	return out, nil
}

// Problem returns the problem of the sums, which has no rows: methods in closed form fit it, a search chooses their hyperparameters, and
// the risk is estimated with a standard error over blocks. All else is ErrNeedsRows. Sums that are missing, of other maps than the Plan's or not
// finite are an error.
func (s *Sums) Problem() (*Problem, error) {
	if err := s.Plan.Validate(); err != nil {
		return nil, err
	}
	phi, psi := s.Plan.sides()
	p := Problem{Mapped: Mapped{
		Encoded: Encoded{
			setup: Setup{Folds: len(s.UY), Seed: s.Plan.Seed, NoIntercept: s.Plan.NoIntercept},
			roles: s.Plan.Roles, x: s.Plan.X, u: s.Plan.U, y: s.Plan.Y, counted: true, dropped: s.Dropped,
		},
		phi: s.Plan.Phi, psi: s.Plan.Psi,
	}, blocks: &blocks{s.XU, s.UY}}
	if len(s.XU) != len(s.UY) {
		return nil, fmt.Errorf("problem: sums of S_X have %d folds, those of S_Y %d", len(s.XU), len(s.UY))
	}
	var err error
	if p.foldsXU, p.xu, err = foldSums("X and U", s.XU, phi.ID(), psi.ID()); err != nil {
		return nil, err
	}
	if p.foldsUY, p.uy, err = foldSums("U and Y", s.UY, psi.ID(), s.Plan.Y.ID()); err != nil {
		return nil, err
	}
	p.counts = [2]int{p.xu.Rows(), p.uy.Rows()}
	p.stored = p.counts
	for _, m := range []features.Map{p.phi, p.psi} {
		if _, ok := m.(*features.Nystrom); ok {
			p.note("the problem has sums without rows: if landmarks of the features are training rows, the risk is too low")
			break
		}
	}
	p.noteConstants(p.uy)
	return complete(p), nil
}

// foldSums adds up blocks, which must be of the given sides.
func foldSums(table string, parts [][]*moments.CoMoments, left, right moments.ID) (folds []*moments.CoMoments, all *moments.CoMoments, err error) {
	for k, fold := range parts {
		for _, m := range fold {
			if m.Left() != left || m.Right() != right {
				return nil, nil, fmt.Errorf("problem: sums of %s: fold %d is of other maps than the Plan's", table, k+1)
			}
			if err := m.Check(); err != nil {
				return nil, nil, fmt.Errorf("problem: sums of %s: fold %d: %w", table, k+1, err)
			}
		}
		sum, err := moments.Sum(append([]*moments.CoMoments{moments.NewCoMoments(left, right)}, fold...)...)
		if err != nil {
			return nil, nil, err
		}
		folds = append(folds, sum)
	}
	if len(folds) == 0 {
		return nil, nil, fmt.Errorf("problem: sums of %s are missing", table)
	}
	if all, err = moments.Sum(folds...); err != nil {
		return nil, nil, err
	}
	if all.Weight() == 0 {
		return nil, nil, fmt.Errorf("problem: sums of %s are of no row", table)
	}
	return folds, all, nil
}

// blocks are the parts of the sums of each fold that is left.
type blocks struct{ xu, uy [][]*moments.CoMoments }

// without is b without a fold.
func (b *blocks) without(fold int) *blocks {
	if b == nil {
		return nil
	}
	return &blocks{slices.Delete(slices.Clone(b.xu), fold, fold+1), slices.Delete(slices.Clone(b.uy), fold, fold+1)}
}

// Blocks returns the sums of the blocks of fold k for a problem of sums without rows; nil for other problems.
func (p *Problem) Blocks(k int) (xu, uy []*moments.CoMoments) {
	if p.blocks == nil {
		return nil, nil
	}
	return p.blocks.xu[k], p.blocks.uy[k]
}
