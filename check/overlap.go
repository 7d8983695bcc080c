package check

import (
	"context"

	"mediant/tables"
)

// An OverlapReason says why S_Y has no such U as a row of S_X.
type OverlapReason uint8

const (
	// Inside is that of rows that S_Y has the like of.
	Inside OverlapReason = iota
	// NewLevel is a level of a column of text that S_Y lacks.
	NewLevel
	// NewMissing is a missing value in a column in which S_Y has none.
	NewMissing
	// NewPattern is a set of missing columns that S_Y lacks.
	NewPattern
	// BeyondRange is a number beyond the range of S_Y.
	BeyondRange
	// FarAway is a row of numbers that no row of S_Y is near to.
	FarAway

	overlapReasons
)

const (
	// overlapReferences rows of S_Y are what distances are measured to, and as many more what they are calibrated by; of more than 4,096 columns of
	// numbers fewer are (newRowSample).
	overlapReferences = 2000
	// tailValues is the number of largest values that a tail is extrapolated from, at most.
	tailValues = 100
	// textLevels is the number of levels up to which a column of text never is free text, and textShare the share of cells that
	// differ from there on.
	textLevels, textShare = 100, .5
	// chanceOfRows bounds the probability that what S_X has in so many rows more than S_Y in some column, which has it in none, is chance.
	chanceOfRows = .01
	// Single rows are without overlap that are beyond the range by certainRange times its width, and so far that a row would be there with probability
	// certain/n, or at certainDistance times the limit of distances.
	certain, certainRange, certainDistance = 1e-4, 100, 10.
	// codeValues is the number of distinct whole numbers up to which a column is one of codes.
	codeValues = 50
	// squashed is where standardised values begin to count by their logarithm, so that one long tail does not hide all else.
	squashed = 3
	// countedPatterns bounds the sets of missing columns. Where they are more, a new one is no news.
	countedPatterns = 1 << 18
	// nearReferences are compared at once; most rows are near one of the first of them.
	nearReferences = 128
)

// String names the reason.
func (r OverlapReason) String() string {
	return []string{"inside", "new level", "missing", "new pattern of missing values", "beyond the range", "far from all rows"}[r]
}

// An OverlapColumn counts the rows of S_X, one of frequency k as k, whose value in one column S_Y lacks, for one reason. Of FarAway it is the column that contributes
// most to the distance; NewPattern has no column.
type OverlapColumn struct {
	Column string
	Reason OverlapReason
	Rows   int
	// Levels that S_Y lacks, those of most rows first, at most ten.
	Levels []string
}

// An Overlap says of each row of S_X whether S_Y has such U.
type Overlap struct {
	// Reasons and Scores have an element for each row of S_X, in the order of a pass. A score is 0 well inside, 1 at the edge, above 1
	// without overlap, and infinite for levels and missing values.
	Reasons []OverlapReason
	Scores  []float32
	// Without is the number of rows without overlap, ByReason that of each reason, the first in the order of the constants.
	Without  int
	ByReason [overlapReasons]int
	Columns  []OverlapColumn // the ones of most rows first
	RowsUY   int             // rows of S_Y that have Y, which alone count
}

// Rows is the number of rows of S_X.
func (o *Overlap) Rows() int { return len(o.Reasons) }

// Lacks reports whether row i of S_X is without overlap.
func (o *Overlap) Lacks(i int) bool { return o.Reasons[i] != Inside }

// OverlapOptions are those of FindOverlap. The zero value is usable.
type OverlapOptions struct {
	// Y names the columns of which a row of S_Y must have all to count.
	Y    []string
	Seed uint64
}

// FindOverlap looks for rows of S_X whose U, the columns of the given names, S_Y has nothing like:
//
//   - levels that S_Y lacks, of columns of text that are not free text (more than 100 levels, and more than half of the cells differ);
//   - values missing where S_Y has none missing, or a set of columns missing that S_Y lacks;
//   - numbers beyond the range of S_Y by more than half a standard deviation (from quartiles);
//   - rows of numbers whose distance to the nearest of 2,000 rows of S_Y is above 1.5 times the 99.9 % quantile of that among rows of S_Y, and half a standard
//     deviation: standardised columns of numbers, missing ones at their medians. Not where all columns are codes, whole numbers of at most 50 values, whose
//     combinations may be new.
//
// Few such rows of a column are chance: were both tables of one distribution, that k rows have what S_Y has in none, or are all beyond its
// range, has probability (n/(n+m))^k at most. They count where that is below 0.01 over all columns, or very far away. Of levels and sets of missing columns three times
// the number is taken off that those which S_Y has once lead one to expect (Good and Turing).
//
// A row of frequency k counts as k rows. Sparse rows are not looked at. Each table is read once, in memory of some 5 bytes a row of S_X and a few thousand rows of S_Y, at n(20 + d) flops a
// reference for rows that are near none. The same tables and seed give the same result. The error is that of a source, or names a column that is in one table only or of
// another kind there; that no row of S_Y has Y is no error: nothing has overlap then.
func FindOverlap(ctx context.Context, xu, uy tables.Source, u []string, opt OverlapOptions) (*Overlap, error) {
	f := &overlapFinder{seed: opt.Seed}
	if err := f.choose(uy.Columns(), u); err != nil {
		return nil, err
	}
	if err := f.readUY(ctx, uy, opt.Y); err != nil {
		return nil, err
	}
	f.calibrate()
	sel, err := tables.Select(xu.Columns(), f.wanted)
	if err != nil {
		return nil, err
	}
	o := &Overlap{RowsUY: f.rows}
	if err := f.readXU(ctx, xu, sel, o); err != nil {
		return nil, err
	}
	f.conclude(o)
	return o, nil
}
