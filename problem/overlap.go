package problem

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"mediant/check"
	"mediant/moments"
	"mediant/tables"
)

// A NoOverlap, made by Encode, counts the rows of S_X without overlap: those whose U is outside the support of U in S_Y
// (check.FindOverlap).
type NoOverlap struct {
	Rows, Of int           // rows without overlap, among all; a row of weight k as k
	Share    float64       // of the weight of all rows
	Columns  string        // the columns in which overlap is lacking, in words
	left     bool          // they are left out of the problem
	Source   tables.Source // the rows without overlap, if they were left out
}

// IsMajority reports whether rows without overlap have more than half of the weight. A nil NoOverlap has none.
func (o *NoOverlap) IsMajority() bool { return o != nil && o.Share > .5 }

// fewestRows are so few that leaving the others out would leave nothing to fit.
const fewestRows = 20

// FindOverlap compares U of the two tables (check.FindOverlap); nil if all rows of S_X have overlap.
func (e *Encoded) FindOverlap(ctx context.Context) (*check.Overlap, error) {
	var u []string
	have := [2]map[string]tables.Kind{{}, {}}
	for t, src := range e.sources {
		for _, c := range src.Columns() {
			have[t][c.Name] = c.Kind
		}
	}
	for _, name := range e.roles.U { // what a table does not have is said by those who need it
		x, inX := have[TableXU][name]
		y, inY := have[TableUY][name]
		if inX && inY && x == y {
			u = append(u, name)
		}
	}
	o, err := check.FindOverlap(ctx, e.sources[TableXU], e.sources[TableUY], u, check.OverlapOptions{Y: e.roles.Y, Seed: e.setup.Seed})
	if err != nil || o.Without == 0 || o.RowsUY == 0 {
		return nil, err
	}
	return o, nil
}

// leaveOut leaves out the rows of S_X without overlap, unless AllRows is set or too few rows would remain.
func (e *Encoded) leaveOut(ctx context.Context) error {
	if e.setup.AllRows {
		return nil
	}
	o, err := e.FindOverlap(ctx)
	if o == nil || err != nil {
		return err
	}
	found, all := &NoOverlap{Columns: NoOverlapColumns(o)}, e.sources[TableXU]
	weight, lacking := 0.0, 0.0
	for b, err := range tables.NewGuard("", all).Batches(ctx) {
		if err != nil {
			return err
		}
		w := RowWeights(b)
		for i := range b.Rows {
			weight += w.Of(i)
			found.Of += int(w.FrequencyOf(i))
			if o.Lacks(b.Start + i) {
				lacking += w.Of(i)
				found.Rows += int(w.FrequencyOf(i))
			}
		}
	}
	found.Share = lacking / weight
	e.overlap = found
	left := o.Rows() - o.Without
	if found.left = left >= fewestRows || !found.IsMajority() && left > 0; !found.left {
		e.note(fmt.Sprintf("%d of the %d rows of the table of X and U have no overlap with the table of U and Y (%s): without them too few rows would remain, so they are kept, and predictions for such rows are extrapolations", found.Rows, found.Of, found.Columns))
		return nil
	}
	e.note(fmt.Sprintf("%d of the %d rows of the table of X and U are left out of fit and risk, because the table of U and Y lacks their U: %s", found.Rows, found.Of, found.Columns))
	if found.Source, err = tables.Keep(ctx, all, o.Without, o.Lacks); err != nil {
		return err
	}
	if e.sources[TableXU], err = tables.Keep(ctx, all, left, func(i int) bool { return !o.Lacks(i) }); err != nil {
		return err
	}
	if e.stored[TableXU] > 0 {
		e.stored[TableXU], e.counts[TableXU] = left, found.Of-found.Rows
	}
	return nil
}

// RowWeights returns the weights and clusters of the rows of a batch.
func RowWeights(b tables.Batch) moments.Weights {
	return moments.Weights{Frequency: b.Frequencies(), Factor: b.Factors(), Cluster: b.Clusters()}
}

// NoOverlapColumns names the columns in which overlap is lacking, at most three, for messages.
func NoOverlapColumns(o *check.Overlap) string {
	var parts []string
	for _, c := range o.Columns[:min(len(o.Columns), 3)] {
		parts = append(parts, columnWithout(c))
	}
	if n := len(o.Columns) - 3; n > 0 {
		parts = append(parts, fmt.Sprintf("and %d more reasons", n))
	}
	return strings.Join(parts, ", ")
}

// columnWithout says how a column is another one in some rows of S_X than in S_Y.
func columnWithout(c check.OverlapColumn) string {
	switch c.Reason {
	case check.NewLevel:
		levels := make([]string, min(3, len(c.Levels)))
		for i := range levels {
			levels[i] = fmt.Sprintf("%q", c.Levels[i])
		}
		more := ""
		if len(c.Levels) > len(levels) {
			more = " and others"
		}
		return fmt.Sprintf("%q is %s%s, which it never is there, in %d", c.Column, strings.Join(levels, ", "), more, c.Rows)
	case check.NewMissing:
		return fmt.Sprintf("%q is missing, which it never is there, in %d", c.Column, c.Rows)
	case check.NewPattern:
		return fmt.Sprintf("columns that are never missing together there are in %d", c.Rows)
	case check.BeyondRange:
		return fmt.Sprintf("%q is beyond its range there in %d", c.Column, c.Rows)
	}
	return fmt.Sprintf("%d are far from all rows there, by %q first of all", c.Rows, c.Column)
}

// RangeOfY returns the smallest and the largest value of each output in S_Y, in one pass.
func (e *Encoded) RangeOfY(ctx context.Context) (low, high []float64, err error) {
	k := e.y.Len()
	low, high = slices.Repeat([]float64{math.Inf(1)}, k), slices.Repeat([]float64{math.Inf(-1)}, k)
	_, err = Walk(ctx, e.sources[TableUY], e.y, e.y, PassOptions{}, func(_ int, y, _ *mat.Dense, _ moments.Weights) {
		n, _ := y.Dims()
		for i := range n {
			for j, v := range y.RawRowView(i) {
				low[j], high[j] = min(low[j], v), max(high[j], v)
			}
		}
	})
	if err != nil {
		return nil, nil, fmt.Errorf("table of U and Y: %w", err)
	}
	return low, high, nil
}
