package rr

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"mediant/check"
	"mediant/internal/weighted"
	"mediant/moments"
	"mediant/problem"
	"mediant/tables"
)

// noOverlap is what a problem knows of the rows of S_X whose U S_Y lacks.
type noOverlap struct {
	rows, of int     // rows without overlap, among all; a row of weight k as k
	share    float64 // of the weight of all rows
	columns  string  // which, in words
	left     bool    // they are left out of the problem
	source   tables.Source
}

// most reports whether more than half of the rows are without overlap.
func (o *noOverlap) most() bool { return o != nil && o.share > .5 }

// err is that there is no risk.
func (o *noOverlap) err() error {
	return fmt.Errorf("%w: the table of U and Y lacks the U of %d of the %d rows of X and U (%s), and what Y is there cannot be learned", ErrNoRisk, o.rows, o.of, o.columns)
}

// fewestRows are so few that leaving the others out would leave nothing to fit.
const fewestRows = 20

// findOverlap compares U of both tables; nil if all rows of S_X have a U that S_Y has.
func (p *Problem) findOverlap(ctx context.Context) (*check.Overlap, error) {
	var u []string
	have := [2]map[string]tables.Kind{{}, {}}
	for t, src := range p.sources {
		for _, c := range src.Columns() {
			have[t][c.Name] = c.Kind
		}
	}
	for _, name := range p.Roles.U { // what a table does not have is said by those who need it
		x, inX := have[tableXU][name]
		y, inY := have[tableUY][name]
		if inX && inY && x == y {
			u = append(u, name)
		}
	}
	o, err := check.FindOverlap(ctx, p.sources[tableXU], p.sources[tableUY], u, check.OverlapOptions{Y: p.Roles.Y, Seed: p.Setup.Seed})
	if err != nil || o.Without == 0 || o.RowsUY == 0 {
		return nil, err
	}
	return o, nil
}

// leaveOut leaves out the rows of S_X whose U S_Y lacks, unless all rows are asked for or too few would be left.
func (p *Problem) leaveOut(ctx context.Context) error {
	if p.Setup.AllRows {
		return nil
	}
	o, err := p.findOverlap(ctx)
	if o == nil || err != nil {
		return err
	}
	found, all := &noOverlap{columns: columnsWithout(o)}, p.sources[tableXU]
	weight, lacking := 0.0, 0.0
	for b, err := range tables.NewGuard("", all).Batches(ctx) {
		if err != nil {
			return err
		}
		w := rowWeights(b)
		for i := range b.Rows {
			weight += w.Of(i)
			found.of += int(w.FrequencyOf(i))
			if o.Lacks(b.Start + i) {
				lacking += w.Of(i)
				found.rows += int(w.FrequencyOf(i))
			}
		}
	}
	found.share = lacking / weight
	p.overlap = found
	left := o.Rows() - o.Without
	if found.left = left >= fewestRows || !found.most() && left > 0; !found.left {
		p.Notes = append(p.Notes, fmt.Sprintf("the table of U and Y lacks the U of %d of the %d rows of X and U (%s): too few others are left to learn from alone, and what is predicted means little", found.rows, found.of, found.columns))
		return nil
	}
	p.Notes = append(p.Notes, fmt.Sprintf("%d of the %d rows of the table of X and U are left out of fit and risk, because the table of U and Y lacks their U: %s", found.rows, found.of, found.columns))
	if found.source, err = tables.Keep(ctx, all, o.Without, o.Lacks); err != nil {
		return err
	}
	if p.sources[tableXU], err = tables.Keep(ctx, all, left, func(i int) bool { return !o.Lacks(i) }); err != nil {
		return err
	}
	if p.weighed[tableXU] > 0 {
		p.weighed[tableXU], p.counts[tableXU] = left, found.of-found.rows
	}
	return nil
}

// rowWeights are those of the rows of a batch.
func rowWeights(b tables.Batch) moments.Weights {
	return moments.Weights{Frequency: b.Frequencies(), Factor: b.Factors()}
}

