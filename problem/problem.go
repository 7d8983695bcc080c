package problem

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"mediant/check"
	"mediant/crossfit"
	"mediant/encode"
	"mediant/features"
	"mediant/moments"
	"mediant/solvers"
	"mediant/tables"
)

// A Problem, made by Prepare, is everything that solvers need of two tables: encoders, feature maps and moments. It
// keeps the sources, which are read again only by methods that need more than moments.
type Problem struct {
	Setup Setup
	Roles tables.Roles
	// X and U encode the columns of both roles, U from the pooled rows of both tables.
	X, U     *encode.Encoder
	Phi, Psi features.Map
	Y        *encode.Targets
	// Dropped counts the rows of S_Y left out because Y is missing.
	Dropped int
	// Notes say what was decided on the way: constant columns, fallbacks of bandwidths.
	Notes []string

	Learned          *check.Learned                         // of all rows
	Sources          [2]tables.Source                       // tableXU and tableUY, with their weights
	BesideU          encode.Side                            // that a row of S_X must have; nil: any has
	landmarks        map[moments.ID]*crossfit.LandmarkFolds // by the identity of the side that has them
	Overlap          *Lacking                               // rows of S_X whose U S_Y lacks; nil: none
	Weighed, Counts  [2]int                                 // rows of tables with weights, or of those a model is assessed on, and those they stand for
	ratio            *crossfit.Affine                       // of the distributions of U, which weighs S_Y; nil: it does not
	Kept             []int                                  // the folds whose rows are left, nil for all
	foldsXU, foldsUY []*moments.CoMoments
	xu, uy           *moments.CoMoments
	Fit              *FitSums // of S_X in the fit of f; nil: those of all else
	system           *solvers.System
}

// Prepare reads the two tables: once or twice for encoders and classes, once for what a model keeps of them, once for bandwidths and
// landmarks, and once for the moments, at (n+m)(p+q)² flops or so. An error names the table's
// column or row at fault.
func Prepare(ctx context.Context, s Setup, xu, uy tables.Source) (*Problem, error) {
	p, err := NewProblem(s, xu, uy)
	if err != nil {
		return nil, err
	}
	if err := p.Open(ctx, Footprint.Preparing); err != nil {
		return nil, err
	}
	return p, p.Sum(ctx)
}

// Open finds all that there is before moments: roles, encoders, targets and maps, if what is to come fits the limit.
func (p *Problem) Open(ctx context.Context, need func(Footprint) float64) error {
	if err := p.BeforeReading(need, ""); err != nil {
		return err
	}
	if err := p.FitEncoders(ctx); err != nil {
		return err
	}
	p.LimitFolds()
	if err := p.Footprint().Within(need, ""); err != nil {
		return err
	}
	return p.MapFeatures(ctx)
}

// LimitFolds sees to it that no fold is empty for want of rows.
func (p *Problem) LimitFolds() {
	for _, rows := range p.TableRows() {
		p.Setup.Folds = min(p.Setup.Folds, rows)
	}
}

// TableRows are the numbers of rows that the tables have, of which one with a weight may stand for many.
func (p *Problem) TableRows() []int {
	rows := make([]int, len(p.Sources))
	copy(rows, p.U.SourceRows()) // of which an encoder from a file may have fewer
	for i, weighed := range p.Weighed {
		if weighed > 0 {
			rows[i] = weighed
		}
	}
	return rows
}

// Sum makes the moments.
func (p *Problem) Sum(ctx context.Context) error {
	err := p.FindAllLandmarks(ctx)
	if err != nil {
		return err
	}
	if p.foldsXU, _, err = p.Pairs(ctx, TableXU, p.SidePhi(), p.SidePsi()); err != nil {
		return fmt.Errorf("table of X and U: %w", err)
	}
	if p.foldsUY, p.Dropped, err = p.PairsUY(ctx, p.Y); err != nil {
		return fmt.Errorf("table of U and Y: %w", err)
	}
	if p.Setup.Shift {
		if err := p.weighShift(ctx); err != nil {
			return err
		}
	}
	if err := p.NoteDropped(ctx); err != nil {
		return err
	}
	if p.xu, err = moments.Sum(p.foldsXU...); err != nil {
		return err
	}
	if p.uy, err = moments.Sum(p.foldsUY...); err != nil {
		return err
	}
	if err := p.SomeUY(ctx, p.uy.Weight()); err != nil {
		return err
	}
	p.NoteConstants(p.uy)
	return nil
}

// SumUY makes the moments of S_Y by fold, as they are.
func (p *Problem) SumUY(ctx context.Context) (err error) {
	if p.foldsUY, p.Dropped, err = p.Pairs(ctx, TableUY, p.SidePsi(), p.Y); err != nil {
		return fmt.Errorf("table of U and Y: %w", err)
	}
	return nil
}

