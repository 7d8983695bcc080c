package rr

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"mediant/problem"
	"mediant/tables"
)

// Encoded, made by Encode, is both tables as rows of numbers in memory, for methods that need more of them than
// moments: 8 bytes a number.
type Encoded struct {
	// X and UX are the rows of S_X, UY and Y those of S_Y that have Y.
	X, UX, UY, Y *mat.Dense
	// WeightsX and WeightsY are nil where rows have no weights.
	WeightsX, WeightsY []float64

	problem *Problem // without maps and moments, if it was made here
}

// Encode reads both tables into memory, without any feature map: once or twice for encoders and
// classes, once for the rows. Tables above s.Memory are refused.
func Encode(ctx context.Context, s Setup, xu, uy tables.Source) (*Encoded, error) {
	p, err := newProblem(s, xu, uy)
	if err != nil {
		return nil, err
	}
	if err := p.encode(ctx); err != nil {
		return nil, err
	}
	p.limitFolds()
	return p.Encode(ctx)
}

// Encode reads the rows of the folds that are left into memory. A problem that weighs S_Y by the ratio of
// the laws of U is refused: the ratio is a function of psi.
func (p *Problem) Encode(ctx context.Context) (*Encoded, error) {
	own := *p // notes and maps of this fit are not those of others
	e := &Encoded{problem: &own}
	if p.Setup.Shift {
		return nil, fmt.Errorf("rr: rows are weighed by the ratio of the densities of U for ridge regression on features only, not for other regressors")
	}
	if err := p.footprint().within(footprint.encoding, "the rows of both tables, which regressors need at once"); err != nil {
		return nil, err
	}
	var err error
	var dropped int
	if e.UY, e.Y, e.WeightsY, dropped, err = problem.Matrices(ctx, p.sources[tableUY], p.U, p.Y, p.pass(tableUY)); err != nil {
		if errors.Is(err, problem.ErrIncomplete) {
			return nil, noY(ctx, "the table of U and Y has nothing to learn from", p.Y, p.sources[tableUY])
		}
		return nil, fmt.Errorf("table of U and Y: %w", err)
	}
	if p.Phi == nil && p.Psi == nil { // not noted by Prepare
		own.Dropped = dropped
		if err := own.noteDropped(ctx); err != nil {
			return nil, err
		}
	}
	if e.X, e.UX, e.WeightsX, _, err = problem.Matrices(ctx, p.sources[tableXU], p.X, p.U, p.pass(tableXU)); err != nil {
		return nil, fmt.Errorf("table of X and U: %w", err)
	}
	return e, nil
}

// countOf is the number of rows that those of x stand for.
func countOf(x *mat.Dense, weights []float64) int {
	if weights != nil {
		return int(math.Round(floats.Sum(weights)))
	}
	rows, _ := x.Dims()
	return rows
}

// Model returns a model with all that is known of the tables and no predictors yet.
func (e *Encoded) Model(method string) *Model {
	m := e.problem.Model(method)
	m.Rows.XU, m.Rows.UY = countOf(e.X, e.WeightsX), countOf(e.Y, e.WeightsY)
	return m
}
