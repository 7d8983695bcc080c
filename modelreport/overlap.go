package modelreport

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"mediant/internal/draw"
	"mediant/internal/weighted"
	"mediant/problem"
	"mediant/report"
	"mediant/tables"
)

const (
	// comparedCharts is the number of columns of U with a picture, listedCompared that of those in the table.
	comparedCharts, listedCompared = 4, 15
	// histogramBins are those of numbers, histogramLevels the levels of text; the others are one.
	histogramBins, histogramLevels = 12, 8
)

// A sampled column of U of one table.
type sampledColumn struct {
	kind    tables.Kind
	numbers []float64
	cells   []string
	weights []float64
}

// compared is a column of U in both tables.
type compared struct {
	name     string
	x, y     sampledColumn
	distance float64 // of the distributions, from 0 to 1
	lacking  float64 // share of S_X whose value is beyond what S_Y has
}

// overlap is the section on U in both tables.
func (b *builder) overlap(ctx context.Context) (*report.Section, error) {
	if _, err := b.rows(); err != nil {
		return nil, err
	}
	if b.XU == nil || b.UY == nil {
		return nil, reason("the tables are not at hand")
	}
	x, n, err := b.sampleU(ctx, b.XU, b.Weights.WeightsXU, "report overlap 0")
	if err != nil {
		return nil, err
	}
	y, m, err := b.sampleU(ctx, b.UY, b.Weights.WeightsUY, "report overlap 1")
	if err != nil {
		return nil, err
	}
	var all []compared
	for i, name := range b.Model.Roles.U {
		switch c := (compared{name: name, x: x[i], y: y[i]}); {
		case c.x.kind == tables.Vector || c.y.kind == tables.Vector:
			b.leaveOut("the overlap in "+shortName(name), "sparse rows are not compared column by column; the diagnosis has a test of their distribution")
		case c.x.free() || c.y.free():
			b.leaveOut("the overlap in "+shortName(name), "free text has no levels or range to compare; the diagnosis has a test of its distribution")
		case c.x.kind != c.y.kind:
			b.leaveOut("the overlap in "+shortName(name), "the column is of another kind in the second table")
		default:
			c.compare()
			all = append(all, c)
		}
	}
	if len(all) == 0 {
		return nil, reason("no column of U can be compared by itself")
	}
	slices.SortStableFunc(all, func(a, b compared) int { return cmp.Compare(b.distance, a.distance) })
	s := &report.Section{Title: "U in the two tables", Text: b.overlapTexts(n, m)}
	t := report.Table{Caption: "Columns of U, those that differ most first", Columns: []string{"column", "distance", "mean in (X, U)", "mean in (U, Y)", "difference / SD", "beyond (U, Y)"}}
	shown := min(len(all), listedCompared)
	s.Text = append(s.Text, more(shown, len(all), "column")...)
	for i := range all[:shown] {
		t.Rows = append(t.Rows, all[i].row())
	}
	s.Tables = []report.Table{t}
	for i := range all[:min(len(all), comparedCharts)] {
		if c := all[i].chart(i + 1); c != nil {
			s.Charts = append(s.Charts, *c)
		} else {
			b.leaveOut("a picture of "+shortName(all[i].name), "a column without values has no axis")
		}
	}
	return s, nil
}

func (b *builder) overlapTexts(n, m int) []string {
	chance := 1.36 * math.Sqrt(1/float64(n)+1/float64(m)) // of Kolmogorov and Smirnov, at 5 %
	all := []string{fmt.Sprintf("Y is learned from the U of the second table, and predicted for that of the first. The distance of a column is the largest difference of the two cumulative distributions, of levels half the sum of the differences of their shares, "+
		"in samples of %s of (X, U) and %s of (U, Y); one column of numbers with equal distributions has a distance above %s in 5 %% of cases. Beyond (U, Y) is the share of rows of (X, U) whose value is outside the range of the second table, or a level that it lacks.", rows(n), rows(m), number(math.Round(1000*chance)/1000))}
	if d := b.Diagnosis; d != nil && d.DistributionOfU != nil {
		all = append(all, "All columns together: "+d.DistributionOfU.Text)
	}
	if out := b.Model.Rows.NoOverlap; out > 0 && b.Choice != nil {
		all = append(all, fmt.Sprintf("%s of (X, U) have a U that is outside the support of U in the second table; the notes on the model say in which columns.", rows(out)))
	} else if b.Choice != nil {
		all = append(all, "No row of (X, U) was found whose U is outside the support of U in the second table.")
	}
	return all
}

// sampleU returns the columns of U of sampled rows, and their number.
func (b *builder) sampleU(ctx context.Context, src tables.Source, weights, purpose string) ([]sampledColumn, int, error) {
	src, err := tables.Weigh(ctx, src, weights)
	if err != nil {
		return nil, 0, err
	}
	guard := tables.NewGuard("", src)
	n, err := guard.Count(ctx)
	if err != nil {
		return nil, 0, err
	}
	var wanted []tables.Column
	kinds := map[string]tables.Kind{}
	for _, c := range guard.Columns() {
		kinds[c.Name] = c.Kind
	}
	for _, c := range b.Model.U.Columns() {
		if kind, ok := kinds[c.Name]; ok {
			c.Kind = kind
		}
		wanted = append(wanted, c)
	}
	selection, err := tables.Select(guard.Columns(), wanted)
	if err != nil {
		return nil, 0, err
	}
	picked := draw.Indices(n, max(50, min(comparedRows, sampledCells/max(1, len(wanted)))), b.Model.Seed, purpose)
	out := make([]sampledColumn, len(wanted))
	taken := 0
	for batch, err := range guard.Batches(ctx) {
		if err != nil {
			return nil, 0, err
		}
		w := problem.RowWeights(batch)
		for ; taken < len(picked) && picked[taken] < batch.Start+batch.Rows; taken++ {
			row := picked[taken] - batch.Start
			for i := range out {
				out[i].add(selection, i, batch, row, w.Of(row))
			}
		}
	}
	return out, len(picked), nil
}

