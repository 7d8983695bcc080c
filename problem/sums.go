package problem

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"

	"mediant/features"
	"mediant/moments"
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

// Sums are sums of products by fold and block: of (phi, psi) over S_X and of (psi, y) over S_Y, of which one may be missing (nil) in a part of a
// whole. Plan.SumXU and SumUY make them, or whoever fills in the fields.
type Sums struct {
	Plan   Plan
	XU, UY [][]*moments.Total
	// Dropped counts the rows of S_Y left out because Y is missing.
	Dropped int
	// Runs are the passes whose sums these are, by ID.
	Runs []Run
}

// A Run is a pass of Plan.SumXU or SumUY over a table, or a part of it.
type Run struct {
	// ID is the SHA-256 of its sums, by which the same rows, summed twice, are found.
	ID moments.ID `json:"id"`
	// Table is TableXU or TableUY.
	Table int `json:"table"`
	Rows  int `json:"rows"`
	// Discount is the factor of the weights of its rows by Discounted; 0 is 1.
	Discount float64 `json:"discount,omitempty"`
	// Private says what noise the sums have (Plan.SumPrivately); nil: none.
	Private *PrivateRun `json:"private,omitempty"`
}

// runOf is the run of the sums of a table.
func runOf(table int, byFold [][]*moments.Total) (Run, error) {
	run := Run{Table: table}
	h := sha256.New()
	fmt.Fprintf(h, "run of table %d\n", table)
	for _, fold := range byFold {
		for _, t := range fold {
			if _, err := t.WriteTo(h); err != nil {
				return run, err
			}
			run.Rows += t.Rows()
		}
	}
	h.Sum(run.ID[:0])
	return run, nil
}

// MergeSums adds the sums of several parties, which stay as they are; their order does not change a bit. Sums of another plan are refused, and so is a run
// that is in two of them. A plan may lack the encoder of X, or Y, that another one has.
func MergeSums(parts ...*Sums) (*Sums, error) {
	if len(parts) == 0 {
		return nil, fmt.Errorf("problem: no sums to merge")
	}
	all := &Sums{Plan: parts[0].Plan}
	for i, part := range parts {
		var err error
		if all.Plan, err = all.Plan.with(part.Plan); err == nil {
			err = all.addRuns(part.Runs)
		}
		if err == nil {
			all.XU, err = mergeFolds(all.XU, part.XU)
		}
		if err == nil {
			all.UY, err = mergeFolds(all.UY, part.UY)
		}
		if err != nil {
			return nil, fmt.Errorf("problem: sums %d of %d: %w", i+1, len(parts), err)
		}
		all.Dropped += part.Dropped
	}
	return all, nil
}

// Discounted returns the sums with all weights multiplied by a factor above 0 and at most 1, for sums in which older rows count less. The sums
// stay as they are.
func (s *Sums) Discounted(factor float64) (*Sums, error) {
	if !(factor > 0 && factor <= 1) {
		return nil, fmt.Errorf("problem: the discount is %g, must be above 0 and at most 1", factor)
	}
	out := *s
	var err error
	for _, side := range []*[][]*moments.Total{&out.XU, &out.UY} {
		folds := *side
		*side = nil
		for _, fold := range folds {
			scaled := make([]*moments.Total, len(fold))
			for j, t := range fold {
				if scaled[j], err = t.Scaled(factor); err != nil {
					return nil, fmt.Errorf("problem: sums: %w", err)
				}
			}
			*side = append(*side, scaled)
		}
	}
	out.Runs = slices.Clone(s.Runs)
	for i := range out.Runs {
		run := &out.Runs[i]
		run.Discount = factor * run.Factor()
	}
	return &out, nil
}

// Factor is the factor of the weights of its rows, 1 unless they are discounted.
func (r Run) Factor() float64 {
	if r.Discount == 0 {
		return 1
	}
	return r.Discount
}

