package rr

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"mediant/check"
	"mediant/crossfit"
	"mediant/encode"
	"mediant/features"
	"mediant/moments"
	"mediant/problem"
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

	learned          *check.Learned                         // of all rows
	sources          [2]tables.Source                       // tableXU and tableUY, with their weights
	besideU          encode.Side                            // that a row of S_X must have; nil: any has
	landmarks        map[moments.ID]*crossfit.LandmarkFolds // by the identity of the side that has them
	overlap          *noOverlap                             // rows of S_X whose U S_Y lacks; nil: none
	weighed, counts  [2]int                                 // rows of tables with weights, or of those a model is assessed on, and those they stand for
	ratio            *crossfit.Affine                       // of the distributions of U, which weighs S_Y; nil: it does not
	kept             []int                                  // the folds whose rows are left, nil for all
	foldsXU, foldsUY []*moments.Pair
	xu, uy           *moments.Pair
	fit              *fitSums // of S_X in the fit of f; nil: those of all else
	system           *solvers.System
}

// Prepare reads the two tables: once or twice for encoders and classes, once for what a model keeps of them, once for bandwidths and
// landmarks, and once for the moments, at (n+m)(p+q)² flops or so. An error names the table's
// column or row at fault.
func Prepare(ctx context.Context, s Setup, xu, uy tables.Source) (*Problem, error) {
	p, err := newProblem(s, xu, uy)
	if err != nil {
		return nil, err
	}
	if err := p.open(ctx, footprint.preparing); err != nil {
		return nil, err
	}
	return p, p.sum(ctx)
}

// open finds all that there is before moments: roles, encoders, targets and maps, if what is to come fits the limit.
func (p *Problem) open(ctx context.Context, need func(footprint) float64) error {
	if err := p.beforeReading(need, ""); err != nil {
		return err
	}
	if err := p.encode(ctx); err != nil {
		return err
	}
	p.limitFolds()
	if err := p.footprint().within(need, ""); err != nil {
		return err
	}
	return p.mapFeatures(ctx)
}

// encode finds roles, encoders and targets.
func (p *Problem) encode(ctx context.Context) error {
	if err := p.assign(ctx); err != nil {
		return err
	}
	if err := p.leaveOut(ctx); err != nil {
		return err
	}
	var err error
	if p.X, err = p.encoder(ctx, p.Roles.X, p.sources[tableXU]); err != nil {
		return fmt.Errorf("rr: X: %w", err)
	}
	p.Notes = append(p.Notes, p.X.Notes()...)
	if err := p.encodeU(ctx); err != nil {
		return err
	}
	if err := p.learn(ctx); err != nil {
		return err
	}
	return p.give(ctx, "X", p.X, p.Setup.LandmarksX, &p.Setup.Phi)
}

// learn finds what a model keeps of the tables, of copies of a row one, whether they count or not.
func (p *Problem) learn(ctx context.Context) error {
	src := p.sources
	if p.Setup.KeepCopies {
		for i := range src {
			var err error
			if src[i], _, err = tables.Distinct(ctx, src[i], p.columnsOf(i)); err != nil {
				return err
			}
		}
	}
	var err error
	p.learned, err = check.Learn(ctx, src[tableXU], src[tableUY], p.Roles, p.Setup.Seed)
	return err
}

// assign finds roles, weights and targets.
func (p *Problem) assign(ctx context.Context) error {
	var err error
	if p.Roles, err = tables.AssignRoles(p.sources[tableXU].Columns(), p.sources[tableUY].Columns(), p.Setup.Roles); err != nil {
		return err
	}
	if err := p.weigh(ctx); err != nil {
		return err
	}
	p.Y, err = encode.FitTargets(ctx, p.sources[tableUY], p.Roles.Y, p.Setup.Task)
	return err
}

// encodeU fits the encoder of U on the pooled rows.
func (p *Problem) encodeU(ctx context.Context) error {
	var err error
	if p.U, err = p.encoder(ctx, p.Roles.U, p.sources[:]...); err != nil {
		return fmt.Errorf("rr: U: %w", err)
	}
	p.Notes = append(p.Notes, p.U.Notes()...)
	return p.give(ctx, "U", p.U, p.Setup.LandmarksU, &p.Setup.Psi)
}

// give encodes the landmarks of a side, if there are any, for its spec.
func (p *Problem) give(ctx context.Context, side string, e *encode.Encoder, src tables.Source, spec *features.Spec) error {
	if src == nil {
		return nil
	}
	rows, counts, err := e.EncodeAll(ctx, tables.NewGuard("landmarks of "+side, src), sampleRows)
	if err != nil {
		return fmt.Errorf("rr: landmarks of %s: %w", side, err)
	}
	for _, warning := range e.Warnings(counts) {
		p.Notes = append(p.Notes, fmt.Sprintf("landmarks of %s: %s", side, warning))
	}
	spec.Given = rows
	return nil
}

