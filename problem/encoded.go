package problem

import (
	"context"
	"errors"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"mediant/tables"
)

// Encoded, made by Encode, is both tables as rows of numbers in memory, for methods that need more of them than
// moments: 8 bytes a number.
type Encoded struct {
	// X and UX are the rows of S_X, UY and Y those of S_Y that have Y.
	X, UX, UY, Y *mat.Dense
	// WeightsX and WeightsY are nil where rows have no weights.
	WeightsX, WeightsY []float64

	Problem *Problem // without maps and moments, if it was made here
}

// Encode reads both tables into memory, without any feature map: once or twice for encoders and
// classes, once for the rows. Tables above s.Memory are refused.
func Encode(ctx context.Context, s Setup, xu, uy tables.Source) (*Encoded, error) {
	p, err := NewProblem(s, xu, uy)
	if err != nil {
		return nil, err
	}
	if err := p.FitEncoders(ctx); err != nil {
		return nil, err
	}
	p.LimitFolds()
	return p.Encode(ctx)
}

// Encode reads the rows of the folds that are left into memory. A problem that weighs S_Y by the ratio of
// the distributions of U is refused: the ratio is a function of psi.
func (p *Problem) Encode(ctx context.Context) (*Encoded, error) {
	own := *p // notes and maps of this fit are not those of others
	e := &Encoded{Problem: &own}
	if p.Setup.Shift {
		return nil, fmt.Errorf("problem: rows are weighed by the ratio of the densities of U for ridge regression on features only, not for other regressors")
	}
	if err := p.Footprint().Within(Footprint.encoding, "the rows of both tables, which regressors need at once"); err != nil {
		return nil, err
	}
	var err error
	var dropped int
	if e.UY, e.Y, e.WeightsY, dropped, err = Matrices(ctx, p.Sources[TableUY], p.U, p.Y, p.pass(TableUY)); err != nil {
		if errors.Is(err, ErrIncomplete) {
			return nil, NoY(ctx, "the table of U and Y has nothing to learn from", p.Y, p.Sources[TableUY])
		}
		return nil, fmt.Errorf("table of U and Y: %w", err)
	}
	if p.Phi == nil && p.Psi == nil { // not noted by Prepare
		own.Dropped = dropped
		if err := own.NoteDropped(ctx); err != nil {
			return nil, err
		}
	}
	if e.X, e.UX, e.WeightsX, _, err = Matrices(ctx, p.Sources[TableXU], p.X, p.U, p.pass(TableXU)); err != nil {
		return nil, fmt.Errorf("table of X and U: %w", err)
	}
	return e, nil
}
