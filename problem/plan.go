package problem

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"mediant/encode"
	"mediant/features"
	"mediant/internal/plural"
	"mediant/moments"
	"mediant/tables"
)

// DefaultBlocks is the default number of blocks of a fold: 20 in 5 folds.
const DefaultBlocks = 4

// A Plan is what parties agree on so that each can sum its own rows and the sums can be merged. Mapped.Plan makes one. It
// contains no rows, except as landmarks of maps (HoldsRows). X and Phi, or Y, may be missing where others will add them: sums of that table then need them first.
type Plan struct {
	Encoding
	Phi, Psi features.Map
	// Folds is the number of folds for the choice of penalties and for the risk; 0 and 1 mean no cross-fitting. Blocks is the number of blocks of
	// each fold, whose sums are stored separately for standard errors of the risk; 0 is DefaultBlocks. The sums of each block take as much memory as
	// those of all rows.
	Folds, Blocks int
	Seed          uint64
	NoIntercept   bool
	// Grids are those on which sums of S_X and of S_Y are merged, indexed by TableXU and TableUY; nil: centres 0 and units 1, which do for maps whose features
	// are near 1, and for such Y.
	Grids [2]*moments.Grid
	// Reading says how tables are read from files. It is kept for parties that read theirs alike, and not used here.
	Reading tables.Reading
}

// gridRows of each table are those that a grid is made of: a tenth of a standard deviation in a centre costs no digit.
const gridRows = 1000

// Plan returns the plan of the problem's encoders, targets, maps and folds, with the grids of a sample of its rows. It costs a pass over each table. It is an error
// if rows are in clusters.
func (m *Mapped) Plan(ctx context.Context) (Plan, error) {
	if m.clusters != nil {
		return Plan{}, errors.New("problem: a plan has no clusters: the standard errors of sums are those of independent rows")
	}
	p := Plan{
		Encoding: Encoding{Roles: m.roles, X: m.x, U: m.u, Y: m.y}, Phi: m.phi, Psi: m.psi,
		Folds: m.setup.Folds, Seed: m.setup.Seed, NoIntercept: m.setup.NoIntercept,
	}
	for t, side := range [2][2]encode.Side{{m.SidePhi(), m.SidePsi()}, {m.SidePsi(), m.y}} {
		src, err := SampleTable(ctx, m.sources[t], m.stored[t], gridRows, m.setup.Seed, "grid")
		if err != nil {
			return Plan{}, err
		}
		a, b, _, _, err := Matrices(ctx, src, side[0], side[1], PassOptions{})
		if err != nil {
			return Plan{}, TableError(t, err)
		}
		grid := moments.NewGrid(a, b)
		p.Grids[t] = &grid
	}
	return p, nil
}

// EncodeX fits an encoder of X to a table of (X, U), for a plan that lacks it. X is Setup.Roles.X, or all columns but U and the weights.
func (p Plan) EncodeX(ctx context.Context, s Setup, xu tables.Source) (*encode.Encoder, error) {
	s.Roles.U = p.Roles.U
	roles, err := tables.AssignXU(xu.Columns(), s.Roles)
	if err != nil {
		return nil, err
	}
	x, err := encode.FitEncoder(ctx, SelectColumns(xu.Columns(), roles.X), s.encoderOptionsX(), tables.NewGuard("S_X", xu))
	if err != nil {
		return nil, fmt.Errorf("problem: X: %w", err)
	}
	return x, nil
}

// Validate returns an error that names the first field missing or out of range.
func (p Plan) Validate() error {
	switch {
	case p.U == nil || p.Psi == nil:
		return fmt.Errorf("problem: Plan lacks the encoder of U or Psi")
	case (p.X == nil) != (p.Phi == nil):
		return fmt.Errorf("problem: Plan has one of the encoder of X and Phi without the other")
	case p.Folds < 0 || p.Folds > maxFolds:
		return fmt.Errorf("problem: Plan.Folds is %d, must be at least 0 and at most %d", p.Folds, maxFolds)
	case p.Blocks < 0 || p.Blocks > maxFolds/max(1, p.Folds):
		return fmt.Errorf("problem: Plan.Blocks is %d, must be at least 0, and at most %d in all folds", p.Blocks, maxFolds)
	}
	for t, grid := range p.Grids {
		if grid == nil {
			continue
		}
		if err := p.has(t); err != nil {
			return err
		}
		if err := grid.Validate(); err != nil {
			return fmt.Errorf("problem: Plan.Grids: %w", err)
		}
		if a, b := p.widths(t); len(grid.CentreA) != a || len(grid.CentreB) != b {
			return fmt.Errorf("problem: Plan.Grids of the table of %s is of %d and %d columns, want %d and %d", tableNames[t], len(grid.CentreA), len(grid.CentreB), a, b)
		}
	}
	return nil
}

// has returns an error if the plan lacks what sums of a table need.
func (p Plan) has(table int) error {
	switch {
	case table == TableXU && p.X == nil:
		return fmt.Errorf("problem: Plan lacks the encoder of X and Phi")
	case table == TableUY && p.Y == nil:
		return fmt.Errorf("problem: Plan lacks the targets Y")
	}
	return nil
}