// limitFolds sees to it that no fold is empty for want of rows.
func (p *Problem) limitFolds() {
	for _, rows := range p.tableRows() {
		p.Setup.Folds = min(p.Setup.Folds, rows)
	}
}

// tableRows are the numbers of rows that the tables have, of which one with a weight may stand for many.
func (p *Problem) tableRows() []int {
	rows := make([]int, len(p.sources))
	copy(rows, p.U.SourceRows()) // of which an encoder from a file may have fewer
	for i, weighed := range p.weighed {
		if weighed > 0 {
			rows[i] = weighed
		}
	}
	return rows
}

func (p *Problem) encoder(ctx context.Context, names []string, sources ...tables.Source) (*encode.Encoder, error) {
	opt := encode.EncoderOptions{NoStandardize: p.Setup.NoStandardize, Text: p.Setup.Text}
	return encode.FitEncoder(ctx, named(p.sources[tableXU].Columns(), names), opt, sources...)
}

// named returns the columns of the given names, which are there.
func named(columns []tables.Column, names []string) []tables.Column {
	out := make([]tables.Column, len(names))
	for i, name := range names {
		out[i] = columns[slices.IndexFunc(columns, func(c tables.Column) bool { return c.Name == name })]
	}
	return out
}

// mapFeatures fits phi and psi.
func (p *Problem) mapFeatures(ctx context.Context) error {
	if err := p.mapX(ctx); err != nil {
		return err
	}
	return p.mapU(ctx)
}

// mapX fits phi on a sample of encoded rows of S_X.
func (p *Problem) mapX(ctx context.Context) (err error) {
	p.Phi, err = p.fitMap(ctx, p.Setup.Phi, "phi", p.X, p.sources[tableXU])
	return err
}

// mapU fits psi on a pooled sample of both tables.
func (p *Problem) mapU(ctx context.Context) (err error) {
	p.Psi, err = p.fitMap(ctx, p.Setup.Psi, "psi", p.U, p.sources[:]...)
	return err
}

// fitMap fits a map on a sample of the pooled encoded rows of the sources.
func (p *Problem) fitMap(ctx context.Context, spec features.Spec, purpose string, e *encode.Encoder, sources ...tables.Source) (features.Map, error) {
	rows, err := encode.Sample(ctx, e, e.SourceRows(), sampleRows, p.Setup.Seed, purpose, sources...)
	if err != nil {
		return nil, err
	}
	m, notes, err := spec.FitContext(ctx, rows, p.Setup.Seed, purpose)
	p.Notes = append(p.Notes, notes...)
	return m, located(ctx, err, e, sources...)
}

// located says of an error in an entry of a sample in which row of which table the entry is, and in which column.
func located(ctx context.Context, err error, e *encode.Encoder, sources ...tables.Source) error {
	for i, src := range sources {
		if found := e.Locate(ctx, err, src); found != nil {
			return fmt.Errorf("table of %s: %w", []string{"X and U", "U and Y"}[i], found)
		}
	}
	return err
}

// sum makes the moments.
func (p *Problem) sum(ctx context.Context) error {
	err := p.findAllLandmarks(ctx)
	if err != nil {
		return err
	}
	if p.foldsXU, _, err = p.pairs(ctx, tableXU, p.phi(), p.psi()); err != nil {
		return fmt.Errorf("table of X and U: %w", err)
	}
	if p.foldsUY, p.Dropped, err = p.pairsUY(ctx, p.Y); err != nil {
		return fmt.Errorf("table of U and Y: %w", err)
	}
	if p.Setup.Shift {
		if err := p.weighShift(ctx); err != nil {
			return err
		}
	}
	if err := p.noteDropped(ctx); err != nil {
		return err
	}
	if p.xu, err = moments.Sum(p.foldsXU...); err != nil {
		return err
	}
	if p.uy, err = moments.Sum(p.foldsUY...); err != nil {
		return err
	}
	if err := p.someUY(ctx, p.uy.Weight()); err != nil {
		return err
	}
	p.noteConstants(p.uy)
	return nil
}

// sumUY makes the moments of S_Y by fold, as they are.
func (p *Problem) sumUY(ctx context.Context) (err error) {
	if p.foldsUY, p.Dropped, err = p.pairs(ctx, tableUY, p.psi(), p.Y); err != nil {
		return fmt.Errorf("table of U and Y: %w", err)
	}
	return nil
}

// someUY returns an error if no row of S_Y has Y.
func (p *Problem) someUY(ctx context.Context, weight float64) error {
	if weight == 0 {
		return noY(ctx, "the table of U and Y has nothing to learn from", p.Y, p.sources[tableUY])
	}
	return nil
}