// addRuns refuses one that is there already.
func (s *Sums) addRuns(runs []Run) error {
	for _, run := range runs {
		if slices.ContainsFunc(s.Runs, func(own Run) bool { return own.ID == run.ID }) {
			return fmt.Errorf("their run %s, of %d rows of %s, is among those before: the same rows would count twice", run.ID, run.Rows, tableNames[run.Table])
		}
	}
	s.Runs = append(slices.Clip(s.Runs), runs...)
	slices.SortFunc(s.Runs, func(a, b Run) int { return bytes.Compare(a.ID[:], b.ID[:]) })
	return nil
}

// mergeFolds returns the sums of both; nil stands for none.
func mergeFolds(a, b [][]*moments.Total) ([][]*moments.Total, error) {
	switch {
	case b == nil:
		return a, nil
	case a == nil:
		return b, nil
	case len(a) != len(b):
		return nil, fmt.Errorf("%d folds, want %d", len(b), len(a))
	}
	out := make([][]*moments.Total, len(a))
	for k := range a {
		if len(a[k]) != len(b[k]) {
			return nil, fmt.Errorf("%d blocks in fold %d, want %d", len(b[k]), k+1, len(a[k]))
		}
		for j := range a[k] {
			sum, err := a[k][j].Plus(b[k][j])
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
	for t := range s.Plan.Grids {
		if err := s.Plan.has(t); err != nil {
			return nil, err
		}
	}
	phi, psi := s.Plan.sides()
	p := Problem{Mapped: Mapped{
		Encoded: Encoded{
			setup: Setup{Folds: len(s.UY), Seed: s.Plan.Seed, NoIntercept: s.Plan.NoIntercept},
			roles: s.Plan.Roles, x: s.Plan.X, u: s.Plan.U, y: s.Plan.Y, counted: true, dropped: s.Dropped,
		},
		phi: s.Plan.Phi, psi: s.Plan.Psi, noise: s.noise(),
	}, blocks: &blocks{coMoments(s.XU), coMoments(s.UY)}}
	if len(s.XU) != len(s.UY) {
		return nil, fmt.Errorf("problem: sums of S_X have %d folds, those of S_Y %d", len(s.XU), len(s.UY))
	}
	var err error
	if p.foldsXU, p.xu, err = foldSums("X and U", p.blocks.xu, phi.ID(), psi.ID()); err != nil {
		return nil, err
	}
	if p.foldsUY, p.uy, err = foldSums("U and Y", p.blocks.uy, psi.ID(), s.Plan.Y.ID()); err != nil {
		return nil, err
	}
	p.setup.Arithmetic = p.xu.Arithmetic()
	p.counts = [2]int{p.xu.Rows(), p.uy.Rows()}
	p.stored = p.counts
	for _, m := range []features.Map{p.phi, p.psi} {
		if _, ok := m.(*features.Nystrom); ok {
			p.note("the problem has sums without rows: if landmarks of the features are training rows, the risk is too low")
			break
		}
	}
	if len(s.Private(TableUY)) == 0 {
		p.noteConstants(p.uy)
	}
	p.noteNoise(s)
	return complete(p), nil
}

// coMoments are those of totals.
func coMoments(totals [][]*moments.Total) [][]*moments.CoMoments {
	out := make([][]*moments.CoMoments, len(totals))
	for k, fold := range totals {
		for _, t := range fold {
			out[k] = append(out[k], t.CoMoments())
		}
	}
	return out
}

// foldSums adds up blocks, which must be of the given sides.
func foldSums(table string, parts [][]*moments.CoMoments, left, right moments.ID) (folds []*moments.CoMoments, all *moments.CoMoments, err error) {
	for k, fold := range parts {
		empty := moments.NewCoMoments(left, right)
		for _, m := range fold {
			empty = m.Arithmetic().NewCoMoments(left, right)
			if m.Left() != left || m.Right() != right {
				return nil, nil, fmt.Errorf("problem: sums of %s: fold %d is of other maps than the Plan's", table, k+1)
			}
			if err := m.Check(); err != nil {
				return nil, nil, fmt.Errorf("problem: sums of %s: fold %d: %w", table, k+1, err)
			}
		}
		sum, err := moments.Sum(append([]*moments.CoMoments{empty}, fold...)...)
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