// SomeUY returns an error if no row of S_Y has Y.
func (p *Problem) SomeUY(ctx context.Context, weight float64) error {
	if weight == 0 {
		return NoY(ctx, "the table of U and Y has nothing to learn from", p.Y, p.Sources[TableUY])
	}
	return nil
}

// NoY is the error that no row of a table has all of Y.
func NoY(ctx context.Context, what string, y *encode.Targets, src tables.Source) error {
	if len(y.Columns()) == 1 {
		return fmt.Errorf("problem: %s: Y is missing in every row", what)
	}
	missing, err := y.Missing(ctx, src)
	if err != nil {
		return err
	}
	return fmt.Errorf("problem: %s: no row has all columns of Y: %s; take one at a time, named in RoleOptions.Y", what, missing)
}

// NoteDropped says how many rows were of no use, and why.
func (p *Problem) NoteDropped(ctx context.Context) error {
	switch {
	case p.Dropped == 0:
	case len(p.Y.Columns()) == 1:
		p.Notes = append(p.Notes, fmt.Sprintf("%d rows of the table of U and Y were dropped: Y is missing", p.Dropped))
	default:
		missing, err := p.Y.Missing(ctx, p.Sources[TableUY])
		if err != nil {
			return err
		}
		p.Notes = append(p.Notes, fmt.Sprintf("%d rows of the table of U and Y were dropped, in which not all columns of Y are there: %s; a fit of one at a time drops fewer", p.Dropped, missing))
	}
	return nil
}

// NoteConstants names the outputs that do not vary.
func (p *Problem) NoteConstants(uy *moments.CoMoments) {
	var variances mat.SymDense
	uy.RightTo(&variances, true)
	for j, mean := range uy.MeanB() {
		if !crossfit.Varies(variances.At(j, j), mean) {
			p.Notes = append(p.Notes, fmt.Sprintf("Y: %q is the same in all rows: there is nothing to learn of it", p.Y.Names()[j]))
		}
	}
}

// Pairs sums one table by the folds that are left.
func (p *Problem) Pairs(ctx context.Context, table int, left, right encode.Side) ([]*moments.CoMoments, int, error) {
	folds, dropped, err := Accumulate(ctx, p.Sources[table], left, right, p.pass(table))
	if err != nil || p.Kept == nil {
		return folds, dropped, err
	}
	kept := make([]*moments.CoMoments, len(p.Kept))
	for i, f := range p.Kept {
		kept[i] = folds[f]
	}
	return kept, dropped, nil
}

// XU returns the moments of (phi, psi) over S_X, which must not be changed.
func (p *Problem) XU() *moments.CoMoments { return p.xu }

// UY returns the moments of (psi, y) over S_Y, which must not be changed.
func (p *Problem) UY() *moments.CoMoments { return p.uy }

// FoldsXU returns the moments of S_X of each fold that is left, one if no folds were asked for.
func (p *Problem) FoldsXU() []*moments.CoMoments { return p.foldsXU }

// FoldsUY returns the moments of S_Y likewise.
func (p *Problem) FoldsUY() []*moments.CoMoments { return p.foldsUY }

// PairXU sums S_X anew with another right side, for methods that need more than phi and psi of it:
// the encoded U itself, say.
func (p *Problem) PairXU(ctx context.Context, right encode.Side) (*moments.CoMoments, error) {
	folds, _, err := p.Pairs(ctx, TableXU, p.SidePhi(), right)
	if err != nil {
		return nil, err
	}
	sum, err := moments.Sum(folds...)
	if err != nil {
		return nil, err
	}
	return p.Splitter().Training(sum), nil
}

// PairXY sums a table of coupled (X, Y) rows.
func (p *Problem) PairXY(ctx context.Context, xy tables.Source) (*moments.CoMoments, error) {
	folds, _, err := Accumulate(ctx, tables.NewGuard("coupled rows", xy), p.SidePhi(), p.Y, PassOptions{Folds: 1})
	if err != nil {
		return nil, err
	}
	return folds[0], nil
}

// System returns the solver of these moments. It is shared: methods that solve with one lambda_f
// after another reuse its factor.
func (p *Problem) System() (*solvers.System, error) {
	if p.system == nil {
		s, err := solvers.NewSystem(p.Fitting(), p.uy, !p.Setup.NoIntercept)
		if err != nil {
			return nil, err
		}
		p.system = s
	}
	return p.system, nil
}

// Units are those of Y for sums of S_Y.
func (p *Problem) Units(foldsUY []*moments.CoMoments) (crossfit.Units, error) {
	return crossfit.UnitsOf(foldsUY, p.Y.Classes() != nil)
}