// noY is the error that no row of a table has all of Y.
func noY(ctx context.Context, what string, y *encode.Targets, src tables.Source) error {
	if len(y.Columns()) == 1 {
		return fmt.Errorf("rr: %s: Y is missing in every row", what)
	}
	missing, err := y.Missing(ctx, src)
	if err != nil {
		return err
	}
	return fmt.Errorf("rr: %s: no row has all columns of Y: %s; take one at a time, named in RoleOptions.Y", what, missing)
}

// noteDropped says how many rows were of no use, and why.
func (p *Problem) noteDropped(ctx context.Context) error {
	switch {
	case p.Dropped == 0:
	case len(p.Y.Columns()) == 1:
		p.Notes = append(p.Notes, fmt.Sprintf("%d rows of the table of U and Y were dropped: Y is missing", p.Dropped))
	default:
		missing, err := p.Y.Missing(ctx, p.sources[tableUY])
		if err != nil {
			return err
		}
		p.Notes = append(p.Notes, fmt.Sprintf("%d rows of the table of U and Y were dropped, in which not all columns of Y are there: %s; a fit of one at a time drops fewer", p.Dropped, missing))
	}
	return nil
}

// noteConstants names the outputs that do not vary.
func (p *Problem) noteConstants(uy *moments.Pair) {
	var variances mat.SymDense
	uy.RightTo(&variances, true)
	for j, mean := range uy.MeanB() {
		if !crossfit.Varies(variances.At(j, j), mean) {
			p.Notes = append(p.Notes, fmt.Sprintf("Y: %q is the same in all rows: there is nothing to learn of it", p.Y.Names()[j]))
		}
	}
}

// pairs sums one table by the folds that are left.
func (p *Problem) pairs(ctx context.Context, table int, left, right encode.Side) ([]*moments.Pair, int, error) {
	folds, dropped, err := problem.Accumulate(ctx, p.sources[table], left, right, p.pass(table))
	if err != nil || p.kept == nil {
		return folds, dropped, err
	}
	kept := make([]*moments.Pair, len(p.kept))
	for i, f := range p.kept {
		kept[i] = folds[f]
	}
	return kept, dropped, nil
}

// XU returns the moments of (phi, psi) over S_X, which must not be changed.
func (p *Problem) XU() *moments.Pair { return p.xu }

// UY returns the moments of (psi, y) over S_Y, which must not be changed.
func (p *Problem) UY() *moments.Pair { return p.uy }

// FoldsXU returns the moments of S_X of each fold that is left, one if no folds were asked for.
func (p *Problem) FoldsXU() []*moments.Pair { return p.foldsXU }

// FoldsUY returns the moments of S_Y likewise.
func (p *Problem) FoldsUY() []*moments.Pair { return p.foldsUY }

// PairXU sums S_X anew with another right side, for methods that need more than phi and psi of it:
// the encoded U itself, say.
func (p *Problem) PairXU(ctx context.Context, right encode.Side) (*moments.Pair, error) {
	folds, _, err := p.pairs(ctx, tableXU, p.phi(), right)
	if err != nil {
		return nil, err
	}
	sum, err := moments.Sum(folds...)
	if err != nil {
		return nil, err
	}
	return p.splitter().Training(sum), nil
}

// PairXY sums a table of coupled (X, Y) rows.
func (p *Problem) PairXY(ctx context.Context, xy tables.Source) (*moments.Pair, error) {
	folds, _, err := problem.Accumulate(ctx, tables.NewGuard("coupled rows", xy), p.phi(), p.Y, problem.PassOptions{Folds: 1})
	if err != nil {
		return nil, err
	}
	return folds[0], nil
}

// System returns the solver of these moments. It is shared: methods that solve with one lambda_f
// after another reuse its factor.
func (p *Problem) System() (*solvers.System, error) {
	if p.system == nil {
		s, err := solvers.NewSystem(p.fitting(), p.uy, !p.Setup.NoIntercept)
		if err != nil {
			return nil, err
		}
		p.system = s
	}
	return p.system, nil
}

// F returns alpha'phi(x) + intercept as a Predictor, the linear end of phi folded into alpha.
func (p *Problem) F(alpha *mat.Dense, intercept []float64) *Linear {
	return NewLinear(p.Phi, alpha, intercept)
}

// H returns beta'psi(u) + intercept likewise.
func (p *Problem) H(beta *mat.Dense, intercept []float64) *Linear {
	return NewLinear(p.Psi, beta, intercept)
}

// units are those of Y for sums of S_Y.
func (p *Problem) units(foldsUY []*moments.Pair) (crossfit.Units, error) {
	return crossfit.UnitsOf(foldsUY, p.Y.Classes() != nil)
}