// add adds a row of a batch.
func (c *sampledColumn) add(s *tables.Selection, i int, batch tables.Batch, row int, weight float64) {
	kind, place := s.Place(i)
	c.kind = kind
	switch kind {
	case tables.Numeric:
		c.numbers = append(c.numbers, batch.Num.At(row, place))
	case tables.Text:
		c.cells = append(c.cells, short(string([]byte(batch.Text[place][row])), 200)) // a copy: cells share the memory of their record
	}
	c.weights = append(c.weights, weight)
}

// free reports whether text is free text, by the rule of encoders.
func (c *sampledColumn) free() bool {
	if c.kind != tables.Text {
		return false
	}
	levels := map[string]bool{}
	for _, cell := range c.cells {
		levels[cell] = true
	}
	return len(levels) > textLevels && 2*len(levels) > len(c.cells)
}

// compare finds the distance of both distributions.
func (c *compared) compare() {
	if c.x.kind == tables.Text {
		px, py := c.x.shares(), c.y.shares()
		for _, level := range levelsOf(px, py) {
			c.distance += math.Abs(px[level]-py[level]) / 2
			if py[level] == 0 {
				c.lacking += px[level]
			}
		}
		return
	}
	missingX, missingY := c.x.missing(), c.y.missing()
	c.distance = max(kolmogorov(&c.x, &c.y), math.Abs(missingX-missingY))
	low, high := c.y.bounds()
	beyond := weighted.NewAverages(1)
	for i, v := range c.x.numbers {
		out := 0.
		if v < low || v > high || math.IsNaN(v) && missingY == 0 {
			out = 1
		}
		beyond.Add(c.x.weights[i], []float64{out})
	}
	c.lacking = beyond.Mean[0]
}

// shares are those of the cells.
func (c *sampledColumn) shares() map[string]float64 {
	shares := map[string]float64{}
	total := 0.
	for i, cell := range c.cells {
		shares[cell] += c.weights[i]
		total += c.weights[i]
	}
	for cell := range shares {
		shares[cell] /= total
	}
	return shares
}

// levelsOf are the cells of both, the most frequent first.
func levelsOf(x, y map[string]float64) []string {
	var all []string
	for cell := range x {
		all = append(all, cell)
	}
	for cell := range y {
		if _, both := x[cell]; !both {
			all = append(all, cell)
		}
	}
	slices.SortFunc(all, func(a, b string) int { return cmp.Or(cmp.Compare(x[b]+y[b], x[a]+y[a]), cmp.Compare(a, b)) })
	return all
}

// moments are the mean and the variance of the numbers that are there, NaN if there are none.
func (c *sampledColumn) moments() (mean, variance float64) {
	m := weighted.NewAverages(1)
	for i, v := range c.numbers {
		if !math.IsNaN(v) {
			m.Add(c.weights[i], []float64{v})
		}
	}
	if m.Weight == 0 {
		return math.NaN(), math.NaN()
	}
	s := weighted.NewAverages(1)
	for i, v := range c.numbers {
		if !math.IsNaN(v) {
			s.Add(c.weights[i], []float64{(v - m.Mean[0]) * (v - m.Mean[0])})
		}
	}
	return m.Mean[0], s.Mean[0]
}

// missing is the share of rows without a number.
func (c *sampledColumn) missing() float64 {
	m := weighted.NewAverages(1)
	for i, v := range c.numbers {
		if math.IsNaN(v) {
			m.Add(c.weights[i], []float64{1})
		} else {
			m.Add(c.weights[i], []float64{0})
		}
	}
	return m.Mean[0]
}

// bounds are the least and the largest number.
func (c *sampledColumn) bounds() (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, v := range c.numbers {
		if !math.IsNaN(v) {
			low, high = min(low, v), max(high, v)
		}
	}
	return low, high
}

// kolmogorov is the largest difference of the cumulative distributions of the numbers that are there; 1 if one table has none alone.
func kolmogorov(x, y *sampledColumn) float64 {
	type step struct{ at, x, y float64 }
	var steps []step
	totalX, totalY := 0., 0.
	for i, v := range x.numbers {
		if !math.IsNaN(v) {
			steps = append(steps, step{v, x.weights[i], 0})
			totalX += x.weights[i]
		}
	}
	for i, v := range y.numbers {
		if !math.IsNaN(v) {
			steps = append(steps, step{v, 0, y.weights[i]})
			totalY += y.weights[i]
		}
	}
	if totalX == 0 || totalY == 0 {
		if totalX == totalY {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(steps, func(a, b step) int { return cmp.Compare(a.at, b.at) })
	largest, sumX, sumY := 0., 0., 0.
	for i, s := range steps {
		sumX, sumY = sumX+s.x, sumY+s.y
		if i+1 == len(steps) || steps[i+1].at != s.at {
			largest = max(largest, math.Abs(sumX/totalX-sumY/totalY))
		}
	}
	return largest
}