// columnsWithout says which columns are why rows have no overlap, the first three.
func columnsWithout(o *check.Overlap) string {
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

// An OverlapRisk, made by an assessment, says which rows of S_X an Assessment is of, where S_Y lacks the U of others, and what the range of Y in
// S_Y leaves open of these.
type OverlapRisk struct {
	Rows int `json:"rows"` // that the risk is of
	Of   int `json:"of"`
	// Share is that of the weight of the rows without overlap.
	Share float64 `json:"share_without"`
	// Least and Most bound the mean squared error of these rows if their Y lies within the range, or is one of the classes, that S_Y has.
	Least float64 `json:"least"`
	Most  float64 `json:"most"`
	// All bounds the MSE over all rows: the risk, if E[Y|U,X] = E[Y|U], for those that it is of, and the range of Y for the others.
	All Bracket `json:"all"`
	// Accuracy bounds that over all rows, for classes.
	Accuracy *Bracket `json:"accuracy,omitempty"`

	restHi float64 // of Assessment.Bracket over the rows that the risk is of
}

// lossBounds are the least and the greatest squared error of the models of the folds on the rows without overlap, on average over the folds.
func (p *Problem) lossBounds(ctx context.Context, m foldModels) (*weighted.Means, error) {
	low, high, err := p.rangeOfY(ctx)
	if err != nil {
		return nil, err
	}
	models := len(p.FoldsUY())
	if m.same {
		models = 1
	}
	classes := p.Y.Classes() != nil
	s := weighted.New(2)
	var f mat.Dense
	_, err = problem.Walk(ctx, p.overlap.source, m.side, p.constant(), problem.PassOptions{}, func(_ int, rows, _ *mat.Dense, w moments.Weights) {
		n, _ := rows.Dims()
		least, most := make([]float64, n), make([]float64, n)
		for k := range models {
			m.predict(k, &f, rows)
			for i := range n {
				lo, hi := lossRange(f.RawRowView(i), low, high, classes)
				least[i] += lo / float64(models)
				most[i] += hi / float64(models)
			}
		}
		for i := range n {
			s.Add(w, i, least[i], most[i])
		}
	})
	if err != nil {
		return nil, fmt.Errorf("table of X and U: %w", err)
	}
	return s, nil
}

// rangeOfY is the least and the greatest of each output in S_Y.
func (p *Problem) rangeOfY(ctx context.Context) (low, high []float64, err error) {
	k := p.Y.Len()
	low, high = slices.Repeat([]float64{math.Inf(1)}, k), slices.Repeat([]float64{math.Inf(-1)}, k)
	_, err = problem.Walk(ctx, p.sources[tableUY], p.Y, p.Y, problem.PassOptions{}, func(_ int, y, _ *mat.Dense, _ moments.Weights) {
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

// lossRange is the range of |f - y|² for the y from low to high, or of one-hot y.
func lossRange(f, low, high []float64, classes bool) (least, most float64) {
	if classes { // |f|² - 2 f_c + 1
		square := floats.Dot(f, f) + 1
		return square - 2*floats.Max(f), square - 2*floats.Min(f)
	}
	for j, v := range f {
		if gap := max(low[j]-v, v-high[j]); gap > 0 {
			least += gap * gap
		}
		gap := max(high[j]-v, v-low[j])
		most += gap * gap
	}
	return least, most
}

// withRest makes the brackets of an assessment of the rows with overlap ones of all rows, and adds what is known of both.
func (a *Assessment) withRest(o *noOverlap, loss *weighted.Means) {
	r := &OverlapRisk{Rows: o.of - o.rows, Of: o.of, Share: o.share, Least: loss.Mean[0], Most: loss.Mean[1]}
	a.Overlap = r
	// The variance of the mean over all rows that the mean of the others adds to, given means of both: of the mean of the others, and of their share.
	extra := func(of float64, end int) float64 {
		gradient := [2]float64{}
		gradient[end] = o.share
		gap := of - loss.Mean[end]
		variance := o.share * (1 - o.share) / float64(o.of) * gap * gap
		if loss.Count > 1 {
			variance += loss.Variance(gradient[:]...)
		}
		return variance
	}
	whole := func(b Bracket) Bracket {
		out := Bracket{Lo: (1-o.share)*b.Lo + o.share*r.Least, Hi: (1-o.share)*b.Hi + o.share*r.Most}
		down, up := (1-o.share)*(b.Lo-b.Lower), (1-o.share)*(b.Upper-b.Hi)
		out.Lower = max(out.Lo-math.Sqrt(down*down+weighted.Normal95*weighted.Normal95*extra(b.Lo, 0)), 0)
		out.Upper = out.Hi + math.Sqrt(up*up+weighted.Normal95*weighted.Normal95*extra(b.Hi, 1))
		return out
	}
	risk := a.Risk.RiskEstimate
	mse := max(risk.MSE, 0)
	r.All = whole(Bracket{Lo: mse, Hi: mse, Lower: risk.Lo, Upper: risk.Hi})
	if a.Bracket != nil {
		r.restHi = a.Bracket.Hi
		bracket, tight := whole(*a.Bracket), whole(*a.Tight)
		a.Bracket, a.Tight = &bracket, &tight
	}
	if acc := a.Accuracy; acc != nil {
		r.Accuracy = &Bracket{
			Lo: (1 - o.share) * acc.Value, Hi: (1-o.share)*acc.Value + o.share,
			Lower: (1 - o.share) * acc.Lo, Upper: (1-o.share)*acc.Hi + o.share,
		}
	}
}

// plus is r for a risk to which an optimism is added, and whose interval is wider by that.
func (r *OverlapRisk) plus(before, after RiskEstimate) *OverlapRisk {
	if r == nil {
		return nil
	}
	out := *r
	rest, moved := 1-r.Share, after.MSE-before.MSE
	out.All = Bracket{Lo: out.All.Lo + rest*moved, Hi: out.All.Hi + rest*moved, Lower: max(out.All.Lower+rest*(after.Lo-before.Lo), 0), Upper: out.All.Upper + rest*(after.Hi-before.Hi)}
	return &out
}