// HoldsRows reports whether a map of the plan may hold rows (features.HoldsRows).
func (p Plan) HoldsRows() bool {
	return p.Phi != nil && features.HoldsRows(p.Phi) || p.Psi != nil && features.HoldsRows(p.Psi)
}

// widths are the numbers of columns of both sides of the sums of a table.
func (p Plan) widths(table int) (a, b int) {
	_, q := p.Psi.Dims()
	if table == TableUY {
		return q, p.Y.Len()
	}
	_, a = p.Phi.Dims()
	return a, q
}

// Grid is the grid on which sums of a table are merged, which the plan must have the maps of.
func (p Plan) Grid(table int) *moments.Grid {
	if p.Grids[table] != nil {
		return p.Grids[table]
	}
	a, b := p.widths(table)
	return &moments.Grid{CentreA: make([]float64, a), CentreB: make([]float64, b), UnitA: make([]int, a), UnitB: make([]int, b)}
}

// Columns are those of a table that its sums need, but for weights.
func (p Plan) Columns(table int) []tables.Column {
	columns := p.U.Columns()
	switch {
	case table == TableUY && p.Y != nil:
		columns = slices.Concat(columns, p.Y.Columns())
	case table == TableXU && p.X != nil:
		columns = slices.Concat(columns, p.X.Columns())
	}
	return columns
}

// rowsPerFeature is how many rows sums should have, so that they say little about each.
const rowsPerFeature = 10

// FewRows returns an error if sums of a table are over fewer than 10 rows for each feature, else nil.
func (p Plan) FewRows(table, rows int) error {
	_, n := p.Psi.Dims()
	if table == TableXU {
		_, width := p.Phi.Dims()
		n = max(n, width)
	}
	if rows >= rowsPerFeature*n {
		return nil
	}
	return fmt.Errorf("problem: %s for %s: sums over fewer than %d rows a feature say much about single rows", plural.Of(rows, "row"), plural.Of(n, "feature"), rowsPerFeature)
}

// ids are the identities of both sides of the sums of a table.
func (p Plan) ids(table int) (left, right moments.ID) {
	phi, psi := p.sides()
	if table == TableUY {
		return psi.ID(), p.Y.ID()
	}
	return phi.ID(), psi.ID()
}

// with returns the plan of two parties, of which one may have what the other lacks. What both have must be the same.
func (p Plan) with(o Plan) (Plan, error) {
	_, psi := p.sides()
	_, other := o.sides()
	for _, of := range []struct {
		what string
		same bool
	}{
		{"encoder of U, or another map of it", psi.ID() == other.ID()},
		{"number of folds", p.folds() == o.folds()},
		{"number of blocks", p.blocks() == o.blocks()},
		{"seed", p.Seed == o.Seed},
		{"intercept", p.NoIntercept == o.NoIntercept},
		{"encoder of X, or another map of it", p.X == nil || o.X == nil || first(p.ids(TableXU)) == first(o.ids(TableXU))},
		{"list of outputs Y", p.Y == nil || o.Y == nil || p.Y.ID() == o.Y.ID()},
		{"grid", p.sameGrid(o, TableXU) && p.sameGrid(o, TableUY)},
	} {
		if !of.same {
			return p, fmt.Errorf("they are of another plan: another %s", of.what)
		}
	}
	if p.X == nil && o.X != nil {
		p.X, p.Phi, p.Roles.X, p.Grids[TableXU] = o.X, o.Phi, o.Roles.X, o.Grids[TableXU]
	}
	if p.Y == nil && o.Y != nil {
		p.Y, p.Roles.Y, p.Grids[TableUY] = o.Y, o.Roles.Y, o.Grids[TableUY]
	}
	return p, nil
}

func first(id, _ moments.ID) moments.ID { return id }

// sameGrid reports whether two plans have the same grid of a table, or one has no sums of it.
func (p Plan) sameGrid(o Plan, table int) bool {
	if p.has(table) != nil || o.has(table) != nil {
		return true
	}
	return p.Grid(table).ID() == o.Grid(table).ID()
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
	phi, psi := p.sides()
	return p.sum(ctx, TableXU, src, phi, psi)
}

// SumUY sums a table of (U, Y) likewise.
func (p Plan) SumUY(ctx context.Context, src tables.Source) (*Sums, error) {
	_, psi := p.sides()
	return p.sum(ctx, TableUY, src, psi, p.Y)
}

func (p Plan) sum(ctx context.Context, table int, src tables.Source, left, right encode.Side) (*Sums, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	if err := p.has(table); err != nil {
		return nil, err
	}
	flat, dropped, err := Accumulate(ctx, tables.NewGuard([]string{"S_X", "S_Y"}[table], src), left, right, PassOptions{Folds: p.folds() * p.blocks(), Seed: p.Seed})
	if err != nil {
		return nil, TableError(table, err)
	}
	// Any run of as many rows as there are folds and blocks has each part once.
	grid := p.Grid(table)
	byFold := make([][]*moments.Total, p.folds())
	for i, m := range flat {
		byFold[i%p.folds()] = append(byFold[i%p.folds()], moments.NewTotal(grid, m))
	}
	s := &Sums{Plan: p}
	if table == TableXU {
		s.XU = byFold
	} else {
		s.UY, s.Dropped = byFold, dropped
	}
	run, err := runOf(table, byFold)
	s.Runs = []Run{run}
	return s, err
}
