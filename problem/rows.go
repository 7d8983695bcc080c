package problem

import (
	"context"
	"errors"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"mediant/tables"
)

// Rows, made by Encoded.Rows, has both tables as encoded rows in memory, 8 bytes a number, for methods that need rows and not only sums.
type Rows struct {
	Encoded *Encoded
	// X and UX are the rows of S_X, UY and Y those of S_Y that have Y.
	X, UX, UY, Y *mat.Dense
	// WeightsX and WeightsY are nil where rows have no weights.
	WeightsX, WeightsY []float64
}

// ReadRows reads both tables into memory: once or twice for encoders and
// classes, once for the rows. Tables above s.Memory are refused.
func ReadRows(ctx context.Context, s Setup, xu, uy tables.Source) (*Rows, error) {
	e, err := Encode(ctx, s, xu, uy)
	if err != nil {
		return nil, err
	}
	return e.Rows(ctx)
}

// Rows reads the rows of the folds that are left into memory. It is an error if the Setup has Shift, because the density ratio is a function of psi.
func (e *Encoded) Rows(ctx context.Context) (*Rows, error) {
	if e.setup.Shift {
		return nil, fmt.Errorf("problem: rows are weighted by the ratio of the densities of U for ridge regression on features only, not for other regressors")
	}
	if err := e.NeedsRows("a fit to rows"); err != nil {
		return nil, err
	}
	if err := e.Footprint().Within(Footprint.encoding, "the rows of both tables, which regressors need at once"); err != nil {
		return nil, err
	}
	own := *e // notes of this fit are not those of others
	r := &Rows{Encoded: &own}
	var err error
	var dropped int
	if r.UY, r.Y, r.WeightsY, dropped, err = Matrices(ctx, e.sources[TableUY], e.u, e.y, e.pass(TableUY)); err != nil {
		if errors.Is(err, ErrIncomplete) {
			return nil, NoYError(ctx, "the table of U and Y has nothing to learn from", e.y, e.sources[TableUY])
		}
		return nil, TableError(TableUY, err)
	}
	if !own.counted {
		if err := own.noteDropped(ctx, dropped); err != nil {
			return nil, err
		}
	}
	if r.X, r.UX, r.WeightsX, _, err = Matrices(ctx, e.sources[TableXU], e.x, e.u, e.pass(TableXU)); err != nil {
		return nil, TableError(TableXU, err)
	}
	return r, nil
}

// CheckMemory returns a MemoryError if work that needs this number of bytes, beside the rows, would exceed the Memory of the Setup. what names the
// work in the message. Methods call it before they begin.
func (r *Rows) CheckMemory(bytes float64, what string) error {
	return r.Encoded.Footprint().Within(func(f Footprint) float64 { return f.encoding() + bytes }, what)
}
